//! What happens before the first word of an answer: the model reads ahead, and a tone says that she thinks.
//!
//! Owned by the conversation's task; reading ahead is a task of its own that ends with the question.

use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use crate::language::LanguageCode;
use crate::reply::model::ChatModel;
use crate::reply::{self, Engine, Session};
use crate::trace::Decision;

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
    /// The words of a trial transcript that it reads, if it reads some.
    words: Option<String>,
}

impl<M: ChatModel + 'static> Thinking<M> {
    pub(super) fn new(engine: Arc<Engine<M>>, session: Arc<Session>, after: Option<Duration>) -> Self {
        Self { engine, session, after, tone_at: None, reading: None, words: None }
    }

    /// When a tone is due, if she thinks.
    pub(super) fn tone_at(&self) -> Option<Instant> {
        self.tone_at
    }

    /// The question is complete since then; what of it the model has read in advance.
    pub(super) fn begin(&mut self, decided: Instant, text: &str) -> Option<Decision> {
        let reading = self.reading.take();
        let is_done = reading.as_ref().is_some_and(JoinHandle::is_finished);
        if let Some(reading) = reading {
            reading.abort();
        }
        self.tone_at = self.after.map(|after| decided + after);
        let verdict = match self.words.take()? {
            words if words != text => "other words",
            _ if is_done => "all",
            _ => "a part",
        };
        Some(Decision::new("read ahead", verdict, "what was understood in the silence behind the words"))
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
        self.words = None;
        self.read(async move { reply::read_ahead(&engine, &session).await });
    }

    /// While it is not certain that the user has ended, the model reads what he said, in the language that was heard.
    pub(super) fn read_words(&mut self, text: &str, heard: Option<LanguageCode>) {
        if self.words.as_deref() == Some(text) {
            return;
        }
        let (engine, session) = (Arc::clone(&self.engine), Arc::clone(&self.session));
        self.words = Some(text.to_owned());
        let text = text.to_owned();
        self.read(async move { reply::read_words(&engine, &session, &text, heard.as_deref()).await });
    }

    /// The user has not ended: what he said so far is not the question.
    pub(super) fn forget_words(&mut self) {
        if self.words.take().is_some()
            && let Some(reading) = self.reading.take()
        {
            reading.abort();
        }
    }

    fn read<E: Display + Send + 'static>(
        &mut self,
        reading: impl Future<Output = Result<(), E>> + Send + 'static,
    ) {
        let task = tokio::spawn(async move {
            if let Err(error) = reading.await {
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
