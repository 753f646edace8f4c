//! Reads orders to the memory from a template that fits.
//!
//! In: the name of the template's intent and what its slots took. Out: an order, or nothing when the words
//! are no such order after all ("remember that time in Rome"). Texts stay as they were said.
//! Pure: no I/O, no clock.

use std::ops::Range;

use super::filled::Filled;
use crate::question::content_words;
use joi_language::Language;
use joi_language::grammar::Grammar;
use joi_language::values::MemoryKind;
use joi_language::words;

/// The fewest words that say anything.
const FEWEST_WORDS: usize = 3;

/// An order about the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryOrder {
    /// Remember this.
    Remember {
        /// The kind of memory.
        kind: MemoryKind,
        /// In the user's own words.
        text: String,
    },
    /// Remember something that was not said.
    What,
    /// Forget all that is about this.
    Forget(String),
    /// Forget all that is about this, and remember instead what holds now.
    Replace {
        /// The kind of memory.
        kind: MemoryKind,
        /// What it is about, as it was said: "my locker number".
        about: String,
        /// What held before, where it was said: "418".
        before: Option<String>,
        /// What holds now: "512".
        now: String,
    },
    /// Forget everything.
    ForgetAll,
    /// Asks what is known about the user.
    AboutMe,
}

impl MemoryOrder {
    /// Returns whether something is erased, for which a yes is needed.
    pub fn erases(&self) -> bool {
        matches!(self, Self::Forget(_) | Self::Replace { .. } | Self::ForgetAll)
    }
}

/// Returns whether an intent of that name is about the memory.
pub(super) fn is_about(name: &str) -> bool {
    name.starts_with("memory ")
}

/// Returns the order of a template.
pub(super) fn order(name: &str, filled: &Filled<'_>) -> Option<MemoryOrder> {
    let grammar = filled.grammar;
    match name {
        "memory that" => {
            let text = filled.text()?;
            // One word is no fact: "yes".
            Some(if text.contains(' ') { to_remember(text, grammar) } else { MemoryOrder::What })
        }
        // Only what the speaker says of themselves or what is so, and enough of it to say something.
        "memory mine" => {
            let text = filled.text()?;
            let said = words::words(&text);
            let is_mine = said.first().is_some_and(|first| grammar.speaker.contains(first));
            let (_, rest) = said.split_first()?;
            let is_so = rest.iter().rev().skip(1).any(|word| grammar.states.contains(word));
            ((is_mine || is_so) && said.len() >= FEWEST_WORDS).then(|| to_remember(text, grammar))
        }
        "memory ever" => {
            let text = filled.text()?;
            let is_wish = words::words(&text).first().is_some_and(|first| grammar.ever.contains(first));
            is_wish.then_some(MemoryOrder::Remember { kind: MemoryKind::Wish, text })
        }
        "memory wish" => {
            let text = filled.text()?;
            let is_mine = words::words(&text).first().is_some_and(|first| grammar.speaker.contains(first));
            let kind = if is_mine { MemoryKind::User } else { MemoryKind::Wish };
            Some(MemoryOrder::Remember { kind, text })
        }
        "memory whole wish" => whole(MemoryKind::Wish, filled),
        "memory whole fact" => whole(MemoryKind::User, filled),
        "memory what" => Some(MemoryOrder::What),
        "memory forget" => Some(MemoryOrder::Forget(filled.texts()?)),
        "memory replace" => replacement(filled),
        "memory forget all" => Some(MemoryOrder::ForgetAll),
        "memory about me" => Some(MemoryOrder::AboutMe),
        _ => None,
    }
}

/// Returns what takes the place of what; nothing where it is only said that something else does: "it's another one now".
fn replacement(filled: &Filled<'_>) -> Option<MemoryOrder> {
    let mut taken: Vec<Range<usize>> = filled.word_ranges().collect();
    let now = filled.as_said(taken.pop()?)?;
    let mut taken = taken.into_iter();
    let about = taken.next()?;
    // "My" and "the" stand in front of what it is about.
    let about = filled.as_said(about.start.checked_sub(1)?..about.end)?;
    let before = taken.next().and_then(|range| filled.as_said(range));
    let says_something = now.contains(|c: char| c.is_ascii_digit()) || !content_words(&now).is_empty();
    let kind = kind(&about, filled.grammar);
    says_something.then_some(MemoryOrder::Replace { kind, about, before, now })
}

fn whole(kind: MemoryKind, filled: &Filled<'_>) -> Option<MemoryOrder> {
    Some(MemoryOrder::Remember { kind, text: filled.as_said(filled.core.clone())? })
}

/// Returns the order to remember `text`.
pub(super) fn to_remember(text: String, grammar: &Grammar) -> MemoryOrder {
    MemoryOrder::Remember { kind: kind(&text, grammar), text }
}

/// Returns what is about the speaker, and what is about anything else.
fn kind(text: &str, grammar: &Grammar) -> MemoryKind {
    let is_mine = words::words(text).iter().any(|word| grammar.speaker.contains(word));
    if is_mine { MemoryKind::User } else { MemoryKind::World }
}

/// Returns what the speaker says of themselves, said to the owner: "your sister is called Ann".
pub fn said_back(language: &Language, text: &str) -> String {
    let told_as = &language.grammar().told;
    let said: Vec<&str> = text.split(' ').collect();
    let mut told: Vec<String> = Vec::new();
    let mut at = 0;
    while at < said.len() {
        let plain = |word: &str| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            word.to_lowercase().replace('\u{2019}', "'")
        };
        let pair = said.get(at + 1).map(|next| format!("{} {}", plain(said[at]), plain(next)));
        let (key, count) = match pair.filter(|pair| told_as.contains_key(pair)) {
            Some(pair) => (pair, 2),
            None => (plain(said[at]), 1),
        };
        let last = said[at + count - 1];
        let tail = &last[last.trim_end_matches(|c: char| !c.is_alphanumeric()).len()..];
        match told_as.get(&key) {
            Some(other) => told.push(format!("{other}{tail}")),
            None => told.push(said[at].to_owned()),
        }
        at += count;
    }
    told.join(" ")
}
