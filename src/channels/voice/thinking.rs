//! What happens before the first word of an answer: the model reads ahead, and a tone says that she thinks.
//!
//! Owned by the conversation's task; reading ahead is a task of its own that ends with the question.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use crate::reply::model::ChatModel;
use crate::reply::{self, Engine, Session};

/// While she thinks on, a tone says so again and again.
const STILL: Duration = Duration::from_secs(6);

/// The time before an answer.
pub(super) struct Thinking<M> {
    engine: Arc<Engine<M>>,
    session: Arc<Session>,
    /// How long she may be silent before a tone says that she thinks; nothing for no tone.
    after: Option<Duration>,
    /// When that is.
    tone_at: Option<Instant>,
    reading: Option<JoinHandle<()>>,
}

impl<M: ChatModel + 'static> Thinking<M> {
    pub(super) fn new(engine: Arc<Engine<M>>, session: Arc<Session>, after: Option<Duration>) -> Self {
        Self { engine, session, after, tone_at: None, reading: None }
    }

    /// When a tone is due, if she thinks.
    pub(super) fn tone_at(&self) -> Option<Instant> {
        self.tone_at
    }

    /// The question is complete since then.
    pub(super) fn begin(&mut self, decided: Instant) {
        if let Some(reading) = self.reading.take() {
            reading.abort();
        }
        self.tone_at = self.after.map(|after| decided + after);
    }

    /// The tone was played.
    pub(super) fn goes_on(&mut self) {
        self.tone_at = Some(Instant::now() + STILL);
    }

    /// She speaks, or listens.
    pub(super) fn end(&mut self) {
        self.tone_at = None;
    }

    /// While the user still speaks, the model reads what it knows already.
    pub(super) fn read_ahead(&mut self) {
        let (engine, session) = (Arc::clone(&self.engine), Arc::clone(&self.session));
        let task = tokio::spawn(async move {
            if let Err(error) = reply::read_ahead(&engine, &session).await {
                tracing::debug!(%error, "the model could not read ahead");
            }
        });
        if let Some(earlier) = self.reading.replace(task) {
            earlier.abort();
        }
    }

    /// Nobody hears what rings any more. The disk may take its time, the ear does not.
    pub(super) fn silence_timers(&self) {
        let engine = Arc::clone(&self.engine);
        tokio::spawn(async move { engine.silence().await });
    }
}
