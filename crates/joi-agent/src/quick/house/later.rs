//! Schedules commands to the house: stores them first, confirms them once they are on the disk.
//!
//! Runs in the task of the turn. Input: checked commands and a moment. Output: an entry of the schedule, and a
//! sentence. A command for a limited time is sent now, after its way back is stored; without a schedule nothing is
//! done.

use super::super::{QuickContext, timers};
use super::send;
use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::{ReplyEvent, Turn};
use joi_schedule::{
    self as schedule, Bell, Done, EntryId, LaterCommand, OrderReport, Schedule, ScheduleOrder, When, Which,
};
use joi_understand::house::later::{self, LaterMoment, LaterWish};
use joi_understand::house::thread::HouseThread;
use joi_understand::house::{PlannedBatch, PlannedCommand, say};

/// Stores what is to be done later, and does what is to be done now.
pub(super) async fn carry_out(
    wished: &LaterWish,
    turn: &Turn<'_>,
    context: &QuickContext<'_>,
    sink: &mut ReplySink,
) -> Result<(), ReceiverClosed> {
    let (Some(home), Some(words)) = (context.home, turn.language.house()) else { return Ok(()) };
    let Some(schedule) = context.schedule else {
        sink.decided("home", "refused", "there is no schedule").await?;
        return sink.say(&words.say.not_later).await;
    };
    let (stored, when) = match &wished.when {
        LaterMoment::Then(when) => (wished.commands.clone(), when.clone()),
        LaterMoment::For(seconds) => match later::brought_back(&wished.commands, &home.view().house) {
            Some(back) => (back, When::In(*seconds)),
            None => return sink.say(&words.say.not_back).await,
        },
    };
    let Some(done) = store(schedule, &stored, when, turn, sink).await? else { return Ok(()) };
    let told = schedule::words::reported(&done.report, &done.at, &turn.language);
    let OrderReport::Set(entry) = &done.report else {
        sink.decided("home", "refused", "there is no such moment").await?;
        return sink.say(&told).await;
    };
    let is_now = matches!(wished.when, LaterMoment::For(_));
    let batch = PlannedBatch { commands: wished.commands.clone(), ..PlannedBatch::default() };
    if is_now && send(&batch, turn, context, sink).await? == super::Reached::No {
        // Nothing was done that could be brought back.
        let which = Which { id: Some(entry.id), ..Which::default() };
        if let Err(error) = schedule.obey(ScheduleOrder::Cancel(which)).await {
            tracing::error!(%error, "a command to the house stays in the schedule");
        }
        return Ok(());
    }
    let (id, now) = (entry.id, turn.now.timestamp());
    if is_now {
        context.session.with(|state| state.house.is_brought_back_by(id));
    } else {
        sink.decided("home", "stored", "it is to be done later").await?;
        context.session.with(|state| {
            state.last_deed = None;
            state.house.has_stored(&stored, id, now);
        });
    }
    if done.bell == Bell::Nobody {
        let notice = "(joi is not running: it is done once `joi run` does, if that is in time)";
        sink.send(ReplyEvent::Notice(notice.to_owned())).await?;
    }
    sink.say_on(&told).await
}

/// Takes an entry out of the schedule and announces it; returns whether it was still there.
pub(super) async fn cancel(
    entry: EntryId,
    turn: &Turn<'_>,
    context: &QuickContext<'_>,
    sink: &mut ReplySink,
) -> Result<bool, ReceiverClosed> {
    context.session.with(|state| state.house = HouseThread::default());
    match timers::cancel(entry, context.schedule, turn).await {
        Ok(Some(told)) => {
            sink.decided("home", "taken back", "it is not to be done any more").await?;
            sink.say_on(&told).await?;
            Ok(true)
        }
        Ok(None) => Ok(false),
        Err(error) => {
            tracing::error!(%error, "a command to the house stays in the schedule");
            Ok(false)
        }
    }
}

async fn store(
    schedule: &Schedule,
    commands: &[PlannedCommand],
    when: When,
    turn: &Turn<'_>,
    sink: &mut ReplySink,
) -> Result<Option<Done>, ReceiverClosed> {
    let Some(words) = turn.language.house() else { return Ok(None) };
    let does = commands
        .iter()
        .map(|one| LaterCommand { item: one.ordered.item.clone(), text: one.ordered.text.clone() })
        .collect();
    let name = say::later(commands, words);
    match schedule.obey(ScheduleOrder::SetHouse { name, when, does }).await {
        Ok(done) => Ok(Some(done)),
        Err(error) => {
            tracing::error!(%error, "a command to the house was not stored");
            sink.decided("home", "failed", error.to_string()).await?;
            sink.say(&words.say.not_later).await?;
            Ok(None)
        }
    }
}
