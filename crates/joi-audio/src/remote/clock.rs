//! How much of what was sent to a remote loudspeaker was played, and how much may be sent ahead.
//!
//! In: what was sent, the time, the other end's word that it has played everything. Out: positions in samples. Sound that is
//! sent far ahead cannot be taken back when somebody says "stop", so that little more is sent than is needed against a slow
//! network.
//! Pure: no I/O, no clock.

use std::time::{Duration, Instant};

/// Sent ahead of what is being played. Larger: a worse network is bridged, and "stop" takes effect later.
const LEAD: Duration = Duration::from_millis(500);
/// Longest wait behind the expected end for the word of a loudspeaker that has given it before.
const CONFIRMED_WITHIN: Duration = Duration::from_secs(3);
/// The same for one that is not known yet.
const FIRST_WITHIN: Duration = Duration::from_secs(1);
/// Time behind the expected end of one that gives no word: its own buffer is played.
const UNCONFIRMED: Duration = Duration::from_millis(500);
/// An earlier word belongs to an earlier sound.
const EARLY: Duration = Duration::from_millis(500);

/// Whether the loudspeaker says when it has played everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Confirms {
    Unknown,
    Yes,
    No,
}

/// A stretch of sound without a pause.
#[derive(Debug, Clone, Copy)]
struct PlayedRun {
    /// Samples that were sent before it.
    from: u64,
    began: Instant,
    /// When its end is believed without a word; nothing while more may come.
    rests: Option<Instant>,
}

/// Counts the samples of one connection.
#[derive(Debug)]
pub(super) struct PlayClock {
    rate: u32,
    sent: u64,
    /// Samples that were discarded by a flush.
    void: u64,
    run: Option<PlayedRun>,
    confirms: Confirms,
}

impl PlayClock {
    pub(super) fn new(rate: u32) -> Self {
        Self { rate, sent: 0, void: 0, run: None, confirms: Confirms::Unknown }
    }

    fn samples(&self, time: Duration) -> u64 {
        (time.as_secs_f64() * f64::from(self.rate)) as u64
    }

    fn time(&self, samples: u64) -> Duration {
        Duration::from_secs_f64(samples as f64 / f64::from(self.rate))
    }

    /// Returns the position that a loudspeaker without a delay has reached; beyond what was sent where it has run dry.
    fn reached(&self, run: PlayedRun, now: Instant) -> u64 {
        run.from + self.samples(now.saturating_duration_since(run.began))
    }

    /// Returns how many samples may be sent at `now`.
    pub(super) fn room(&self, now: Instant) -> usize {
        let reached = self.run.map_or(self.sent, |run| self.reached(run, now).min(self.sent));
        (reached + self.samples(LEAD)).saturating_sub(self.sent) as usize
    }

    /// So many samples were sent at `now`.
    pub(super) fn sent(&mut self, count: usize, now: Instant) {
        let goes_on = self.run.filter(|run| self.reached(*run, now) <= self.sent);
        self.run = Some(match goes_on {
            Some(run) => PlayedRun { rests: None, ..run },
            None => PlayedRun { from: self.sent, began: now, rests: None },
        });
        self.sent += count as u64;
    }

    /// Nothing more comes for now; returns when the last sample is expected to have been played, the first time that this
    /// is said.
    pub(super) fn rest(&mut self) -> Option<Instant> {
        let run = self.run.filter(|run| run.rests.is_none())?;
        let end = run.began + self.time(self.sent - run.from);
        let patience = match self.confirms {
            Confirms::Unknown => FIRST_WITHIN,
            Confirms::Yes => CONFIRMED_WITHIN,
            Confirms::No => UNCONFIRMED,
        };
        self.run = Some(PlayedRun { rests: Some(end + patience), ..run });
        Some(end)
    }

    /// The other end says that it has played everything.
    pub(super) fn confirmed(&mut self, now: Instant) {
        self.confirms = Confirms::Yes;
        let is_over = |run: PlayedRun| run.rests.is_some() && self.reached(run, now + EARLY) >= self.sent;
        self.run = self.run.filter(|run| !is_over(*run));
    }

