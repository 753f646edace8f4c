//! The voice thread, its handle, and the ledger of played lines.
//!
//! The thread `voice` runs [`run`]; one task runs [`report`]. In: [`SpokenLine`]s and the player's events. Out:
//! [`SpeakEvent`]s. A stopped turn refuses further lines, and its sound ends at once. Lines that come while the voice is
//! loaded wait for it; where it can't be, they count as lines without speakable text.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use tokio::sync::mpsc;

use super::languages::{LanguageVoice, LanguageVoices};
use super::{Interrupter, LeadSilence, SpeakError};
use event::send;
pub use event::{SpeakEvent, Stopped};
use joi_audio::{PlayEvent, Player};
use joi_base::message::TurnId;
use joi_base::pulse::Heart;
use joi_language::LanguageCode;
use kept::{KeptLines, LineKey};
use line::speak;
use report::report;
use silent::pass;
pub use spoken_line::{LineRole, SpokenLine};
use state::{MouthState, VoiceRequest};

mod event;
mod kept;
mod ledger;
mod line;
mod rehearsal;
mod report;
mod silent;
mod spoken_line;
mod state;

#[cfg(test)]
mod tests;

/// Lines queued for the voice. When full, [`Mouth::say`] waits: the model writes faster than speech, and
/// queued lines are lost when playback is stopped.
const LINES: usize = 32;
/// Events queued for the conversation. When full, the reporting task waits; nothing is lost.
const EVENTS: usize = 64;

/// The handle of the voice thread. Clones share the same voice; the thread ends when the last one is dropped
/// or after [`Mouth::close`].
#[derive(Clone)]
pub struct Mouth {
    shared: Arc<MouthState>,
    orders: mpsc::Sender<VoiceRequest>,
    thread: Arc<Mutex<Option<JoinHandle<()>>>>,
}

impl std::fmt::Debug for Mouth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mouth").finish_non_exhaustive()
    }
}

impl Mouth {
    /// Starts the voice thread, which owns `speakers`, and the reporting task (inside a Tokio runtime). `played` are the events of
    /// `player`; other clones of the player may play tones meanwhile, with tags of their own: this thread's
    /// are below 2⁶³. The thread reports its work to `heart`.
    ///
    /// # Errors
    /// [`SpeakError::Thread`] when the system gives no thread.
    pub fn spawn(
        speakers: LanguageVoices,
        player: Player,
        played: mpsc::Receiver<PlayEvent>,
        heart: Heart,
    ) -> Result<(Self, mpsc::Receiver<SpeakEvent>), SpeakError> {
        let interrupters = speakers.interrupters().into();
        Self::start((|| Ok(speakers), interrupters), player, played, heart)
    }

    /// Like [`Mouth::spawn`], for voices that `load` returns on the thread, or else the sentence of
    /// [`SpeakEvent::Voiceless`].
    ///
    /// # Errors
    /// [`SpeakError::Thread`] when the system gives no thread.
    pub fn loading(
        load: impl FnOnce() -> Result<LanguageVoices, String> + Send + 'static,
        player: Player,
        played: mpsc::Receiver<PlayEvent>,
        heart: Heart,
    ) -> Result<(Self, mpsc::Receiver<SpeakEvent>), SpeakError> {
        Self::start((load, OnceLock::new()), player, played, heart)
    }

    fn start(
        (load, interrupters): (
            impl FnOnce() -> Result<LanguageVoices, String> + Send + 'static,
            OnceLock<Vec<Interrupter>>,
        ),
        player: Player,
        played: mpsc::Receiver<PlayEvent>,
        heart: Heart,
    ) -> Result<(Self, mpsc::Receiver<SpeakEvent>), SpeakError> {
        let (orders, inbox) = mpsc::channel(LINES);
        let (events, outbox) = mpsc::channel(EVENTS);
        let shared = Arc::new(MouthState::new(player, interrupters));
        tokio::spawn(report(Arc::clone(&shared), played, orders.downgrade(), events.clone()));
        let thread = std::thread::Builder::new().name("voice".into()).spawn({
            let shared = Arc::clone(&shared);
            move || match load() {
                Ok(speakers) => {
                    shared.interrupters.get_or_init(|| speakers.interrupters());
                    run(speakers, &shared, &heart, inbox, &events);
                }
                Err(why) => {
                    send(vec![SpeakEvent::Voiceless(why)], &events);
                    pass(&shared, inbox, &events);
                }
            }
        })?;
        Ok((Self { shared, orders, thread: Arc::new(Mutex::new(Some(thread))) }, outbox))
    }

    /// Queues a line; waits while many are queued.
    ///
    /// # Errors
    /// [`Stopped`] when the line's turn was stopped meanwhile: the caller gives the turn up.
    pub async fn say(&self, line: SpokenLine) -> Result<(), Stopped> {
        let epoch = self.shared.enter(line.turn)?;
        self.shared.leave_rehearsal(&line.text);
        self.orders.send(VoiceRequest::Say { line, epoch }).await.map_err(|_| Stopped)
    }

