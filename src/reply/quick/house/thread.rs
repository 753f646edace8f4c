//! What the talk about a house leaves behind for the words that follow: what "it" is, and what takes the last command
//! back.
//!
//! PURE. Belongs to one conversation. In: what was done or told, and when. Out: names and commands, as long as they count.

use jiff::{SignedDuration, Timestamp};

use crate::home::backend::{CommandOutcome, SendFault};
use crate::home::house::House;
use crate::reply::understand::house::follow::{self, BackStep};
use crate::reply::understand::house::{HouseDecision, HouseRefusal, PlannedCommand};
use crate::schedule::EntryId;
use crate::tools::HouseCall;

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

/// Commands that were sent or stored last.
#[derive(Debug, Clone)]
struct DoneCommands {
    /// What takes them back; nothing where they can't be.
    back: Option<Vec<BackStep>>,
    /// What waits in the schedule because of them.
    stored: Option<EntryId>,
    at: Timestamp,
}

/// What takes the last commands back.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TakenBack {
    /// This is not to be done any more.
    pub(super) stored: Option<EntryId>,
    /// This is to be done; nothing where nothing was done yet.
    pub(super) decision: Option<HouseDecision>,
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
        let back = follow::way_back(commands, outcomes, before);
        self.done = Some(DoneCommands { back, stored: None, at: now });
    }

    /// Notes what is to be done later, and nothing now.
    pub(super) fn has_stored(&mut self, commands: &[PlannedCommand], entry: EntryId, now: Timestamp) {
        let names = commands.iter().map(|planned| planned.ordered.item.clone()).collect();
        self.it = Some((names, now));
        self.done = Some(DoneCommands { back: Some(Vec::new()), stored: Some(entry), at: now });
    }

    /// Notes what brings the commands that were just sent back by itself.
    pub(super) fn is_brought_back_by(&mut self, entry: EntryId) {
        if let Some(done) = &mut self.done {
            done.stored = Some(entry);
        }
    }

    /// Notes a command that the model has sent, beside those of the same turn.
    pub(crate) fn has_called(&mut self, call: HouseCall, now: Timestamp) {
        let HouseCall { before, ordered, command, title } = call;
        let item = ordered.item.clone();
        let planned = PlannedCommand { ordered, command, title };
        let back = follow::way_back(&[planned], &[CommandOutcome::Sent], &before);
        match self.done.take().filter(|done| done.at == now) {
            Some(earlier) => {
                let steps = earlier.back.zip(back).map(|(mut steps, more)| {
                    // What it was before the first of them counts.
                    let is_known = |step: &BackStep| steps.iter().any(|known| known.item == step.item);
                    let new: Vec<BackStep> = more.into_iter().filter(|step| !is_known(step)).collect();
                    steps.extend(new);
                    steps
                });
                self.done = Some(DoneCommands { back: steps, stored: None, at: now });
                self.it.get_or_insert_with(|| (Vec::new(), now)).0.push(item);
            }
            None => {
                self.done = Some(DoneCommands { back, stored: None, at: now });
                self.it = Some((vec![item], now));
            }
        }
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
    pub(super) fn taken_back(&self, now: Timestamp, house: &House) -> Option<TakenBack> {
        let done = self.done.as_ref().filter(|done| now.duration_since(done.at).abs() <= BACK_WITHIN)?;
        let decision = match &done.back {
            Some(steps) if steps.is_empty() => None,
            Some(steps) => Some(follow::taken_back(steps, house)),
            None => Some(HouseDecision::Refused(HouseRefusal::NotBack)),
        };
        Some(TakenBack { stored: done.stored, decision })
    }
}
