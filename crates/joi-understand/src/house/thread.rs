//! Holds what the talk about a house leaves for the next words: what "it" is, and what reverts the last command.
//!
//! Belongs to one conversation. Input: what was done or said, and when. Output: names and commands, as long as they
//! count.
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp};

use super::follow::{self, BackStep};
use super::{HouseDecision, HouseRefusal, PlannedCommand};
use joi_home::CommandOutcome;
use joi_home::house::{House, Item, Ordered};
use joi_language::values::EntryId;

/// "It" is what was spoken of this long ago at most, in the turn before.
const IT_WITHIN: SignedDuration = SignedDuration::from_secs(60);
/// A command can be taken back this long.
const BACK_WITHIN: SignedDuration = SignedDuration::from_mins(5);
/// Time limit of a continuation before the answer, its words included.
const ONE_BREATH: SignedDuration = SignedDuration::from_secs(5);
/// Time limit of the whole utterance, from its beginning.
const AFTERTHOUGHT: SignedDuration = SignedDuration::from_secs(10);

/// The thread of a conversation about the house.
#[derive(Debug, Clone, Default)]
pub struct HouseThread {
    it: Option<(Vec<String>, Timestamp)>,
    done: Option<DoneCommands>,
}

/// Commands that were sent or stored last.
#[derive(Debug, Clone)]
struct DoneCommands {
    /// The commands that take them back; empty if they can't be.
    back: Option<Vec<BackStep>>,
    /// Entries of the schedule that belong to them.
    stored: Option<EntryId>,
    /// The commands sent.
    sent: SentCommands,
    /// Their speaker had not finished: what comes next is the whole of it.
    is_superseded: bool,
    at: Timestamp,
}

/// Commands that went out, and the house before them.
#[derive(Debug, Clone, Default)]
pub struct SentCommands {
    ordered: Vec<Ordered>,
    /// The house as it was.
    pub before: House,
}

impl SentCommands {
    /// The item before `ordered`, where that was among them.
    pub fn item(&self, ordered: &Ordered) -> Option<&Item> {
        self.before.item(&ordered.item).filter(|_| self.ordered.contains(ordered))
    }
}

/// The commands that take the last ones back.
#[derive(Debug, Clone, PartialEq)]
pub struct TakenBack {
    /// This is not to be done any more.
    pub stored: Option<EntryId>,
    /// This is to be done; nothing where nothing was done yet.
    pub decision: Option<HouseDecision>,
}

impl HouseThread {
    /// Notes what was spoken of.
    pub fn speaks_of(&mut self, decision: &HouseDecision, now: Timestamp) {
        let names = follow::spoken_of(decision);
        self.it = (!names.is_empty()).then_some((names, now));
    }

    /// Notes what is sent from here on, to a house that is as in `before`; its outcome is reported by
    /// [`Self::has_sent`], unless nobody waits for that.
    pub fn sends(&mut self, commands: &[PlannedCommand], before: &House, now: Timestamp) {
        let names = commands.iter().map(|planned| planned.ordered.item.clone()).collect();
        self.it = Some((names, now));
        let outcomes = vec![CommandOutcome::Sent; commands.len()];
        let back = follow::way_back(commands, &outcomes, before);
        let mut ordered: Vec<Ordered> = commands.iter().map(|planned| planned.ordered.clone()).collect();
        let mut before = before.clone();
        // Several requests of one turn are said, and cancelled, as one.
        if let Some(earlier) = self.done.take().filter(|done| done.at == now && !done.sent.ordered.is_empty())
        {
            ordered.extend(earlier.sent.ordered);
            before = earlier.sent.before;
        }
        let sent = SentCommands { ordered, before };
        self.done = Some(DoneCommands { back, stored: None, sent, is_superseded: false, at: now });
    }

    /// Notes what became of the commands that were sent last.
    pub fn has_sent(&mut self, commands: &[PlannedCommand], outcomes: &[CommandOutcome], before: &House) {
        if let Some(done) = &mut self.done {
            done.back = follow::way_back(commands, outcomes, before);
        }
    }

