//! Tracks how large the state of a model has become, and decides when memory of a long utterance is given back.
//!
//! Pure: no I/O, no clock.

/// Up to here a state holds little: a second look and most commands. In positions of 20 ms.
const LARGE: u32 = 640;
/// After so many short ones in a row it is given back as soon as there is nothing to do: in a room where somebody always
/// talks there may be no longer pause.
const SHORT_ONES: u32 = 8;

/// The encoder windows that a state has seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct WindowsSeen {
    /// In positions of 20 ms.
    pub(super) largest: u32,
    /// How many small ones came behind the last large one.
    short_ones: u32,
}

impl WindowsSeen {
    pub(super) fn sees(&mut self, window: u32) {
        self.largest = self.largest.max(window);
        self.short_ones = if window > LARGE { 0 } else { self.short_ones.saturating_add(1) };
    }

    /// Returns whether there is something to give back.
    pub(super) fn is_large(self) -> bool {
        self.largest > LARGE
    }

    /// Returns whether it has been large for so long that it need not be waited for a pause.
    pub(super) fn is_overdue(self) -> bool {
        self.is_large() && self.short_ones >= SHORT_ONES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_long_utterance_took_is_overdue_after_some_short_ones() {
        let mut seen = WindowsSeen::default();
        (0..20).for_each(|_| seen.sees(384));
        assert!(!seen.is_large() && !seen.is_overdue(), "nothing was long");
        seen.sees(1500);
        assert!(seen.is_large() && !seen.is_overdue());
        (0..SHORT_ONES - 1).for_each(|_| seen.sees(384));
        assert!(!seen.is_overdue());
        seen.sees(384);
        assert!(seen.is_overdue());
        seen.sees(1500);
        assert!(seen.is_large() && !seen.is_overdue(), "another long one needs it");
    }
}
