//! Ears for sound that comes over the network: transcription and wake phrases, on a thread of their own.
//!
//! Thread "satellite-ears": it owns a [`Listener`] or a [`Transcription`] for each stream, and lends its work for whisper
//! to the thread of a model that the local conversation does not use. In: sound at 16 kHz, over a bounded queue; when that
//! is full, its sender waits. Out: [`EarReply`]s. It waits for no client: a stream whose replies are not taken is dropped,
//! and whatever runs for a stream that is gone is aborted. At the end of a stream of wake phrases it waits for their scores.

#[cfg(test)]
mod tests;
mod transcription;
mod work;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use joi_base::message::Private;
use joi_base::pulse::Heart;
use joi_hear::transcript_filter::TranscriptFilterConfig;
use joi_hear::vad::Vad;
use joi_hear::whisper::Lender;
use joi_hear::{HearCommand, HearEvent, Listener};
use transcription::{EarEffort, Transcription};
use work::EarWork;

/// Chunks of sound that wait. When full, the clients wait: nothing is dropped.
const ORDERS: usize = 64;
/// Replies that a client has not taken. When full, its stream is dropped.
const REPLIES: usize = 64;
/// The thread looks after streams that are gone at least this often.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The same while the queue of the model is full.
const ASK_AGAIN: Duration = Duration::from_millis(50);
/// Most samples given to a listener at once: a detection is not missed in them.
const STEP: usize = 8_000;

/// The task of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EarTask {
    /// Its words are wanted.
    Transcribe,
    /// These wake phrases are looked for, by their written forms.
    Detect(Vec<String>),
}

/// A report on a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EarReply {
    /// The next words, which do not change any more.
    Words(Private<String>),
    /// The stream is over; the language, where one was heard.
    Transcribed(Option<String>),
    /// A wake phrase was said.
    Detected {
        /// Its written form.
        phrase: String,
        /// Of the newest chunk, by the client's clock, in milliseconds.
        timestamp: Option<u64>,
    },
    /// The stream is over, and no more phrases come.
    Listened,
    /// It can't be done, for this reason. Nothing follows.
    Failed(String),
}

#[derive(Debug)]
pub(crate) enum EarOrder {
    Open {
        stream: u64,
        task: EarTask,
        replies: mpsc::Sender<EarReply>,
    },
    Sound {
        stream: u64,
        samples: Vec<f32>,
        timestamp: Option<u64>,
    },
    Finish {
        stream: u64,
    },
    /// Work for the model is done.
    Look,
}

/// Makes what listens for wake phrases, by their written forms; or returns why it can't be made.
pub type ListenerMaker = Box<dyn Fn(&[String]) -> Result<Listener, String> + Send>;

/// The models behind the ears.
pub struct EarModels {
    /// Makes the voice activity network of a stream.
    pub vad: Box<dyn Fn() -> Result<Vad, String> + Send>,
    /// Makes what listens for wake phrases.
    pub listener: ListenerMaker,
    /// Lends whisper.
    pub lender: Lender,
    /// Which transcripts are accepted.
    pub trust: TranscriptFilterConfig,
}

/// The handle of the thread, which ends with the last one.
#[derive(Debug, Clone)]
pub struct SatelliteEars {
    orders: mpsc::Sender<EarOrder>,
    streams: Arc<AtomicU64>,
}

impl SatelliteEars {
    /// Starts the thread, on which `load` returns the models. It reports its work to `heart`.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn spawn(load: impl FnOnce() -> EarModels + Send + 'static, heart: Heart) -> std::io::Result<Self> {
        let (ears, inbox) = Self::unstaffed();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let nudge = ears.orders.downgrade();
        std::thread::Builder::new()
            .name("satellite-ears".into())
            .spawn(move || EarThread::new(load(), nudge).run(&runtime, inbox, &heart))?;
        Ok(ears)
    }

    /// Returns a handle, and the orders that come through it.
    pub(crate) fn unstaffed() -> (Self, mpsc::Receiver<EarOrder>) {
        let (orders, inbox) = mpsc::channel(ORDERS);
        (Self { orders, streams: Arc::default() }, inbox)
    }

    /// Opens a stream. Waits while the queue is full; nothing where the thread has ended.
    pub(crate) async fn open(&self, task: EarTask) -> Option<EarStream> {
        let stream = self.streams.fetch_add(1, Ordering::Relaxed);
        let (replies, inbox) = mpsc::channel(REPLIES);
        self.orders.send(EarOrder::Open { stream, task, replies }).await.ok()?;
        Some(EarStream { stream, orders: self.orders.clone(), replies: inbox })
    }
}

/// One stream of sound. Dropping it aborts whatever runs for it.
#[derive(Debug)]
pub(crate) struct EarStream {
    stream: u64,
    orders: mpsc::Sender<EarOrder>,
    replies: mpsc::Receiver<EarReply>,
}

impl EarStream {
    /// Sends the next sound: mono, 16 kHz. Waits while the queue is full.
    pub(crate) async fn sound(&self, samples: Vec<f32>, timestamp: Option<u64>) {
        // Whether the thread has ended is seen by the replies.
        let _ = self.orders.send(EarOrder::Sound { stream: self.stream, samples, timestamp }).await;
    }

    /// No more comes.
    pub(crate) async fn finish(&self) {
        let _ = self.orders.send(EarOrder::Finish { stream: self.stream }).await;
    }

    /// Waits for the next reply; nothing where none comes any more. Cancel-safe.
    pub(crate) async fn reply(&mut self) -> Option<EarReply> {
        self.replies.recv().await
    }
}

/// What becomes of a stream's sound.
enum StreamWork {
    Transcribe(Box<Transcription>),
    Detect { listener: Box<Listener>, timestamp: Option<u64> },
}

