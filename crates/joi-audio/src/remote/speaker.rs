//! A loudspeaker at the other end of a connection: an [`AudioSink`] for the feeder, and the handle for the connection.
//!
//! The feeder thread owns the sink, any task has the handle. In: samples, and what becomes of the connection. Out:
//! [`SpeakerPart`]s in a queue; where it is full, the network is slow and the feeder waits. Each connection has a sink of its
//! own: what a lost one has not played is played on the next.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::clock::PlayClock;
use crate::DeviceFault;
use crate::gain::soft_limit;
use crate::player::RemoteOutlet;
use crate::sink::AudioSink;

/// Rate of the sound in Hz: what most satellites play without converting it.
const SPEAKER_RATE: u32 = 22_050;
/// Parts that the connection has not taken yet: more than are sent ahead.
const PARTS: usize = 64;
/// Samples of a part, 46 ms; the last one is shorter.
const PART: usize = 1_024;
/// Believed time from the connection to the ear.
const DELAY: Duration = Duration::from_millis(200);

/// Something for a remote loudspeaker.
#[derive(Debug, Clone, PartialEq)]
pub enum SpeakerPart {
    /// The next samples, mono in −1..1.
    Sound {
        /// In Hz.
        rate: u32,
        /// The samples.
        samples: Vec<f32>,
    },
    /// Nothing follows for now; the last sample is expected to be played at this moment.
    Rest(Instant),
    /// Samples that are not played yet are void.
    Flush,
}

/// The clock, shared by the sink and the handle.
type SharedClock = Arc<Mutex<PlayClock>>;

fn locked(clock: &SharedClock) -> MutexGuard<'_, PlayClock> {
    clock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The sink of one connection.
struct RemoteSink {
    clock: SharedClock,
    parts: Sender<SpeakerPart>,
}

impl RemoteSink {
    fn send(&self, part: SpeakerPart) -> bool {
        self.parts.try_send(part).is_ok()
    }
}

impl AudioSink for RemoteSink {
    fn rate(&self) -> u32 {
        SPEAKER_RATE
    }

    fn push(&mut self, samples: &[f32], volume: f32) -> usize {
        let now = Instant::now();
        let mut clock = locked(&self.clock);
        let count = samples.len().min(PART);
        if count == 0 || clock.room(now) < count {
            return 0;
        }
        let samples = samples[..count].iter().map(|sample| soft_limit(sample * volume)).collect();
        // A connection that does not take it is slow, or gone, which is reported by whoever holds it.
        if !self.send(SpeakerPart::Sound { rate: SPEAKER_RATE, samples }) {
            return 0;
        }
        clock.sent(count, now);
        count
    }

    fn position(&self) -> u64 {
        locked(&self.clock).position(Instant::now())
    }

    fn heard(&self) -> u64 {
        locked(&self.clock).heard(Instant::now())
    }

    fn flush(&mut self, _epoch: u64) {
        if locked(&self.clock).flush(Instant::now()) {
            // A queue that is full belongs to a connection that is about to be lost.
            self.send(SpeakerPart::Flush);
        }
    }

    fn rest(&mut self) {
        let end = locked(&self.clock).rest();
        if let Some(end) = end {
            self.send(SpeakerPart::Rest(end));
        }
    }

    fn delay(&self) -> Duration {
        DELAY
    }
}

/// The connection's handle of a remote loudspeaker.
pub struct RemoteSpeaker {
    outlet: RemoteOutlet,
    clock: Mutex<Option<SharedClock>>,
}

impl RemoteSpeaker {
    pub(crate) fn new(outlet: RemoteOutlet) -> Self {
        Self { outlet, clock: Mutex::new(None) }
    }

    /// There is a connection to the loudspeaker of that name: returns what it is to play.
    pub fn connected(&self, device: &str) -> Receiver<SpeakerPart> {
        let (parts, taken) = channel(PARTS);
        let clock = Arc::new(Mutex::new(PlayClock::new(SPEAKER_RATE)));
        *self.current() = Some(Arc::clone(&clock));
        self.outlet.up(Box::new(RemoteSink { clock, parts }), device);
        taken
    }

    /// The connection is gone, or could not be made.
    pub fn lost(&self, fault: DeviceFault) {
        *self.current() = None;
        self.outlet.gone(fault);
    }

    /// The other end says that it has played everything it was sent.
    pub fn played(&self) {
        if let Some(clock) = self.current().as_ref() {
            locked(clock).confirmed(Instant::now());
        }
    }

    fn current(&self) -> MutexGuard<'_, Option<SharedClock>> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
