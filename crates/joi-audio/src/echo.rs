//! Acoustic echo cancellation: removes playback from the microphone signal.
//!
//! [`EchoCancelled`] wraps an [`AudioSource`] and belongs to the thread that reads it. In: the microphone's
//! samples, and the [`EchoReference`]: the samples the speaker has played. Out: as many samples as came in,
//! at most 10 ms later, without the echo. A talker louder than the residual echo passes unsuppressed;
//! otherwise everything that may be echo is suppressed. After one second without playback, samples bypass the
//! canceller and nothing is computed; near and far end stay aligned meanwhile. A diverged canceller, whose
//! output is louder than its input, is bypassed and reset.

use std::time::Duration;

use super::echo_reference::Continuity;
use super::{AudioSource, EchoCancel, EchoReference, RATE, SourceEvent, Tracks};

mod absence;
mod alignment;
mod canceller;
mod double_talk;
mod frame;
mod kalman;
mod meter;

use absence::Absence;
use alignment::{Alignment, AlignmentState};
use canceller::Canceller;
use double_talk::DoubleTalkGate;
use frame::{FRAME, SILENCE};
pub use meter::{EchoMeter, EchoReport};
use meter::{ErleGauge, GaugeVerdict};

/// Echo is possible for this long after the last played sample.
const TAIL: usize = RATE as usize;

/// A diverged canceller is bypassed for this long.
const DISTRUST: usize = RATE as usize;

/// A change of the echo delay by at least this many ms at once means a new echo path: a wireless speaker, or
/// a clock that jumped. Clock drift changes it by less.
const JUMP_MS: u32 = 32;

/// A microphone with the echo of playback removed.
pub struct EchoCancelled {
    source: Box<dyn AudioSource>,
    far: EchoReference,
    choice: EchoCancel,
    /// Whether echo cancellation applies to the present microphone.
    is_wanted: bool,
    pairing: Alignment,
    canceller: Option<Canceller>,
    gate: DoubleTalkGate,
    absence: Absence,
    route: Route,
    /// Samples until no more echo is possible.
    tail: usize,
    /// Samples until a diverged canceller is used again.
    distrust: usize,
    gauge: ErleGauge,
    /// The estimated delay of the echo in ms, where it is known.
    known_delay: u32,
    meter: EchoMeter,
    /// Captured and not yet returned: less than one frame.
    held: Vec<f32>,
    /// The block returned last, as captured ...
    captured: Vec<f32>,
    /// ... and with the predicted echo subtracted, nothing suppressed.
    whole: Vec<f32>,
    played: Vec<f32>,
}

/// The path the samples take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    /// Bypass the canceller.
    Bypass,
    /// Through the canceller.
    Cancel,
}

impl EchoCancelled {
    /// Cancels the echo of `far` in `source`, as `choice` says.
    pub fn new(source: Box<dyn AudioSource>, far: EchoReference, choice: EchoCancel) -> Self {
        let meter = EchoMeter::default();
        let is_wanted = choice != EchoCancel::Off;
        meter.is_for("the microphone", is_wanted);
        Self {
            source,
            far,
            choice,
            is_wanted,
            pairing: Alignment::default(),
            canceller: None,
            gate: DoubleTalkGate::default(),
            absence: Absence::default(),
            route: Route::Bypass,
            tail: 0,
            distrust: 0,
            gauge: ErleGauge::default(),
            known_delay: 0,
            meter,
            held: Vec::new(),
            captured: Vec::new(),
            whole: Vec::new(),
            played: Vec::new(),
        }
    }

    /// Returns a handle that shows how well it works, from any thread.
    pub fn meter(&self) -> EchoMeter {
        self.meter.clone()
    }

    /// Reads what was played since the last call.
    fn hear_far(&mut self) {
        self.played.clear();
        if self.far.take(&mut self.played) == Continuity::Broken {
            self.begin_anew();
        }
        let is_sound = self.played.iter().any(|sample| sample.abs() > SILENCE);
        if self.pairing.add(&self.played) == AlignmentState::Shifted {
            self.begin_anew();
        }
        if is_sound {
            self.tail = TAIL + self.pairing.waiting();
        }
    }

