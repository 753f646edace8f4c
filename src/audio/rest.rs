//! Rest: nobody speaks, nothing is prepared. Streams may then hand over their sound in longer blocks, which costs less.
//!
//! Whoever listens sets it, the threads of the streams read it: one atomic.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether it is time to rest. Clones are the same switch; it begins off.
#[derive(Debug, Clone, Default)]
pub(super) struct RestSwitch(Arc<AtomicBool>);

impl RestSwitch {
    pub(super) fn set(&self, may_rest: bool) {
        self.0.store(may_rest, Ordering::Relaxed);
    }

    #[cfg(any(feature = "pulseaudio", test))]
    pub(super) fn is_on(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
