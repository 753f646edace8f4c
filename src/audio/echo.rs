//! Echo cancelling: takes her own voice out of what the microphone hears.
//!
//! [`EchoCancelled`] wraps a [`Source`] and belongs to the thread that reads it. In: the microphone's
//! samples, and the [`FarEnd`]: what the speaker has really played. Out: as many samples as came in, at
//! most 10 ms later, without the echo. A talker who is louder than what is left of her is let through
//! whole; else all that may be echo is suppressed. While nothing has been played for a second the samples pass
//! untouched and nothing is computed; near and far stay paired all the while. It never makes things worse
//! for long: a canceller whose output is louder than its input is left out and begun anew.

use super::far::Continuity;
use super::{EchoCancel, FarEnd, Heard, RATE, Source, Tracks};

mod absence;
mod canceller;
mod gate;
mod kalman;
mod meter;
mod pairing;

use absence::Absence;
use canceller::Canceller;
use gate::Gate;
pub use meter::{EchoMeter, EchoReport};
use meter::{Gauge, Verdict};
use pairing::{Pairing, Step};

/// Samples the canceller takes at once: 10 ms.
const FRAME: usize = 160;

/// So much sound after the last that was played may still be echo.
const TAIL: usize = RATE as usize;

/// A canceller that has diverged is left out for so much sound.
const DISTRUST: usize = RATE as usize;

/// An echo whose delay changes by so much at once comes another way: a wireless speaker, or a clock that jumped. In
/// ms; clocks that drift apart change it by less.
const JUMP_MS: u32 = 32;

/// What is played below this level is silence: −100 dBFS.
const SILENCE: f32 = 1e-5;

/// A microphone without her voice.
pub struct EchoCancelled {
    source: Box<dyn Source>,
    far: FarEnd,
    choice: EchoCancel,
    /// Whether the present microphone wants it.
    is_wanted: bool,
    pairing: Pairing,
    canceller: Option<Canceller>,
    gate: Gate,
    absence: Absence,
    way: Way,
    /// Samples until nothing can be echo any more.
    tail: usize,
    /// Samples until the canceller is trusted again.
    distrust: usize,
    gauge: Gauge,
    /// The delay of the echo, as far as it is known, in ms.
    known_delay: u32,
    meter: EchoMeter,
    /// Heard and not yet given out, when cancelling less than a frame.
    held: Vec<f32>,
    /// What the last read gave out, as it was heard ...
    captured: Vec<f32>,
    /// ... and with nothing suppressed.
    whole: Vec<f32>,
    played: Vec<f32>,
}

/// Which way the samples go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Past the canceller.
    Past,
    /// Through it.
    Through,
}

impl EchoCancelled {
    /// Takes what `far` tells of out of what `source` hears, as `choice` says.
    pub fn new(source: Box<dyn Source>, far: FarEnd, choice: EchoCancel) -> Self {
        let meter = EchoMeter::default();
        let is_wanted = choice != EchoCancel::Off;
        meter.is_for("the microphone", is_wanted);
        Self {
            source,
            far,
            choice,
            is_wanted,
            pairing: Pairing::default(),
            canceller: None,
            gate: Gate::default(),
            absence: Absence::default(),
            way: Way::Past,
            tail: 0,
            distrust: 0,
            gauge: Gauge::default(),
            known_delay: 0,
            meter,
            held: Vec::new(),
            captured: Vec::new(),
            whole: Vec::new(),
            played: Vec::new(),
        }
    }

    /// Shows how well it does, from any thread.
    pub fn meter(&self) -> EchoMeter {
        self.meter.clone()
    }

    /// Takes in what was played meanwhile.
    fn hear_far(&mut self) {
        self.played.clear();
        if self.far.take(&mut self.played) == Continuity::Broken {
            self.begin_anew();
        }
        let is_sound = self.played.iter().any(|sample| sample.abs() > SILENCE);
        if self.pairing.add(&self.played) == Step::Shifted {
            self.begin_anew();
        }
        if is_sound {
            self.tail = TAIL + self.pairing.waiting();
        }
    }

    /// What was learnt of the way from speaker to microphone is void.
    fn begin_anew(&mut self) {
        self.pairing.clear();
        if let Some(canceller) = &mut self.canceller {
            canceller.reset();
        }
        self.prove_anew();
    }

    /// Whether the canceller knows the room is not known any more.
    fn prove_anew(&mut self) {
        self.gate = Gate::default();
        self.absence = Absence::default();
        self.gauge = Gauge::default();
        self.known_delay = 0;
        self.meter.forget();
    }

    /// Another microphone, or a gap in what it hears.
    fn interrupt(&mut self) {
        self.held.clear();
        self.way = Way::Past;
        self.meter.rest();
        self.begin_anew();
    }

    /// Gives out what can be given out of what is held, and says how much.
    fn clean(&mut self, into: &mut Vec<f32>) -> usize {
        let before = into.len();
        loop {
            let may_cancel = self.is_wanted && self.tail > 0 && self.distrust == 0;
            if !may_cancel && self.way == Way::Past {
                self.pass(into);
                break;
            }
            if self.held.len() < FRAME {
                break;
            }
            let towards = if may_cancel { Way::Through } else { Way::Past };
            self.frame(towards, into);
        }
        into.len() - before
    }

