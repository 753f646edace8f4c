//! Silence in place of sound that does not come from a remote microphone.
//!
//! A satellite sends sound only while it wants something, and a network stalls. Whoever waits for somebody to speak counts
//! samples: without any, the wait would never end. Nobody waits for anything while the listener may rest, and then nothing is
//! made up.
//! Pure: no I/O, no clock.

use std::time::{Duration, Instant};

use crate::RATE;

/// A gap in sound that flows is a slow network up to this length, and silence from then on.
const STALL: Duration = Duration::from_millis(600);
/// Most silence at once: a thread that stood still is not to catch up for minutes.
const MOST: Duration = Duration::from_secs(1);

/// Whether sound is expected of the microphone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SoundFlow {
    /// It is not connected.
    Lost,
    /// It sends only when it is called.
    Still,
    /// It sends all the time.
    Flows,
}

/// Finds gaps.
#[derive(Debug)]
pub(super) struct GapFiller {
    pub(super) flow: SoundFlow,
    /// Nobody waits for sound.
    pub(super) may_rest: bool,
    /// The moment up to which there was sound, or silence in its place.
    covered: Option<Instant>,
}

impl GapFiller {
    pub(super) fn new() -> Self {
        Self { flow: SoundFlow::Lost, may_rest: true, covered: None }
    }

    /// Sound came at `now`.
    pub(super) fn heard(&mut self, now: Instant) {
        self.covered = Some(now);
        self.flow = SoundFlow::Flows;
    }

    /// No sound came up to `now`: returns how many samples of silence stand in its place.
    pub(super) fn missing(&mut self, now: Instant) -> usize {
        let since = *self.covered.get_or_insert(now);
        let gap = now.saturating_duration_since(since);
        let is_due = match self.flow {
            SoundFlow::Lost => false,
            SoundFlow::Still => true,
            SoundFlow::Flows => gap >= STALL,
        };
        if self.may_rest || self.flow == SoundFlow::Lost {
            self.covered = Some(now);
            return 0;
        }
        if !is_due {
            return 0;
        }
        self.covered = Some(now);
        // Once a gap is known as one, it is filled without a further wait.
        self.flow = SoundFlow::Still;
        (gap.min(MOST).as_secs_f64() * f64::from(RATE)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn somebody_who_waits_gets_silence_as_time_goes_on() {
        let (mut gaps, start) = (GapFiller::new(), Instant::now());
        gaps.flow = SoundFlow::Still;
        assert_eq!(gaps.missing(start), 0);
        assert_eq!(gaps.missing(start + ms(1_000)), 0, "nobody waits");
        gaps.may_rest = false;
        assert_eq!(gaps.missing(start + ms(1_020)), 320);
        assert_eq!(gaps.missing(start + ms(1_040)), 320);
        assert_eq!(gaps.missing(start + ms(9_000)), 16_000, "a second at most");
        gaps.flow = SoundFlow::Lost;
        assert_eq!(gaps.missing(start + ms(9_100)), 0);
    }

    #[test]
    fn a_short_gap_in_sound_that_flows_is_bridged_and_a_long_one_is_silence() {
        let (mut gaps, start) = (GapFiller::new(), Instant::now());
        gaps.may_rest = false;
        gaps.heard(start);
        assert_eq!(gaps.missing(start + ms(300)), 0);
        gaps.heard(start + ms(310));
        assert_eq!(gaps.missing(start + ms(900)), 0);
        assert_eq!(gaps.missing(start + ms(910)), 9_600);
        assert_eq!(gaps.missing(start + ms(930)), 320, "until it flows again");
        gaps.heard(start + ms(940));
        assert_eq!(gaps.missing(start + ms(1_000)), 0);
    }
}