    /// Prepares the first sound of an answer that may come, and returns at once. The line itself then starts at once;
    /// another line cancels the preparation. Nothing is prepared while lines are queued, or the voice is loaded.
    pub fn prepare(&self, text: String, language: LanguageCode) {
        let has_voice = self.shared.interrupters.get().is_some();
        if has_voice && self.orders.capacity() == self.orders.max_capacity() {
            // Full or closed: then it is said without preparation, or not at all.
            let _ = self.orders.try_send(VoiceRequest::Prepare { text, language });
        }
    }

    /// Ends the turn's lines: after the last one was heard, [`SpeakEvent::Done`] follows.
    ///
    /// # Errors
    /// [`Stopped`] as for [`Mouth::say`].
    pub async fn finish(&self, turn: TurnId) -> Result<(), Stopped> {
        let epoch = self.shared.enter(turn)?;
        self.orders.send(VoiceRequest::Finish { turn, epoch }).await.map_err(|_| Stopped)
    }

    /// Reports how many lines are queued and the capacity, as long as the queue is open.
    pub fn waiting(&self) -> impl Fn() -> Option<(usize, usize)> + Send + Sync + 'static {
        let (queue, most) = (self.orders.downgrade(), self.orders.max_capacity());
        move || Some((most - queue.upgrade()?.capacity(), most))
    }

    /// Returns the number of lines that were synthesised.
    #[cfg(any(test, feature = "testing"))]
    pub fn syntheses(&self) -> usize {
        self.shared.syntheses.load(std::sync::atomic::Ordering::SeqCst)
    }

    /// Stops playback now: the sentence being synthesised is aborted, queued lines are dropped, the player is
    /// flushed, and the turn that was speaking is stopped for good. Any thread, never waits. No event of that
    /// turn follows except those already on their way.
    pub fn stop(&self) {
        let mut ledger = self.shared.ledger();
        ledger.stop();
        self.shared.player.flush();
        drop(ledger);
        // After the flush, whose new epoch shows the voice thread that the synthesis was aborted on purpose.
        self.shared.interrupt();
    }

    /// Stops, and waits until the voice thread has ended.
    pub async fn close(self) {
        self.stop();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(self);
        if let Some(thread) = thread {
            // A panic of the thread has already been reported by the panic hook.
            let _ = tokio::task::spawn_blocking(move || thread.join()).await;
        }
    }
}

/// The voice thread: serves requests until the last handle is dropped.
fn run(
    mut speakers: LanguageVoices,
    shared: &MouthState,
    heart: &Heart,
    mut orders: mpsc::Receiver<VoiceRequest>,
    events: &mpsc::Sender<SpeakEvent>,
) {
    let mut reading = None;
    let mut ready = None;
    let mut kept = KeptLines::default();
    while let Some(order) = orders.blocking_recv() {
        let _working = heart.work();
        match order {
            VoiceRequest::Say { epoch, .. } | VoiceRequest::Finish { epoch, .. }
                if shared.is_stale(epoch) => {}
            VoiceRequest::Say { line, epoch } => {
                let speaker = speakers.of(&line.language);
                let lead = match reading.replace(line.turn) == Some(line.turn) {
                    true => LeadSilence::Kept,
                    false => LeadSilence::Cut,
                };
                if lead == LeadSilence::Cut {
                    speaker.reader.restart();
                }
                let due = speak(speaker, shared, (line, epoch, lead), (ready.take(), &mut kept));
                send(due, events);
            }
            // Queued lines come first.
            VoiceRequest::Prepare { .. } if !orders.is_empty() => {}
            VoiceRequest::Prepare { text, language } => {
                reading = None;
                let speaker = speakers.of(&language);
                ready = match is_kept(speaker, &mut kept, (&text, &language)) {
                    true => None,
                    false => shared.rehearsal.prepare(speaker, text, language),
                };
            }
            VoiceRequest::Rest if !orders.is_empty() => {}
            VoiceRequest::Rest => speakers.rest(),
            VoiceRequest::Finish { turn, .. } => {
                let due = shared.ledger().finish(turn, Instant::now());
                send(due, events);
            }
        }
    }
}

/// Returns whether the beginning of an answer was spoken before and needs no preparation.
fn is_kept(
    speaker: &mut LanguageVoice,
    kept: &mut KeptLines,
    (text, language): (&str, &LanguageCode),
) -> bool {
    speaker.reader.restart();
    let spoken = speaker.reader.speakable(text);
    LineKey::of(language, &spoken, LeadSilence::Cut).is_some_and(|key| kept.find(&key).is_some())
}
