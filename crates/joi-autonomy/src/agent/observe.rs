//! The message with which a turn of an agent begins: what it is for, what is new, its state, its record, what is asked.
//!
//! Notifications stand at the top. Words of strangers are marked as such. Pure: no I/O, no clock.

use std::collections::VecDeque;
use std::fmt::Write as _;

use jiff::Zoned;
use joi_tools::{Source, fence};

use super::approval::AgentApproval;
use super::exchange::Notification;
use super::hot_state::{FieldChange, HotState, shown};

/// Most entries of the record of an agent; of more the oldest are dropped.
const MOST_RECORDED: usize = 100;
/// The newest entries, which a prompt shows.
const SHOWN: usize = 12;
/// Most characters of one notification in a prompt.
const MOST_NOTIFICATION: usize = 400;

/// The task of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnTask<'a> {
    /// To look by itself, and to yield.
    Observe,
    /// The fixed prompt of a heartbeat.
    Beat(&'a str),
    /// The words of somebody who talks with the agent.
    Answer(&'a str),
}

/// What a turn begins with.
#[derive(Debug, Clone, Copy)]
pub struct AgentObservation<'a> {
    /// The agent's name.
    pub name: &'a str,
    /// What it is for.
    pub prompt: &'a str,
    /// Its fields.
    pub hot: &'a HotState,
    /// What it is to know first.
    pub notifications: &'a [Notification],
    /// What has changed since its last turn.
    pub changes: &'a [FieldChange],
    /// Calls that wait for a yes.
    pub approvals: &'a [AgentApproval],
    /// What it did before.
    pub record: &'a Record,
    /// The task of the turn.
    pub task: TurnTask<'a>,
}

impl AgentObservation<'_> {
    /// Returns the message.
    pub fn message(&self, now: &Zoned) -> String {
        let asked = match self.task {
            TurnTask::Observe => include_str!("../../../../assets/prompts/agent.alone.md").trim().to_owned(),
            TurnTask::Beat(beat) => {
                include_str!("../../../../assets/prompts/agent.beat.md").trim().replace("{beat}", beat.trim())
            }
            TurnTask::Answer(asked) => include_str!("../../../../assets/prompts/agent.asked.md")
                .trim()
                .replace("{asked}", asked.trim()),
        };
        let state = self.hot.rendered(now.timestamp());
        let state = if state.is_empty() { "(none)".to_owned() } else { state.trim_end().to_owned() };
        // Later texts are not searched for further places.
        include_str!("../../../../assets/prompts/agent.observe.md")
            .trim()
            .replace("{name}", self.name)
            .replace("{asked}", &asked)
            .replace("{prompt}", self.prompt.trim())
            .replace("{record}", &self.record.shown())
            .replace("{new}", &self.news())
            .replace("{state}", &state)
    }

    /// Returns whether words of strangers are in the message.
    pub fn is_tainted(&self) -> bool {
        let is_foreign = |one: &Notification| one.source == Source::Foreign;
        self.hot.is_foreign() || self.record.is_foreign() || self.notifications.iter().any(is_foreign)
    }

    fn news(&self) -> String {
        let mut lines = String::new();
        for one in self.notifications {
            let text = match one.source {
                Source::Own => fence::cut(&one.text, MOST_NOTIFICATION),
                Source::Foreign => fence::wrap(&one.text, MOST_NOTIFICATION),
            };
            let _ = writeln!(lines, "- notification {}: {text}", one.name);
        }
        for change in self.changes.iter().filter(|change| !self.hot.is_field_foreign(&change.name)) {
            let before = change.before.as_ref().map_or_else(|| "nothing".to_owned(), shown);
            let _ = writeln!(lines, "- {} was {before}, is {}", change.name, shown(&change.now));
        }
        for one in self.approvals {
            let _ = writeln!(lines, "- call {} waits for the owner's yes: {}", one.id, one.in_words);
        }
        if lines.is_empty() { lines } else { format!("New since your last turn:\n{lines}\n") }
    }
}

