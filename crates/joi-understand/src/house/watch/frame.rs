//! The frame of a request: "let me know when …", "when …, let me know", "whenever …, turn on the light", and the reverse.
//!
//! In: the words of an utterance. Out: every way to take it apart into a condition and what is done then.
//! Pure: no I/O, no clock.

use super::super::phrasing::starts;
use super::super::spoken;
use joi_language::values::WatchRepeat;
use joi_language::watch::WatchFrames;

/// The deed of a condition, as it was said.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FramedDeed {
    Tell,
    /// These words, which are a command or none.
    Words(Vec<String>),
}

/// A way to take an utterance apart.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Framed {
    pub(super) condition: Vec<String>,
    pub(super) deed: FramedDeed,
    pub(super) repeats: WatchRepeat,
    /// In front of a state it is a question about now.
    pub(super) asks: bool,
}

/// Returns the words of `text` without fillers. A sign in front of a number stays, as a word.
pub(super) fn words(text: &str, frames: &WatchFrames) -> Vec<String> {
    let signs: Vec<char> = text.chars().collect();
    let mut signed = String::with_capacity(text.len());
    for (at, sign) in signs.iter().enumerate() {
        let is_minus = matches!(sign, '-' | '−')
            && signs.get(at + 1).is_some_and(char::is_ascii_digit)
            && at.checked_sub(1).is_none_or(|before| signs[before].is_whitespace());
        match is_minus {
            true => signed.extend([frames.minus.as_str(), " "]),
            false => signed.push(*sign),
        }
    }
    let said = spoken::words(&signed);
    let mut kept = Vec::new();
    let mut at = 0;
    while at < said.len() {
        // "Jedes Mal" is more than a filler.
        let whole = longest(&said[at..], &frames.whenever).max(longest(&said[at..], &frames.always));
        match (whole, longest(&said[at..], &frames.fillers)) {
            (Some(length), _) => {
                kept.extend_from_slice(&said[at..at + length]);
                at += length;
            }
            (None, Some(length)) => at += length,
            (None, None) => {
                kept.push(said[at].clone());
                at += 1;
            }
        }
    }
    kept
}

/// Returns `said` without any of `phrases`.
pub(super) fn without(said: &[String], phrases: &[String]) -> Vec<String> {
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < said.len() {
        match longest(&said[at..], phrases) {
            Some(length) => at += length,
            None => {
                kept.push(said[at].clone());
                at += 1;
            }
        }
    }
    kept
}

/// Returns how many words the longest of `phrases` has that `said` begins with.
pub(in crate::house) fn longest(said: &[String], phrases: &[String]) -> Option<usize> {
    phrases.iter().filter_map(|phrase| starts(said, phrase)).max()
}

/// Returns `said` without what only surrounds a request.
pub(super) fn core(said: &[String], frames: &WatchFrames) -> Vec<String> {
    let mut said = said.to_vec();
    while let Some(length) = longest(&said, &frames.before) {
        said.drain(..length);
    }
    while let Some(length) = ending(&said, &frames.behind) {
        said.truncate(said.len() - length);
    }
    said
}

/// Returns how many words the longest of `phrases` has that `said` ends with.
pub(in crate::house) fn ending(said: &[String], phrases: &[String]) -> Option<usize> {
    let is_end = |phrase: &String| {
        let length = phrase.split(' ').count();
        let at = said.len().checked_sub(length)?;
        starts(&said[at..], phrase)
    };
    phrases.iter().filter_map(is_end).max()
}

/// Returns every way to take `said` apart, those that only notify first.
pub(super) fn frames(said: &[String], frames: &WatchFrames) -> Vec<Framed> {
    let mut found = Vec::new();
    for at in 0..said.len() {
        for (length, repeats) in conjunctions(&said[at..], frames) {
            let (head, tail) = (&said[..at], &said[at + length..]);
            if tail.is_empty() {
                continue;
            }
            let lead = core(head, frames);
            let (notifies_only, is_always) = notifies(&lead, frames);
            let always = |is_always: bool| if is_always { WatchRepeat::Always } else { repeats };
            if notifies_only {
                let whole = [&lead[..], &said[at..at + length]].concat();
                let asks = longest(&whole, &frames.asks) == Some(whole.len());
                let condition = without_behind(tail, frames);
                found.push(Framed { condition, deed: FramedDeed::Tell, repeats: always(is_always), asks });
            } else if lead.is_empty() {
                found.extend((1..tail.len()).map(|to| behind(tail, to, repeats, frames)));
            } else {
                let condition = without_behind(tail, frames);
                let is_always = longest(&lead, &frames.always).is_some();
                let deed = FramedDeed::Words(without(head, &frames.always));
                found.push(Framed { condition, deed, repeats: always(is_always), asks: false });
            }
        }
    }
    // Of two readings of the same words, a notification is the likelier one.
    found.sort_by_key(|framed| framed.deed != FramedDeed::Tell);
    found
}

/// Returns the reading of `tail` with its first `to` words as the condition.
fn behind(tail: &[String], to: usize, repeats: WatchRepeat, frames: &WatchFrames) -> Framed {
    let (condition, mut rest) = (tail[..to].to_vec(), &tail[to..]);
    if let Some(length) = longest(rest, &frames.then).filter(|length| *length < rest.len()) {
        rest = &rest[length..];
    }
    let (notifies_only, is_always) = notifies(&core(rest, frames), frames);
    let repeats = if is_always { WatchRepeat::Always } else { repeats };
    let deed =
        if notifies_only { FramedDeed::Tell } else { FramedDeed::Words(without(rest, &frames.always)) };
    Framed { condition, deed, repeats, asks: false }
}

/// Returns whether `said` asks for nothing but a notification, and whether every time.
fn notifies(said: &[String], frames: &WatchFrames) -> (bool, bool) {
    let kept = without(said, &frames.always);
    let is_always = kept.len() < said.len();
    (!kept.is_empty() && longest(&kept, &frames.tell) == Some(kept.len()), is_always)
}

/// Returns the words that begin a condition at the beginning of `said`: the longest of each kind.
fn conjunctions(said: &[String], frames: &WatchFrames) -> Vec<(usize, WatchRepeat)> {
    let (once, always) = (longest(said, &frames.when), longest(said, &frames.whenever));
    let mut found = Vec::new();
    found.extend(always.map(|length| (length, WatchRepeat::Always)));
    // "Immer wenn" is more than the "wenn" in it, which stands at another place.
    found.extend(
        once.filter(|length| always.is_none_or(|more| more < *length)).map(|l| (l, WatchRepeat::Once)),
    );
    found
}

fn without_behind(said: &[String], frames: &WatchFrames) -> Vec<String> {
    let mut said = said.to_vec();
    while let Some(length) = ending(&said, &frames.behind).filter(|length| *length < said.len()) {
        said.truncate(said.len() - length);
    }
    said
}
