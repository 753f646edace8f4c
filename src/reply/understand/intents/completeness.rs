//! Whether a transcript, as far as it was heard, is a whole command, or the beginning of one.
//!
//! PURE. In: the words before a pause. Out: how likely it is that more follows. The grammar tells: a command whose
//! last slot can go on ("nine minutes … and thirty seconds") is whole, but not surely over.

use super::orders::Filled;
use super::{Intent, MemoryOrder, matched, orders, words};
use crate::language::Language;
use crate::language::grammar::TemplateGroup;
use crate::language::grammar::machine::{GrammarUtterance, TemplateSearch};
use crate::schedule::ScheduleOrder;
use crate::tools::{ReadyEnd, ready_end};

/// Whether more is likely to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// It is a whole command.
    Complete,
    /// It is a whole command, and what it ends with can go on: a length, a time, days, a name.
    Open,
    /// It is the beginning of one.
    Incomplete,
    /// It is no command.
    Unknown,
}

/// Whether `text`, as far as it was heard, is a whole command. One that ends in a number is neither that nor the
/// beginning of one: "an alarm for seven" may become "seven thirty".
pub fn completeness(language: &Language, text: &str) -> Completeness {
    let grammar = language.grammar();
    let Some(said) = words::normalise(text, &grammar.manners) else { return Completeness::Unknown };
    let with_end = |name: &str, filled: &Filled<'_>| Some((orders::intent(name, filled)?, is_open(filled)));
    if let Some(((what, is_open), _)) = matched(language, text, &said, TemplateGroup::Command, with_end) {
        let last = text.split_whitespace().next_back().unwrap_or_default().to_lowercase();
        let ends_in_number = grammar.numbers.counts(last.trim_matches(|c: char| !c.is_alphanumeric()));
        return match what {
            Intent::Schedule(ScheduleOrder::Set(wanted)) if wanted.when.is_none() => Completeness::Incomplete,
            Intent::Schedule(ScheduleOrder::Move { when: None, .. }) => Completeness::Incomplete,
            // Any word may follow.
            Intent::Memory(MemoryOrder::Remember { .. } | MemoryOrder::Forget(_)) => Completeness::Unknown,
            _ if ends_in_number => Completeness::Unknown,
            _ if is_open => Completeness::Open,
            _ => Completeness::Complete,
        };
    }
    match ready_end(text, language) {
        Some(ReadyEnd::Closed) => return Completeness::Complete,
        Some(ReadyEnd::Open) => return Completeness::Open,
        None => {}
    }
    let utterance = GrammarUtterance::new(&said, grammar);
    let cores = words::without_politeness(&said, &grammar.manners);
    let begins = |from: usize| {
        // A single word is the beginning of too much.
        let TemplateSearch { may_go_on, .. } = utterance.find(TemplateGroup::Command, from, said.len());
        may_go_on && said.len() - from > 1
    };
    let is_begun = cores.iter().filter(|core| core.end == said.len()).any(|core| begins(core.start));
    if is_begun { Completeness::Incomplete } else { Completeness::Unknown }
}

/// Whether the last thing that was said is a slot that can go on; behind a "please" it is over.
fn is_open(filled: &Filled<'_>) -> bool {
    let end = filled.words.len();
    filled.captures.last().is_some_and(|last| last.at.end == end && last.slot.can_go_on())
}
