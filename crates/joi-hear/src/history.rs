//! The last seconds of sound, by position.
//!
//! Owned by the listener thread. In: samples as they come. Out: copies of stretches requested later. It holds
//! a fixed number of samples and overwrites the oldest.

use std::sync::Arc;

/// A ring of samples addressed by their position in the source.
pub(super) struct History {
    ring: Box<[f32]>,
    /// Position just behind the newest sample.
    end: u64,
}

impl History {
    /// Room for `len` samples.
    pub(super) fn new(len: usize) -> Self {
        Self { ring: vec![0.0; len.max(1)].into(), end: 0 }
    }

    /// Position just behind the newest sample.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Position of the oldest sample still held.
    pub(super) fn begin(&self) -> u64 {
        self.end.saturating_sub(self.ring.len() as u64)
    }

    /// Appends samples.
    pub(super) fn push(&mut self, samples: &[f32]) {
        for run in samples.chunks(self.ring.len()) {
            let place = self.place(self.end);
            let (until_the_end, rest) = run.split_at(run.len().min(self.ring.len() - place));
            self.ring[place..place + until_the_end.len()].copy_from_slice(until_the_end);
            self.ring[..rest.len()].copy_from_slice(rest);
            self.end += run.len() as u64;
        }
    }

    /// Returns the samples from position `from` to position `to`, as far as they are held.
    pub(super) fn copy(&self, from: u64, to: u64) -> Arc<[f32]> {
        let to = to.min(self.end);
        let from = from.max(self.begin()).min(to);
        (from..to).map(|at| self.ring[self.place(at)]).collect()
    }

    /// Fills `into` with the samples from position `from` on; silence where none are held.
    pub(super) fn fill(&self, from: u64, into: &mut [f32]) {
        for (at, sample) in (from..).zip(into) {
            let held = (self.begin()..self.end).contains(&at);
            *sample = if held { self.ring[self.place(at)] } else { 0.0 };
        }
    }

    fn place(&self, at: u64) -> usize {
        (at % self.ring.len() as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_returns_what_was_pushed_as_long_as_there_is_room() {
        let mut history = History::new(5);
        history.push(&[0.0, 1.0, 2.0]);
        assert_eq!(*history.copy(1, 9), [1.0, 2.0]);
        history.push(&[3.0, 4.0, 5.0, 6.0]);
        assert_eq!((history.begin(), history.end()), (2, 7));
        assert_eq!(*history.copy(0, 4), [2.0, 3.0]);
        assert_eq!(*history.copy(9, 4), [0.0; 0]);
        let mut frame = [9.0; 3];
        history.fill(5, &mut frame);
        assert_eq!(frame, [5.0, 6.0, 0.0]);
    }
}
