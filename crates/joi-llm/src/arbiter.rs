//! Orders the calls of the language model: spoken turns before typed ones, both before background work.
//!
//! Tokio tasks of any number of conversations. Input: requests for a [`Permit`], one for each call of the model.
//! Output: permits, one at a time: a local model server has one slot, and requests in its queue can no longer be
//! reordered. A running call is not interrupted for another conversation; background work yields by itself as soon as
//! [`Arbiter::somebody_waits`] reports that a turn runs.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{oneshot, watch};

use joi_base::message::Channel;

/// Kinds of callers, the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ModelPriority {
    /// Somebody spoke and waits in silence.
    Speech,
    /// Somebody typed.
    Typing,
    /// Nobody waits.
    Background,
}

impl ModelPriority {
    /// Returns the urgency of a turn on `channel`.
    pub fn of(channel: Channel) -> Self {
        match channel {
            Channel::Voice => Self::Speech,
            Channel::Console | Channel::Signal | Channel::Page | Channel::Program => Self::Typing,
            Channel::Agent => Self::Background,
        }
    }
}

/// How many turns run, and how many have begun.
#[derive(Debug, Clone, Copy, Default)]
struct RunningTurns {
    running: usize,
    begun: u64,
}

/// Those who wait, in the order in which they came.
#[derive(Debug, Default)]
struct ModelQueue {
    is_taken: bool,
    waiting: VecDeque<(ModelPriority, oneshot::Sender<()>)>,
}

impl ModelQueue {
    /// The most urgent of those who wait, the oldest of several.
    fn next(&mut self) -> Option<oneshot::Sender<()>> {
        let urgent = self.waiting.iter().map(|(priority, _)| *priority).min()?;
        let place = self.waiting.iter().position(|(priority, _)| *priority == urgent)?;
        self.waiting.remove(place).map(|(_, granted)| granted)
    }
}

/// Hands out the model.
#[derive(Debug, Default)]
pub struct Arbiter {
    queue: Mutex<ModelQueue>,
    turns: watch::Sender<RunningTurns>,
}

/// The right to one call of the model, given back when it is dropped.
#[derive(Debug)]
pub struct Permit<'a>(&'a Arbiter);

/// A turn runs while this lives.
#[derive(Debug)]
pub struct RunningTurn<'a>(&'a Arbiter);

impl Arbiter {
    /// A turn begins: background work gives way from here on.
    pub fn begin_turn(&self) -> RunningTurn<'_> {
        self.turns.send_modify(|turns| {
            turns.running += 1;
            turns.begun += 1;
        });
        RunningTurn(self)
    }

    /// Waits until a turn runs, or has run since this was first polled. Cancel-safe.
    pub async fn somebody_waits(&self) {
        let before = self.turns.borrow().begun;
        // The sender lives as long as this does.
        let _ = self.turns.subscribe().wait_for(|turns| turns.running > 0 || turns.begun != before).await;
    }

    /// Waits until no turn runs. Cancel-safe.
    pub async fn nobody_waits(&self) {
        // The sender lives as long as this does.
        let _ = self.turns.subscribe().wait_for(|turns| turns.running == 0).await;
    }

    /// Waits for the model. Cancel-safe: who is dropped while waiting leaves the queue, and a permit that was granted
    /// in that moment goes to the next.
    pub async fn permit(&self, priority: ModelPriority) -> Permit<'_> {
        let granted = {
            let mut queue = self.lock();
            if !queue.is_taken {
                queue.is_taken = true;
                return Permit(self);
            }
            let (grant, granted) = oneshot::channel();
            queue.waiting.push_back((priority, grant));
            granted
        };
        let mut waiting = QueuePlace { arbiter: self, granted };
        // The sender is only dropped after it was used; once the grant is taken, `waiting` hands nothing on.
        let _ = (&mut waiting.granted).await;
        Permit(self)
    }

    /// The model is free: the next one gets it.
    fn hand_on(&self) {
        let mut queue = self.lock();
        while let Some(next) = queue.next() {
            if next.send(()).is_ok() {
                return;
            }
        }
        queue.is_taken = false;
    }

    /// Returns the number of waiting requests.
    #[cfg(any(test, feature = "testing"))]
    pub fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    fn lock(&self) -> MutexGuard<'_, ModelQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the queue.
struct QueuePlace<'a> {
    arbiter: &'a Arbiter,
    granted: oneshot::Receiver<()>,
}

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        self.granted.close();
        if self.granted.try_recv().is_ok() {
            self.arbiter.hand_on();
        }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.hand_on();
    }
}

impl Drop for RunningTurn<'_> {
    fn drop(&mut self) {
        self.0.turns.send_modify(|turns| turns.running -= 1);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use futures_util::stream::{FuturesUnordered, StreamExt};

    use super::*;

    #[tokio::test]
    async fn speech_comes_before_typing_and_both_before_background_work() {
        use ModelPriority::{Background, Speech, Typing};
        let arbiter = Arbiter::default();
        let first = arbiter.permit(Background).await;
        let order = Mutex::new(Vec::new());
        let wait = |name, priority| {
            let (arbiter, order) = (&arbiter, &order);
            async move {
                let _permit = arbiter.permit(priority).await;
                order.lock().unwrap().push(name);
            }
        };
        let mut all: FuturesUnordered<_> = [
            wait("diary", Background),
            wait("typed", Typing),
            wait("spoken", Speech),
            wait("spoken later", Speech),
        ]
        .into_iter()
        .collect();
        assert!(all.next().now_or_never().is_none(), "the first one still has it");
        drop(first);
        while all.next().await.is_some() {}
        assert_eq!(*order.lock().unwrap(), ["spoken", "spoken later", "typed", "diary"]);
    }

    #[tokio::test]
    async fn who_gives_up_waiting_does_not_keep_the_model() {
        let arbiter = Arbiter::default();
        let first = arbiter.permit(ModelPriority::Typing).await;
        let mut gave_up = Box::pin(arbiter.permit(ModelPriority::Speech));
        assert!(gave_up.as_mut().now_or_never().is_none());
        let mut granted_and_gone = Box::pin(arbiter.permit(ModelPriority::Speech));
        assert!(granted_and_gone.as_mut().now_or_never().is_none());
        drop(gave_up);
        drop(first);
        // Granted, and dropped before it was looked at.
        drop(granted_and_gone);
        assert!(arbiter.permit(ModelPriority::Background).now_or_never().is_some());
    }

    #[tokio::test]
    async fn background_work_learns_that_a_turn_runs_and_that_one_ran() {
        let arbiter = Arbiter::default();
        assert!(arbiter.somebody_waits().now_or_never().is_none());
        let running = arbiter.begin_turn();
        assert!(arbiter.somebody_waits().now_or_never().is_some());
        drop(running);
        let mut waits = Box::pin(arbiter.somebody_waits());
        assert!(waits.as_mut().now_or_never().is_none());
        drop(arbiter.begin_turn());
        assert!(waits.now_or_never().is_some(), "it was over before anybody looked");
    }
}
