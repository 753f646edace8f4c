//! Carries out timers, alarms and reminders within a turn: confirms what is durable, asks back when unclear.
//!
//! Runs in the task of the turn. Input: an order that a quick intent understood. Output: one sentence that confirms the
//! order. An order that cannot be written to the disk is never confirmed.

use crate::session::Session;
use crate::session::last_set::{Clarification, Lacking, LastEntry};
use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::{Keep, ReplyEvent, Turn};
use joi_base::message::Place;
use joi_language::words::{mention, words};
use joi_schedule::{self as schedule, Bell, Done, Entry, EntryId, OrderReport, Schedule, ScheduleOrder};
use joi_schedule::{ScheduleQuestion, Which};
use joi_store::StoreError;
use joi_tools::WayBack;
use joi_understand::question;

/// Carries out an order and confirms it.
pub(crate) async fn carry_out(
    order: &ScheduleOrder,
    turn: &Turn<'_>,
    schedule: Option<&Schedule>,
    session: &Session,
    sink: &mut ReplySink,
) -> Result<Keep, ReceiverClosed> {
    let Some(schedule) = schedule else {
        sink.say(&turn.language.sentences().reply.no_timers).await?;
        return Ok(Keep::No);
    };
    let done = match obey(order, turn, &schedule.at(turn.place)).await {
        Ok(done) => done,
        Err(error) => {
            tracing::error!(%error, "a timer was not stored");
            sink.send(ReplyEvent::Notice(error.to_string())).await?;
            sink.decided("timers", "failed", error.to_string()).await?;
            sink.say(&turn.language.sentences().reply.no_timers).await?;
            return Ok(Keep::No);
        }
    };
    sink.decided("timers", report_name(&done.report), "stored before it is confirmed").await?;
    if let OrderReport::Set(Entry { id, kind, .. }) | OrderReport::Changed(Entry { id, kind, .. }) =
        &done.report
    {
        let last = LastEntry { id: *id, kind: *kind, at: turn.now.timestamp() };
        session.with(|state| state.last_entry = Some(last));
    }
    if let OrderReport::Set(entry) = &done.report {
        let back = WayBack::Cancel(entry.id);
        session.with(|state| state.note_deed(back, turn.now.timestamp()));
    }
    if let OrderReport::Ask(question) = &done.report {
        let since = turn.now.timestamp();
        let asked = Clarification { lacks: Lacking::Schedule(order.clone(), question.clone()), since };
        session.with(|state| state.clarification = Some(asked));
    }
    sink.is_foreign |= done.report.is_foreign();
    sink.say(&schedule::words::reported(&done.report, &done.at, &turn.language)).await?;
    if done.bell == Bell::Nobody && matches!(done.report, OrderReport::Set(_) | OrderReport::Changed(_)) {
        let notice = "(joi is not running: it rings once `joi run` does)";
        sink.send(ReplyEvent::Notice(notice.to_owned())).await?;
    }
    Ok(Keep::Yes)
}

/// Obeys an order; of several that it may mean the one of which the words beside it speak.
async fn obey(order: &ScheduleOrder, turn: &Turn<'_>, schedule: &Schedule) -> Result<Done, StoreError> {
    let done = schedule.obey(order.clone()).await?;
    let OrderReport::Ask(ScheduleQuestion::Which(several)) = &done.report else { return Ok(done) };
    let said = words(turn.beside);
    let is_named = |entry: &&Entry| {
        let named = entry.name.as_deref().map(question::content_words).unwrap_or_default();
        turn.beside != turn.asked && named.iter().any(|word| mention(&said, std::slice::from_ref(word)))
    };
    let mut named = several.iter().filter(is_named);
    match (named.next(), named.next()) {
        (Some(one), None) => schedule.obey(order.of(one.id)).await,
        _ => Ok(done),
    }
}

/// Makes whatever rings at `place` be silent, without it whatever rings, and says nothing about it; whether something rang.
pub(crate) async fn silence(schedule: Option<&Schedule>, place: Option<&Place>) -> bool {
    let Some(schedule) = schedule else { return false };
    match schedule.at(place).obey(ScheduleOrder::Silence).await {
        Ok(done) => matches!(&done.report, OrderReport::Silenced(those) if !those.is_empty()),
        Err(error) => {
            tracing::error!(%error, "what rings could not be silenced");
            false
        }
    }
}

/// Forgets what was set before its speaker had finished, and says nothing about it.
pub(crate) async fn withdraw(
    order: ScheduleOrder,
    schedule: Option<&Schedule>,
    sink: &mut ReplySink,
) -> Result<(), ReceiverClosed> {
    let Some(schedule) = schedule else { return Ok(()) };
    match schedule.obey(order).await {
        Ok(done) => sink.decided("timers", report_name(&done.report), "its speaker had not finished").await,
        Err(error) => {
            tracing::error!(%error, "what was set too early is still there");
            sink.send(ReplyEvent::Notice(error.to_string())).await
        }
    }
}

/// Takes an entry out of the schedule; what is said of it, if it was still there.
pub(crate) async fn cancel(
    entry: EntryId,
    schedule: Option<&Schedule>,
    turn: &Turn<'_>,
) -> Result<Option<String>, StoreError> {
    let Some(schedule) = schedule else { return Ok(None) };
    let which = Which { id: Some(entry), ..Which::default() };
    let done = schedule.obey(ScheduleOrder::Cancel(which)).await?;
    let is_gone = matches!(&done.report, OrderReport::Cancelled(gone) if !gone.is_empty());
    Ok(is_gone.then(|| schedule::words::reported(&done.report, &done.at, &turn.language)))
}

/// A report's name in records.
fn report_name(report: &OrderReport) -> &'static str {
    match report {
        OrderReport::Set(_) => "set",
        OrderReport::Changed(_) => "changed",
        OrderReport::Cancelled(_) => "cancelled",
        OrderReport::Skipped(..) => "skipped",
        OrderReport::Snoozed(_) => "snoozed",
        OrderReport::Paused(_) => "paused",
        OrderReport::Resumed(_) => "resumed",
        OrderReport::Silenced(_) => "silenced",
        OrderReport::Listed(..) => "listed",
        OrderReport::Left(_) => "told",
        OrderReport::NoSuch(_) => "no such timer",
        OrderReport::NothingRings => "nothing rings",
        OrderReport::IsOver | OrderReport::TooLong | OrderReport::TooMany => "refused",
        OrderReport::Ask(_) => "asked back",
    }
}
