//! Fills the time before the first word of an answer: the model reads ahead, and a tone says that joi thinks.
//!
//! Owned by the conversation's task; reading ahead is a task of its own that ends with the question, unless the question
//! takes over what the model has begun to write.

use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use joi_agent::model::ChatModel;
use joi_agent::{self as reply, Engine, Session};
use joi_base::trace::Decision;
use joi_language::{Language, LanguageCode};
use joi_speak::{Mouth, Segmenter};

/// Time between two tones while thinking goes on.
const STILL: Duration = Duration::from_secs(6);

/// The time before an answer.
pub(super) struct Thinking<M> {
    engine: Arc<Engine<M>>,
    session: Arc<Session>,
    /// Longest silence before the tone of thinking; `None` for no tone.
    after: Option<Duration>,
    /// When that is.
    tone_at: Option<Instant>,
    reading: Option<JoinHandle<()>>,
    /// The words of a trial transcript that it reads, if it reads some.
    words: Option<String>,
    /// Gets the beginning of an answer ready.
    mouth: Option<Mouth>,
}

impl<M: ChatModel + 'static> Thinking<M> {
    pub(super) fn new(
        engine: Arc<Engine<M>>,
        session: Arc<Session>,
        after: Option<Duration>,
        mouth: Option<Mouth>,
    ) -> Self {
        Self { engine, session, after, tone_at: None, reading: None, words: None, mouth }
    }

    /// Returns when a tone is due, while joi thinks.
    pub(super) fn tone_at(&self) -> Option<Instant> {
        self.tone_at
    }

    /// The question is complete since then; what of it the model has read in advance. Where it begins to answer these very
    /// words, that goes on: the turn of the question takes it over.
    pub(super) fn begin(&mut self, decided: Instant, text: &str) -> Option<Decision> {
        self.tone_at = self.after.map(|after| decided + after);
        let words = self.words.take();
        let is_same = words.as_deref() == Some(text);
        let reading = self.reading.take();
        if !is_same || !self.session.has_early_answer() {
            self.give_up(reading);
        }
        let verdict = if is_same { "the same words" } else { "other words" };
        words?;
        Some(Decision::new("read ahead", verdict, "what was understood in the silence behind the words"))
    }

    /// The tone was played.
    pub(super) fn goes_on(&mut self) {
        self.tone_at = Some(Instant::now() + STILL);
    }

    /// Joi speaks, or listens.
    pub(super) fn end(&mut self) {
        self.tone_at = None;
    }

    /// While the user still speaks, the model reads what it knows already.
    pub(super) fn read_ahead(&mut self) {
        let (engine, session) = (Arc::clone(&self.engine), Arc::clone(&self.session));
        self.words = None;
        self.read(async move { reply::read_ahead(&engine, &session).await });
    }

    /// While it is not certain that the user has ended, the model reads the words, in the language that was heard,
    /// begins to answer it, and the voice gets the first words of that ready.
    pub(super) fn read_words(&mut self, text: &str, heard: Option<LanguageCode>) {
        if self.words.as_deref() == Some(text) {
            return;
        }
        let (engine, session) = (Arc::clone(&self.engine), Arc::clone(&self.session));
        let text = text.to_owned();
        let mut first = FirstSegment::of(self.mouth.clone());
        self.read({
            let text = text.clone();
            async move {
                let told = |words: &str, language: &Arc<Language>| first.push(words, language);
                reply::read_words(&engine, &session, (&text, heard.as_deref()), told).await
            }
        });
        self.words = Some(text);
    }

    /// The user has not ended, or the words are not answered: they are not a question.
    pub(super) fn forget_words(&mut self) {
        if self.words.take().is_some() {
            let reading = self.reading.take();
            self.give_up(reading);
        }
    }

    fn read<E: Display + Send + 'static>(
        &mut self,
        reading: impl Future<Output = Result<(), E>> + Send + 'static,
    ) {
        let earlier = self.reading.take();
        self.give_up(earlier);
        self.reading = Some(tokio::spawn(async move {
            if let Err(error) = reading.await {
                tracing::debug!(%error, "the model could not read ahead");
            }
        }));
    }

    fn give_up(&self, reading: Option<JoinHandle<()>>) {
        reading.iter().for_each(JoinHandle::abort);
        self.session.drop_early_answer();
    }

    /// Nobody hears what rings any more. The disk may take its time, the ear does not.
    pub(super) fn silence_timers(&self) {
        let (engine, place) = (Arc::clone(&self.engine), self.session.id().place.clone());
        tokio::spawn(async move { engine.silence(Some(&place)).await });
    }
}

/// Returns the beginning of an answer as it is written, which is spoken first.
struct FirstSegment {
    mouth: Option<Mouth>,
    segmenter: Option<Segmenter>,
}

impl FirstSegment {
    fn of(mouth: Option<Mouth>) -> Self {
        Self { mouth, segmenter: None }
    }

    /// Takes the next words; the voice gets the first segment ready once it is whole.
    fn push(&mut self, words: &str, language: &Arc<Language>) {
        let Some(mouth) = &self.mouth else { return };
        let segmenter = self.segmenter.get_or_insert_with(|| Segmenter::new(language));
        if let Some(first) = segmenter.push(words).into_iter().next().or_else(|| segmenter.opening()) {
            mouth.prepare(first, language.to_code());
            self.mouth = None;
        }
    }
}
