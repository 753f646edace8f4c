//! The voice thread, its handle, and the ledger of what was heard.
//!
//! The thread `voice` runs [`run`]; one task runs [`report`]. In: [`Line`]s and the speaker's reports. Out:
//! [`SpeakEvent`]s. A stopped turn refuses further lines, and its sound ends at once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use tokio::sync::mpsc;

use self::ledger::Ledger;
use super::plain::Reader;
use super::{Clip, Interrupter, Played, Said, SpeakError, Speaker, Voice};
use crate::message::TurnId;

mod ledger;

#[cfg(test)]
mod tests;

/// Lines waiting for the voice. When full, [`Mouth::say`] waits: the model writes faster than anybody speaks,
/// and what waits here is lost when she is stopped.
const LINES: usize = 32;
/// Events waiting for the conversation. When full, the mouth waits; nothing is lost.
const EVENTS: usize = 64;

/// A piece of an answer, as [`super::segment::Segmenter`] cuts it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Of which turn.
    pub turn: TurnId,
    /// Its place in the turn, counted by the caller.
    pub index: u32,
    /// The text as it was written, markdown included.
    pub text: String,
}

/// What happened to what was to be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpeakEvent {
    /// The turn's first sample sounds.
    Started {
        /// Which turn.
        turn: TurnId,
        /// When.
        at: Instant,
    },
    /// A line was heard to its end (a line with nothing speakable in it counts when its turn comes).
    Heard {
        /// Which turn.
        turn: TurnId,
        /// The line's place.
        index: u32,
        /// The line as it was written.
        text: String,
    },
    /// The turn was finished by [`Mouth::finish`] and its last sample has sounded.
    Done {
        /// Which turn.
        turn: TurnId,
        /// When.
        at: Instant,
    },
    /// A line could not be spoken; the next ones are tried.
    Failed {
        /// Which turn.
        turn: TurnId,
        /// One sentence with the remedy.
        error: String,
    },
}

/// The turn was stopped, or the mouth is closed: say nothing more for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the turn was stopped; nothing more is said for it")]
pub struct Stopped;

/// What the voice thread is asked to do.
enum Order {
    Say { line: Line, epoch: u64 },
    Finish { turn: TurnId, epoch: u64 },
}

/// What the handle, the voice thread and the reporting task share.
struct Shared {
    speaker: Box<dyn Speaker>,
    interrupter: Interrupter,
    /// Rises with every stop; whatever carries an older number is dead.
    epoch: AtomicU64,
    ledger: Mutex<Ledger>,
}

impl Shared {
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stale(&self, epoch: u64) -> bool {
        self.epoch.load(Ordering::Acquire) != epoch
    }
}

/// The handle of the voice thread. Clones speak through the same voice; the thread ends when the last one is
/// gone or after [`Mouth::close`].
#[derive(Clone)]
pub struct Mouth {
    shared: Arc<Shared>,
    orders: mpsc::Sender<Order>,
    thread: Arc<Mutex<Option<JoinHandle<()>>>>,
}

impl std::fmt::Debug for Mouth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mouth").finish_non_exhaustive()
    }
}

impl Mouth {
    /// Starts the voice thread and the reporting task (inside a Tokio runtime). `played` is what `speaker`
    /// reports.
    ///
    /// # Errors
    /// [`SpeakError::Thread`] when the system gives no thread.
    pub fn spawn(
        voice: Voice,
        speaker: impl Speaker,
        played: mpsc::Receiver<Played>,
    ) -> Result<(Self, mpsc::Receiver<SpeakEvent>), SpeakError> {
        let (orders, inbox) = mpsc::channel(LINES);
        let (events, outbox) = mpsc::channel(EVENTS);
        let shared = Arc::new(Shared {
            speaker: Box::new(speaker),
            interrupter: voice.interrupter(),
            epoch: AtomicU64::new(0),
            ledger: Mutex::new(Ledger::default()),
        });
        tokio::spawn(report(Arc::clone(&shared), played, events.clone()));
        let thread = std::thread::Builder::new().name("voice".into()).spawn({
            let shared = Arc::clone(&shared);
            move || run(voice, &shared, inbox, &events)
        })?;
        Ok((Self { shared, orders, thread: Arc::new(Mutex::new(Some(thread))) }, outbox))
    }

