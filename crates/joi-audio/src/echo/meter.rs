//! Measures how well the echo is cancelled: written by the listener thread, read by any.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

use super::frame::SILENCE;

/// Weight of each new frame in the means: half a second.
const SHARE: f32 = 1.0 / 50.0;

/// Near-end sound below this power is background noise: −65 dBFS.
const ROOM_POWER: f32 = 3e-7;

/// An output whose power is higher by this factor has diverged: 2 dB.
const LOUDER: f32 = 1.6;

/// Frames in a row that rule out coincidence: half a second.
const LONG: u32 = 50;

/// The canceller has converged when the echo is reduced by this many dB.
const CONVERGED_DB: f32 = 6.0;

/// Frames in a row that make it converged: 250 ms.
const STEADY: u32 = 25;

/// The state of the canceller at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EchoReport {
    /// Whether echo cancellation applies to the microphone in use: configured, and not done by the sound
    /// system.
    pub wanted: bool,
    /// Whether echo is being cancelled now: something is played, or was in the last second.
    pub active: bool,
    /// Whether it has adapted to the room since the device was opened, or no echo reaches the microphone.
    /// Before, playback may leak through.
    pub converged: bool,
    /// Echo return loss enhancement: how much quieter the output is than the input, in dB, over the last half
    /// second of playback. Falls during double talk. Zero before the first measurement.
    pub erle_db: f32,
    /// From a sample given to the speaker until its echo is captured, in ms.
    pub delay_ms: u32,
}

/// Shows the state of the canceller; clones show the same.
#[derive(Debug, Clone, Default)]
pub struct EchoMeter(Arc<Values>);

#[derive(Debug, Default)]
struct Values {
    unwanted: AtomicBool,
    active: AtomicBool,
    converged: AtomicBool,
    erle_db: AtomicU32,
    delay_ms: AtomicU32,
}

impl EchoReport {
    /// Returns the state in one line for people.
    pub fn summary(&self) -> String {
        if !self.wanted {
            return "left to the sound system, or switched off".to_owned();
        }
        if !self.active && self.delay_ms == 0 && self.erle_db == 0.0 {
            return "nothing was played yet".to_owned();
        }
        let Self { erle_db, delay_ms, .. } = self;
        match self.converged {
            true if *erle_db < ABSENT_DB => "no echo reaches the microphone".to_owned(),
            true => format!("echo delay {delay_ms} ms, reduced by {erle_db:.0} dB"),
            false => format!("echo reduced by only {erle_db:.0} dB; still adapting to the room"),
        }
    }
}

/// A converged canceller that reduces the sound by less has no echo to cancel.
const ABSENT_DB: f32 = 1.0;

impl EchoMeter {
    /// Returns a snapshot of the present state.
    pub fn report(&self) -> EchoReport {
        let values = &*self.0;
        EchoReport {
            wanted: !values.unwanted.load(Ordering::Relaxed),
            active: values.active.load(Ordering::Relaxed),
            converged: values.converged.load(Ordering::Relaxed),
            erle_db: f32::from_bits(values.erle_db.load(Ordering::Relaxed)),
            delay_ms: values.delay_ms.load(Ordering::Relaxed),
        }
    }

    pub(super) fn is_for(&self, device: &str, wanted: bool) {
        tracing::debug!(device, wanted, "echo cancelling");
        self.0.unwanted.store(!wanted, Ordering::Relaxed);
    }

    pub(super) fn show(&self, gauge: &ErleGauge, is_absent: bool, delay_ms: u32) {
        self.0.active.store(true, Ordering::Relaxed);
        self.0.converged.store(gauge.has_converged || is_absent, Ordering::Relaxed);
        self.0.erle_db.store(gauge.erle_db().to_bits(), Ordering::Relaxed);
        self.0.delay_ms.store(delay_ms, Ordering::Relaxed);
    }

    /// Nothing is cancelled now.
    pub(super) fn rest(&self) {
        self.0.active.store(false, Ordering::Relaxed);
    }

