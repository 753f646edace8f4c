//! The thread that listens on a satellite: for the wake phrase, and for what is said behind it.
//!
//! In: a microphone whose echo is removed, what the loudspeaker does. Out: [`UnitHeard`] on a bounded channel; when that is
//! full, the newest is dropped and counted, for the network is too slow. Sound is handed out only while somebody wants it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use tokio::sync::mpsc::{Receiver, Sender, channel};

use joi_audio::{AudioSource, Player, SourceEvent};
use joi_hear::{HearCommand, HearEvent, Listener, SoundBlock, SpeakingState};

/// Pieces that the connection has not taken: some 2 s of sound.
const PIECES: usize = 128;

/// Something that is heard.
#[derive(Debug, Clone, PartialEq)]
pub enum UnitHeard {
    /// The wake phrase.
    Woke(String),
    /// Sound, mono in −1..1 at [`joi_audio::RATE`].
    Sound(Vec<f32>),
}

/// The handle of the thread, which ends when it is dropped.
pub struct UnitEars {
    pub(super) heard: Receiver<UnitHeard>,
    pub(super) wanted: Arc<AtomicBool>,
    dropped: Arc<AtomicU64>,
    _ends: Arc<()>,
}

/// The thread.
struct UnitEarThread {
    source: Box<dyn AudioSource>,
    listener: Listener,
    player: Player,
    heard: Sender<UnitHeard>,
    wanted: Arc<AtomicBool>,
    dropped: Arc<AtomicU64>,
    speaking: SpeakingState,
}

impl UnitEars {
    /// Listens to `source` with `listener` while `player` plays.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn spawn(source: Box<dyn AudioSource>, listener: Listener, player: Player) -> std::io::Result<Self> {
        let (heard, taken) = channel(PIECES);
        let (wanted, dropped, ends) = (Arc::default(), Arc::<AtomicU64>::default(), Arc::new(()));
        let mut thread = UnitEarThread {
            source,
            listener,
            player,
            heard,
            wanted: Arc::clone(&wanted),
            dropped: Arc::clone(&dropped),
            speaking: SpeakingState::Silent,
        };
        let alive = Arc::downgrade(&ends);
        let run = move || while alive.strong_count() > 0 && thread.turn() {};
        std::thread::Builder::new().name("satellite ears".into()).spawn(run)?;
        Ok(Self { heard: taken, wanted, dropped, _ends: ends })
    }

    /// Ears without a thread, and what puts something into them.
    #[cfg(test)]
    pub(super) fn unstaffed() -> (Self, Sender<UnitHeard>) {
        let (heard, taken) = channel(PIECES);
        let (wanted, dropped) = (Arc::default(), Arc::default());
        (Self { heard: taken, wanted, dropped, _ends: Arc::default() }, heard)
    }

    /// Returns how many pieces were dropped because the network was too slow.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

impl UnitEarThread {
    /// One read of the source; false at its end.
    fn turn(&mut self) -> bool {
        let mut samples = Vec::new();
        match self.source.read(&mut samples) {
            SourceEvent::Samples(_) => self.hear(&samples),
            SourceEvent::Gone(fault) => {
                tracing::warn!(%fault, "the microphone is gone");
                self.listener.interrupt();
            }
            SourceEvent::Back { device } => tracing::info!(device, "the microphone delivers"),
            SourceEvent::Muted | SourceEvent::Unmuted => self.listener.interrupt(),
            SourceEvent::Nothing | SourceEvent::Called { .. } => {}
            SourceEvent::End => return false,
        }
        true
    }

    fn hear(&mut self, samples: &[f32]) {
        let speaking = if self.player.is_playing() { SpeakingState::Talking } else { SpeakingState::Silent };
        if std::mem::replace(&mut self.speaking, speaking) != speaking {
            self.listener.command(HearCommand::Speaking(speaking));
        }
        let tracks = self.source.tracks();
        let mut events = Vec::new();
        self.listener.step(SoundBlock { samples, tracks }, Instant::now(), &mut events);
        // A canceller distorts speech a little where nothing is played.
        let captured = tracks.filter(|_| speaking == SpeakingState::Silent).map(|tracks| tracks.captured);
        let clean = captured.unwrap_or(samples);
        for event in events {
            if let HearEvent::Wake { phrase, .. } = event {
                self.put(UnitHeard::Woke(phrase));
            }
        }
        if self.wanted.load(Ordering::Relaxed) {
            self.put(UnitHeard::Sound(clean.to_vec()));
        }
    }

    fn put(&self, piece: UnitHeard) {
        if self.heard.try_send(piece).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}