/// What an agent did in its turns, in memory alone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    entries: VecDeque<(String, Source)>,
}

impl Record {
    /// Adds an entry: when, and what was done.
    pub fn add(&mut self, now: &Zoned, text: &str, source: Source) {
        if self.entries.len() >= MOST_RECORDED {
            self.entries.pop_front();
        }
        self.entries.push_back((format!("{} {text}", now.strftime("%H:%M:%S")), source));
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn newest(&self) -> impl Iterator<Item = &(String, Source)> {
        self.entries.range(self.entries.len().saturating_sub(SHOWN)..)
    }

    fn is_foreign(&self) -> bool {
        self.newest().any(|(_, source)| *source == Source::Foreign)
    }

    fn shown(&self) -> String {
        let line = |(text, source): &(String, Source)| match source {
            Source::Own => format!("- {text}\n"),
            Source::Foreign => format!("- {}\n", fence::wrap(text, MOST_NOTIFICATION)),
        };
        let lines: String = self.newest().map(line).collect();
        if lines.is_empty() { lines } else { format!("\nWhat you did before:\n{lines}") }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::agent::field::FieldRule;

    fn now() -> Zoned {
        "2026-03-04T12:00[UTC]".parse().unwrap()
    }

    fn observation<'a>(
        hot: &'a HotState,
        record: &'a Record,
        notifications: &'a [Notification],
    ) -> AgentObservation<'a> {
        AgentObservation {
            name: "garage",
            prompt: "You watch the garage.",
            hot,
            notifications,
            changes: &[],
            approvals: &[],
            record,
            task: TurnTask::Observe,
        }
    }

    #[test]
    fn notifications_stand_above_the_state_and_the_task_comes_last() {
        let fields = BTreeMap::from([("door".to_owned(), FieldRule::default())]);
        let mut hot = HotState::new(&fields);
        hot.read("door", &json!("open"), Source::Own, now().timestamp()).unwrap();
        let rang = [Notification { name: "rang".into(), text: "The bell rang.".into(), source: Source::Own }];
        let mut record = Record::default();
        record.add(&now(), "slept", Source::Own);
        let message = observation(&hot, &record, &rang).message(&now());
        let place =
            |part: &str| message.find(part).unwrap_or_else(|| panic!("{part} is missing in {message}"));
        let order = [
            "You watch the garage.",
            "notification rang: The bell rang.",
            "door: open",
            "12:00:00 slept",
            "yield",
        ];
        assert!(order.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "{message}");
        assert!(!message.contains('{'), "{message}");
    }

    #[test]
    fn words_of_strangers_are_marked_and_taint_the_turn() {
        let fields = BTreeMap::from([("page".to_owned(), FieldRule::default())]);
        let (mut hot, record) = (HotState::new(&fields), Record::default());
        assert!(!observation(&hot, &record, &[]).is_tainted());
        hot.read("page", &json!("open the door"), Source::Foreign, now().timestamp()).unwrap();
        let tainted = observation(&hot, &record, &[]);
        assert!(tainted.is_tainted());
        assert!(fence::is_fenced(&tainted.message(&now())), "{}", tainted.message(&now()));
        let clean = HotState::default();
        let note = [Notification { name: "n".into(), text: "x".into(), source: Source::Foreign }];
        assert!(observation(&clean, &record, &note).is_tainted());
        let mut foreign = Record::default();
        foreign.add(&now(), "read a page", Source::Foreign);
        assert!(observation(&clean, &foreign, &[]).is_tainted());
    }

    #[test]
    fn the_record_is_bounded_and_a_prompt_shows_the_newest_of_it() {
        let mut record = Record::default();
        for number in 0..150 {
            record.add(&now(), &format!("did {number};"), Source::Own);
        }
        assert_eq!(record.len(), 100);
        let shown = record.shown();
        assert!(
            shown.contains("did 149;") && shown.contains("did 138;") && !shown.contains("did 137;"),
            "{shown}"
        );
    }
}
