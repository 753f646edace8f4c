//! Sends a turn's events to the channel and records what was said so far.
//!
//! Belongs to the task of one turn. The queue behind it is bounded by its receiver; a full one makes
//! the answer wait, which in turn makes the model wait. A receiver that is gone ends the turn.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use crate::bounds::TurnClock;
use crate::session::tool_history::HistoryRow;
use crate::turn::ReplyEvent;
use joi_base::trace::{Decision, ModelUse};
use joi_language::{Language, ReplySentences};

/// The receiver of the turn's events is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReceiverClosed;

/// The sending end of one turn.
pub(crate) struct ReplySink {
    events: mpsc::Sender<ReplyEvent>,
    /// In which it is said.
    pub(crate) language: Arc<Language>,
    /// The answer as far as it went out.
    pub(crate) said: String,
    /// The user wants nothing more.
    pub(crate) is_over: bool,
    /// The user is asked for a yes, and waited for that long.
    pub(crate) awaits: Option<Duration>,
    /// Neither what was said nor the answer is to be recorded.
    pub(crate) is_private: bool,
    /// Words of strangers were in a prompt of this turn, of which the answer may be made. What stands in it from days
    /// before makes the turn careful, but is not passed on, or one page would taint every later answer.
    pub(crate) is_foreign: bool,
    /// Words of the model's went out.
    pub(crate) is_worded: bool,
    /// It was asked whether the answer is to go on.
    pub(crate) offers: bool,
    /// The time of the turn.
    pub(crate) clock: TurnClock,
    /// Calls and their results, for later prompts.
    pub(crate) rows: Vec<HistoryRow>,
    /// True if the next words belong to another answer.
    is_apart: bool,
    /// It was said that secrets are not kept.
    has_refused_secret: bool,
}

impl ReplySink {
    pub(crate) fn new(events: mpsc::Sender<ReplyEvent>, language: Arc<Language>) -> Self {
        Self {
            events,
            language,
            said: String::new(),
            is_over: false,
            awaits: None,
            is_private: false,
            is_foreign: false,
            is_worded: false,
            offers: false,
            clock: TurnClock::unlimited(),
            rows: Vec::new(),
            is_apart: false,
            has_refused_secret: false,
        }
    }

    /// The next words of the answer.
    pub(crate) async fn say(&mut self, text: &str) -> Result<(), ReceiverClosed> {
        if text.is_empty() {
            return Ok(());
        }
        let is_apart = std::mem::take(&mut self.is_apart) && !self.said.is_empty();
        let gap = if is_apart && !text.starts_with(char::is_whitespace) { " " } else { "" };
        let text = format!("{gap}{text}");
        self.send(ReplyEvent::Text(text.clone())).await?;
        self.said.push_str(&text);
        Ok(())
    }

    /// The next words of the answer, which the model found.
    pub(crate) async fn say_worded(&mut self, text: &str) -> Result<(), ReceiverClosed> {
        self.is_worded |= !text.is_empty();
        self.say(text).await
    }

    /// Asks whether the answer is to go on; the question does not belong to it.
    pub(crate) async fn offer(&mut self, question: String) -> Result<(), ReceiverClosed> {
        self.offers = true;
        self.send(ReplyEvent::Offer(question)).await
    }

    /// The sentence that `which` names, in the language of the turn.
    pub(crate) fn sentence(&self, which: impl Fn(&ReplySentences) -> &String) -> String {
        which(&self.language.sentences().reply).clone()
    }

    /// Returns the sentence about a secret that was to be stored; nothing if this turn has said it already.
    pub(crate) fn refused_secret(&mut self) -> String {
        match std::mem::replace(&mut self.has_refused_secret, true) {
            true => String::new(),
            false => self.language.sentences().memory.no_secrets.clone(),
        }
    }

    /// Separates the next words from those said so far.
    pub(crate) fn begin_another(&mut self) {
        self.is_apart = true;
    }

    /// A whole sentence behind what was said before.
    pub(crate) async fn say_on(&mut self, sentence: &str) -> Result<(), ReceiverClosed> {
        if sentence.is_empty() {
            return Ok(());
        }
        let is_apart = self.said.is_empty() || self.said.ends_with(char::is_whitespace);
        let gap = if is_apart { "" } else { " " };
        self.say(&format!("{gap}{sentence}")).await
    }

    /// A whole sentence that ends the answer, apart from what was said before.
    pub(crate) async fn say_last(&mut self, sentence: &str) -> Result<(), ReceiverClosed> {
        let gap = if self.said.is_empty() { "" } else { "\n\n" };
        self.say(&format!("{gap}{sentence}")).await
    }

    /// A sentence to say at once that does not belong to the answer.
    pub(crate) async fn aside(&self, sentence: &str) -> Result<(), ReceiverClosed> {
        self.send(ReplyEvent::Aside(sentence.to_owned())).await
    }

    pub(crate) async fn decided(
        &self,
        stage: &str,
        verdict: impl Into<String>,
        reason: impl Into<String>,
    ) -> Result<(), ReceiverClosed> {
        self.send(ReplyEvent::Decided(Decision::new(stage, verdict, reason))).await
    }

    pub(crate) async fn first_token(&self) -> Result<(), ReceiverClosed> {
        self.send(ReplyEvent::FirstToken(Instant::now())).await
    }

    pub(crate) async fn used(&self, used: ModelUse) -> Result<(), ReceiverClosed> {
        self.send(ReplyEvent::Used(used)).await
    }

    pub(crate) async fn send(&self, event: ReplyEvent) -> Result<(), ReceiverClosed> {
        // A voice that speaks slower than the model writes costs the turn nothing.
        let _pause = self.clock.pause();
        self.events.send(event).await.map_err(|_| ReceiverClosed)
    }
}
