//! The playback handle: clips go in, and events report what was really played.
//!
//! Any thread. A feeder thread converts each clip to the rate of the [`AudioSink`] (a device's ring, or a
//! file) and derives from the sink's counter what was played. Clips wait in a queue of eight;
//! [`Player::play`] waits while it is full. Nothing fails when the speaker is missing: clips wait five
//! seconds for it to come back, then they are dropped and reported.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc as std_mpsc};
use std::time::{Duration, Instant};

use thiserror::Error;
use tokio::sync::mpsc;

use super::echo_reference::{EchoReference, ReferenceSlot};
use super::playback_callback::PlaybackControls;
use super::resample::Resampler;
use super::sink::AudioSink;
use super::stream_supervisor::{DeviceNotice, LivenessLimits, StreamSupervisor};
use super::{AudioConfig, DelayMeter, DeviceFault, Duck, Pace, Volume, WavError, playback, wav::WavSink};

mod feeder;
mod remote;
mod stream;

use feeder::Feeder;
pub(super) use remote::RemoteOutlet;

/// Clips that wait while one is playing; a further [`Player::play`] waits.
const QUEUE: usize = 8;

/// Events that were not received yet; when full, no further clip is started until some are received.
const EVENTS: usize = 256;

/// Generation of playback: a flush makes every older epoch void.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Epoch(u64);

/// A stretch of sound to be played.
#[derive(Debug, Clone)]
pub struct Clip {
    /// Comes back in the events about this clip.
    pub tag: u64,
    /// Rate of `samples` in Hz, 1000 to 768000.
    pub rate: u32,
    /// Mono, −1..1.
    pub samples: Arc<[f32]>,
    /// Whether it is a sound of its own.
    pub part: ClipPart,
    /// From [`Player::epoch`], taken *before* the decision to speak: then a flush in between wins.
    pub epoch: Epoch,
}

/// Which part of a sound a clip is. The parts are played without a joint, also when one comes late, and nothing comes
/// between them: a beginning must be followed by an end, even an empty one. One sound at a time may be in parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClipPart {
    /// All of it.
    Whole,
    /// Its beginning: another part follows.
    Begin,
    /// Another part follows.
    Middle,
    /// The last part.
    End,
}

impl ClipPart {
    /// Returns whether it goes on with the part before.
    fn goes_on(self) -> bool {
        matches!(self, Self::Middle | Self::End)
    }

    /// Returns whether another part follows.
    fn is_followed(self) -> bool {
        matches!(self, Self::Begin | Self::Middle)
    }
}

/// The clip was not accepted: playback was flushed after its epoch, or its rate is nonsensical.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("playback was stopped; nothing more of this reply is played")]
pub struct Flushed;

/// What happened to the clips, in the order of playback.
#[derive(Debug, Clone, PartialEq)]
pub enum PlayEvent {
    /// The first sample of a clip leaves the speaker.
    Started {
        /// Of the clip.
        tag: u64,
        /// When the device took it.
        taken: Instant,
        /// When it is heard: the device's latency included.
        at: Instant,
    },
    /// The last sample of a clip leaves the speaker.
    Finished {
        /// Of the clip.
        tag: u64,
        /// When, the device's latency included.
        at: Instant,
    },
    /// The speaker was missing too long: this clip was not played to its end.
    Dropped {
        /// Of the clip.
        tag: u64,
    },
    /// Nothing is playing or queued any more: all was played, or playback was flushed.
    Idle,
    /// The speaker is missing from here on; reported once, retried in the background.
    Gone(DeviceFault),
    /// This device plays: reported at the first start and after every [`PlayEvent::Gone`].
    Back {
        /// The device's name as the sound system gives it.
        device: String,
    },
}

/// A handle to one speaker. Clones share it; when the last one is dropped, playback ends.
#[derive(Clone)]
pub struct Player {
    shared: Arc<PlayerState>,
    /// Its last drop ends the feeder thread.
    _handle: Arc<Handle>,
}

struct Handle {
    shared: Arc<PlayerState>,
    _supervisor: Option<StreamSupervisor>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.change(|queue| queue.closed = true);
    }
}

/// State shared by handles, feeder, supervisor and playback callback.
pub(super) struct PlayerState {
    queue: Mutex<PlaybackQueue>,
    changed: Condvar,
    /// Read by the playback callback.
    controls: PlaybackControls,
    far: ReferenceSlot,
    percent: AtomicU32,
    heard_micros: AtomicU64,
}

#[derive(Default)]
struct PlaybackQueue {
    items: VecDeque<QueueItem>,
    notices: VecDeque<DeviceNotice<Box<dyn AudioSink>>>,
    /// The feeder holds clips that are not yet played.
    busy: bool,
    closed: bool,
    /// Counts changes, so that the feeder sleeps only when nothing has happened.
    changes: u64,
}