struct OpenEarStream {
    work: StreamWork,
    replies: mpsc::Sender<EarReply>,
}

impl OpenEarStream {
    /// Sends replies. Returns whether the stream goes on: not where its client does not take them.
    fn send(&self, replies: Vec<EarReply>) -> bool {
        replies.into_iter().all(|reply| self.replies.try_send(reply).is_ok())
    }
}

struct EarThread {
    models: EarModels,
    work: EarWork,
    streams: BTreeMap<u64, OpenEarStream>,
}

impl EarThread {
    fn new(models: EarModels, nudge: mpsc::WeakSender<EarOrder>) -> Self {
        let work = EarWork::new(models.lender.clone(), models.trust.clone(), nudge);
        Self { models, work, streams: BTreeMap::new() }
    }

    fn run(mut self, runtime: &tokio::runtime::Runtime, mut inbox: mpsc::Receiver<EarOrder>, heart: &Heart) {
        loop {
            let pause = if self.work.is_refused() { ASK_AGAIN } else { LOOK_EVERY };
            let order = match runtime.block_on(async { tokio::time::timeout(pause, inbox.recv()).await }) {
                Ok(None) => return,
                Ok(Some(order)) => Some(order),
                Err(_) => None,
            };
            let _working = heart.work();
            if let Some(order) = order {
                self.take(order);
            }
            self.look(if inbox.is_empty() { EarEffort::Tentative } else { EarEffort::Firm });
        }
    }

    fn take(&mut self, order: EarOrder) {
        match order {
            EarOrder::Open { stream, task, replies } => match self.opened(task) {
                Ok(work) => drop(self.streams.insert(stream, OpenEarStream { work, replies })),
                Err(why) => drop(replies.try_send(EarReply::Failed(why))),
            },
            EarOrder::Sound { stream, samples, timestamp } => self.hear(stream, &samples, timestamp),
            EarOrder::Finish { stream } => self.finish(stream),
            EarOrder::Look => {}
        }
    }

    fn opened(&self, task: EarTask) -> Result<StreamWork, String> {
        Ok(match task {
            EarTask::Transcribe => StreamWork::Transcribe(Box::new(Transcription::new((self.models.vad)()?))),
            EarTask::Detect(phrases) => {
                StreamWork::Detect { listener: Box::new((self.models.listener)(&phrases)?), timestamp: None }
            }
        })
    }

    fn hear(&mut self, stream: u64, samples: &[f32], at: Option<u64>) {
        let Some(open) = self.streams.get_mut(&stream) else { return };
        let replies = match &mut open.work {
            StreamWork::Transcribe(transcription) => {
                transcription.hear(samples);
                Vec::new()
            }
            StreamWork::Detect { listener, timestamp } => {
                *timestamp = at.or(*timestamp);
                listen(listener, samples, *timestamp)
            }
        };
        if !open.send(replies) {
            self.streams.remove(&stream);
        }
    }

    fn finish(&mut self, stream: u64) {
        let Some(open) = self.streams.get_mut(&stream) else { return };
        match &mut open.work {
            StreamWork::Transcribe(transcription) => transcription.finish(),
            StreamWork::Detect { listener, timestamp } => {
                let mut replies = settle(listener, *timestamp);
                replies.push(EarReply::Listened);
                open.send(replies);
                self.streams.remove(&stream);
            }
        }
    }

    /// Takes what the model has done, gives it more, and lets go of streams that are over.
    fn look(&mut self, effort: EarEffort) {
        while let Some(done) = self.work.done() {
            if let Some(transcription) = self.transcription(done.stream) {
                transcription.done(done.piece, done.result);
            }
        }
        self.streams.retain(|_, open| {
            let StreamWork::Transcribe(transcription) = &mut open.work else {
                return !open.replies.is_closed();
            };
            let replies = transcription.ready();
            let goes_on = !transcription.is_over() && !open.replies.is_closed();
            open.send(replies) && goes_on
        });
        let waiting = self.streams.iter_mut().filter_map(|(stream, open)| match &mut open.work {
            StreamWork::Transcribe(transcription) => Some((*stream, &mut **transcription)),
            StreamWork::Detect { .. } => None,
        });
        self.work.give(waiting, effort, &*self.models.vad);
    }

    fn transcription(&mut self, stream: u64) -> Option<&mut Transcription> {
        match &mut self.streams.get_mut(&stream)?.work {
            StreamWork::Transcribe(transcription) => Some(transcription),
            StreamWork::Detect { .. } => None,
        }
    }
}

/// Looks for wake phrases in the next sound.
fn listen(listener: &mut Listener, samples: &[f32], timestamp: Option<u64>) -> Vec<EarReply> {
    let (mut events, mut replies) = (Vec::new(), Vec::new());
    for step in samples.chunks(STEP) {
        listener.step(step, Instant::now(), &mut events);
        replies.extend(detections(listener, &mut events, timestamp));
    }
    replies
}

/// Waits for the scores of what may have been a phrase.
fn settle(listener: &mut Listener, timestamp: Option<u64>) -> Vec<EarReply> {
    let mut events = Vec::new();
    listener.settle(Instant::now(), &mut events);
    detections(listener, &mut events, timestamp)
}

/// Takes the wake phrases out of `events`. What is said behind them is for whoever asked.
fn detections(listener: &mut Listener, events: &mut Vec<HearEvent>, timestamp: Option<u64>) -> Vec<EarReply> {
    let mut replies = Vec::new();
    for event in events.drain(..) {
        if let HearEvent::Wake { phrase, .. } = event {
            replies.push(EarReply::Detected { phrase, timestamp });
        }
    }
    if !replies.is_empty() {
        listener.command(HearCommand::Cancel);
    }
    replies
}
