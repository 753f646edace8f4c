//! What the talk about a house leaves behind for the words that follow: what "it" is, and what takes the last command
//! back.
//!
//! PURE. Belongs to one conversation. In: what was done or told, and when. Out: names and commands, as long as they count.

use jiff::{SignedDuration, Timestamp};

use crate::home::backend::{CommandOutcome, SendFault};
use crate::home::house::House;
use crate::reply::understand::house::follow::{self, BackStep};
use crate::reply::understand::house::{HouseDecision, HouseRefusal, PlannedCommand};

/// "It" is what was spoken of this long ago at most, in the turn before.
const IT_WITHIN: SignedDuration = SignedDuration::from_secs(60);
/// A command can be taken back this long.
const BACK_WITHIN: SignedDuration = SignedDuration::from_mins(5);

/// The thread of a conversation about the house.
#[derive(Debug, Clone, Default)]
pub(crate) struct HouseThread {
    it: Option<(Vec<String>, Timestamp)>,
    done: Option<DoneCommands>,
}

/// Commands that were sent last.
#[derive(Debug, Clone)]
struct DoneCommands {
    /// What takes them back; nothing where they can't be.
    back: Option<Vec<BackStep>>,
    at: Timestamp,
}

impl HouseThread {
    /// Notes what was spoken of.
    pub(crate) fn speaks_of(&mut self, decision: &HouseDecision, now: Timestamp) {
        let names = follow::spoken_of(decision);
        self.it = (!names.is_empty()).then_some((names, now));
    }

    /// Notes what was sent to a house that was as in `before`.
    pub(super) fn has_sent(
        &mut self,
        (commands, outcomes): (&[PlannedCommand], &[CommandOutcome]),
        before: &House,
        now: Timestamp,
    ) {
        let is_lost =
            |outcome: &CommandOutcome| matches!(outcome, CommandOutcome::Failed(SendFault::NotSent(_)));
        if outcomes.iter().all(is_lost) {
            return;
        }
        let names = commands.iter().map(|planned| planned.ordered.item.clone()).collect();
        self.it = Some((names, now));
        self.done = Some(DoneCommands { back: follow::way_back(commands, outcomes, before), at: now });
    }

    /// Something else was spoken of.
    pub(crate) fn leaves(&mut self) {
        self.it = None;
    }

    /// What "it" is; empty where it is nothing.
    pub(super) fn it(&self, now: Timestamp) -> &[String] {
        let names = self.it.as_ref().filter(|(_, at)| now.duration_since(*at).abs() <= IT_WITHIN);
        names.map_or(&[], |(names, _)| names)
    }

    /// What takes the last commands back; nothing when there are none, or none any more.
    pub(super) fn taken_back(&self, now: Timestamp, house: &House) -> Option<HouseDecision> {
        let done = self.done.as_ref().filter(|done| now.duration_since(done.at).abs() <= BACK_WITHIN)?;
        Some(match &done.back {
            Some(steps) => follow::taken_back(steps, house),
            None => HouseDecision::Refused(HouseRefusal::NotBack),
        })
    }
}
