//! A command that was carried out before its speaker had ended: "set a timer for nine minutes" … "and thirty seconds".
//!
//! PURE. In: the words of the command, and those that came a moment later. Out: the command both make, if together
//! they are the same one with another time. A new command, a question, or anything else amends nothing.

use super::language::{Group, Language};
use super::orders::Filled;
use super::{Intent, Tongue, match_in, matched, orders, words};
use crate::schedule::{Order, Wanted, When};

/// A command to set something that lacks nothing, with its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// What was asked for.
    pub wanted: Wanted,
    /// The words, without politeness.
    pub said: String,
}

/// The command to set something that `text` is, if it is one and lacks nothing.
pub fn settled(text: &str) -> Option<Settled> {
    settled_in(Tongue::English, text)
}

/// What `before` becomes by `text`, which followed at once: more of it ("and thirty seconds"), or the whole of it once
/// more with its end.
pub fn amended(before: &Settled, text: &str) -> Option<Settled> {
    amended_in(Tongue::English, before, text)
}

/// The same in another language.
pub(super) fn settled_in(tongue: Tongue, text: &str) -> Option<Settled> {
    let language = tongue.language()?;
    let said = words::normalise(text, &language.manners)?;
    let with_words = |name: &str, filled: &Filled<'_>| match orders::intent(name, filled)? {
        Intent::Schedule(Order::Set(wanted)) if wanted.when.is_some() => {
            Some(Some(Settled { wanted, said: filled.as_said(filled.core.clone())? }))
        }
        _ => Some(None),
    };
    matched(text, &said, language, Group::Command, with_words).and_then(|(settled, _)| settled)
}

/// Whether `text` is `before` once more with an end that makes no command of it: "set a timer for nine minutes, let me
/// see". It must not be done twice.
pub fn only_repeats(before: &Settled, text: &str) -> bool {
    let tongue = Tongue::English;
    let is_longer = |language: &Language| begins_with(tongue, language, before, text);
    match_in(tongue, text).is_none() && tongue.language().is_some_and(is_longer)
}

/// The same in another language.
pub(super) fn amended_in(tongue: Tongue, before: &Settled, text: &str) -> Option<Settled> {
    if text.trim_end().ends_with('?') {
        return None;
    }
    let language = tongue.language()?;
    let (whole, is_once_more) = match match_in(tongue, text) {
        None => (joined(tongue, language, before, text)?, false),
        Some(_) => (settled_in(tongue, text).filter(|_| begins_with(tongue, language, before, text))?, true),
    };
    let (was, is) = (&before.wanted, &whole.wanted);
    // Words that only follow may be about anything, so a name takes none of them.
    let is_named =
        was.name == is.name || (is_once_more && is_longer(was.name.as_deref(), is.name.as_deref()));
    (was.kind == is.kind && is_named && !is_shorter(is, was)).then_some(whole)
}

/// Whether a name goes on with another, or is there where there was none.
fn is_longer(was: Option<&str>, is: Option<&str>) -> bool {
    match (was, is) {
        (None, Some(_)) => true,
        (Some(was), Some(is)) => is.to_lowercase().starts_with(&was.to_lowercase()),
        (_, None) => false,
    }
}

/// `before` with `text`, or the end of it, behind it, if that is a command.
fn joined(tongue: Tongue, language: &Language, before: &Settled, text: &str) -> Option<Settled> {
    let said = words::normalise(text, &language.manners)?;
    let cores = words::without_politeness(&said, &language.manners);
    let starts = cores.iter().filter_map(|core| said.get(core.start)).map(|word| word.at.start);
    let mut wholes =
        starts.filter_map(|from| settled_in(tongue, &format!("{} {}", before.said, text.get(from..)?)));
    wholes.next()
}

/// Whether `text` is more than `before`, and begins with it.
fn begins_with(tongue: Tongue, language: &Language, before: &Settled, text: &str) -> bool {
    let said = words::normalise(text, &language.manners).unwrap_or_default();
    let heads = said.iter().take(said.len().saturating_sub(1)).filter_map(|word| text.get(..word.at.end));
    heads.into_iter().any(|head| settled_in(tongue, head).is_some_and(|head| head.wanted == before.wanted))
}

/// Nothing becomes less by what is added to it.
fn is_shorter(whole: &Wanted, before: &Wanted) -> bool {
    match (&whole.when, &before.when) {
        (Some(When::In(whole)), Some(When::In(before))) => whole < before,
        _ => false,
    }
}
