//! A command that was carried out before its speaker had ended: "set a timer for nine minutes" … "and thirty seconds".
//!
//! In: the words of the command, and those that came a moment later. Out: the command both make, if together
//! they are the same one with another time. A new command, a question, or anything else amends nothing.
//! Pure: no I/O, no clock.

use super::filled::Filled;
use super::{Intent, match_intent, matched, orders, words};
use joi_language::Language;
use joi_language::grammar::TemplateGroup;
use joi_language::grammar::disfluency::Fluent;
use joi_language::values::{EntryKind, NewEntry, ScheduleOrder, When};

/// A command to set something that lacks nothing, with its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The entry to be set.
    pub wanted: NewEntry,
    /// The words, without politeness.
    pub said: String,
}

/// Returns the command to set something that `text` is, if it is one and lacks nothing.
pub fn settled(language: &Language, text: &str) -> Option<Settled> {
    let said = words::normalise(text, &language.grammar().manners)?;
    let with_words = |name: &str, filled: &Filled<'_>| match orders::intent(name, filled)? {
        Intent::Schedule(ScheduleOrder::Set(wanted)) if wanted.when.is_some() => {
            Some(Some(Settled { wanted, said: filled.as_said(filled.core.clone())? }))
        }
        _ => Some(None),
    };
    matched(language, text, &Fluent::of(said.clone()), TemplateGroup::Command, with_words)
        .and_then(|matched| matched.made)
}

/// Returns whether `text` is `before` once more with an end that makes no command of it: "set a timer for nine minutes,
/// let me see". It must not be done twice.
pub fn only_repeats(language: &Language, before: &Settled, text: &str) -> bool {
    match_intent(language, text).is_none() && begins_with(language, before, text)
}

/// Returns what `before` becomes by `text`, which followed at once: more of it ("and thirty seconds"), or the whole of
/// it once more with its end.
pub fn amended(language: &Language, before: &Settled, text: &str) -> Option<Settled> {
    if text.trim_end().ends_with('?') {
        return None;
    }
    let (whole, is_once_more) = match match_intent(language, text) {
        None => (joined(language, before, text)?, false),
        Some(_) => (settled(language, text).filter(|_| begins_with(language, before, text))?, true),
    };
    let (was, is) = (&before.wanted, &whole.wanted);
    // Words that only follow may be about anything, so the words of a reminder take none of them.
    let may_be_named = is_once_more || was.kind != EntryKind::Reminder && was.name.is_none();
    let is_named =
        was.name == is.name || (may_be_named && is_longer(was.name.as_deref(), is.name.as_deref()));
    (was.kind == is.kind && is_named && !is_shorter(is, was)).then_some(whole)
}

/// Returns whether a name goes on with another, or is there where there was none.
fn is_longer(was: Option<&str>, is: Option<&str>) -> bool {
    match (was, is) {
        (None, Some(_)) => true,
        (Some(was), Some(is)) => is.to_lowercase().starts_with(&was.to_lowercase()),
        (_, None) => false,
    }
}

/// `before` with `text`, or the end of it, behind it, if that is a command.
fn joined(language: &Language, before: &Settled, text: &str) -> Option<Settled> {
    let said = words::normalise(text, &language.grammar().manners)?;
    let cores = words::without_politeness(&said, &language.grammar().manners);
    let starts = cores.iter().filter_map(|core| said.get(core.start)).map(|word| word.at.start);
    let mut wholes =
        starts.filter_map(|from| settled(language, &format!("{} {}", before.said, text.get(from..)?)));
    wholes.next()
}

/// Returns whether `text` is more than `before`, and begins with it.
fn begins_with(language: &Language, before: &Settled, text: &str) -> bool {
    let said = words::normalise(text, &language.grammar().manners).unwrap_or_default();
    let heads = said.iter().take(said.len().saturating_sub(1)).filter_map(|word| text.get(..word.at.end));
    heads.into_iter().any(|head| settled(language, head).is_some_and(|head| head.wanted == before.wanted))
}

/// Nothing becomes less by what is added to it.
fn is_shorter(whole: &NewEntry, before: &NewEntry) -> bool {
    match (&whole.when, &before.when) {
        (Some(When::In(whole)), Some(When::In(before))) => whole < before,
        _ => false,
    }
}
