//! What a device's callbacks count, for the keeper to look at. Atomics only; any thread.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use super::super::liveness::Counts;

/// What a device's callbacks count; they write nothing else.
#[derive(Debug, Default)]
pub(in crate::audio) struct Vitals {
    callbacks: AtomicU64,
    zero_frames: AtomicU64,
    restless: AtomicBool,
    rate: AtomicU32,
    lost: AtomicBool,
    errors: AtomicU64,
}

/// Whether a session survives an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::audio) enum Weight {
    /// It goes on.
    Passing,
    /// It must be opened anew.
    Fatal,
}

impl Vitals {
    /// The session runs at `rate` frames a second.
    pub(in crate::audio) fn runs_at(&self, rate: u32) {
        self.rate.store(rate, Ordering::Relaxed);
    }

    /// The data callback ran; the last `zeros` frames of all so far were zero, after sound that was
    /// never still for seconds if it `was_restless`.
    pub(in crate::audio) fn beat(&self, zeros: u64, was_restless: bool) {
        self.zero_frames.store(zeros, Ordering::Relaxed);
        self.restless.store(was_restless, Ordering::Relaxed);
        self.callbacks.fetch_add(1, Ordering::Relaxed);
    }

    /// The error callback ran.
    pub(in crate::audio) fn error(&self, weight: Weight) {
        self.errors.fetch_add(1, Ordering::Relaxed);
        if weight == Weight::Fatal {
            self.lost.store(true, Ordering::Relaxed);
        }
    }

    /// All of it.
    pub(in crate::audio) fn counts(&self) -> Counts {
        let rate = self.rate.load(Ordering::Relaxed).max(1);
        let zeros = self.zero_frames.load(Ordering::Relaxed) as f64 / f64::from(rate);
        Counts {
            callbacks: self.callbacks.load(Ordering::Relaxed),
            zeros: Duration::from_secs_f64(zeros),
            restless: self.restless.load(Ordering::Relaxed),
            errors: self.errors.load(Ordering::Relaxed),
            lost: self.lost.load(Ordering::Relaxed),
        }
    }
}
