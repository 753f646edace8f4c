//! Bounds of a turn: how long it may take by the clock, and how long the user's text may be.
//!
//! Belongs to the task of one turn; on Tokio's clock. In: the limit. Out: the moment it is over. The clock stands still
//! while a model starts, which has a limit of its own, and while the channel takes its time with what was said already.
//! Everything else counts: a model that writes what can't be said, second attempts, tools, the steps in between.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::config::ReplyConfig;

/// Most characters of one text of the user. A longer one is refused, and nothing of it is done.
pub const MOST_CHARACTERS: usize = 8_000;

/// The time of a turn, unless `reply.whole_reply_s` allows a single answer more.
pub const TURN: Duration = Duration::from_secs(120);

/// What ends a turn before its own end.
#[derive(Debug, Clone)]
pub struct TurnBounds {
    /// Ends it soon, without a word.
    pub cancel: CancellationToken,
    /// Its time by the clock, after which it ends with a sentence.
    pub within: Duration,
}

impl TurnBounds {
    /// Those of a turn that somebody waits for.
    pub fn of_turn(cancel: CancellationToken, config: &ReplyConfig) -> Self {
        Self { cancel, within: TURN.max(Duration::from_secs(config.whole_reply_s.into())) }
    }
}

/// Returns whether a text of the user is longer than [`MOST_CHARACTERS`].
pub(crate) fn is_too_long(text: &str) -> bool {
    text.len() > MOST_CHARACTERS && text.chars().nth(MOST_CHARACTERS).is_some()
}

/// The clock of one turn. Clones are the same clock.
#[derive(Debug, Clone)]
pub(crate) struct TurnClock(Arc<Mutex<ClockState>>);

#[derive(Debug)]
struct ClockState {
    /// When it is over, without the pause that goes on now.
    ends: Option<Instant>,
    /// The pause that goes on now, and how many pauses lie within each other.
    pause: Option<(Instant, u32)>,
}

impl TurnClock {
    /// A clock that runs for `limit` from now on.
    pub(crate) fn starting(limit: Duration) -> Self {
        Self(Arc::new(Mutex::new(ClockState { ends: Instant::now().checked_add(limit), pause: None })))
    }

    /// A clock that is never over, for work that has another limit.
    pub(crate) fn unlimited() -> Self {
        Self(Arc::new(Mutex::new(ClockState { ends: None, pause: None })))
    }

    /// Stops the clock until the pause is dropped.
    pub(crate) fn pause(&self) -> Pause {
        self.change(|state| {
            let (since, depth) = state.pause.unwrap_or((Instant::now(), 0));
            state.pause = Some((since, depth + 1));
        });
        Pause(self.clone())
    }

    /// Waits until it is over. Cancel-safe.
    pub(crate) async fn over(&self) {
        loop {
            let now = Instant::now();
            let ends = self.change(|state| {
                let paused = state.pause.map_or(Duration::ZERO, |(since, _)| now - since);
                state.ends.and_then(|ends| ends.checked_add(paused))
            });
            match ends {
                None => std::future::pending().await,
                Some(ends) if ends <= now => return,
                Some(ends) => sleep_until(ends).await,
            }
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut ClockState) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A clock that stands still.
#[derive(Debug)]
pub(crate) struct Pause(TurnClock);

impl Drop for Pause {
    fn drop(&mut self) {
        self.0.change(|state| match state.pause {
            Some((since, 1)) => {
                state.ends = state.ends.and_then(|ends| ends.checked_add(since.elapsed()));
                state.pause = None;
            }
            Some((since, depth)) => state.pause = Some((since, depth.saturating_sub(1))),
            None => {}
        });
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    fn seconds(s: u64) -> Duration {
        Duration::from_secs(s)
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_do_not_count_and_what_lies_within_one_counts_once() {
        let (clock, began) = (TurnClock::starting(seconds(120)), Instant::now());
        let waiting = tokio::spawn({
            let clock = clock.clone();
            async move { clock.over().await }
        });
        sleep(seconds(100)).await;
        let outer = clock.pause();
        sleep(seconds(50)).await;
        let inner = clock.pause();
        sleep(seconds(50)).await;
        drop(inner);
        sleep(seconds(50)).await;
        drop(outer);
        waiting.await.unwrap();
        assert_eq!(began.elapsed().as_secs(), 120 + 150);
    }

    #[test]
    fn the_length_of_a_text_is_counted_in_characters() {
        assert!(!is_too_long(&"ä".repeat(MOST_CHARACTERS)));
        assert!(is_too_long(&"ä".repeat(MOST_CHARACTERS + 1)));
    }
}
