//! The handle everyone plays through: clips go in, and events tell what was really heard.
//!
//! Any thread. A feeder thread converts each clip to the rate of the [`Outlet`] (a device's ring, or a
//! file) and tells by the outlet's own count what was played. Clips wait in a queue of eight;
//! [`Player::play`] waits while it is full. Nothing here fails when the speaker is missing: for five
//! seconds clips wait for it to come back, then they are dropped and told.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc as std_mpsc};
use std::time::{Duration, Instant};

use thiserror::Error;
use tokio::sync::mpsc;

use super::far::{FarEnd, FarSlot};
use super::keeper::{Keeper, Limits, Notice};
use super::pour::Wishes;
use super::resample::Resampler;
use super::{AudioConfig, DeviceFault, Duck, Pace, Volume, WavError, playback, wav::WavOutlet};

mod feeder;

use feeder::Feeder;

/// Clips that wait while one is playing; a further [`Player::play`] waits.
const QUEUE: usize = 8;

/// Events nobody has taken yet; when it is full, no further clip is begun until some are taken.
const EVENTS: usize = 256;

/// What was valid when a clip was asked for: a flush makes every older epoch void.
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
    /// From [`Player::epoch`], taken *before* the decision to speak: then a flush in between wins.
    pub epoch: Epoch,
}

/// The clip was not accepted: playback was flushed after its epoch, or its rate is nonsensical.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("playback was stopped; nothing more of this reply is played")]
pub struct Flushed;

/// What happened to the clips, in the order in which it was heard.
#[derive(Debug, Clone, PartialEq)]
pub enum PlayEvent {
    /// The first sample of a clip leaves the speaker.
    Started {
        /// Of the clip.
        tag: u64,
        /// When, the device's own delay included.
        at: Instant,
    },
    /// The last sample of a clip leaves the speaker.
    Finished {
        /// Of the clip.
        tag: u64,
        /// When, the device's own delay included.
        at: Instant,
    },
    /// The speaker stayed away too long: nobody heard this clip to its end.
    Dropped {
        /// Of the clip.
        tag: u64,
    },
    /// Nothing is playing or waiting any more: all was played, or playback was flushed.
    Idle,
    /// The speaker is missing from here on; told once, retried in the background.
    Gone(DeviceFault),
    /// This device plays: told at the first start and after every [`PlayEvent::Gone`].
    Back {
        /// The device's name as the sound system gives it.
        device: String,
    },
}

/// Where the feeder's samples go.
pub(super) trait Outlet: Send {
    /// In Hz.
    fn rate(&self) -> u32;
    /// Takes what fits and says how much; `volume` is for outlets that have no gain of their own.
    fn push(&mut self, samples: &[f32], volume: f32) -> usize;
    /// How many of the pushed samples are past: played or thrown away by a flush.
    fn position(&self) -> u64;
    /// How many of the pushed samples were played.
    fn heard(&self) -> u64;
    /// Everything pushed so far is void.
    fn flush(&mut self, epoch: u64);
    /// Nothing more comes for now: running empty is no fault.
    fn rest(&mut self);
    /// From the outlet's count to the ear.
    fn delay(&self) -> Duration {
        Duration::ZERO
    }
    /// Adds silence to a file's timeline; a device needs none.
    fn silence(&mut self, _length: Duration) {}
    /// Ends a file and says how long it is.
    fn close(&mut self) -> Result<Duration, WavError> {
        Ok(Duration::ZERO)
    }
}

/// A handle to one speaker. Clones share it; when the last one is dropped, playing ends.
#[derive(Clone)]
pub struct Player {
    shared: Arc<Shared>,
    /// Its last drop ends the feeder thread.
    _handle: Arc<Handle>,
}

struct Handle {
    shared: Arc<Shared>,
    _keeper: Option<Keeper>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.change(|queue| queue.closed = true);
    }
}

/// What handles, feeder, keeper and playback callback share.
pub(super) struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
    /// What the playback callback watches.
    wishes: Wishes,
    far: FarSlot,
    percent: AtomicU32,
    heard_micros: AtomicU64,
}

#[derive(Default)]
struct Queue {
    items: VecDeque<Item>,
    notices: VecDeque<Notice<Box<dyn Outlet>>>,
    /// The feeder holds clips that are not yet played.
    busy: bool,
    closed: bool,
    /// Counts changes, so that the feeder sleeps only when nothing has happened.
    changes: u64,
}

enum Item {
    Clip(Clip),
    Silence(Duration),
    Finish(std_mpsc::Sender<Result<Duration, WavError>>),
}

impl Shared {
    fn new(volume: Volume) -> Arc<Self> {
        let shared = Self {
            queue: Mutex::default(),
            changed: Condvar::new(),
            wishes: Wishes { epoch: Arc::default(), gain: Arc::default(), duck: Arc::default() },
            far: FarSlot::default(),
            percent: AtomicU32::new(0),
            heard_micros: AtomicU64::new(0),
        };
        shared.set_volume(volume);
        shared.set_duck(Duck::Full);
        Arc::new(shared)
    }

    /// Never held while anything is waited for, so taking it never blocks for long.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the queue and wakes whoever waits for it.
    fn change<T>(&self, how: impl FnOnce(&mut Queue) -> T) -> T {
        let mut queue = self.lock();
        let result = how(&mut queue);
        queue.changes += 1;
        self.changed.notify_all();
        result
    }

    fn set_volume(&self, volume: Volume) {
        self.percent.store(volume.as_percent().into(), Ordering::Relaxed);
        self.wishes.gain.store(volume.factor().to_bits(), Ordering::Relaxed);
    }

