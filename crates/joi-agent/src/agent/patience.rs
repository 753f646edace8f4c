//! Limits the time of a model for an answer: to its first word, from word to word, and altogether.
//!
//! Runs in the task of one turn, on Tokio's clock. Only time spent waiting for the model counts: a
//! voice that speaks slower than the model writes makes the turn wait as well, and is not its fault.

use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::config::ReplyConfig;
use joi_llm::LlmError;

/// The awaited event.
#[derive(Debug, Clone, Copy)]
enum Awaited {
    FirstWord { left: Duration },
    NextWord,
}

/// A model that writes for this long without a word to be said will not find one.
const LONGEST_UNSAID: Duration = Duration::from_secs(2);

/// Text written by a model since it wrote something that could be said. A slow one has written little in that time,
/// and goes on.
#[derive(Debug, Default)]
pub(crate) struct UnsaidWords {
    since: Option<Instant>,
    pieces: usize,
}

impl UnsaidWords {
    /// A piece came at `now`, with which `said` could be said; whether nothing could be for too long, of which `most`
    /// pieces may come however long they take.
    pub(crate) fn are_too_many(&mut self, said: &str, most: usize, now: Instant) -> bool {
        if !said.trim().is_empty() {
            *self = Self::default();
            return false;
        }
        self.pieces += 1;
        let since = *self.since.get_or_insert(now);
        self.pieces > most && now.duration_since(since) >= LONGEST_UNSAID
    }
}

/// The patience left for one answer.
#[derive(Debug)]
pub(crate) struct Patience {
    awaited: Awaited,
    between: Duration,
    whole: Duration,
    left: Duration,
}

impl Patience {
    /// Patience for one answer of a model that is ready.
    pub(crate) fn new(config: &ReplyConfig) -> Self {
        let seconds = |s: u32| Duration::from_secs(u64::from(s));
        let whole = seconds(config.whole_reply_s);
        Self {
            awaited: Awaited::FirstWord { left: seconds(config.first_word_s) },
            between: seconds(config.next_word_s),
            whole,
            left: whole,
        }
    }

    /// The first word came: from here on the time from word to word counts.
    pub(crate) fn first_word_came(&mut self) {
        self.awaited = Awaited::NextWord;
    }

    /// Waits for the model's next doing. Cancel-safe where `work` is.
    ///
    /// # Errors
    /// [`LlmError::TimedOut`], naming what it was that took too long.
    pub(crate) async fn wait<T>(&mut self, work: impl Future<Output = T>) -> Result<T, LlmError> {
        let (step, what) = match self.awaited {
            Awaited::FirstWord { left } => (left, "its first word"),
            Awaited::NextWord => (self.between, "its next word"),
        };
        let since = Instant::now();
        let done = timeout(step.min(self.left), work).await;
        let took = since.elapsed();
        let late = if self.left <= step {
            LlmError::TimedOut { what: "its whole answer", limit: self.whole }
        } else {
            LlmError::TimedOut { what, limit: step }
        };
        self.left = self.left.saturating_sub(took);
        if let Awaited::FirstWord { left } = &mut self.awaited {
            *left = left.saturating_sub(took);
        }
        done.map_err(|_| late)
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::time::sleep;

    use super::*;

    fn patience() -> Patience {
        Patience::new(&ReplyConfig {
            first_word_s: 30,
            next_word_s: 15,
            whole_reply_s: 120,
            ..ReplyConfig::default()
        })
    }

    async fn seconds_until_late(patience: &mut Patience) -> (u64, LlmError) {
        let since = Instant::now();
        let late = patience.wait(pending::<()>()).await.expect_err("patience ends");
        (since.elapsed().as_secs(), late)
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_word_has_thirty_seconds_however_many_steps_it_takes() {
        let mut patience = patience();
        patience.wait(sleep(Duration::from_secs(20))).await.expect("in time");
        let (seconds, late) = seconds_until_late(&mut patience).await;
        assert_eq!(seconds, 10);
        assert!(late.to_string().contains("its first word"), "{late}");
    }

    #[tokio::test(start_paused = true)]
    async fn every_further_word_has_fifteen_seconds() {
        let mut patience = patience();
        patience.first_word_came();
        for _ in 0..3 {
            patience.wait(sleep(Duration::from_secs(14))).await.expect("in time");
        }
        assert_eq!(seconds_until_late(&mut patience).await.0, 15);
    }

    #[tokio::test(start_paused = true)]
    async fn a_whole_answer_has_two_minutes_of_the_models_own_time() {
        let mut patience = patience();
        patience.first_word_came();
        for _ in 0..8 {
            patience.wait(sleep(Duration::from_secs(14))).await.expect("in time");
            sleep(Duration::from_secs(60)).await; // the voice speaks
        }
        let (seconds, late) = seconds_until_late(&mut patience).await;
        assert_eq!(seconds, 120 - 8 * 14);
        assert!(late.to_string().contains("its whole answer"), "{late}");
    }

    #[test]
    fn what_is_unsaid_is_too_much_when_it_is_long_and_much() {
        let (mut unsaid, began) = (UnsaidWords::default(), Instant::now());
        let after = |ms: u64| began + Duration::from_millis(ms);
        assert!((0..30).all(|_| !unsaid.are_too_many("", 16, began)), "much at once");
        assert!(!unsaid.are_too_many("", 40, after(2_500)), "a slow one");
        assert!(unsaid.are_too_many(" ", 16, after(2_500)));
        assert!(!unsaid.are_too_many("Well, ", 16, after(2_600)), "there was something");
        assert!((0..17).all(|_| !unsaid.are_too_many("", 16, after(2_700))), "from there on");
        assert!(unsaid.are_too_many("", 16, after(4_700)));
    }
}
