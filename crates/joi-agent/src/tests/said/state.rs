//! The state in which effects leave a scene, and whether what happened left it so.
//!
//! Pure: no I/O, no clock.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::DateTime;

use super::super::*;
use super::expected::ExpectedEffect;
use super::happened::Happened;
use super::moment::DueWanted;
use super::plans::{NamesCount, PlannedSchedule};
use super::scene::Stage;
use super::texts::{self, is_same_text};

/// Everything that a sentence may change, as it should be behind it.
pub(super) struct ExpectedState<'a> {
    now: &'a Zoned,
    schedule: PlannedSchedule<'a>,
    lists: BTreeMap<String, Vec<String>>,
    /// Lists that are there also without an entry.
    new_lists: Vec<String>,
    memories: Vec<String>,
    /// The words of each new memory.
    remembered: Vec<Vec<String>>,
    sent: Vec<String>,
    quiet: QuietUntil,
}

/// Until when there is quiet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QuietUntil {
    /// There is none.
    Never,
    /// As long as joi likes, or only now.
    Any,
    At(DateTime),
}

impl<'a> ExpectedState<'a> {
    /// The scene.
    pub(super) fn of(before: &'a Happened) -> Self {
        Self {
            now: &before.now,
            schedule: PlannedSchedule::of(&before.entries, &before.now),
            lists: before.lists.clone(),
            new_lists: Vec::new(),
            memories: before.memories.clone(),
            remembered: Vec::new(),
            sent: Vec::new(),
            quiet: QuietUntil::Never,
        }
    }

    /// Changes it as an effect says; what is only said changes nothing.
    pub(super) fn apply(&mut self, effect: &ExpectedEffect, stage: &Stage) {
        match effect {
            ExpectedEffect::Schedule(words) => self.schedule.apply(words),
            ExpectedEffect::Sent(commands, None) => {
                let exists =
                    |command: &String| stage.house.house().item(command.split_once('=').unwrap().0).is_some();
                assert!(commands.iter().all(exists), "{commands:?}");
                self.sent.extend(commands.iter().cloned());
            }
            ExpectedEffect::Sent(commands, Some(when)) => self.schedule.send_later(commands, when),
            ExpectedEffect::List { verb, texts, list } => self.list(verb, texts, &stage.list(list)),
            ExpectedEffect::Remember(words) => self.remembered.push(words.clone()),
            ExpectedEffect::Forget(None) => self.memories.clear(),
            ExpectedEffect::Forget(Some(topic)) => {
                self.memories.retain(|memory| !memory.to_lowercase().contains(&topic.to_lowercase()));
            }
            ExpectedEffect::Quiet(until) => self.quiet = self.until(until),
            _ => {}
        }
    }

    fn until(&self, text: &str) -> QuietUntil {
        match text.split_once(' ') {
            Some(("until", clock)) => {
                let due = DueWanted::read(clock, self.now);
                QuietUntil::At(due.date.unwrap().to_datetime(due.times.0))
            }
            Some((seconds, _)) => {
                QuietUntil::At(self.now.datetime() + seconds.parse::<i64>().unwrap().seconds())
            }
            None if text == "end" => QuietUntil::Never,
            None => QuietUntil::Any,
        }
    }

    fn list(&mut self, verb: &str, new: &[String], list: &str) {
        let is = |one: &str, other: &String| is_same_text(Some(one), Some(other));
        let entries = self.lists.entry(list.to_owned()).or_default();
        match verb {
            "add" => entries.extend(new.iter().cloned()),
            "once" => {
                let missing: Vec<String> =
                    new.iter().filter(|one| !entries.iter().any(|entry| is(one, entry))).cloned().collect();
                entries.extend(missing);
            }
            "remove" | "done" => entries.retain(|entry| !new.iter().any(|one| is(one, entry))),
            "clear" | "delete" => entries.clear(),
            "new" => self.new_lists.push(list.to_owned()),
            "show" | "all" => {}
            _ => panic!("{verb}"),
        }
    }

    /// Whether this is how it was left.
    pub(super) fn fits(&self, after: &Happened, names: NamesCount) -> bool {
        let mut sent = self.sent.clone();
        sent.sort();
        let is_quiet = match self.quiet {
            QuietUntil::Never => after.quiet.is_none(),
            QuietUntil::Any => true,
            QuietUntil::At(until) => after.quiet == Some(until),
        };
        sent == after.sent
            && is_quiet
            && self.schedule.fits(&after.entries, names)
            && self.has_lists(&after.lists)
            && self.has_memories(&after.memories)
    }

    fn has_lists(&self, lists: &BTreeMap<String, Vec<String>>) -> bool {
        let none = Vec::new();
        let holds = |list: &String| {
            let of = |lists: &BTreeMap<String, Vec<String>>| lists.get(list).unwrap_or(&none).clone();
            is_same_set(&of(&self.lists), &of(lists))
        };
        self.lists.keys().chain(lists.keys()).all(holds)
            && self.new_lists.iter().all(|list| lists.contains_key(list))
    }

    /// The memories that stay are there, and one more for each that is new.
    fn has_memories(&self, memories: &[String]) -> bool {
        let (old, new): (Vec<&String>, Vec<&String>) =
            memories.iter().partition(|memory| self.memories.contains(memory));
        let holds = |memory: &String, all: &[String]| all.iter().all(|one| holds_word(memory, one));
        old.len() == self.memories.len()
            && new.len() == self.remembered.len()
            && self.remembered.iter().all(|all| new.iter().any(|memory| holds(memory, all)))
    }
}

/// Numbers that may be written either way.
const NUMBERS: [(&str, &str); 3] = [("10", "ten"), ("10", "zehn"), ("43", "forty three")];

fn holds_word(memory: &str, word: &str) -> bool {
    let other = NUMBERS.iter().find_map(|(digits, written)| match word {
        word if word == *digits => Some(*written),
        word if word == *written && contains_part(memory, digits) => Some(*digits),
        _ => None,
    });
    contains_part(memory, word) || other.is_some_and(|other| contains_part(memory, other))
}

/// Whether `memory` has the words of `part` one behind the other, each at least as the beginning of a word.
fn contains_part(memory: &str, part: &str) -> bool {
    let (memory, part) = (texts::words(memory), texts::words(part));
    memory
        .windows(part.len())
        .any(|some| some.iter().zip(&part).all(|(one, wanted)| one.starts_with(wanted.as_str())))
}

/// Whether both hold the same, in any order.
fn is_same_set(one: &[String], other: &[String]) -> bool {
    let mut open: Vec<&String> = other.iter().collect();
    one.iter().all(|text| {
        let found = open.iter().position(|entry| is_same_text(Some(text), Some(entry)));
        found.map(|at| open.remove(at)).is_some()
    }) && open.is_empty()
}
