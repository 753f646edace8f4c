//! Holds what a timer command leaves for the next words: what it lacks, or what it has just set.
//!
//! Input: the next words and their time. Output: the whole order, or the order as the user continued it.
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp, Zoned};

use joi_language::Language;
use joi_schedule::{EntryId, EntryKind, ScheduleOrder, ScheduleQuestion};
use joi_understand::intents::{self, Intent, QuickIntent};

/// Time limit of an answer to joi's question.
const PATIENCE: SignedDuration = SignedDuration::from_secs(60);
/// Time limit of a continuation of a command that seemed complete, its words included.
const AFTERTHOUGHT: SignedDuration = SignedDuration::from_secs(10);
/// Time limit of a continuation before the answer is heard, its words included.
const ONE_BREATH: SignedDuration = SignedDuration::from_secs(5);

/// Time limit of words about what was set.
const SPOKEN_OF: SignedDuration = SignedDuration::from_mins(2);

/// The entry that was set or changed last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastEntry {
    pub(crate) id: EntryId,
    pub(crate) kind: EntryKind,
    pub(crate) at: Timestamp,
}

impl LastEntry {
    /// The order that `text` is where it is about this entry: "and one for the rice", "move that to ten".
    pub(crate) fn continued(&self, language: &Language, text: &str, now: &Zoned) -> Option<QuickIntent> {
        let is_recent = now.timestamp().duration_since(self.at).abs() <= SPOKEN_OF;
        is_recent.then(|| intents::about_entry(language, text, (self.id, self.kind))).flatten()
    }
}

/// An order that lacks something, and what was asked.
#[derive(Debug, Clone)]
pub(crate) struct Clarification {
    /// What it lacks.
    pub(crate) lacks: Lacking,
    /// When the order came.
    pub(crate) since: Timestamp,
}

/// What an order lacks.
#[derive(Debug, Clone)]
pub(crate) enum Lacking {
    /// The order as understood so far, and the question.
    Schedule(ScheduleOrder, ScheduleQuestion),
    /// The fact to remember.
    Fact,
}

impl Clarification {
    /// The whole order, when `text` is the answer.
    pub(crate) fn completed(&self, language: &Language, text: &str, now: &Zoned) -> Option<QuickIntent> {
        if now.timestamp().duration_since(self.since).abs() > PATIENCE {
            return None;
        }
        let what = match &self.lacks {
            Lacking::Schedule(order, question) => {
                Intent::Schedule(intents::complete(language, order, question, text)?)
            }
            Lacking::Fact => Intent::Memory(intents::to_remember(language, text)?),
        };
        Some(QuickIntent { what, reason: "the answer to what was asked back".to_owned() })
    }
}

/// An order that was just set or is being set: the user may go on.
#[derive(Debug, Clone)]
pub(crate) struct LastSet {
    settled: intents::Settled,
    /// When the command came that set it, and the last word of it.
    since: Timestamp,
    at: Timestamp,
    /// Its speaker had not finished: what comes next is the whole of it.
    is_superseded: bool,
}

impl LastSet {
    /// The command to set something that `text` is, if it is one.
    pub(crate) fn of(language: &Language, text: &str, now: &Zoned) -> Option<Self> {
        let at = now.timestamp();
        Some(Self { settled: intents::settled(language, text)?, since: at, at, is_superseded: false })
    }

    /// The user went on before the answer: the next words hold all of it. What was set longer ago is not what
    /// the user goes on with.
    pub(crate) fn supersede(&mut self, now: Timestamp) {
        self.is_superseded = now.duration_since(self.at).abs() <= ONE_BREATH;
    }

    /// The order to forget it, where `text`, which holds all of it, makes another request of it.
    pub(crate) fn taken_back(&self, language: &Language, text: &str, now: &Zoned) -> Option<ScheduleOrder> {
        let is_taken_back = self.is_superseded && self.continued(language, text, now).is_none();
        is_taken_back
            .then(|| ScheduleOrder::Withdraw { before: self.settled.wanted.clone(), since: self.since })
    }

    /// The order that `text` makes of it, when it only goes on with it; and what is set then.
    pub(crate) fn continued(
        &self,
        language: &Language,
        text: &str,
        now: &Zoned,
    ) -> Option<(QuickIntent, Self)> {
        let at = now.timestamp();
        if at.duration_since(self.at).abs() > AFTERTHOUGHT {
            return None;
        }
        let settled = match intents::amended(language, &self.settled, text) {
            Some(settled) => settled,
            None if intents::only_repeats(language, &self.settled, text) => self.settled.clone(),
            None => self.replaced(language, text)?,
        };
        let before = self.settled.wanted.clone();
        let order = ScheduleOrder::Amend { before, since: self.since, wanted: settled.wanted.clone() };
        let reason = "it goes on with the command before it".to_owned();
        let quick = QuickIntent { what: Intent::Schedule(order), reason };
        Some((quick, Self { settled, since: self.since, at, is_superseded: false }))
    }

    /// The whole of a command that was taken up too early, where its beginning was heard as another one.
    fn replaced(&self, language: &Language, text: &str) -> Option<intents::Settled> {
        let whole = intents::settled(language, text).filter(|_| self.is_superseded)?;
        (whole.wanted.kind == self.settled.wanted.kind).then_some(whole)
    }
}
