//! The voice thread, its handle, and the ledger of what was heard.
//!
//! The thread `voice` runs [`run`]; one task runs [`report`]. In: [`Line`]s and the player's reports. Out:
//! [`SpeakEvent`]s. A stopped turn refuses further lines, and its sound ends at once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use tokio::sync::mpsc;

use self::ledger::Ledger;
use super::plain::Reader;
use super::{Interrupter, Said, SpeakError, Voice};
use crate::audio::{Clip, DeviceFault, Epoch, PlayEvent, Player};
use crate::message::TurnId;
use crate::pulse::Heart;

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
    /// What it is to the answer.
    pub part: Part,
}

/// What a line is to the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A piece of it.
    Answer,
    /// Said beside it ("one moment ...").
    Aside,
}

/// What happened to what was to be said.
#[derive(Debug, Clone, PartialEq)]
pub enum SpeakEvent {
    /// The turn's first sample sounds.
    Started {
        /// Which turn.
        turn: TurnId,
        /// When.
        at: Instant,
    },
    /// A line's first sample sounds.
    Saying {
        /// Which turn.
        turn: TurnId,
        /// The line as it is spoken: numbers and units in words, no markdown.
        spoken: String,
        /// When.
        at: Instant,
    },
    /// A line was heard to its end (one with nothing to say in it counts when it would have been said).
    Heard {
        /// The line.
        line: Line,
        /// When its last sample sounded.
        at: Instant,
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
    /// The speaker is missing from here on; told once, retried in the background.
    Mute(DeviceFault),
    /// This device plays: told at the first start and after every [`SpeakEvent::Mute`].
    Audible {
        /// The device's name as the sound system gives it.
        device: String,
    },
}

/// The turn was stopped, or the mouth is closed: say nothing more for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the turn was stopped; nothing more is said for it")]
pub struct Stopped;

/// What the voice thread is asked to do. The player's epoch tells whether a stop came since.
enum Order {
    Say { line: Line, epoch: Epoch },
    Finish { turn: TurnId, epoch: Epoch },
}

/// What the handle, the voice thread and the reporting task share.
struct Shared {
    player: Player,
    interrupter: Interrupter,
    ledger: Mutex<Ledger>,
}

impl Shared {
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stale(&self, epoch: Epoch) -> bool {
        self.player.epoch() != epoch
    }

    /// Lets an order for `turn` in. The epoch is read under the ledger's lock, so a stop comes wholly before or
    /// wholly after it.
    fn enter(&self, turn: TurnId) -> Result<Epoch, Stopped> {
        let mut ledger = self.ledger();
        ledger.enter(turn)?;
        Ok(self.player.epoch())
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
    /// Starts the voice thread and the reporting task (inside a Tokio runtime). `played` is what `player`
    /// reports; other clones of the player may play tones meanwhile, with tags of their own: the mouth's are
    /// below 2⁶³. The thread shows in `heart` when it works.
    ///
    /// # Errors
    /// [`SpeakError::Thread`] when the system gives no thread.
    pub fn spawn(
        voice: Voice,
        player: Player,
        played: mpsc::Receiver<PlayEvent>,
        heart: Heart,
    ) -> Result<(Self, mpsc::Receiver<SpeakEvent>), SpeakError> {
        let (orders, inbox) = mpsc::channel(LINES);
        let (events, outbox) = mpsc::channel(EVENTS);
        let shared = Arc::new(Shared {
            player,
            interrupter: voice.interrupter(),
            ledger: Mutex::new(Ledger::default()),
        });
        tokio::spawn(report(Arc::clone(&shared), played, events.clone()));
        let thread = std::thread::Builder::new().name("voice".into()).spawn({
            let shared = Arc::clone(&shared);
            move || run(voice, &shared, &heart, inbox, &events)
        })?;
        Ok((Self { shared, orders, thread: Arc::new(Mutex::new(Some(thread))) }, outbox))
    }

    /// Queues a line; waits while many are queued.
    ///
    /// # Errors
    /// [`Stopped`] when the line's turn was stopped meanwhile: the caller gives the turn up.
    pub async fn say(&self, line: Line) -> Result<(), Stopped> {
        let epoch = self.shared.enter(line.turn)?;
        self.orders.send(Order::Say { line, epoch }).await.map_err(|_| Stopped)
    }

    /// Says that the turn has no further lines: when the last one was heard, [`SpeakEvent::Done`] follows.
    ///
    /// # Errors
    /// [`Stopped`] as for [`Mouth::say`].
    pub async fn finish(&self, turn: TurnId) -> Result<(), Stopped> {
        let epoch = self.shared.enter(turn)?;
        self.orders.send(Order::Finish { turn, epoch }).await.map_err(|_| Stopped)
    }

    /// Tells how many lines wait and how many may, as long as somebody may queue some.
    pub fn waiting(&self) -> impl Fn() -> Option<(usize, usize)> + Send + Sync + 'static {
        let (queue, most) = (self.orders.downgrade(), self.orders.max_capacity());
        move || Some((most - queue.upgrade()?.capacity(), most))
    }

