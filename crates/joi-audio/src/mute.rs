//! The mute switch: while it is on, no sample of the microphone leaves the device callback.
//!
//! Any thread sets it, the capture callback reads it. It is one counter; persisting it over a restart is up
//! to the caller.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Whether the microphone is muted. Clones share the same switch.
#[derive(Debug, Clone, Default)]
pub struct MuteSwitch(
    /// How often it changed: odd is muted.
    Arc<AtomicU32>,
);

impl MuteSwitch {
    /// Creates a switch in the given position.
    pub fn new(muted: bool) -> Self {
        Self(Arc::new(AtomicU32::new(muted.into())))
    }

    /// Sets it; returns whether that changed anything.
    pub fn set(&self, muted: bool) -> bool {
        let turn = |turns: u32| (is_odd(turns) != muted).then(|| turns.wrapping_add(1));
        self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, turn).is_ok()
    }

    /// Returns whether it is on.
    pub fn is_muted(&self) -> bool {
        is_odd(self.turns())
    }

    /// Returns how often it changed, so that no short change is missed; odd is muted.
    pub(super) fn turns(&self) -> u32 {
        self.0.load(Ordering::Acquire)
    }
}

fn is_odd(turns: u32) -> bool {
    turns % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_are_one_switch() {
        let switch = MuteSwitch::default();
        let other = switch.clone();
        assert!(other.set(true) && switch.is_muted());
        assert!(!switch.set(true), "nothing changed");
        assert!(switch.set(false) && !other.is_muted());
        assert_eq!(switch.turns(), 2);
        assert!(MuteSwitch::new(true).is_muted());
    }
}
