//! Counters of a device's callbacks, read by the stream supervisor, the thread that waits for their sound, and whether they
//! may rest. Atomics only; any thread.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use super::super::liveness::CallbackCounts;

/// Counters of a device's callbacks, which write nothing else.
#[derive(Debug, Default)]
pub(crate) struct CallbackStats {
    callbacks: AtomicU64,
    zero_frames: AtomicU64,
    restless: AtomicBool,
    rate: AtomicU32,
    lost: AtomicBool,
    errors: AtomicU64,
    changes: AtomicU64,
    clipped: AtomicU64,
    latency_micros: AtomicU64,
    may_rest: AtomicBool,
    reader: OnceLock<Thread>,
}

/// Whether a stream survives an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorSeverity {
    /// It continues.
    Passing,
    /// It must be reopened.
    Fatal,
}

impl CallbackStats {
    /// The stream runs at `rate` frames a second.
    pub(crate) fn runs_at(&self, rate: u32) {
        self.rate.store(rate, Ordering::Relaxed);
    }

    /// The data callback ran; the last `zeros` frames of all so far were zero, after sound with a noise floor
    /// for seconds if it `was_restless`.
    pub(crate) fn beat(&self, zeros: u64, was_restless: bool) {
        self.zero_frames.store(zeros, Ordering::Relaxed);
        self.restless.store(was_restless, Ordering::Relaxed);
        self.callbacks.fetch_add(1, Ordering::Relaxed);
    }

    /// The calling thread, parked, waits for sound from here on. One thread for each stream.
    pub(crate) fn read_here(&self) {
        self.reader.get_or_init(thread::current);
    }

    /// There is sound for the thread that waits for it. Never blocks.
    pub(crate) fn wake_reader(&self) {
        if let Some(reader) = self.reader.get() {
            reader.unpark();
        }
    }

    /// So many more frames were at full scale.
    pub(crate) fn clip(&self, frames: u64) {
        self.clipped.fetch_add(frames, Ordering::Relaxed);
    }

    /// Returns how many frames were at full scale.
    pub(crate) fn clipped(&self) -> u64 {
        self.clipped.load(Ordering::Relaxed)
    }

    /// Records the age of the newest sample of this callback, or its delay until it is heard.
    pub(crate) fn lags(&self, latency: Duration) {
        let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        self.latency_micros.store(micros, Ordering::Relaxed);
    }

    /// Returns how far the device is behind, by its own timestamps.
    pub(crate) fn latency(&self) -> Duration {
        Duration::from_micros(self.latency_micros.load(Ordering::Relaxed))
    }

    /// Whether the stream may hand over longer blocks from here on: nobody speaks, and nothing is prepared.
    pub(crate) fn let_rest(&self, may_rest: bool) {
        self.may_rest.store(may_rest, Ordering::Relaxed);
    }

    /// Returns whether it may.
    #[cfg(feature = "pulseaudio")]
    pub(crate) fn may_rest(&self) -> bool {
        self.may_rest.load(Ordering::Relaxed)
    }

    /// The sound system reports changes of its devices from here on, or one has come or gone.
    #[cfg(feature = "pulseaudio")]
    pub(crate) fn devices_changed(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// The error callback ran.
    pub(crate) fn error(&self, weight: ErrorSeverity) {
        self.errors.fetch_add(1, Ordering::Relaxed);
        if weight == ErrorSeverity::Fatal {
            self.lost.store(true, Ordering::Relaxed);
        }
    }

    /// Returns a snapshot of all counters.
    pub(crate) fn counts(&self) -> CallbackCounts {
        let rate = self.rate.load(Ordering::Relaxed).max(1);
        let zeros = self.zero_frames.load(Ordering::Relaxed) as f64 / f64::from(rate);
        CallbackCounts {
            callbacks: self.callbacks.load(Ordering::Relaxed),
            zeros: Duration::from_secs_f64(zeros),
            restless: self.restless.load(Ordering::Relaxed),
            errors: self.errors.load(Ordering::Relaxed),
            changes: self.changes.load(Ordering::Relaxed),
            lost: self.lost.load(Ordering::Relaxed),
        }
    }
}