    fn set_duck(&self, duck: Duck) {
        self.wishes.duck.store(duck.factor().to_bits(), Ordering::Relaxed);
    }

    /// Volume and ducking together, for an outlet without a callback.
    fn gain(&self) -> f32 {
        let factor = |bits: &AtomicU32| f32::from_bits(bits.load(Ordering::Relaxed));
        factor(&self.wishes.gain) * factor(&self.wishes.duck)
    }

    fn epoch(&self) -> Epoch {
        Epoch(self.wishes.epoch.load(Ordering::Acquire))
    }

    fn is_playing(&self) -> bool {
        let queue = self.lock();
        queue.busy || queue.items.iter().any(|item| matches!(item, Item::Clip(_)))
    }
}

impl Player {
    /// The configured speaker. Never fails: a missing one is told as [`PlayEvent::Gone`] and retried.
    ///
    /// Drop the receiver when the events are not wanted; kept and never read, it stops playback.
    pub fn open(config: &AudioConfig) -> (Self, mpsc::Receiver<PlayEvent>) {
        let shared = Shared::new(config.start_volume());
        let (wishes, far, asked) = (shared.wishes.clone(), shared.far.clone(), Arc::clone(&shared));
        // A preferred speaker that is back is not changed to in the middle of a sentence.
        let access = playback::access(config.clone(), wishes, far, move || !asked.is_playing());
        let told = Arc::clone(&shared);
        let keeper = Keeper::spawn("joi-speaker", access, Limits::default(), move |notice| {
            told.change(|queue| queue.notices.push_back(notice));
        });
        Self::start(shared, None, Some(keeper))
    }

    /// A mono 16-bit WAV file in place of the speaker, at full volume. What is played is its timeline.
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
        let outlet = WavOutlet::create(path, rate, pace)?;
        Ok(Self::start(Shared::new(Volume::percent(100)), Some(Box::new(outlet)), None))
    }

    fn start(
        shared: Arc<Shared>,
        outlet: Option<Box<dyn Outlet>>,
        keeper: Option<Keeper>,
    ) -> (Self, mpsc::Receiver<PlayEvent>) {
        let (sender, events) = mpsc::channel(EVENTS);
        let feeder = Feeder::new(Arc::clone(&shared), outlet, sender);
        // Without a thread nothing is ever played: play() then reports every clip as flushed.
        if std::thread::Builder::new().name("joi-feeder".to_owned()).spawn(move || feeder.run()).is_err() {
            tracing::error!("no thread for the speaker; she stays silent");
            shared.change(|queue| queue.closed = true);
        }
        let handle = Arc::new(Handle { shared: Arc::clone(&shared), _keeper: keeper });
        (Self { shared, _handle: handle }, events)
    }

    /// The epoch that is valid now; put it into the clips of everything decided from here on.
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
        loop {
            if queue.closed || clip.epoch != self.shared.epoch() {
                return Err(Flushed);
            }
            if queue.items.len() < QUEUE {
                break;
            }
            queue = self.shared.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        queue.items.push_back(Item::Clip(clip));
        queue.changes += 1;
        self.shared.changed.notify_all();
        Ok(())
    }

    /// Plays `samples` at `rate` Hz in the epoch that is valid now.
    ///
    /// # Errors
    /// As [`Player::play`].
    pub fn play_now(&self, tag: u64, rate: u32, samples: impl Into<Arc<[f32]>>) -> Result<(), Flushed> {
        self.play(Clip { tag, rate, samples: samples.into(), epoch: self.epoch() })
    }

    /// Silence within one device period: what plays and what waits is thrown away. Never waits.
    pub fn flush(&self) {
        self.shared.change(|queue| {
            self.shared.wishes.epoch.fetch_add(1, Ordering::AcqRel);
            self.shared.set_duck(Duck::Full);
            queue.items.retain(|item| !matches!(item, Item::Clip(_)));
            queue.busy = false;
        });
    }

    /// Adds silence to a file's timeline behind what is queued; does nothing on a device.
    pub fn silence(&self, length: Duration) {
        self.shared.change(|queue| queue.items.push_back(Item::Silence(length)));
    }

    /// Waits until everything queued so far was played, ends a file and tells its length.
    ///
    /// On a device the length is zero. Nothing can be played into a file afterwards.
    ///
    /// # Errors
    /// When the file could not be written.
    pub fn finish(&self) -> Result<Duration, WavError> {
        let (sender, done) = std_mpsc::channel();
        self.shared.change(|queue| queue.items.push_back(Item::Finish(sender)));
        done.recv().unwrap_or(Ok(Duration::ZERO))
    }

    /// Changes the loudness at once, without a click.
    pub fn set_volume(&self, volume: Volume) {
        self.shared.set_volume(volume);
    }

    /// The loudness.
    pub fn volume(&self) -> Volume {
        Volume::percent(self.shared.percent.load(Ordering::Relaxed).min(100) as u8)
    }

    /// Makes what plays step back by 20 dB at once, without a click, or come forward again. A flush and
    /// the end of all that was queued end it too. The volume is not affected.
    pub fn duck(&self, duck: Duck) {
        self.shared.set_duck(duck);
    }

    /// What is really played, for the echo canceller; silence when it is a file. One reader at a time.
    pub fn far_end(&self) -> FarEnd {
        FarEnd::of(self.shared.far.clone())
    }

    /// Whether a clip is playing or waiting.
    pub fn is_playing(&self) -> bool {
        self.shared.is_playing()
    }

    /// How much sound was really played since the start, silence not counted.
    pub fn played(&self) -> Duration {
        Duration::from_micros(self.shared.heard_micros.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests;
