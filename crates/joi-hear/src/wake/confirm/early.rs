//! Candidates heard before the phrases were spelled.
//!
//! Owned by the listener thread. In: candidates with their sound. Out: the newest of them, oldest first, with the phrases
//! once those are there. What does not fit is dropped, the oldest first: whoever is not heard says it again.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};

use super::super::candidates::Candidate;
use super::PhraseThreshold;

/// Candidates that are kept; the scorer's thread takes as many at once.
const KEPT: usize = 4;

/// Candidates that wait for their phrases.
pub(super) struct EarlyCandidates {
    comes: Receiver<Vec<PhraseThreshold>>,
    kept: VecDeque<(Candidate, Arc<[f32]>)>,
}

/// The phrases, and what is to be scored for them.
pub(super) struct Spelling {
    pub(super) wanted: Vec<PhraseThreshold>,
    pub(super) kept: VecDeque<(Candidate, Arc<[f32]>)>,
}

impl EarlyCandidates {
    pub(super) fn new(comes: Receiver<Vec<PhraseThreshold>>) -> Self {
        Self { comes, kept: VecDeque::new() }
    }

    pub(super) fn keep(&mut self, candidate: Candidate, samples: Arc<[f32]>) {
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back((candidate, samples));
    }

    pub(super) fn clear(&mut self) {
        self.kept.clear();
    }

    /// Returns the phrases if they are there by now; none, where they will never be.
    pub(super) fn spelled(&mut self) -> Option<Spelling> {
        match self.comes.try_recv() {
            Ok(wanted) => Some(self.over(wanted)),
            Err(TryRecvError::Disconnected) => Some(self.over(Vec::new())),
            Err(TryRecvError::Empty) => None,
        }
    }

    /// The same, and waits for them.
    pub(super) fn wait(&mut self) -> Option<Spelling> {
        let wanted = self.comes.recv().unwrap_or_default();
        Some(self.over(wanted))
    }

    fn over(&mut self, wanted: Vec<PhraseThreshold>) -> Spelling {
        Spelling { wanted, kept: std::mem::take(&mut self.kept) }
    }
}
