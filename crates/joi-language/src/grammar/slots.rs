//! What a slot of a template may take from the words at a place.
//!
//! In: the kind of slot, the utterance, a place. Out: every way to fill it, the best first, and whether it might go
//! on if the words did not end there. Pure: no I/O, no clock.

use std::ops::Range;

use super::ClockForm;
use super::machine::GrammarUtterance;
use super::numbers::ONE;
use super::program::Slot;
use super::words::words_at_start;
use crate::{ClockSaid, Exactness};

/// Most words of a name.
pub(crate) const LONGEST_NAME: usize = 3;
const NOON: u16 = 12 * 60;
const DAY: i16 = 24 * 60;

/// The part of the utterance that a slot took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// A number, whole.
    Number(u32),
    /// Seconds.
    Seconds(u32),
    /// A time of day.
    Clock(ClockSaid),
    /// The value of a lexicon's phrase.
    Value(String),
    /// Words, by their places.
    Words(Range<usize>),
}

/// The ways to fill a slot: where each ends, and its value.
#[derive(Debug, Default)]
pub(crate) struct Taking {
    pub(crate) ways: Vec<(usize, Taken)>,
    pub(crate) may_go_on: bool,
}

/// Fills a slot with the words from `at` on, up to `to`.
pub(crate) fn take(slot: Slot, utterance: &GrammarUtterance<'_>, at: usize, to: usize) -> Taking {
    let grammar = utterance.grammar;
    let words = &utterance.words[at..to];
    match slot {
        Slot::Percent => whole(utterance, at, to, 0..=100),
        Slot::Level => level(utterance, at, to),
        Slot::Hour => whole(utterance, at, to, 0..=24),
        Slot::Minute => minutes(utterance, at, to),
        Slot::Duration | Slot::Length => {
            let (reads, may_go_on) = grammar.numbers.duration(words);
            let ways = reads.into_iter().map(|read| (at + read.words, Taken::Seconds(read.value))).collect();
            Taking { ways, may_go_on }
        }
        Slot::Ordinal | Slot::MonthDay => {
            let read = grammar.numbers.ordinal(words);
            let ways = read.into_iter().map(|read| (at + read.words, Taken::Number(read.value))).collect();
            Taking { ways, may_go_on: false }
        }
        Slot::Clock | Slot::Due => clock(utterance, at, to),
        Slot::Part
        | Slot::Today
        | Slot::Day
        | Slot::Days
        | Slot::Several
        | Slot::Nth
        | Slot::Month
        | Slot::Kind
        | Slot::Kinds
        | Slot::Device
        | Slot::Place
        | Slot::Rank => {
            let Some(lexicon) = grammar.lexicons.get(slot.name()) else { return Taking::default() };
            let fit = |(phrase, value): &(Vec<String>, String)| {
                Some((at + words_at_start(words, phrase)?, Taken::Value(value.clone())))
            };
            Taking { ways: lexicon.phrases.iter().filter_map(fit).collect(), may_go_on: false }
        }
        Slot::Name => name(utterance, at, to),
        Slot::Text => {
            let ways = (at + 1..=to).map(|end| (end, Taken::Words(at..end))).collect();
            Taking { ways, may_go_on: false }
        }
    }
}

/// A whole number within limits.
fn whole(
    utterance: &GrammarUtterance<'_>,
    at: usize,
    to: usize,
    allowed: std::ops::RangeInclusive<u32>,
) -> Taking {
    let reads = utterance.grammar.numbers.number(&utterance.words[at..to]);
    let limit = |value: u32| if *allowed.end() == 100 { value.min(100) } else { value };
    let ways = reads
        .into_iter()
        .filter(|read| read.value % ONE == 0)
        .map(|read| (at + read.words, limit(read.value / ONE)))
        .filter(|(_, value)| allowed.contains(value))
        .map(|(end, value)| (end, Taken::Number(value)))
        .collect();
    Taking { ways, may_go_on: false }
}

/// A number of percent or degrees, in thousandths.
fn level(utterance: &GrammarUtterance<'_>, at: usize, to: usize) -> Taking {
    let reads = utterance.grammar.numbers.quantity(&utterance.words[at..to]);
    let fits = reads.into_iter().filter(|read| read.value <= 100 * ONE);
    let ways = fits.map(|read| (at + read.words, Taken::Number(read.value))).collect();
    Taking { ways, may_go_on: false }
}

