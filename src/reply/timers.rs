//! Timers, alarms and reminders within a turn: carried out, told once durable, asked back when not clear.
//!
//! Runs in the task of the turn. In: an order a quick intent understood. Out: one sentence that says what was
//! understood. What can't be written to the disk is never confirmed.

use jiff::{SignedDuration, Timestamp, Zoned};

use super::intents::{self, Intent, QuickIntent};
use super::model::ChatModel;
use super::outlet::{Outlet, Unheard};
use super::{Engine, Keep, ReplyEvent, Turn, words};
use crate::schedule::{self, Bell, Order, Question, Report};

/// An answer to a question of hers comes within this time.
const PATIENCE: SignedDuration = SignedDuration::from_secs(60);
/// Who goes on with a command that seemed complete does so within this time, his words included.
const AFTERTHOUGHT: SignedDuration = SignedDuration::from_secs(10);

/// An order that lacks something, and what was asked.
#[derive(Debug, Clone)]
pub(super) struct Unfinished {
    order: Order,
    question: Question,
    since: Timestamp,
}

impl Unfinished {
    /// The whole order, when `text` is the answer.
    pub(super) fn completed(&self, text: &str, now: &Zoned) -> Option<QuickIntent> {
        if now.timestamp().duration_since(self.since).abs() > PATIENCE {
            return None;
        }
        let order = intents::complete(&self.order, &self.question, text)?;
        let reason = "the answer to what was asked back".to_owned();
        Some(QuickIntent { what: Intent::Schedule(order), reason })
    }
}

/// What was set a moment ago, or is being set: its speaker may go on.
#[derive(Debug, Clone)]
pub(super) struct Just {
    settled: intents::Settled,
    /// When the command came that set it, and the last word of it.
    since: Timestamp,
    at: Timestamp,
}

impl Just {
    /// The command to set something that `text` is, if it is one.
    pub(super) fn of(text: &str, now: &Zoned) -> Option<Self> {
        let at = now.timestamp();
        Some(Self { settled: intents::settled(text)?, since: at, at })
    }

    /// The order that `text` makes of it, when it only goes on with it; and what is set then.
    pub(super) fn continued(&self, text: &str, now: &Zoned) -> Option<(QuickIntent, Self)> {
        let at = now.timestamp();
        if at.duration_since(self.at).abs() > AFTERTHOUGHT {
            return None;
        }
        let settled = match intents::amended(&self.settled, text) {
            Some(settled) => settled,
            None if intents::only_repeats(&self.settled, text) => self.settled.clone(),
            None => return None,
        };
        let before = self.settled.wanted.clone();
        let order = Order::Amend { before, since: self.since, wanted: settled.wanted.clone() };
        let reason = "it goes on with the command before it".to_owned();
        let quick = QuickIntent { what: Intent::Schedule(order), reason };
        Some((quick, Self { settled, since: self.since, at }))
    }
}

impl<M: ChatModel> Engine<M> {
    /// Carries out an order and tells it.
    pub(super) async fn schedule(
        &self,
        turn: &Turn<'_>,
        order: &Order,
        outlet: &mut Outlet,
    ) -> Result<Keep, Unheard> {
        let Some(schedule) = &self.parts.schedule else {
            outlet.say(words::NO_TIMERS).await?;
            return Ok(Keep::No);
        };
        let done = match schedule.obey(order.clone()).await {
            Ok(done) => done,
            Err(error) => {
                tracing::error!(%error, "a timer was not stored");
                outlet.send(ReplyEvent::Notice(error.to_string())).await?;
                outlet.decided("timers", "failed", error.to_string()).await?;
                outlet.say(words::NO_TIMERS).await?;
                return Ok(Keep::No);
            }
        };
        outlet.decided("timers", told(&done.report), "stored before it is confirmed").await?;
        if let Report::Ask(question) = &done.report {
            let since = turn.now.timestamp();
            let unfinished = Unfinished { order: order.clone(), question: question.clone(), since };
            self.lock(&self.unfinished).insert(turn.channel, unfinished);
        }
        outlet.say(&schedule::words::tell(&done.report, &done.at)).await?;
        if done.bell == Bell::Nobody && matches!(done.report, Report::Set(_) | Report::Changed(_)) {
            let notice = "(joi is not running: it rings once `joi run` does)";
            outlet.send(ReplyEvent::Notice(notice.to_owned())).await?;
        }
        Ok(Keep::Yes)
    }

    /// Makes whatever rings be silent, and says nothing about it.
    pub async fn silence(&self) {
        if let Some(schedule) = &self.parts.schedule
            && let Err(error) = schedule.obey(Order::Silence).await
        {
            tracing::error!(%error, "what rings could not be silenced");
        }
    }
}

/// A report's name in records.
fn told(report: &Report) -> &'static str {
    match report {
        Report::Set(_) => "set",
        Report::Changed(_) => "changed",
        Report::Cancelled(_) => "cancelled",
        Report::Skipped(..) => "skipped",
        Report::Snoozed(_) => "snoozed",
        Report::Silenced(_) => "silenced",
        Report::Listed(..) => "listed",
        Report::Left(_) => "told",
        Report::NoSuch(_) => "no such timer",
        Report::NothingRings => "nothing rings",
        Report::IsOver | Report::TooLong | Report::TooMany => "refused",
        Report::Ask(_) => "asked back",
    }
}
