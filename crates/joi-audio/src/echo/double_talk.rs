//! Selects the linear signal during double talk, the suppressed one otherwise.
//!
//! The suppressor removes residual echo and distorts a simultaneous talker. Where it leaves much of a frame's
//! power, somebody is talking: the linear signal, in which the talker is undistorted, is used instead. It
//! opens after 30 ms, closes after 250 ms, and fades in between. As long as the filter predicts little of the
//! echo, the linear signal is mostly echo, and the gate stays closed.
//! Pure: no I/O, no clock.

use super::canceller::Cleaned;
use super::frame::FRAME;

/// The least share of the linear power that the suppressor leaves of a talker.
const SHARE: f32 = 0.15;

/// Below this power, −50 dBFS, nobody talks.
const QUIET: f32 = 1e-5;

/// The weight of each frame in the mean power.
const SMOOTH: f32 = 0.3;

/// The linear signal must have at most this share of the microphone's power: 6 dB of echo reduction.
const PREDICTED: f32 = 0.25;

/// The weight of each frame in the slow mean: one second.
const SLOW: f32 = 0.01;

/// Frames in a row that open it.
const OPENS: u32 = 3;

/// Frames it stays open.
const HOLDS: u32 = 25;

/// Which of the two signals is used.
#[derive(Debug, Default)]
pub(super) struct DoubleTalkGate {
    linear: f32,
    suppressed: f32,
    /// Mean power of the microphone and of the linear signal, while nobody talks.
    long: (f32, f32),
    run: u32,
    hold: u32,
    /// The weight of the linear signal in the output, 0..1.
    mix: f32,
}

impl DoubleTalkGate {
    /// The output for the frame `near`.
    pub(super) fn choose(&mut self, near: &[f32; FRAME], cleaned: &Cleaned) -> [f32; FRAME] {
        if self.hold == 0 && power(near) > QUIET {
            self.long.0 += (power(near) - self.long.0) * SLOW;
            self.long.1 += (power(&cleaned.linear) - self.long.1) * SLOW;
        }
        let is_predicted = self.is_predicted();
        self.linear += (power(&cleaned.linear) - self.linear) * SMOOTH;
        self.suppressed += (power(&cleaned.suppressed) - self.suppressed) * SMOOTH;
        let is_talk = self.suppressed > QUIET && self.suppressed > SHARE * self.linear;
        self.run = if is_talk && is_predicted { self.run + 1 } else { 0 };
        self.hold = if self.run >= OPENS { HOLDS } else { self.hold.saturating_sub(1) };
        let target = if self.hold > 0 { 1.0 } else { 0.0 };
        let step = 1.0 / FRAME as f32;
        let mut out = cleaned.suppressed;
        for (out, linear) in out.iter_mut().zip(&cleaned.linear) {
            self.mix += (target - self.mix).clamp(-step, step);
            *out += (linear - *out) * self.mix;
        }
        out
    }

    /// Returns whether the filter adds more power than it removes.
    pub(super) fn is_worse(&self) -> bool {
        self.long.1 > self.long.0
    }

    /// Returns whether the filter predicts most of the echo.
    pub(super) fn is_predicted(&self) -> bool {
        self.long.1 < PREDICTED * self.long.0
    }
}

fn power(samples: &[f32]) -> f32 {
    samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a gate after a filter that predicts the echo.
    fn gate() -> DoubleTalkGate {
        let mut gate = DoubleTalkGate::default();
        for _ in 0..20 {
            choose(&mut gate, (0.5, 0.05, 0.001));
        }
        gate
    }

    /// Frames of the microphone, the linear and the suppressed signal; returns the last output sample.
    fn choose(gate: &mut DoubleTalkGate, (near, linear, suppressed): (f32, f32, f32)) -> f32 {
        let cleaned = Cleaned { linear: [linear; FRAME], suppressed: [suppressed; FRAME] };
        gate.choose(&[near; FRAME], &cleaned)[FRAME - 1]
    }

    #[test]
    fn what_the_suppressor_takes_away_stays_away() {
        let mut gate = gate();
        for _ in 0..100 {
            assert_eq!(choose(&mut gate, (0.5, 0.05, 0.001)), 0.001, "echo");
            assert_eq!(choose(&mut gate, (0.003, 0.003, 0.003)), 0.003, "the room");
        }
    }

    #[test]
    fn a_talker_is_let_through_whole_and_a_little_longer() {
        let mut gate = gate();
        let opens = (0..).find(|_| choose(&mut gate, (0.5, 0.1, 0.06)) > 0.099).expect("open");
        assert!((2..5).contains(&opens), "{opens}");
        let closes = (0..).find(|_| choose(&mut gate, (0.5, 0.1, 0.0)) < 0.001).expect("closed");
        assert!((25..35).contains(&closes), "{closes}");
    }

    #[test]
    fn while_the_filter_predicts_little_it_stays_closed() {
        let mut gate = DoubleTalkGate::default();
        for _ in 0..500 {
            assert_eq!(choose(&mut gate, (0.1, 0.09, 0.06)), 0.06);
        }
    }

    #[test]
    fn it_never_jumps_from_one_signal_to_the_other() {
        let (mut gate, mut last) = (gate(), 0.06);
        let cleaned = Cleaned { linear: [0.1; FRAME], suppressed: [0.06; FRAME] };
        for _ in 0..20 {
            for sample in gate.choose(&[0.5; FRAME], &cleaned) {
                assert!((sample - last).abs() < 0.04 / FRAME as f32 + 1e-6, "{last} -> {sample}");
                last = sample;
            }
        }
        assert!((last - 0.1).abs() < 1e-6);
    }
}
