//! The last look at something said unasked: does it speak of its topic, of no other, and is it new?
//!
//! In: the text, its topic, the others that wait, the last messages. Out: nothing, or why it must not go out. What every
//! reply is checked for (secrets, length, malformed text) is `reply::output::check`'s business. It fails closed.
//! Pure: no I/O, no clock.

use std::collections::BTreeSet;

use crate::awareness::Topic;

/// Messages that a new one must not repeat.
pub const LAST: usize = 5;
/// From this share of common words on, two messages are the same.
const SAME: f64 = 0.75;
/// Words of fewer letters say nothing of what a sentence is about.
const LETTERS: usize = 4;
/// Sentences of one message.
const SENTENCES: usize = 3;

/// Why it must not go out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProactiveRefusal {
    /// It does not speak of its topic.
    #[error("the message does not mention its topic")]
    OffTopic,
    /// It speaks of another one that waits.
    #[error("the message mentions more than one topic")]
    SeveralTopics,
    /// It says what was said a while ago.
    #[error("the message repeats one of the last {LAST}")]
    Repeats,
    /// It is a speech.
    #[error("the message has more than {SENTENCES} sentences")]
    TooLong,
}

/// Checks `text`, which speaks of `topic`, whose fact is announced as `fact`.
///
/// # Errors
/// The first reason why it must not go out.
pub fn check_proactive(
    text: &str,
    (topic, fact): (&Topic, &str),
    others: &[Topic],
    last: &[&str],
) -> Result<(), ProactiveRefusal> {
    let said = words(text);
    let meant = if topic.what.is_empty() { weighty(fact) } else { weighty(&topic.what) };
    if !meant.is_empty() && said.is_disjoint(&meant) {
        return Err(ProactiveRefusal::OffTopic);
    }
    let known = words(fact);
    let is_of = |other: &Topic| {
        let named: BTreeSet<String> =
            weighty(&other.what).into_iter().filter(|w| !known.contains(w)).collect();
        other.id != topic.id && !said.is_disjoint(&named)
    };
    if others.iter().any(is_of) {
        return Err(ProactiveRefusal::SeveralTopics);
    }
    if last.iter().rev().take(LAST).any(|before| likeness(&said, &words(before)) >= SAME) {
        return Err(ProactiveRefusal::Repeats);
    }
    let ends = |part: &&str| part.chars().any(char::is_alphanumeric);
    if text.split_inclusive(['.', '!', '?']).filter(ends).count() > SENTENCES {
        return Err(ProactiveRefusal::TooLong);
    }
    Ok(())
}

/// Returns the share of words that two texts have in common, 0 to 1.
fn likeness(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let all = one.union(other).count();
    if all == 0 { 1.0 } else { one.intersection(other).count() as f64 / all as f64 }
}

fn weighty(text: &str) -> BTreeSet<String> {
    words(text).into_iter().filter(|word| word.chars().count() >= LETTERS).collect()
}

fn words(text: &str) -> BTreeSet<String> {
    let parts = text.split(|sign: char| !sign.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect()
}