    /// Discards the samples that are not played yet; returns whether anything was played.
    pub(super) fn flush(&mut self, now: Instant) -> bool {
        let Some(run) = self.run.take() else { return false };
        self.void += self.sent - self.reached(run, now).min(self.sent);
        true
    }

    /// Returns how many samples are over, played or discarded. The last one counts only once its end is known.
    pub(super) fn position(&mut self, now: Instant) -> u64 {
        let Some(run) = self.run else { return self.sent };
        let reached = self.reached(run, now).min(self.sent);
        match run.rests {
            Some(until) if now >= until => {
                if self.confirms == Confirms::Unknown {
                    self.confirms = Confirms::No;
                }
                self.run = None;
                self.sent
            }
            Some(_) => reached.min(self.sent.saturating_sub(1)),
            None => reached,
        }
    }

    /// Returns how many of them were played.
    pub(super) fn heard(&mut self, now: Instant) -> u64 {
        self.position(now).saturating_sub(self.void)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u32 = 1_000;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn half_a_second_is_sent_ahead_and_the_rest_as_it_is_played() {
        let (mut clock, start) = (PlayClock::new(RATE), Instant::now());
        assert_eq!(clock.room(start), 500);
        clock.sent(500, start);
        assert_eq!((clock.room(start), clock.room(start + ms(100))), (0, 100));
        clock.sent(100, start + ms(100));
        assert_eq!(clock.position(start + ms(250)), 250);
        assert_eq!(clock.position(start + ms(5_000)), 600, "it has run dry");
        assert_eq!(clock.room(start + ms(5_000)), 500);
        clock.sent(500, start + ms(5_000));
        assert_eq!(clock.position(start + ms(5_100)), 700, "the pause was not played");
    }

    #[test]
    fn the_end_is_the_word_of_the_loudspeaker_or_a_while_behind_the_expected_one() {
        let (mut clock, start) = (PlayClock::new(RATE), Instant::now());
        clock.sent(400, start);
        assert_eq!(clock.rest(), Some(start + ms(400)));
        assert_eq!(clock.rest(), None, "it rests already");
        assert_eq!(clock.position(start + ms(900)), 399);
        assert_eq!(clock.position(start + ms(1_400)), 400, "it has said nothing");
        // From here on nothing is expected of it.
        let later = start + ms(10_000);
        clock.sent(400, later);
        clock.rest();
        assert_eq!((clock.position(later + ms(899)), clock.position(later + ms(900))), (799, 800));
        let again = start + ms(20_000);
        clock.sent(400, again);
        clock.rest();
        clock.confirmed(again + ms(420));
        assert_eq!(clock.position(again + ms(420)), 1_200);
        let last = start + ms(30_000);
        clock.sent(400, last);
        clock.rest();
        assert_eq!(clock.position(last + ms(3_000)), 1_599, "one that has spoken is waited for");
        assert_eq!(clock.position(last + ms(3_400)), 1_600);
    }

    #[test]
    fn a_word_about_an_earlier_sound_ends_nothing() {
        let (mut clock, start) = (PlayClock::new(RATE), Instant::now());
        clock.sent(500, start);
        clock.confirmed(start + ms(100));
        assert_eq!(clock.position(start + ms(100)), 100, "more may come");
        clock.sent(100, start + ms(200));
        clock.sent(400, start + ms(500));
        clock.rest();
        clock.confirmed(start + ms(400));
        assert_eq!(clock.position(start + ms(400)), 400);
    }

    #[test]
    fn what_is_flushed_counts_as_over_and_not_as_heard() {
        let (mut clock, start) = (PlayClock::new(RATE), Instant::now());
        assert!(!clock.flush(start), "nothing was played");
        clock.sent(500, start);
        let now = start + ms(200);
        assert!(clock.flush(now));
        assert_eq!((clock.position(now), clock.heard(now)), (500, 200));
        clock.sent(100, now);
        assert_eq!(clock.position(now + ms(50)), 550);
    }
}
