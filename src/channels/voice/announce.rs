//! What she says without having been asked for: that she can't hear.
//!
//! PURE. In: the fault and the time. Out: a sentence, or nothing at night and soon after the last one: a
//! loose plug must not make her talk all day.

use std::time::{Duration, Instant};

use jiff::Zoned;

/// A fault that comes again within this time is shown and logged, and not said again.
const SELDOM: Duration = Duration::from_secs(600);
/// Nothing is announced from this hour on ...
const NIGHT_FROM: i8 = 23;
/// ... to this one.
const NIGHT_TO: i8 = 7;

/// When she last spoke up.
#[derive(Debug, Default)]
pub(super) struct Announcer {
    last: Option<Instant>,
}

impl Announcer {
    /// What to say when the microphone is gone.
    pub(super) fn deaf(&mut self, now: Instant, clock: &Zoned) -> Option<&'static str> {
        let is_soon = self.last.is_some_and(|last| now.saturating_duration_since(last) < SELDOM);
        if is_night(clock) || is_soon {
            return None;
        }
        self.last = Some(now);
        Some("I can't hear anything: the microphone is gone.")
    }
}

/// Whether people sleep now.
pub(super) fn is_night(clock: &Zoned) -> bool {
    clock.hour() >= NIGHT_FROM || clock.hour() < NIGHT_TO
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use jiff::tz::TimeZone;

    use super::*;

    fn at(hour: i8) -> Zoned {
        date(2026, 3, 4).at(hour, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap()
    }

    #[test]
    fn it_is_said_once_and_after_ten_minutes_again() {
        let start = Instant::now();
        let mut announcer = Announcer::default();
        assert!(announcer.deaf(start, &at(12)).is_some());
        assert_eq!(announcer.deaf(start + Duration::from_secs(599), &at(12)), None);
        assert!(announcer.deaf(start + Duration::from_secs(600), &at(12)).is_some());
    }

    #[test]
    fn nobody_is_woken_by_it() {
        let mut announcer = Announcer::default();
        for hour in [23, 0, 3, 6] {
            assert_eq!(announcer.deaf(Instant::now(), &at(hour)), None, "{hour}:00");
        }
        assert!(announcer.deaf(Instant::now(), &at(7)).is_some());
    }
}
