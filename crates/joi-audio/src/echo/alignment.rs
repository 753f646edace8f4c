//! Aligns played samples with captured ones.
//!
//! Both arrive in bursts, on clocks of their own. In: far-end samples as they come, and how many near-end
//! samples were captured. Out: as many far-end samples, at a constant offset, so that the echo's delay stays
//! constant. When far-end samples are missing, silence is inserted, and from then on a small reserve is kept.
//! When many are pending for long, some are dropped. Both shift the echo, and are reported.
//! Pure: no I/O, no clock.

use std::collections::VecDeque;

use crate::RATE;

/// Reserve after silence was inserted or samples were dropped: 5 ms.
const RESERVE: usize = 80;

/// Nothing is dropped while fewer samples are pending at the minimum: 40 ms.
const ROOM: usize = 640;

/// The minimum is taken over this many samples.
const WINDOW: usize = 5 * RATE as usize;

/// With this many pending, nothing was captured for a second: the alignment is lost.
const MOST: usize = RATE as usize;

/// Far-end samples that wait for their near-end counterparts.
#[derive(Debug)]
pub(super) struct Alignment {
    far: VecDeque<f32>,
    least: usize,
    seen: usize,
}

/// Whether near and far end are still aligned as before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AlignmentState {
    /// They are.
    Kept,
    /// The delay of the echo changes from here on.
    Shifted,
}

impl Default for Alignment {
    fn default() -> Self {
        Self { far: VecDeque::with_capacity(2 * MOST), least: usize::MAX, seen: 0 }
    }
}

impl Alignment {
    /// Adds samples that were played.
    pub(super) fn add(&mut self, far: &[f32]) -> AlignmentState {
        self.far.extend(far);
        if self.far.len() <= MOST {
            return AlignmentState::Kept;
        }
        self.far.drain(..self.far.len() - RESERVE);
        AlignmentState::Shifted
    }

    /// Returns the counterparts of the next near-end samples.
    pub(super) fn next(&mut self, partners: &mut [f32]) -> AlignmentState {
        let count = partners.len();
        let step = self.provide(count);
        for (partner, far) in partners.iter_mut().zip(self.far.drain(..count)) {
            *partner = far;
        }
        self.trim(count, step)
    }

    /// This many near-end samples need no counterparts.
    pub(super) fn skip(&mut self, count: usize) -> AlignmentState {
        let step = self.provide(count);
        self.far.drain(..count);
        self.trim(count, step)
    }

    /// Number of pending far-end samples.
    pub(super) fn waiting(&self) -> usize {
        self.far.len()
    }

    /// Starts a new alignment.
    pub(super) fn clear(&mut self) {
        self.far.clear();
        self.least = usize::MAX;
        self.seen = 0;
    }

    fn provide(&mut self, count: usize) -> AlignmentState {
        if self.far.len() >= count {
            return AlignmentState::Kept;
        }
        self.far.resize(count + RESERVE, 0.0);
        AlignmentState::Shifted
    }

    fn trim(&mut self, count: usize, step: AlignmentState) -> AlignmentState {
        self.least = self.least.min(self.far.len());
        self.seen += count;
        if self.seen < WINDOW {
            return step;
        }
        let least = std::mem::replace(&mut self.least, usize::MAX);
        self.seen = 0;
        if least <= ROOM {
            return step;
        }
        self.far.drain(..least - RESERVE);
        AlignmentState::Shifted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(from: usize, count: usize) -> Vec<f32> {
        (from..from + count).map(|i| (i + 1) as f32).collect()
    }

    #[test]
    fn bursts_of_any_length_keep_the_step() {
        let mut pairing = Alignment::default();
        assert_eq!(pairing.add(&numbered(0, 500)), AlignmentState::Kept);
        let (mut all, mut fed) = (vec![], 500);
        for burst in [100, 0, 320, 0, 0, 480, 320, 160] {
            pairing.add(&numbered(fed, burst));
            fed += burst;
            let mut partners = [0.0; 160];
            assert_eq!(pairing.next(&mut partners), AlignmentState::Kept);
            all.extend(partners);
        }
        assert_eq!(all, numbered(0, all.len()));
    }

    #[test]
    fn what_is_missing_is_silence_once_and_then_a_reserve_waits() {
        let mut pairing = Alignment::default();
        pairing.add(&[1.0; 100]);
        let mut partners = [0.5; 160];
        assert_eq!(pairing.next(&mut partners), AlignmentState::Shifted);
        assert_eq!([&partners[..100], &partners[100..]], [&[1.0; 100][..], &[0.0; 60]]);
        assert_eq!(pairing.waiting(), RESERVE);
        pairing.add(&[1.0; 160]);
        assert_eq!(pairing.next(&mut partners), AlignmentState::Kept);
        assert_eq!(pairing.skip(80), AlignmentState::Kept);
        assert_eq!(pairing.skip(1), AlignmentState::Shifted);
    }

    #[test]
    fn a_far_end_with_a_faster_clock_is_brought_back_into_step() {
        let mut pairing = Alignment::default();
        let mut shifts = 0;
        for frame in 0..12_000 {
            // Two minutes, 0.06 % too fast.
            pairing.add(&[0.0; 160]);
            if frame % 10 == 0 {
                pairing.add(&[0.0]);
            }
            shifts += usize::from(pairing.next(&mut [0.0; 160]) == AlignmentState::Shifted);
            assert!(pairing.waiting() < ROOM + 120, "{}", pairing.waiting());
        }
        assert!(shifts >= 1);
    }

    #[test]
    fn when_nothing_is_heard_for_a_second_the_step_is_lost() {
        let mut pairing = Alignment::default();
        let mut steps = (0..120).map(|_| pairing.add(&[0.0; 160])).collect::<Vec<_>>();
        assert_eq!(steps.iter().filter(|step| **step == AlignmentState::Shifted).count(), 1);
        steps.clear();
        assert!(pairing.waiting() <= MOST);
    }
}