    /// Resets everything learned about the echo path.
    fn begin_anew(&mut self) {
        self.pairing.clear();
        if let Some(canceller) = &mut self.canceller {
            canceller.reset();
        }
        self.prove_anew();
    }

    /// Resets the evidence that the canceller has converged.
    fn prove_anew(&mut self) {
        self.gate = DoubleTalkGate::default();
        self.absence = Absence::default();
        self.gauge = ErleGauge::default();
        self.known_delay = 0;
        self.meter.forget();
    }

    /// Another microphone, or a gap in the captured sound.
    fn interrupt(&mut self) {
        self.held.clear();
        self.route = Route::Bypass;
        self.meter.rest();
        self.begin_anew();
    }

    /// Appends what can be returned of the pending samples; returns their number.
    fn clean(&mut self, into: &mut Vec<f32>) -> usize {
        let before = into.len();
        loop {
            let may_cancel = self.is_wanted && self.tail > 0 && self.distrust == 0;
            if !may_cancel && self.route == Route::Bypass {
                self.pass(into);
                break;
            }
            if self.held.len() < FRAME {
                break;
            }
            let towards = if may_cancel { Route::Cancel } else { Route::Bypass };
            self.frame(towards, into);
        }
        into.len() - before
    }

    /// Unchanged, as captured.
    fn pass(&mut self, into: &mut Vec<f32>) {
        let count = self.held.len();
        // Playback is silent or not to be cancelled: only the alignment has to be kept.
        self.pairing.skip(count);
        self.count_down(count);
        self.let_go(into);
    }

    /// One frame through the canceller; entering and leaving it is cross-faded.
    fn frame(&mut self, towards: Route, into: &mut Vec<f32>) {
        let (mut near, mut far) = ([0.0; FRAME], [0.0; FRAME]);
        near.copy_from_slice(&self.held[..FRAME]);
        self.captured.extend(self.held.drain(..FRAME));
        let step = self.pairing.next(&mut far);
        self.count_down(FRAME);
        let (clean, whole) = self.cancel(&near, &far).unwrap_or((near, near));
        if step == AlignmentState::Shifted {
            // The canceller adapts by itself; but its earlier results say nothing about the new alignment.
            tracing::debug!("playback and microphone were realigned");
            self.gauge = ErleGauge::default();
        }
        into.extend(between(self.route, towards, &near, &clean));
        self.whole.extend(between(self.route, towards, &near, &whole));
        self.route = towards;
        if towards == Route::Bypass {
            self.meter.rest();
        }
        self.judge(&near, &far, &clean);
    }

    /// The canceller's output: with the residual echo suppressed, and without suppression.
    fn cancel(&mut self, near: &[f32; FRAME], far: &[f32; FRAME]) -> Option<([f32; FRAME], [f32; FRAME])> {
        if self.canceller.is_none() {
            match Canceller::new() {
                Ok(canceller) => self.canceller = Some(canceller),
                Err(error) => {
                    tracing::error!(%error, "no echo canceller; playback stays in the microphone signal");
                    self.is_wanted = false;
                    return None;
                }
            }
        }
        let cleaned = self.canceller.as_mut()?.process(near, far)?;
        let chosen = self.gate.choose(near, &cleaned);
        let is_absent = self.absence.look(near, far, self.gate.is_predicted());
        let whole = if self.gate.is_worse() { *near } else { cleaned.linear };
        Some(if is_absent { (*near, *near) } else { (chosen, whole) })
    }