    /// Silence now: the sentence being computed is broken off, what is queued is forgotten, the player is
    /// flushed, and the turn that was speaking is stopped for good. Any thread, never waits. No event of that
    /// turn follows but what is on its way already.
    pub fn stop(&self) {
        let mut ledger = self.shared.ledger();
        ledger.stop();
        self.shared.player.flush();
        drop(ledger);
        // After the flush, whose new epoch tells the voice that the computation was ended on purpose.
        self.shared.interrupter.interrupt();
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
    heart: &Heart,
    mut orders: mpsc::Receiver<Order>,
    events: &mpsc::Sender<SpeakEvent>,
) {
    let mut reader = Reader::default();
    let mut reading = None;
    while let Some(order) = orders.blocking_recv() {
        let _working = heart.work();
        match order {
            Order::Say { epoch, .. } | Order::Finish { epoch, .. } if shared.is_stale(epoch) => {}
            Order::Say { line, epoch } => {
                if reading.replace(line.turn) != Some(line.turn) {
                    reader = Reader::default();
                }
                let text = reader.speakable(&line.text);
                let due = speak(&mut voice, shared, line, &text, epoch);
                send(due, events);
            }
            Order::Finish { turn, .. } => {
                let due = shared.ledger().finish(turn, Instant::now());
                send(due, events);
            }
        }
    }
}

/// Speaks one line. The ledger knows each clip before the player does.
fn speak(voice: &mut Voice, shared: &Shared, line: Line, text: &str, epoch: Epoch) -> Vec<SpeakEvent> {
    let turn = line.turn;
    let rate = voice.rate();
    let row = shared.ledger().open(line, text.to_owned());
    let is_stopped = || shared.is_stale(epoch);
    let mut due = Vec::new();
    let said = voice.say(text, &is_stopped, &mut |samples| {
        let Some(tag) = shared.ledger().clip(row) else { return };
        // Refused: a stop came meanwhile, which the next question finds out, or there is no player any more.
        if shared.player.play(Clip { tag, rate, samples: samples.into(), epoch }).is_err() && !is_stopped() {
            due.extend(shared.ledger().dropped(tag, Instant::now()));
        }
    });
    match said {
        // The line may have been silent, and nothing else may be playing.
        Ok(Said::All | Said::Stopped) => due.extend(shared.ledger().close(row, Instant::now())),
        Err(error) => {
            tracing::warn!(%error, %turn, "a line was not spoken");
            due.push(SpeakEvent::Failed { turn, error: error.to_string() });
            due.extend(shared.ledger().give_up(row, Instant::now()));
        }
    }
    due
}

/// Sends events from the voice thread. When nobody listens any more, there is nobody to tell.
fn send(due: Vec<SpeakEvent>, events: &mpsc::Sender<SpeakEvent>) {
    for event in due {
        let _ = events.blocking_send(event);
    }
}

/// The reporting task: turns what was played into events, until the player or the listener of events is gone.
async fn report(
    shared: Arc<Shared>,
    mut played: mpsc::Receiver<PlayEvent>,
    events: mpsc::Sender<SpeakEvent>,
) {
    while let Some(played) = played.recv().await {
        let due = match played {
            PlayEvent::Started { tag, at } => shared.ledger().started(tag, at),
            PlayEvent::Finished { tag, at } => shared.ledger().finished(tag, at),
            PlayEvent::Dropped { tag } => shared.ledger().dropped(tag, Instant::now()),
            PlayEvent::Gone(fault) => vec![SpeakEvent::Mute(fault)],
            PlayEvent::Back { device } => vec![SpeakEvent::Audible { device }],
            PlayEvent::Idle => Vec::new(),
        };
        for event in due {
            if events.send(event).await.is_err() {
                return;
            }
        }
    }
}
