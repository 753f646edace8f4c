//! Which entry is meant by a name that was heard: exactly, nearly, or by its sound.
//!
//! In: entries and what was said of them. Out: those that fit. A name that fits two about equally well
//! is nobody's.
//! Pure: no I/O, no clock.

use jiff::Zoned;
use jiff::civil::Date;

use joi_language::PhoneticMatcher;
use joi_language::values::entry::Entry;
use joi_language::values::moment::{Day, DayPart, dates};
use joi_language::values::order::{Rank, Which};
use joi_language::words;

/// From this likeness on, 0..1, a name is meant.
const ALIKE: f64 = 0.87;
/// The likeness of names that only sound the same.
const SOUNDS_SAME: f64 = 0.9;
/// Less alike in spelling, and the same sound is chance: "tea", "two".
const NOT_TOO_FAR: f64 = 0.75;
/// A second one this close behind is meant just as well.
const MARGIN: f64 = 0.05;

/// The entries `which` may mean, in the order given.
pub(super) fn meant<'a>(
    entries: &'a [Entry],
    which: &Which,
    now: &Zoned,
    phonetic: PhoneticMatcher,
) -> Vec<&'a Entry> {
    let zone = now.time_zone();
    let except =
        which.except.as_deref().map(|except| meant(entries, except, now, phonetic)).unwrap_or_default();
    let fits = |entry: &&Entry| {
        !except.iter().any(|other| other.id == entry.id)
            && entry.is_live()
            && which.id.is_none_or(|id| id == entry.id)
            && which.kind.is_none_or(|kind| kind == entry.kind)
            && which.length_s.is_none_or(|length| entry.length_s == Some(length))
            && which.day.is_none_or(|day| date_of(entry, day, now).is_some())
            && which.clock.is_none_or(|(clock, part)| {
                let at = entry.due.moment(zone).to_zoned(zone.clone()).time();
                let is_at =
                    |time: &jiff::civil::Time| (time.hour(), time.minute()) == (at.hour(), at.minute());
                clock.readings(part).iter().any(is_at)
            })
            && (which.days.is_none() || entry.days == which.days)
            && which.part.is_none_or(|part| {
                let at = entry.due.moment(zone).to_zoned(zone.clone());
                is_in(part, at.hour())
            })
    };
    let of_kind: Vec<&Entry> = entries.iter().filter(fits).collect();
    let Some(name) = &which.name else { return of_kind };
    let likeness = |entry: &Entry| entry.name.as_deref().map_or(0.0, |own| likeness(own, name, phonetic));
    let best = of_kind.iter().map(|entry| likeness(entry)).fold(0.0, f64::max);
    if best < ALIKE {
        return Vec::new();
    }
    of_kind.into_iter().filter(|entry| likeness(entry) > best - MARGIN).collect()
}

/// Returns the one of `found`, the next one first, that is meant by its place among them.
pub(super) fn ranked<'a>(found: &[&'a Entry], rank: Rank, now: &Zoned) -> Vec<&'a Entry> {
    let zone = now.time_zone();
    let time = |entry: &&&Entry| entry.due.moment(zone).to_zoned(zone.clone()).time();
    let length = |entry: &&&Entry| entry.length_s.unwrap_or_default();
    let one = match rank {
        Rank::Soonest => found.first(),
        Rank::Latest => found.last(),
        Rank::Early => found.iter().min_by_key(time),
        Rank::Late => found.iter().max_by_key(time),
        Rank::Longest => found.iter().max_by_key(length),
        Rank::Shortest => found.iter().min_by_key(length),
        Rank::Newest => found.iter().max_by_key(|entry| entry.id),
        Rank::Nth(nth) => found.get(usize::from(nth).saturating_sub(1)),
    };
    one.copied().into_iter().collect()
}

/// Returns whether an hour of the day is in `part`. Neighbours overlap: ten at night is in the evening, too.
fn is_in(part: DayPart, hour: i8) -> bool {
    match part {
        DayPart::Morning => (3..12).contains(&hour),
        DayPart::Afternoon => (12..18).contains(&hour),
        DayPart::Evening => (17..24).contains(&hour),
        DayPart::Night => !(6..19).contains(&hour),
    }
}

/// The date that `day` means when `entry` is due on it.
pub(super) fn date_of(entry: &Entry, day: Day, now: &Zoned) -> Option<Date> {
    dates(day, now).into_iter().find(|date| entry.is_on(*date, now.time_zone()))
}

/// How alike two names are, 0..1.
fn likeness(own: &str, heard: &str, phonetic: PhoneticMatcher) -> f64 {
    let (one, other) = (plain(own), plain(heard));
    if one == other {
        return 1.0;
    }
    let spelling = strsim::jaro_winkler(&one, &other);
    let (first, second) = (phonetic.sound(&one), phonetic.sound(&other));
    // "The reminder about Ann": a part of it.
    if words::mention(&words::words(own), &words::words(heard)) {
        return spelling.clamp(SOUNDS_SAME, 0.99);
    }
    let sounds_same = !first.is_empty() && first == second && spelling >= NOT_TOO_FAR;
    if sounds_same { spelling.max(SOUNDS_SAME) } else { spelling.min(0.99) }
}

/// Lower case, letters and digits only.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::{ALIKE, MARGIN};
    use joi_language::PhoneticMatcher;

    fn likeness(own: &str, heard: &str) -> f64 {
        super::likeness(own, heard, PhoneticMatcher::DoubleMetaphone)
    }

    #[test]
    fn names_are_recognised_as_recognisers_write_them() {
        for (own, heard) in [
            ("pasta", "Pasta"),
            ("egg", "eggs"),
            ("rice", "rise"),
            ("potatoes", "potatos"),
            ("Ann", "Anne"),
            ("tea", "tee"),
            ("pizza", "pizzas"),
            ("laundry", "laundri"),
            ("wash cycle", "washcycle"),
            ("Knödel", "knoedel"),
        ] {
            assert!(likeness(own, heard) >= ALIKE, "{own} {heard} {}", likeness(own, heard));
        }
        for (own, heard) in
            [("pasta", "pizza"), ("rice", "ice cream"), ("egg", "oven"), ("tea", "two"), ("bread", "brown")]
        {
            assert!(likeness(own, heard) < ALIKE, "{own} {heard} {}", likeness(own, heard));
        }
        assert!(likeness("pasta", "pasta") - likeness("past", "pasta") > MARGIN / 2.0);
    }
}