    /// Queues a line; waits while many are queued.
    ///
    /// # Errors
    /// [`Stopped`] when the line's turn was stopped meanwhile: the caller gives the turn up.
    pub async fn say(&self, line: Line) -> Result<(), Stopped> {
        let epoch = self.shared.ledger().enter(line.turn, || self.shared.epoch.load(Ordering::Acquire))?;
        self.orders.send(Order::Say { line, epoch }).await.map_err(|_| Stopped)
    }

    /// Says that the turn has no further lines: when the last one was heard, [`SpeakEvent::Done`] follows.
    ///
    /// # Errors
    /// [`Stopped`] as for [`Mouth::say`].
    pub async fn finish(&self, turn: TurnId) -> Result<(), Stopped> {
        let epoch = self.shared.ledger().enter(turn, || self.shared.epoch.load(Ordering::Acquire))?;
        self.orders.send(Order::Finish { turn, epoch }).await.map_err(|_| Stopped)
    }

    /// Silence now: the sentence being computed is broken off, what is queued is forgotten, the speaker is
    /// flushed, and the turn that was speaking is stopped for good. Any thread, never waits. No event of that
    /// turn follows but what is on its way already.
    pub fn stop(&self) {
        self.shared.ledger().stop(|| self.shared.epoch.fetch_add(1, Ordering::AcqRel));
        self.shared.interrupter.interrupt();
        self.shared.speaker.flush();
    }

    /// Stops, and waits until the voice thread has ended.
    pub async fn close(self) {
        self.stop();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(self);
        if let Some(thread) = thread {
            // A panic of the thread has been reported by the panic hook already.
            let _ = tokio::task::spawn_blocking(move || thread.join()).await;
        }
    }
}

/// The voice thread: takes orders until the last handle is gone.
fn run(
    mut voice: Voice,
    shared: &Shared,
    mut orders: mpsc::Receiver<Order>,
    events: &mpsc::Sender<SpeakEvent>,
) {
    let mut reader = Reader::default();
    let mut reading = None;
    while let Some(order) = orders.blocking_recv() {
        match order {
            Order::Say { epoch, .. } | Order::Finish { epoch, .. } if shared.is_stale(epoch) => {}
            Order::Say { line, epoch } => {
                if reading.replace(line.turn) != Some(line.turn) {
                    reader = Reader::default();
                }
                let text = reader.speakable(&line.text);
                if let Some(failed) = speak(&mut voice, shared, line, &text, epoch) {
                    let _ = events.blocking_send(failed);
                }
                // The line may have been silent, and nothing else may be playing.
                settle(shared, events);
            }
            Order::Finish { turn, .. } => {
                shared.ledger().finish(turn, Instant::now());
                settle(shared, events);
            }
        }
    }
}

/// Speaks one line. The ledger knows each clip before the speaker does.
fn speak(voice: &mut Voice, shared: &Shared, line: Line, text: &str, epoch: u64) -> Option<SpeakEvent> {
    let turn = line.turn;
    let rate = voice.rate();
    let row = shared.ledger().open(line);
    let is_stopped = || shared.is_stale(epoch);
    let said = voice.say(text, &is_stopped, &mut |samples| {
        let Some(tag) = shared.ledger().clip(row) else { return };
        shared.speaker.play(Clip { tag, rate, samples: samples.into() });
        // A stop between the question above and the queueing would leave this clip to be heard.
        if is_stopped() {
            shared.speaker.flush();
        }
    });
    shared.ledger().close(row);
    match said {
        Ok(Said::All | Said::Stopped) => None,
        Err(error) => {
            tracing::warn!(%error, %turn, "a line was not spoken");
            Some(SpeakEvent::Failed { turn, error: error.to_string() })
        }
    }
}

/// Sends what the ledger has to tell.
fn settle(shared: &Shared, events: &mpsc::Sender<SpeakEvent>) {
    let due = shared.ledger().due();
    for event in due {
        if events.blocking_send(event).is_err() {
            return;
        }
    }
}

/// The reporting task: turns what was played into events, until the speaker or the listener of events is gone.
async fn report(
    shared: Arc<Shared>,
    mut played: mpsc::Receiver<Played>,
    events: mpsc::Sender<SpeakEvent>,
) {
    while let Some(played) = played.recv().await {
        let due = {
            let mut ledger = shared.ledger();
            ledger.note(played);
            ledger.due()
        };
        for event in due {
            if events.send(event).await.is_err() {
                return;
            }
        }
    }
}