impl PlaybackQueue {
    /// Returns the parts of sounds that wait, with their places.
    fn parts(&self) -> impl Iterator<Item = (usize, ClipPart)> {
        self.items.iter().enumerate().filter_map(|(place, item)| match item {
            QueueItem::Clip(clip) if clip.part != ClipPart::Whole => Some((place, clip.part)),
            _ => None,
        })
    }

    /// Returns the next part of the sound that is being played.
    fn take_part(&mut self) -> Option<QueueItem> {
        let (place, _) = self.parts().next().filter(|(_, part)| part.goes_on())?;
        self.items.remove(place)
    }

    /// The sound that is being played broke off: no part of it waits, but another sound does.
    fn has_begun_another(&self) -> bool {
        self.parts().next().is_some_and(|(_, part)| !part.goes_on())
    }

    /// Returns whether `clip` has to wait. Tones do not keep the parts of a sound out, behind which they wait.
    fn is_full_for(&self, clip: &Clip) -> bool {
        match clip.part.goes_on() {
            true => self.parts().count() >= QUEUE,
            false => self.items.len() >= QUEUE,
        }
    }
}

enum QueueItem {
    Clip(Clip),
    Silence(Duration),
    Finish(std_mpsc::Sender<Result<Duration, WavError>>),
}

impl PlayerState {
    fn new(volume: Volume) -> Arc<Self> {
        let shared = Self {
            queue: Mutex::default(),
            changed: Condvar::new(),
            controls: PlaybackControls::default(),
            far: ReferenceSlot::default(),
            percent: AtomicU32::new(0),
            heard_micros: AtomicU64::new(0),
        };
        shared.set_volume(volume);
        shared.set_duck(Duck::Full);
        Arc::new(shared)
    }

    /// Never held while waiting, so taking it never blocks for long.
    fn lock(&self) -> MutexGuard<'_, PlaybackQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the queue and wakes everybody who waits for it.
    fn change<T>(&self, how: impl FnOnce(&mut PlaybackQueue) -> T) -> T {
        let mut queue = self.lock();
        let result = how(&mut queue);
        queue.changes += 1;
        self.changed.notify_all();
        result
    }

    fn set_volume(&self, volume: Volume) {
        self.percent.store(volume.as_percent().into(), Ordering::Relaxed);
        self.controls.gain.store(volume.factor().to_bits(), Ordering::Relaxed);
    }

    fn set_duck(&self, duck: Duck) {
        self.controls.duck.store(duck.factor().to_bits(), Ordering::Relaxed);
    }

    /// Volume and ducking together, for a sink without a callback.
    fn gain(&self) -> f32 {
        let factor = |bits: &AtomicU32| f32::from_bits(bits.load(Ordering::Relaxed));
        factor(&self.controls.gain) * factor(&self.controls.duck)
    }

    fn epoch(&self) -> Epoch {
        Epoch(self.controls.epoch.load(Ordering::Acquire))
    }

    fn is_playing(&self) -> bool {
        let queue = self.lock();
        queue.busy || queue.items.iter().any(|item| matches!(item, QueueItem::Clip(_)))
    }
}

impl Player {
    /// Returns the configured speaker. Never fails: a missing one is reported as [`PlayEvent::Gone`] and retried.
    ///
    /// Drop the receiver when the events are not wanted; kept and never read, it stops playback.
    pub fn open(config: &AudioConfig) -> (Self, mpsc::Receiver<PlayEvent>) {
        let shared = PlayerState::new(config.start_volume());
        let (controls, far, asked) = (shared.controls.clone(), shared.far.clone(), Arc::clone(&shared));
        // A preferred speaker that has reappeared is not switched to in the middle of a sentence.
        let access = playback::access(config.clone(), controls, far, move || !asked.is_playing());
        let notified = Arc::clone(&shared);
        let supervisor =
            StreamSupervisor::spawn("joi-speaker", access, LivenessLimits::default(), move |notice| {
                notified.change(|queue| queue.notices.push_back(notice));
            });
        Self::start(shared, None, Some(supervisor))
    }

    /// A mono 16-bit WAV file in place of the speaker, at full volume. Its timeline is what is played.
    ///
    /// # Errors
    /// When the file can't be created, or the rate is outside 1000..=768000 Hz.
    pub fn to_wav(
        path: impl AsRef<Path>,
        rate: u32,
        pace: Pace,
    ) -> Result<(Self, mpsc::Receiver<PlayEvent>), WavError> {
        let path = path.as_ref();
        Resampler::new(rate, rate).map_err(|source| WavError::Rate { path: path.to_owned(), source })?;
        let sink = WavSink::create(path, rate, pace)?;
        Ok(Self::start(PlayerState::new(Volume::percent(100)), Some(Box::new(sink)), None))
    }

