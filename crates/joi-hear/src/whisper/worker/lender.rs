//! Lends the model of a worker thread for other work.
//!
//! Any thread. In: tasks. Out: whether they will run. Never waits; when the queue is full, a task is refused.

use std::sync::Arc;

use super::WorkerQueue;
use crate::whisper::Whisper;

/// Other work for the model when nothing is to be transcribed.
pub(super) type ModelTask<T> = Box<dyn FnOnce(&mut T) + Send>;

/// Pending tasks; when full, further ones are refused: their sound would be too old.
const ERRANDS: usize = 4;

/// Borrows the model of a worker thread.
pub struct Lender<T = Whisper>(pub(super) Arc<WorkerQueue<T>>);

impl<T> Clone for Lender<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Lender<T> {
    /// Runs a task with the model on its thread, after the pending transcriptions. Returns at once, and
    /// returns whether it will run: not when the queue is full, or the thread has ended.
    pub fn lend(&self, errand: impl FnOnce(&mut T) + Send + 'static) -> bool {
        let mut pile = self.0.pile();
        let takes = !pile.closed && pile.errands.len() < ERRANDS;
        if takes {
            pile.errands.push_back(Box::new(errand));
            drop(pile);
            self.0.changed.notify_one();
        }
        takes
    }

    /// Returns whether the thread takes no more tasks for good.
    pub fn has_ended(&self) -> bool {
        self.0.pile().closed
    }
}