    /// Everything measured is void.
    pub(super) fn forget(&self) {
        self.0.converged.store(false, Ordering::Relaxed);
        self.0.erle_db.store(0, Ordering::Relaxed);
        self.0.delay_ms.store(0, Ordering::Relaxed);
    }
}

/// Compares the canceller's input with its output. Pure.
#[derive(Debug, Default)]
pub(super) struct ErleGauge {
    near: f32,
    clean: f32,
    louder: u32,
    steady: u32,
    has_converged: bool,
}

/// The state of the canceller by this measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GaugeVerdict {
    /// It may go on.
    Fine,
    /// It has made the signal louder for too long.
    Diverged,
}

impl ErleGauge {
    /// One frame: microphone, playback, and the canceller's output.
    pub(super) fn look(&mut self, near: &[f32], far: &[f32], clean: &[f32]) -> GaugeVerdict {
        let (near, clean) = (power(near), power(clean));
        // Pauses in playback say nothing about the echo.
        if power(far) > SILENCE * SILENCE && near > ROOM_POWER {
            self.near += (near - self.near) * SHARE;
            self.clean += (clean - self.clean) * SHARE;
            self.steady = if self.erle_db() >= CONVERGED_DB { self.steady + 1 } else { 0 };
            self.has_converged |= self.steady >= STEADY;
        }
        self.louder = if clean > near * LOUDER && clean > ROOM_POWER { self.louder + 1 } else { 0 };
        if self.louder >= LONG { GaugeVerdict::Diverged } else { GaugeVerdict::Fine }
    }

    /// Echo return loss enhancement in dB.
    fn erle_db(&self) -> f32 {
        if self.near == 0.0 {
            return 0.0;
        }
        10.0 * (self.near / self.clean.max(1e-12)).log10()
    }
}

fn power(samples: &[f32]) -> f32 {
    samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len().max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(gauge: &mut ErleGauge, near: f32, far: f32, clean: f32) -> GaugeVerdict {
        gauge.look(&[near; 160], &[far; 160], &[clean; 160])
    }

    #[test]
    fn it_shows_how_much_quieter_her_voice_became_and_ignores_her_pauses() {
        let mut gauge = ErleGauge::default();
        for _ in 0..30 {
            look(&mut gauge, 0.1, 0.1, 0.01);
        }
        assert!((gauge.erle_db() - 20.0).abs() < 0.1 && gauge.has_converged);
        for _ in 0..100 {
            look(&mut gauge, 0.1, 0.0, 0.1);
        }
        assert!((gauge.erle_db() - 20.0).abs() < 0.1);
        for _ in 0..200 {
            look(&mut gauge, 0.1, 0.1, 0.1);
        }
        assert!(gauge.erle_db() < 3.0 && gauge.has_converged, "somebody talks at the same time");
    }

    #[test]
    fn an_output_that_stays_louder_has_diverged_and_a_short_burst_has_not() {
        let mut gauge = ErleGauge::default();
        for _ in 0..LONG - 1 {
            assert_eq!(look(&mut gauge, 0.1, 0.1, 0.2), GaugeVerdict::Fine);
        }
        assert_eq!(look(&mut gauge, 0.1, 0.1, 0.1), GaugeVerdict::Fine);
        for _ in 0..LONG - 1 {
            assert_eq!(look(&mut gauge, 0.1, 0.1, 0.2), GaugeVerdict::Fine);
        }
        assert_eq!(look(&mut gauge, 0.1, 0.1, 0.2), GaugeVerdict::Diverged);
    }

    #[test]
    fn a_clone_shows_the_same_and_forgets_with_it() {
        let (meter, mut gauge) = (EchoMeter::default(), ErleGauge::default());
        for _ in 0..30 {
            look(&mut gauge, 0.1, 0.1, 0.01);
        }
        let shown = meter.clone();
        meter.show(&gauge, false, 70);
        let report = shown.report();
        assert!(report.wanted && report.active && report.converged && report.delay_ms == 70);
        meter.rest();
        meter.forget();
        let nothing = EchoReport { wanted: true, active: false, converged: false, erle_db: 0.0, delay_ms: 0 };
        assert_eq!(shown.report(), nothing);
    }
}
