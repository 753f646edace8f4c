//! Decides when a stream asks the server where its sound is: one question at a time, and a while between two.
//!
//! Pure: no I/O, no clock.

use std::time::{Duration, Instant};

/// The questions of one stream.
#[derive(Debug)]
pub(super) struct LatencyQuestion {
    /// Between two questions.
    every: Duration,
    /// The number of the one on its way.
    number: Option<u32>,
    /// When the last one was put.
    put_at: Option<Instant>,
}

impl LatencyQuestion {
    /// No two are put within less than `every`.
    pub(super) fn each(every: Duration) -> Self {
        Self { every, number: None, put_at: None }
    }

    /// The answer to the last one no longer holds: the next one is due at once, and each `every` from then on.
    pub(super) fn ask_anew(&mut self, every: Duration) {
        (self.every, self.put_at) = (every, None);
    }

    /// Returns whether one is to be put `now`.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.number.is_none() && self.put_at.is_none_or(|at| now.saturating_duration_since(at) >= self.every)
    }

    /// The command with this number asks.
    pub(super) fn put(&mut self, number: u32, now: Instant) {
        (self.number, self.put_at) = (Some(number), Some(now));
    }

    /// Returns whether the reply to the command with this number, or its refusal, is for it; then the question is over.
    pub(super) fn is_over_by(&mut self, to: u32) -> bool {
        self.number.take_if(|number| *number == to).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_question_at_a_time_and_a_while_between_two() {
        const EVERY: Duration = Duration::from_millis(250);
        let (mut question, start) = (LatencyQuestion::each(EVERY), Instant::now());
        assert!(question.is_due(start));
        question.put(7, start);
        assert!(!question.is_due(start + EVERY), "it is on its way");
        assert!(!question.is_over_by(6), "the reply to something else");
        assert!(question.is_over_by(7));
        assert!(!question.is_over_by(7), "once");
        assert!(!question.is_due(start + EVERY - Duration::from_millis(1)));
        assert!(question.is_due(start + EVERY));
        question.put(8, start + EVERY);
        question.ask_anew(2 * EVERY);
        assert!(!question.is_due(start + EVERY), "it is on its way");
        assert!(question.is_over_by(8) && question.is_due(start + EVERY), "what holds now is not known");
        question.put(9, start + EVERY);
        assert!(question.is_over_by(9) && !question.is_due(start + 2 * EVERY));
        assert!(question.is_due(start + 3 * EVERY));
    }
}