    fn start(
        shared: Arc<PlayerState>,
        sink: Option<Box<dyn AudioSink>>,
        supervisor: Option<StreamSupervisor>,
    ) -> (Self, mpsc::Receiver<PlayEvent>) {
        let (sender, events) = mpsc::channel(EVENTS);
        let feeder = Feeder::new(Arc::clone(&shared), sink, sender);
        // Without a thread nothing is ever played: play() then reports every clip as flushed.
        if std::thread::Builder::new().name("joi-feeder".to_owned()).spawn(move || feeder.run()).is_err() {
            tracing::error!("could not start the playback thread; nothing will be played");
            shared.change(|queue| queue.closed = true);
        }
        let handle = Arc::new(Handle { shared: Arc::clone(&shared), _supervisor: supervisor });
        (Self { shared, _handle: handle }, events)
    }

    /// Returns the current epoch; put it into the clips of everything decided from here on.
    pub fn epoch(&self) -> Epoch {
        self.shared.epoch()
    }

    /// Queues a clip; waits while the queue is full. A flush ends the wait.
    ///
    /// # Errors
    /// [`Flushed`] when the clip's epoch is over or its rate is outside 1000..=768000 Hz.
    pub fn play(&self, clip: Clip) -> Result<(), Flushed> {
        if Resampler::new(clip.rate, clip.rate).is_err() {
            return Err(Flushed);
        }
        let mut queue = self.shared.lock();
        let is_over = |queue: &PlaybackQueue| queue.closed || clip.epoch != self.shared.epoch();
        while !is_over(&queue) && queue.is_full_for(&clip) {
            queue = self.shared.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        if is_over(&queue) {
            return Err(Flushed);
        }
        queue.items.push_back(QueueItem::Clip(clip));
        queue.changes += 1;
        self.shared.changed.notify_all();
        Ok(())
    }

    /// Plays `samples` at `rate` Hz in the current epoch.
    ///
    /// # Errors
    /// As [`Player::play`].
    pub fn play_now(&self, tag: u64, rate: u32, samples: impl Into<Arc<[f32]>>) -> Result<(), Flushed> {
        self.play(Clip { tag, rate, samples: samples.into(), part: ClipPart::Whole, epoch: self.epoch() })
    }

    /// Silence within one device period: what is playing or queued is discarded. Never waits.
    pub fn flush(&self) {
        self.shared.change(|queue| {
            self.shared.controls.epoch.fetch_add(1, Ordering::AcqRel);
            self.shared.set_duck(Duck::Full);
            queue.items.retain(|item| !matches!(item, QueueItem::Clip(_)));
            queue.busy = false;
        });
    }

    /// Adds silence to a file's timeline behind what is queued; does nothing on a device.
    pub fn silence(&self, length: Duration) {
        self.shared.change(|queue| queue.items.push_back(QueueItem::Silence(length)));
    }

    /// Waits until everything queued so far was played, ends a file and returns its length.
    ///
    /// On a device the length is zero. Nothing can be played into a file afterwards.
    ///
    /// # Errors
    /// When the file could not be written.
    pub fn finish(&self) -> Result<Duration, WavError> {
        let (sender, done) = std_mpsc::channel();
        self.shared.change(|queue| queue.items.push_back(QueueItem::Finish(sender)));
        done.recv().unwrap_or(Ok(Duration::ZERO))
    }

    /// Changes the loudness at once, without a click.
    pub fn set_volume(&self, volume: Volume) {
        self.shared.set_volume(volume);
    }

    /// Returns the loudness.
    pub fn volume(&self) -> Volume {
        Volume::percent(self.shared.percent.load(Ordering::Relaxed).min(100) as u8)
    }

    /// Lowers playback by 20 dB at once, without a click, or raises it again. A flush and the end of the
    /// queue end ducking too. The volume is not affected.
    pub fn duck(&self, duck: Duck) {
        self.shared.set_duck(duck);
    }

    /// Returns the samples that are really played, for the echo canceller; silence when playing into a file. One reader at a time.
    pub fn echo_reference(&self) -> EchoReference {
        EchoReference::of(self.shared.far.clone(), self.shared.controls.rest.clone())
    }

    /// Returns how much later than it is taken sound is heard, by the device's own timestamps; nothing of a file.
    pub fn delay(&self) -> DelayMeter {
        self.shared.controls.delay.clone()
    }

    /// Returns whether a clip is playing or queued.
    pub fn is_playing(&self) -> bool {
        self.shared.is_playing()
    }

    /// Returns how much sound was really played since the start, silence not counted.
    pub fn played(&self) -> Duration {
        Duration::from_micros(self.shared.heard_micros.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests;
