//! Times in a request to watch: until when, and for how long a condition has to last.
//!
//! In: words, and what reads a time. Out: every way to leave the time out, none first.
//! Pure: no I/O, no clock.

use jiff::civil::Time;
use jiff::{SignedDuration, Timestamp, ToSpan as _, Zoned};

use super::frame::longest;
use super::situation::WatchSituation;
use joi_language::values::{Bias, Due, EntryKind, LONGEST_TIMER_S, When, moment};
use joi_language::watch::WatchFrames;

/// Most words of a time.
const LONGEST_TIME: usize = 5;

/// The end of a watch, as it was said.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum WatchEnd {
    Then(When),
    /// The end of this day.
    Today,
}

impl WatchEnd {
    /// Returns the moment; nothing where it has passed, or comes again and again.
    pub(super) fn moment(&self, now: &Zoned) -> Option<Timestamp> {
        match self {
            Self::Then(When::In(seconds)) => {
                now.timestamp().checked_add(SignedDuration::from_secs(i64::from(*seconds))).ok()
            }
            Self::Then(When::At(said)) => {
                let (at, days) = moment::resolve(said, EntryKind::Reminder, Bias::Next, now).ok()?;
                days.is_none().then(|| Due::Wall(at).moment(now.time_zone()))
            }
            Self::Today => {
                let tomorrow = now.date().checked_add(1.day()).ok()?.to_datetime(Time::midnight());
                Some(Due::Wall(tomorrow).moment(now.time_zone()))
            }
        }
    }
}

/// Returns `said` as it is, and without words that limit it.
pub(super) fn without_end(
    said: &[String],
    situation: &WatchSituation<'_>,
) -> Vec<(Vec<String>, Option<WatchEnd>)> {
    let frames = &situation.words.frame;
    let mut found = vec![(said.to_vec(), None)];
    for at in 0..said.len() {
        let mut add = |to: usize, end: WatchEnd| {
            found.push(([&said[..at], &said[to..]].concat(), Some(end)));
        };
        if let Some(length) = longest(&said[at..], &frames.until) {
            for (to, when) in spans(said, at + length, situation.when) {
                add(to, WatchEnd::Then(when));
            }
        }
        if let Some(length) = longest(&said[at..], &frames.within) {
            // "In the next hour": the length is one.
            let from = at + length;
            for (to, when) in spans(said, from, situation.when).into_iter().chain(one(said, from, situation))
            {
                if matches!(when, When::In(_)) {
                    add(to, WatchEnd::Then(when));
                }
            }
        }
        if let Some(length) = longest(&said[at..], &frames.today) {
            add(at + length, WatchEnd::Today);
        }
    }
    found
}

/// Returns the times that begin at `from`, the longest first.
fn spans(said: &[String], from: usize, read: &dyn Fn(&str) -> Option<When>) -> Vec<(usize, When)> {
    let most = LONGEST_TIME.min(said.len().saturating_sub(from));
    let read = |length: usize| Some((from + length, read(&said[from..from + length].join(" "))?));
    (1..=most).rev().filter_map(read).collect()
}

/// Returns the length that a bare unit at `from` means: "hour" is one.
fn one(said: &[String], from: usize, situation: &WatchSituation<'_>) -> Option<(usize, When)> {
    let unit = said.get(from)?;
    (situation.when)(&format!("1 {unit}")).map(|when| (from + 1, when))
}

/// Returns `said` as it is, with 0, and without each length that it has to last, in seconds.
pub(super) fn without_lasting(
    said: &[String],
    frames: &WatchFrames,
    read: &dyn Fn(&str) -> Option<When>,
) -> Vec<(Vec<String>, u32)> {
    let mut found = vec![(said.to_vec(), 0)];
    for at in 0..said.len() {
        let before = longest(&said[at..], &frames.lasting);
        for (mut to, when) in spans(said, at + before.unwrap_or(0), read) {
            let When::In(seconds) = when else { continue };
            let behind = longest(&said[to..], &frames.lasting_behind);
            to += behind.unwrap_or(0);
            let is_lasting = before.is_some() || behind.is_some();
            if is_lasting && (1..=LONGEST_TIMER_S).contains(&seconds) {
                found.push(([&said[..at], &said[to..]].concat(), seconds));
            }
        }
    }
    // A longer time is more of what was said.
    found[1..].sort_by_key(|(rest, _)| rest.len());
    found
}
