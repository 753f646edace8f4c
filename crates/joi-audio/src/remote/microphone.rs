//! A microphone at the other end of a connection: an [`AudioSource`] for the listener, and the handle for the connection.
//!
//! The listener thread owns the source, any task has the handle. In: sound and calls as they come over the network, the mute
//! switch. Out: mono f32 at 16 kHz, and events as of a device. While the switch is on, nothing of it is passed on. A queue
//! that is full drops what is newest and counts it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use super::gap::{GapFiller, SoundFlow};
use crate::{AudioSource, DeviceFault, MuteSwitch, SourceEvent};

/// Pieces that the listener has not read yet: some 60 s of a usual satellite.
const PIECES: usize = 1_024;
/// How long one read waits while somebody waits for sound, of which silence is made up.
const WAIT: Duration = Duration::from_millis(20);
/// How long it waits otherwise; sound that comes ends the wait.
const REST: Duration = Duration::from_millis(150);

/// What comes over a connection.
#[derive(Debug)]
enum FedPiece {
    Sound(Vec<f32>),
    Called(String),
    Ended,
    Back(String),
    Gone(DeviceFault),
}

/// The connection's handle of a remote microphone. When it is dropped, the source has ended.
#[derive(Debug, Clone)]
pub struct MicrophoneFeed {
    pieces: SyncSender<FedPiece>,
    dropped: Arc<AtomicU64>,
}

impl MicrophoneFeed {
    fn put(&self, piece: FedPiece) {
        // A listener that does not read hangs, which its heart shows.
        if self.pieces.try_send(piece).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Sound was captured: mono in −1..1 at [`RATE`](crate::RATE).
    pub fn sound(&self, samples: Vec<f32>) {
        self.put(FedPiece::Sound(samples));
    }

    /// Somebody said this phrase there, which the other end has recognised itself.
    pub fn called(&self, phrase: String) {
        self.put(FedPiece::Called(phrase));
    }

    /// No sound comes until somebody is heard or calls there again.
    pub fn ended(&self) {
        self.put(FedPiece::Ended);
    }

    /// There is a connection to the microphone of that name.
    pub fn back(&self, device: &str) {
        self.put(FedPiece::Back(device.to_owned()));
    }

    /// The connection is gone, or could not be made.
    pub fn gone(&self, fault: DeviceFault) {
        self.put(FedPiece::Gone(fault));
    }

    /// Returns how many pieces were dropped because the listener fell behind.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

/// A remote microphone.
pub struct RemoteMicrophone {
    pieces: Receiver<FedPiece>,
    switch: MuteSwitch,
    /// Changes of the switch that were reported.
    turns: u32,
    gaps: GapFiller,
}

impl RemoteMicrophone {
    /// Returns a microphone that is not connected yet, and the handle for the connection. `switch` mutes it.
    pub fn new(switch: &MuteSwitch) -> (Self, MicrophoneFeed) {
        let (feed, pieces) = sync_channel(PIECES);
        let source = Self { pieces, switch: switch.clone(), turns: 0, gaps: GapFiller::new() };
        (source, MicrophoneFeed { pieces: feed, dropped: Arc::default() })
    }

    fn is_muted(&self) -> bool {
        self.turns % 2 == 1
    }

    /// Reports the newest position of the switch.
    fn check_switch(&mut self) -> Option<SourceEvent> {
        let (was_muted, is_muted) = (self.is_muted(), self.switch.is_muted());
        self.turns = self.turns.wrapping_add((was_muted != is_muted).into());
        match (was_muted, is_muted) {
            (false, true) => Some(SourceEvent::Muted),
            (true, false) => Some(SourceEvent::Unmuted),
            _ => None,
        }
    }

    fn take(&mut self, piece: FedPiece, into: &mut Vec<f32>) -> SourceEvent {
        match piece {
            FedPiece::Sound(_) | FedPiece::Called(_) if self.is_muted() => SourceEvent::Nothing,
            FedPiece::Sound(samples) => {
                self.gaps.heard(Instant::now());
                into.extend_from_slice(&samples);
                SourceEvent::Samples(samples.len())
            }
            FedPiece::Called(phrase) => {
                self.gaps.heard(Instant::now());
                SourceEvent::Called { phrase }
            }
            FedPiece::Ended => {
                self.gaps.flow = SoundFlow::Still;
                SourceEvent::Nothing
            }
            FedPiece::Back(device) => {
                self.gaps.flow = SoundFlow::Still;
                SourceEvent::Back { device }
            }
            FedPiece::Gone(fault) => {
                self.gaps.flow = SoundFlow::Lost;
                SourceEvent::Gone(fault)
            }
        }
    }
}

impl AudioSource for RemoteMicrophone {
    fn read(&mut self, into: &mut Vec<f32>) -> SourceEvent {
        if let Some(change) = self.check_switch() {
            return change;
        }
        let wait = if self.gaps.may_rest { REST } else { WAIT };
        match self.pieces.recv_timeout(wait) {
            Ok(piece) => self.take(piece, into),
            Err(RecvTimeoutError::Disconnected) => SourceEvent::End,
            Err(RecvTimeoutError::Timeout) if self.is_muted() => SourceEvent::Nothing,
            Err(RecvTimeoutError::Timeout) => match self.gaps.missing(Instant::now()) {
                0 => SourceEvent::Nothing,
                missing => {
                    into.resize(into.len() + missing, 0.0);
                    SourceEvent::Samples(missing)
                }
            },
        }
    }

    fn may_rest(&mut self, may_rest: bool) {
        self.gaps.may_rest = may_rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_sound_come_in_their_order_and_nothing_passes_the_switch() {
        let switch = MuteSwitch::default();
        let (mut source, feed) = RemoteMicrophone::new(&switch);
        let fault = || DeviceFault::Lost { device: "kitchen".into() };
        let mut samples = Vec::new();
        feed.back("kitchen");
        feed.called("hey joi".into());
        feed.sound(vec![0.5; 4]);
        feed.gone(fault());
        let mut read = |source: &mut RemoteMicrophone| source.read(&mut samples);
        assert_eq!(read(&mut source), SourceEvent::Back { device: "kitchen".into() });
        assert_eq!(read(&mut source), SourceEvent::Called { phrase: "hey joi".into() });
        assert_eq!(read(&mut source), SourceEvent::Samples(4));
        assert_eq!(read(&mut source), SourceEvent::Gone(fault()));
        switch.set(true);
        feed.sound(vec![0.5; 4]);
        feed.called("hey joi".into());
        assert_eq!(read(&mut source), SourceEvent::Muted);
        assert_eq!((read(&mut source), read(&mut source)), (SourceEvent::Nothing, SourceEvent::Nothing));
        switch.set(false);
        assert_eq!(read(&mut source), SourceEvent::Unmuted);
        drop(feed);
        assert_eq!(read(&mut source), SourceEvent::End);
        assert_eq!(samples, [0.5; 4]);
    }

    #[test]
    fn a_listener_that_does_not_read_costs_the_newest_sound() {
        let (_source, feed) = RemoteMicrophone::new(&MuteSwitch::default());
        for _ in 0..PIECES + 3 {
            feed.sound(vec![0.0]);
        }
        assert_eq!(feed.dropped(), 3);
    }
}