/// "05", "oh five", "fifteen".
fn minutes(utterance: &GrammarUtterance<'_>, at: usize, to: usize) -> Taking {
    let mut taking = whole(utterance, at, to, 0..=59);
    let is_zero = taking.ways.first().is_some_and(|(_, taken)| *taken == Taken::Number(0));
    if is_zero && at + 1 < to {
        let ones = whole(utterance, at + 1, to, 1..=9);
        taking.ways.splice(0..0, ones.ways);
    }
    taking
}

/// One to three words that are in no other slot.
fn name(utterance: &GrammarUtterance<'_>, at: usize, to: usize) -> Taking {
    let grammar = utterance.grammar;
    let words = &utterance.words[at..to];
    let most = words.iter().take(LONGEST_NAME).take_while(|word| grammar.may_be_in_name(&word.text)).count();
    let is_name = |count: &usize| !is_no_name(utterance, at..at + count);
    let ways = (1..=most).filter(is_name).map(|count| (at + count, Taken::Words(at..at + count))).collect();
    Taking { ways, may_go_on: false }
}

/// Returns whether words name nothing by themselves: a day on which something comes back ("weekend"), or a particle
/// ("like").
fn is_no_name(utterance: &GrammarUtterance<'_>, at: Range<usize>) -> bool {
    let is_all = |(end, _): &(usize, Taken)| *end == at.end;
    let is_day = [Slot::Day, Slot::Days, Slot::Several]
        .into_iter()
        .any(|slot| take(slot, utterance, at.start, at.end).ways.iter().any(is_all));
    let words = &utterance.words[at.clone()];
    let particles = &utterance.grammar.manners.particles;
    is_day || particles.iter().any(|phrase| words_at_start(words, phrase) == Some(words.len()))
}

fn clock(utterance: &GrammarUtterance<'_>, at: usize, to: usize) -> Taking {
    let mut ways: Vec<(usize, Taken)> = Vec::new();
    if let Some(said) = utterance.words.get(at).filter(|_| at < to).and_then(|word| figures(&word.text)) {
        ways.push((at + 1, Taken::Clock(said)));
    }
    for form in &utterance.grammar.clock {
        for (end, captures) in utterance.ends(&form.program, at, to) {
            let number = |slot| {
                captures.iter().find(|capture| capture.slot == slot).and_then(|capture| match capture.taken {
                    Taken::Number(number) => i16::try_from(number).ok(),
                    _ => None,
                })
            };
            if let Some(said) = said(form, number(Slot::Hour), number(Slot::Minute)) {
                ways.push((end, Taken::Clock(said)));
            }
        }
    }
    ways.sort_by_key(|(end, _)| std::cmp::Reverse(*end));
    ways.dedup();
    Taking { ways, may_go_on: false }
}

/// The time of day that a form says.
fn said(form: &ClockForm, hour: Option<i16>, minute: Option<i16>) -> Option<ClockSaid> {
    if let Some(at) = form.at {
        let exactness = Exactness::Exact;
        let hour = u8::try_from(at / 60).ok()?;
        return Some(ClockSaid { hour, minute: u8::try_from(at % 60).ok()?, exactness });
    }
    let hour = hour?;
    let minute = minute.unwrap_or(0);
    let minutes = hour * 60 + form.shift + if form.is_before { -minute } else { minute };
    let is_either = (1..=12).contains(&hour);
    // "half past twelve", "a quarter to one": an hour between 1 and 12 stays one.
    let minutes = minutes.rem_euclid(DAY);
    let (mut hour, minute) = (minutes / 60, minutes % 60);
    if is_either && hour == 0 {
        hour = 12;
    } else if is_either && hour == 13 {
        hour = 1;
    }
    let exactness = if is_either { Exactness::Either } else { Exactness::Exact };
    Some(ClockSaid { hour: u8::try_from(hour).ok()?, minute: u8::try_from(minute).ok()?, exactness })
}

/// "6:30", "18.30", "06:30".
fn figures(word: &str) -> Option<ClockSaid> {
    let (hours, minutes) = word.split_once([':', '.'])?;
    let (hour, minute) = (hours.parse::<u8>().ok()?, minutes.parse::<u8>().ok()?);
    if hour > 24 || minute > 59 || minutes.len() != 2 {
        return None;
    }
    let is_exact = hours.starts_with('0') || u16::from(hour) * 60 > NOON;
    let exactness = if is_exact { Exactness::Exact } else { Exactness::Either };
    Some(ClockSaid { hour, minute, exactness })
}
