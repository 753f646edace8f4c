//! PURE. Pairs what was played with what was heard, sample by sample.
//!
//! Both come in bursts of their own, on clocks of their own. In: far samples as they come, and how many
//! near ones were heard. Out: as many far ones, always in the same step, so that the echo stands where it
//! stood. When none are there, silence is put in: from then on a few wait in reserve. When many wait for
//! long, some are left out. Both shift the echo, and are told.

use std::collections::VecDeque;

use crate::audio::RATE;

/// In reserve after silence had to be put in or samples were left out: 5 ms.
const RESERVE: usize = 80;

/// As long as fewer wait at the worst moment nothing is left out: 40 ms.
const ROOM: usize = 640;

/// The worst moment is looked for in so much sound.
const WINDOW: usize = 5 * RATE as usize;

/// When so many wait, nothing was heard for a second: there is no step any more.
const MOST: usize = RATE as usize;

/// The far samples that wait for their near ones.
#[derive(Debug)]
pub(super) struct Pairing {
    far: VecDeque<f32>,
    least: usize,
    seen: usize,
}

/// Whether near and far are in the step they were in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// They are.
    Kept,
    /// The echo stands elsewhere from here on.
    Shifted,
}

impl Default for Pairing {
    fn default() -> Self {
        Self { far: VecDeque::with_capacity(2 * MOST), least: usize::MAX, seen: 0 }
    }
}

impl Pairing {
    /// These were played.
    pub(super) fn add(&mut self, far: &[f32]) -> Step {
        self.far.extend(far);
        if self.far.len() <= MOST {
            return Step::Kept;
        }
        self.far.drain(..self.far.len() - RESERVE);
        Step::Shifted
    }

    /// The partners of the next near samples.
    pub(super) fn next(&mut self, partners: &mut [f32]) -> Step {
        let count = partners.len();
        let step = self.provide(count);
        for (partner, far) in partners.iter_mut().zip(self.far.drain(..count)) {
            *partner = far;
        }
        self.trim(count, step)
    }

    /// So many near samples need no partners.
    pub(super) fn skip(&mut self, count: usize) -> Step {
        let step = self.provide(count);
        self.far.drain(..count);
        self.trim(count, step)
    }

    /// How many far samples wait.
    pub(super) fn waiting(&self) -> usize {
        self.far.len()
    }

    /// Begins a new step.
    pub(super) fn clear(&mut self) {
        self.far.clear();
        self.least = usize::MAX;
        self.seen = 0;
    }

    fn provide(&mut self, count: usize) -> Step {
        if self.far.len() >= count {
            return Step::Kept;
        }
        self.far.resize(count + RESERVE, 0.0);
        Step::Shifted
    }

    fn trim(&mut self, count: usize, step: Step) -> Step {
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
        Step::Shifted
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
        let mut pairing = Pairing::default();
        assert_eq!(pairing.add(&numbered(0, 500)), Step::Kept);
        let (mut all, mut fed) = (vec![], 500);
        for burst in [100, 0, 320, 0, 0, 480, 320, 160] {
            pairing.add(&numbered(fed, burst));
            fed += burst;
            let mut partners = [0.0; 160];
            assert_eq!(pairing.next(&mut partners), Step::Kept);
            all.extend(partners);
        }
        assert_eq!(all, numbered(0, all.len()));
    }

    #[test]
    fn what_is_missing_is_silence_once_and_then_a_reserve_waits() {
        let mut pairing = Pairing::default();
        pairing.add(&[1.0; 100]);
        let mut partners = [0.5; 160];
        assert_eq!(pairing.next(&mut partners), Step::Shifted);
        assert_eq!([&partners[..100], &partners[100..]], [&[1.0; 100][..], &[0.0; 60]]);
        assert_eq!(pairing.waiting(), RESERVE);
        pairing.add(&[1.0; 160]);
        assert_eq!(pairing.next(&mut partners), Step::Kept);
        assert_eq!(pairing.skip(80), Step::Kept);
        assert_eq!(pairing.skip(1), Step::Shifted);
    }

    #[test]
    fn a_far_end_with_a_faster_clock_is_brought_back_into_step() {
        let mut pairing = Pairing::default();
        let mut shifts = 0;
        for frame in 0..12_000 {
            // Two minutes, 0.06 % too fast.
            pairing.add(&[0.0; 160]);
            if frame % 10 == 0 {
                pairing.add(&[0.0]);
            }
            shifts += usize::from(pairing.next(&mut [0.0; 160]) == Step::Shifted);
            assert!(pairing.waiting() < ROOM + 120, "{}", pairing.waiting());
        }
        assert!(shifts >= 1);
    }

    #[test]
    fn when_nothing_is_heard_for_a_second_the_step_is_lost() {
        let mut pairing = Pairing::default();
        let mut steps = (0..120).map(|_| pairing.add(&[0.0; 160])).collect::<Vec<_>>();
        assert_eq!(steps.iter().filter(|step| **step == Step::Shifted).count(), 1);
        steps.clear();
        assert!(pairing.waiting() <= MOST);
    }
}
