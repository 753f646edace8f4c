//! Gathers an answer and makes messages of it.
//!
//! Runs in the task of the turn. In: the engine's words. Out: messages of plain text. What is said only to bridge a pause
//! is left out, unless the pause is long: then it goes to the outbox at once.

use std::time::{Duration, Instant};

use super::plain;
use crate::turn::Reporter;
use joi_agent::Action;
use joi_messages::outbound::{Audience, Outbox, Outgoing, Urgency};

/// After this time without an answer, the reason for the wait is reported.
const LONG: Duration = Duration::from_secs(20);

/// Reports an answer in messages.
pub(super) struct MessageReporter {
    outbox: Outbox,
    audience: Audience,
    begun: Instant,
    answer: String,
    behind: Vec<String>,
}

impl MessageReporter {
    pub(super) fn new(outbox: Outbox, audience: Audience) -> Self {
        Self { outbox, audience, begun: Instant::now(), answer: String::new(), behind: Vec::new() }
    }

    /// The messages that make up the answer.
    pub(super) fn into_messages(self) -> Vec<String> {
        let mut parts = vec![plain::plain(&self.answer)];
        parts.extend(self.behind);
        parts.retain(|part| !part.trim().is_empty());
        plain::split(&parts.join("\n\n"))
    }
}

impl Reporter for MessageReporter {
    async fn words(&mut self, words: &str) {
        self.answer.push_str(words);
    }

    async fn aside(&mut self, sentence: &str) {
        if self.begun.elapsed() < LONG {
            return;
        }
        let (text, audience) = (sentence.to_owned(), self.audience);
        let message = Outgoing { audience, text, urgency: Urgency::Direct, key: None, expires: None };
        if let Err(error) = self.outbox.post(message).await {
            tracing::warn!(%error, "why an answer takes long was not sent");
        }
    }

    async fn offer(&mut self, question: &str) {
        self.behind.push(question.to_owned());
    }

    fn notice(&mut self, sentence: &str) {
        self.behind.push(sentence.to_owned());
    }

    /// The voice in the room is none of this conversation's.
    fn act(&mut self, _: Action) {}

    async fn end(&mut self) -> Option<Instant> {
        None
    }
}
