//! Two entries in one breath: "wake me at six and at half past six", "two timers, one for five minutes and one for ten".
//!
//! In: an utterance. Out: what is to be set, as if each had been said by itself; what only one of them says of the day or
//! the hour counts for both. Nothing where one of them is no such command, or both are the same.
//! Pure: no I/O, no clock.

use std::ops::Range;

use super::{Intent, QuickIntent, match_intent};
use joi_language::Language;
use joi_language::grammar::lifted::{self, TimePair};
use joi_language::grammar::{disfluency, words};
use joi_language::values::{ClockSaid, Exactness, NewEntry, Said, ScheduleOrder, When};

/// The seconds of what is counted in minutes.
const MINUTE: u32 = 60;
/// The seconds of an hour.
const HOUR: u32 = 3_600;

/// Returns the two entries that `text` sets.
pub fn both(language: &Language, text: &str) -> Option<[QuickIntent; 2]> {
    let one = lifted::of_one(text, language.grammar());
    let apart = apart(language, one.as_deref().unwrap_or(text));
    let both = apart.or_else(|| {
        let entry = entry(language, one.as_deref()?)?;
        entry.when.is_some().then(|| [entry.clone(), entry])
    })?;
    let reason = "two of them are set in one breath";
    Some(both.map(|entry| QuickIntent {
        what: Intent::Schedule(ScheduleOrder::Set(entry)),
        reason: reason.to_owned(),
    }))
}

/// Returns the entries of two times that are joined.
fn apart(language: &Language, text: &str) -> Option<[NewEntry; 2]> {
    let grammar = language.grammar();
    let said = disfluency::without_pauses(words::normalise(text, &grammar.manners)?, grammar);
    let place =
        |at: &Range<usize>| Some(said.get(at.start)?.at.start..said.get(at.end.checked_sub(1)?)?.at.end);
    lifted::pairs(&said, grammar).into_iter().find_map(|TimePair { first, second, is_of_two }| {
        let (first, second) = (place(&first)?, place(&second)?);
        let one = entry(language, &[text.get(..first.end)?, text.get(second.end..)?].concat())?;
        let other = entry(language, &[text.get(..first.start)?, text.get(second.start..)?].concat())?;
        let is_alike = one.kind == other.kind && (is_of_two || one.name == other.name);
        let (now, then) = completed(one.when.as_ref()?, other.when.as_ref()?)?;
        let name = other.name.clone().filter(|_| !is_of_two);
        let both = [NewEntry { when: Some(now), ..one }, NewEntry { when: Some(then), name, ..other }];
        (is_alike && both[0] != both[1]).then_some(both)
    })
}

/// Returns what `text` sets.
fn entry(language: &Language, text: &str) -> Option<NewEntry> {
    match match_intent(language, text)?.what {
        Intent::Schedule(ScheduleOrder::Set(entry)) => Some(entry),
        _ => None,
    }
}

/// Returns both times, each with what only the other one says: "at six and at seven tomorrow".
fn completed(one: &When, other: &When) -> Option<(When, When)> {
    match (one, other) {
        (When::In(_), When::In(_)) => Some((one.clone(), other.clone())),
        // "For ten minutes and one for five."
        (When::In(length), When::At(Said { clock: Some(clock), part: None, .. })) => {
            let unit = if length % HOUR == 0 { HOUR } else { MINUTE };
            let is_bare = clock.minute == 0 && clock.exactness == Exactness::Either;
            is_bare.then(|| (one.clone(), When::In(u32::from(clock.hour) * unit)))
        }
        // "On Mondays and on Fridays" is one series.
        (When::At(one), When::At(other))
            if !one.days.is_none() && !other.days.is_none() && one.clock == other.clock =>
        {
            None
        }
        (When::At(one), When::At(other)) => Some((When::At(with(one, other)), When::At(with(other, one)))),
        _ => None,
    }
}

/// Returns `said` with the day and the hour of `other` where it has none.
fn with(said: &Said, other: &Said) -> Said {
    let is_either = |clock: ClockSaid| clock.exactness == Exactness::Either;
    let has_day = said.day.is_some() || !said.days.is_none();
    let (day, days) = if has_day { (said.day, said.days) } else { (other.day, other.days) };
    let clock = said.clock.or(other.clock);
    let part = said.part.or(other.part.filter(|_| clock.is_some_and(is_either)));
    Said { clock, part, day, days }
}