    /// Bit by bit as it was heard.
    fn pass(&mut self, into: &mut Vec<f32>) {
        let count = self.held.len();
        // What is played now is silence, or not to be cancelled: only the pairing matters.
        self.pairing.skip(count);
        self.count_down(count);
        self.let_go(into);
    }

    /// One frame through the canceller, on the way in and out with a cross-fade.
    fn frame(&mut self, towards: Way, into: &mut Vec<f32>) {
        let (mut near, mut far) = ([0.0; FRAME], [0.0; FRAME]);
        near.copy_from_slice(&self.held[..FRAME]);
        self.captured.extend(self.held.drain(..FRAME));
        let step = self.pairing.next(&mut far);
        self.count_down(FRAME);
        let (clean, whole) = self.cancel(&near, &far).unwrap_or((near, near));
        if step == Step::Shifted {
            // The canceller follows by itself; what it learnt before is no measure any more.
            tracing::debug!("what was played and what was heard were paired anew");
            self.gauge = Gauge::default();
        }
        into.extend(between(self.way, towards, &near, &clean));
        self.whole.extend(between(self.way, towards, &near, &whole));
        self.way = towards;
        if towards == Way::Past {
            self.meter.rest();
        }
        self.judge(&near, &far, &clean);
    }

    /// What the canceller makes of it: with the rest of her suppressed, and without.
    fn cancel(&mut self, near: &[f32; FRAME], far: &[f32; FRAME]) -> Option<([f32; FRAME], [f32; FRAME])> {
        if self.canceller.is_none() {
            match Canceller::new() {
                Ok(canceller) => self.canceller = Some(canceller),
                Err(error) => {
                    tracing::error!(%error, "no echo canceller; her own voice stays in what she hears");
                    self.is_wanted = false;
                    return None;
                }
            }
        }
        let cleaned = self.canceller.as_mut()?.process(near, far)?;
        let chosen = self.gate.choose(near, &cleaned);
        let is_absent = self.absence.look(near, far, self.gate.is_foretold());
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
            // The canceller has moved with it; what it has proved before proves nothing now.
            self.prove_anew();
        } else {
            self.known_delay = delay;
        }
        let Some(canceller) = &self.canceller else { return };
        match self.gauge.look(near, far, clean) {
            Verdict::Fine => {
                let waiting_ms = (self.pairing.waiting() * 1000 / RATE as usize) as u32;
                if self.way == Way::Through {
                    let delay_ms = canceller.delay_ms() + waiting_ms;
                    self.meter.show(&self.gauge, self.absence.is_sure(), delay_ms);
                }
            }
            Verdict::Diverged => {
                tracing::warn!("the echo canceller made the sound louder; it begins anew");
                self.distrust = DISTRUST;
                self.begin_anew();
            }
        }
    }

    fn count_down(&mut self, samples: usize) {
        self.tail = self.tail.saturating_sub(samples);
        self.distrust = self.distrust.saturating_sub(samples);
    }

    /// What is held goes out as it is; says how much.
    fn let_go(&mut self, into: &mut Vec<f32>) -> usize {
        let count = self.held.len();
        self.captured.extend(&self.held);
        self.whole.extend(&self.held);
        into.append(&mut self.held);
        count
    }
}

impl Source for EchoCancelled {
    fn read(&mut self, into: &mut Vec<f32>) -> Heard {
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
            Heard::Samples(_) => match self.clean(into) {
                0 => Heard::Nothing,
                count => Heard::Samples(count),
            },
            Heard::Nothing => Heard::Nothing,
            Heard::Back { device } => {
                self.interrupt();
                self.is_wanted = self.choice.is_for(&device);
                self.meter.is_for(&device, self.is_wanted);
                Heard::Back { device }
            }
            Heard::Gone(_) | Heard::Muted | Heard::Unmuted => {
                self.interrupt();
                heard
            }
            Heard::End => match self.let_go(into) {
                0 => Heard::End,
                count => Heard::Samples(count),
            },
        }
    }

    fn tracks(&self) -> Option<Tracks<'_>> {
        let tracks = Tracks { captured: &self.captured, whole: &self.whole };
        (self.choice != EchoCancel::Off).then_some(tracks)
    }
}

/// The frame on its way from one state to the other: `near` past the canceller, `clean` through it.
fn between(from: Way, towards: Way, near: &[f32; FRAME], clean: &[f32; FRAME]) -> [f32; FRAME] {
    match (from, towards) {
        (Way::Through, Way::Through) => *clean,
        (Way::Past, _) => cross_fade(near, clean),
        (Way::Through, Way::Past) => cross_fade(clean, near),
    }
}

/// From one to the other within a frame.
fn cross_fade(from: &[f32; FRAME], to: &[f32; FRAME]) -> [f32; FRAME] {
    std::array::from_fn(|i| {
        let share = (i + 1) as f32 / FRAME as f32;
        from[i] + (to[i] - from[i]) * share
    })
}

#[cfg(test)]
mod tests;