    /// The user went on before the answer: the next words hold all of it.
    pub fn supersede(&mut self, now: Timestamp) {
        if let Some(done) = &mut self.done {
            done.is_superseded = now.duration_since(done.at).abs() <= ONE_BREATH;
        }
    }

    /// Returns the commands sent by the beginning of the current utterance.
    pub fn superseded(&self, now: Timestamp) -> Option<SentCommands> {
        let done = self.done.as_ref().filter(|done| done.is_superseded)?;
        (now.duration_since(done.at).abs() <= AFTERTHOUGHT).then(|| done.sent.clone())
    }

    /// Notes what is to be done later, and nothing now.
    pub fn has_stored(&mut self, commands: &[PlannedCommand], entry: EntryId, now: Timestamp) {
        let names = commands.iter().map(|planned| planned.ordered.item.clone()).collect();
        self.it = Some((names, now));
        let (back, sent) = (Some(Vec::new()), SentCommands::default());
        self.done = Some(DoneCommands { back, stored: Some(entry), sent, is_superseded: false, at: now });
    }

    /// Notes what brings the commands that were just sent back by itself.
    pub fn is_brought_back_by(&mut self, entry: EntryId) {
        if let Some(done) = &mut self.done {
            done.stored = Some(entry);
        }
    }

    /// Notes a command that the model has sent to a house that was as in `before`, beside those of the same turn.
    pub fn has_called(&mut self, planned: PlannedCommand, before: &House, now: Timestamp) {
        let item = planned.ordered.item.clone();
        let back = follow::way_back(&[planned], &[CommandOutcome::Sent], before);
        match self.done.take().filter(|done| done.at == now) {
            Some(earlier) => {
                let steps = earlier.back.zip(back).map(|(mut steps, more)| {
                    // What it was before the first of them counts.
                    let is_known = |step: &BackStep| steps.iter().any(|known| known.item == step.item);
                    let new: Vec<BackStep> = more.into_iter().filter(|step| !is_known(step)).collect();
                    steps.extend(new);
                    steps
                });
                self.done = Some(DoneCommands { back: steps, stored: None, ..earlier });
                self.it.get_or_insert_with(|| (Vec::new(), now)).0.push(item);
            }
            None => {
                let sent = SentCommands::default();
                self.done = Some(DoneCommands { back, stored: None, sent, is_superseded: false, at: now });
                self.it = Some((vec![item], now));
            }
        }
    }

    /// Something else was spoken of.
    pub fn leaves(&mut self) {
        self.it = None;
    }

    /// Returns what "it" is; empty where it is nothing.
    pub fn it(&self, now: Timestamp) -> &[String] {
        let names = self.it.as_ref().filter(|(_, at)| now.duration_since(*at).abs() <= IT_WITHIN);
        names.map_or(&[], |(names, _)| names)
    }

    /// Returns what the server was sent last, where that was one command, or the same for all.
    pub fn sent_last(&self, now: Timestamp) -> Option<&str> {
        let done = self.done.as_ref().filter(|done| now.duration_since(done.at).abs() <= IT_WITHIN)?;
        let (first, others) = done.sent.ordered.split_first()?;
        others.iter().all(|other| other.text == first.text).then_some(first.text.as_str())
    }

    /// Returns the commands that take the last ones back; `None` if there are none, or none any more.
    pub fn taken_back(&self, now: Timestamp, house: &House) -> Option<TakenBack> {
        let done = self.done.as_ref().filter(|done| now.duration_since(done.at).abs() <= BACK_WITHIN)?;
        let decision = match &done.back {
            Some(steps) if steps.is_empty() => None,
            Some(steps) => Some(follow::taken_back(steps, house)),
            None => Some(HouseDecision::Refused(HouseRefusal::NotBack)),
        };
        Some(TakenBack { stored: done.stored, decision })
    }
}
