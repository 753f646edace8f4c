//! What waits for its turn, in the order in which it came, and the turn that runs.
//!
//! Bounded. The task that sorts what arrives puts messages in, corrects them and takes them back; the task of turns takes
//! them out. A message that is taken back while its turn runs ends that turn.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use joi_messages::signal::gate::{OwnerMatter, OwnerMessage};

/// Messages that wait; one takes a turn of the model.
pub(super) const WAITING: usize = 16;

/// Messages that wait, and the one that is answered.
#[derive(Default)]
pub(super) struct WaitingTurns {
    state: Mutex<WaitingState>,
    arrived: Notify,
}

#[derive(Default)]
struct WaitingState {
    waiting: VecDeque<WaitingTurn>,
    running: Option<(MessageNames, CancellationToken)>,
}

/// The time stamps of a message and its corrections: each of them names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct MessageNames(Vec<i64>);

impl MessageNames {
    /// Whether it is called so.
    pub(super) fn has(&self, stamp: i64) -> bool {
        self.0.contains(&stamp)
    }
}

/// A message whose turn it is.
pub(super) struct WaitingTurn {
    pub(super) message: OwnerMessage,
    pub(super) names: MessageNames,
}

impl WaitingTurns {
    /// Puts a message behind the others; whether there was room.
    pub(super) fn put(&self, message: OwnerMessage) -> bool {
        let mut state = self.state();
        if state.waiting.len() >= WAITING {
            return false;
        }
        let names = MessageNames(vec![message.stamp]);
        state.waiting.push_back(WaitingTurn { message, names });
        drop(state);
        self.arrived.notify_one();
        true
    }

    /// The next message, once there is one; it is answered until [`Self::is_over`] or until `stop`. Cancel-safe.
    pub(super) async fn next(&self, stop: &CancellationToken) -> (WaitingTurn, CancellationToken) {
        loop {
            if let Some(begun) = self.begin(stop) {
                return begun;
            }
            self.arrived.notified().await;
        }
    }

    fn begin(&self, stop: &CancellationToken) -> Option<(WaitingTurn, CancellationToken)> {
        let mut state = self.state();
        let turn = state.waiting.pop_front()?;
        let cancel = stop.child_token();
        state.running = Some((turn.names.clone(), cancel.clone()));
        Some((turn, cancel))
    }

    /// Nothing is answered any more.
    pub(super) fn is_over(&self) {
        self.state().running = None;
    }

    /// The message of this time stamp is not to be answered.
    pub(super) fn take_back(&self, stamp: i64) {
        let mut state = self.state();
        state.waiting.retain(|turn| !turn.names.has(stamp));
        if let Some((names, cancel)) = &state.running
            && names.has(stamp)
        {
            cancel.cancel();
        }
    }

    /// The message of this time stamp reads so now, and has a further name. One that was begun stays as it was.
    pub(super) fn correct(&self, stamp: i64, name: i64, matter: OwnerMatter) {
        let mut state = self.state();
        let turn = state.waiting.iter_mut().find(|turn| turn.names.has(stamp));
        // What came too late stays too late.
        if let Some(turn) = turn.filter(|turn| turn.message.matter != OwnerMatter::Stale) {
            turn.message.matter = matter;
            turn.names.0.push(name);
        }
    }

    fn state(&self) -> MutexGuard<'_, WaitingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use jiff::Timestamp;

    use super::*;
    use joi_base::message::Private;
    use joi_messages::signal::gate::SignalThread;

    fn words(text: &str) -> OwnerMatter {
        OwnerMatter::Words(Private(text.into()))
    }

    fn message(stamp: i64, matter: OwnerMatter) -> OwnerMessage {
        let (thread, written_at) = (SignalThread::Owner, Timestamp::UNIX_EPOCH);
        OwnerMessage { thread, written_at, stamp, is_fleeting: false, matter }
    }

    #[test]
    fn what_was_corrected_before_its_turn_is_answered_as_it_reads_now() {
        let (turns, stop) = (WaitingTurns::default(), CancellationToken::new());
        let _ = turns.put(message(1, words("lamp on")));
        let _ = turns.put(message(2, OwnerMatter::Stale));
        turns.correct(1, 8, words("lamp of"));
        turns.correct(8, 9, words("lamp off"));
        turns.correct(2, 10, words("lamp off"));
        turns.correct(7, 11, words("all lamps off"));
        let next = || turns.next(&stop).now_or_never().map(|(turn, _)| turn.message.matter);
        assert_eq!(next(), Some(words("lamp off")));
        turns.correct(1, 12, words("lamp on"));
        assert_eq!(next(), Some(OwnerMatter::Stale), "it came too late");
        assert_eq!(next(), None, "a correction is no message");
    }

    #[test]
    fn what_was_taken_back_is_not_answered_and_ends_the_turn_that_runs() {
        let (turns, stop) = (WaitingTurns::default(), CancellationToken::new());
        for stamp in 1..=3 {
            let _ = turns.put(message(stamp, words("lamp on")));
        }
        turns.take_back(2);
        let (first, cancel) = turns.next(&stop).now_or_never().unwrap();
        turns.take_back(9);
        assert!(first.names.has(1) && !cancel.is_cancelled());
        turns.take_back(1);
        assert!(cancel.is_cancelled() && !stop.is_cancelled());
        turns.is_over();
        let (third, cancel) = turns.next(&stop).now_or_never().unwrap();
        turns.take_back(1);
        assert!(third.names.has(3) && !cancel.is_cancelled());
    }
}
