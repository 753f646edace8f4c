//! The owner's switch: while it is on, no sample of the microphone leaves the device callback.
//!
//! Any thread turns it, the capture callback reads it. It holds no more than one flag; whoever keeps the
//! owner's wish over a restart stores it elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the microphone is switched off. Clones are the same switch.
#[derive(Debug, Clone, Default)]
pub struct MuteSwitch(Arc<AtomicBool>);

impl MuteSwitch {
    /// A switch in the given position.
    pub fn new(muted: bool) -> Self {
        Self(Arc::new(AtomicBool::new(muted)))
    }

    /// Turns it; tells whether that changed anything.
    pub fn set(&self, muted: bool) -> bool {
        self.0.swap(muted, Ordering::AcqRel) != muted
    }

    /// Its position.
    pub fn is_muted(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
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
    }
}