    fn judge(&mut self, near: &[f32], far: &[f32], clean: &[f32]) {
        let Some(canceller) = &self.canceller else { return };
        let delay = canceller.delay_ms();
        if self.known_delay > 0 && delay.abs_diff(self.known_delay) >= JUMP_MS {
            tracing::info!(
                from = self.known_delay,
                to = delay,
                "the echo stands elsewhere; the room is learnt anew"
            );
            // The canceller has adapted to the new delay; earlier results say nothing about it.
            self.prove_anew();
        } else {
            self.known_delay = delay;
        }
        let Some(canceller) = &self.canceller else { return };
        match self.gauge.look(near, far, clean) {
            GaugeVerdict::Fine => {
                let waiting_ms = (self.pairing.waiting() * 1000 / RATE as usize) as u32;
                if self.route == Route::Cancel {
                    let delay_ms = canceller.delay_ms() + waiting_ms;
                    self.meter.show(&self.gauge, self.absence.is_sure(), delay_ms);
                }
            }
            GaugeVerdict::Diverged => {
                tracing::warn!("the echo canceller diverged and was reset");
                self.distrust = DISTRUST;
                self.begin_anew();
            }
        }
    }

    fn count_down(&mut self, samples: usize) {
        self.tail = self.tail.saturating_sub(samples);
        self.distrust = self.distrust.saturating_sub(samples);
    }

    /// Returns the pending samples unchanged; returns their number.
    fn let_go(&mut self, into: &mut Vec<f32>) -> usize {
        let count = self.held.len();
        self.captured.extend(&self.held);
        self.whole.extend(&self.held);
        into.append(&mut self.held);
        count
    }
}

impl AudioSource for EchoCancelled {
    fn read(&mut self, into: &mut Vec<f32>) -> SourceEvent {
        let before = into.len();
        self.captured.clear();
        self.whole.clear();
        let heard = self.source.read(into);
        self.held.extend(into.drain(before..));
        if self.choice == EchoCancel::Off {
            self.let_go(into);
            return heard;
        }
        self.hear_far();
        match heard {
            SourceEvent::Samples(_) => match self.clean(into) {
                0 => SourceEvent::Nothing,
                count => SourceEvent::Samples(count),
            },
            SourceEvent::Nothing => SourceEvent::Nothing,
            SourceEvent::Back { device } => {
                self.interrupt();
                self.is_wanted = self.choice.is_for(&device);
                self.meter.is_for(&device, self.is_wanted);
                SourceEvent::Back { device }
            }
            SourceEvent::Gone(_) | SourceEvent::Muted | SourceEvent::Unmuted => {
                self.interrupt();
                heard
            }
            SourceEvent::Called { .. } => heard,
            SourceEvent::End => match self.let_go(into) {
                0 => SourceEvent::End,
                count => SourceEvent::Samples(count),
            },
        }
    }

    /// The speaker rests with the microphone.
    fn may_rest(&mut self, may_rest: bool) {
        self.source.may_rest(may_rest);
        self.far.let_speaker_rest(may_rest);
    }

    fn latency(&self) -> Duration {
        let held = self.held.len() as f64 / f64::from(RATE);
        self.source.latency() + Duration::from_secs_f64(held)
    }

    fn tracks(&self) -> Option<Tracks<'_>> {
        let tracks = Tracks { captured: &self.captured, whole: &self.whole };
        (self.choice != EchoCancel::Off).then_some(tracks)
    }
}

/// The frame during the transition from one route to the other: `near` is the bypass, `clean` the canceller's
/// output.
fn between(from: Route, towards: Route, near: &[f32; FRAME], clean: &[f32; FRAME]) -> [f32; FRAME] {
    match (from, towards) {
        (Route::Cancel, Route::Cancel) => *clean,
        (Route::Bypass, _) => cross_fade(near, clean),
        (Route::Cancel, Route::Bypass) => cross_fade(clean, near),
    }
}

/// Cross-fades from one signal to the other within a frame.
fn cross_fade(from: &[f32; FRAME], to: &[f32; FRAME]) -> [f32; FRAME] {
    std::array::from_fn(|i| {
        let share = (i + 1) as f32 / FRAME as f32;
        from[i] + (to[i] - from[i]) * share
    })
}

#[cfg(test)]
mod tests;
