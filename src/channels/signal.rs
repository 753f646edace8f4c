//! The conversation with the owner over Signal: what he writes is answered in writing.
//!
//! One Tokio task; turns run one after the other. In: what the gate let through. Out: messages in the outbox, which sends
//! them in their order and within its rates, and a record of each turn. The thread with the owner and the group have a session each.
//! What is old, long or without words is answered with a fixed sentence and never acted on. A voice message becomes words
//! first ([`notes`]); a thumb up acknowledges an alarm or says yes (`approval`).

mod approval;
pub mod notes;
mod plain;
mod reporter;

use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::json;
use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;

use super::turn;
use crate::clock::Clock;
use crate::language::{Language, LanguageCode, fill, times};
use crate::message::{ConversationId, Private, TurnId};
use crate::outbound::{Audience, Outbox, Outgoing, OutgoingId, Urgency};
use crate::reply::model::ChatModel;
use crate::reply::{Engine, Session, TurnInput};
use crate::signal::SignalConfig;
use crate::signal::gate::{OwnerMatter, OwnerMessage, SignalThread};
use crate::signal::link::SignalLink;
use crate::store::Store;
use crate::trace::{Stage, Trace};
use notes::NoteListener;
use reporter::MessageReporter;

/// Messages of the owner that are not answered yet; further ones are refused, and he is told nothing.
pub const INBOX: usize = 16;
/// Time for a receipt or a sign of typing.
const COURTESY: Duration = Duration::from_secs(10);

/// What the conversation is made of.
pub struct SignalConversationParts<M> {
    /// Answers.
    pub engine: Arc<Engine<M>>,
    /// Keeps the records of turns.
    pub store: Option<Store>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Takes the answers.
    pub outbox: Outbox,
    /// Takes receipts.
    pub link: SignalLink,
    /// Makes words of voice messages.
    pub notes: Arc<dyn NoteListener>,
    /// `[signal]`.
    pub config: SignalConfig,
}

/// The conversation; it lives as long as the program.
pub struct SignalConversation<M> {
    parts: SignalConversationParts<M>,
    owner: SignalTalk,
    group: SignalTalk,
    inbox: Mutex<mpsc::Receiver<OwnerMessage>>,
}

/// The conversation in one thread.
struct SignalTalk {
    session: Session,
    /// The message that ends with a question which waits for a yes.
    question: StdMutex<Option<OutgoingId>>,
}

impl SignalTalk {
    fn new(id: ConversationId) -> Self {
        Self { session: Session::new(id), question: StdMutex::default() }
    }

    fn question(&self) -> MutexGuard<'_, Option<OutgoingId>> {
        self.question.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M: ChatModel> SignalConversation<M> {
    /// A conversation that has not begun.
    pub fn new(parts: SignalConversationParts<M>, inbox: mpsc::Receiver<OwnerMessage>) -> Self {
        let owner = SignalTalk::new(ConversationId::signal(&parts.config.owner_uuid()));
        let group = SignalTalk::new(ConversationId::signal(&parts.config.group));
        Self { parts, owner, group, inbox: Mutex::new(inbox) }
    }

    /// Answers until `stop`. A turn that runs then is cancelled.
    pub async fn run(&self, stop: CancellationToken) {
        let mut inbox = self.inbox.lock().await;
        loop {
            // Both arms are cancel-safe.
            let message = tokio::select! {
                () = stop.cancelled() => return,
                message = inbox.recv() => message,
            };
            let Some(message) = message else {
                stop.cancelled().await;
                return;
            };
            self.answer(message, &stop).await;
        }
    }

    async fn answer(&self, message: OwnerMessage, stop: &CancellationToken) {
        if !matches!(message.matter, OwnerMatter::Approval(..)) {
            self.show_as_read(&message).await;
        }
        let language = self.parts.engine.language();
        let words = &language.sentences().messages;
        let (thread, key) = (message.thread, |what: &str| format!("{what}/{}", message.stamp));
        match message.matter {
            OwnerMatter::Words(text) => self.turn(thread, (text, None), stop).await,
            OwnerMatter::Approval(target, age) => self.approved(thread, (target, age), stop).await,
            OwnerMatter::Stale => {
                // One answer for all that arrive together.
                let minute = self.parts.clock.now().strftime("%Y-%m-%dT%H:%M").to_string();
                let told = self.stale(message.written_at, &language);
                self.post(thread, told, Some(format!("stale/{minute}"))).await;
            }
            OwnerMatter::TooLong => {
                self.post(thread, words.too_long.clone(), Some(key("long"))).await;
            }
            OwnerMatter::NoWords => {
                self.post(thread, words.words_only.clone(), Some(key("words"))).await;
            }
            OwnerMatter::Voice(file) => match self.listen(thread, file).await {
                Ok(heard) => self.turn(thread, heard, stop).await,
                Err(why) => {
                    let told = notes::told(&why, &language);
                    self.post(thread, told, Some(key("note"))).await;
                }
            },
        }
    }

    fn stale(&self, written_at: Timestamp, language: &Language) -> String {
        let now = self.parts.clock.now();
        let local = written_at.to_zoned(now.time_zone().clone()).datetime();
        let at = times::moment(local, &now, language);
        fill(&language.sentences().messages.stale, &[("at", &at)])
    }

    fn talk(&self, thread: SignalThread) -> &SignalTalk {
        match thread {
            SignalThread::Owner => &self.owner,
            SignalThread::Group => &self.group,
        }
    }

    /// Answers words; those that were heard, in their language.
    async fn turn(
        &self,
        thread: SignalThread,
        (text, language): (Private<String>, Option<LanguageCode>),
        stop: &CancellationToken,
    ) {
        let talk = self.talk(thread);
        let session = &talk.session;
        talk.question().take();
        let id = self.next_turn().await;
        let input = TurnInput { id, text, language };
        self.show_typing(thread).await;
        let mut reporter = MessageReporter::new(self.parts.outbox.clone(), audience(thread));
        let trace = Trace::starting(Instant::now());
        let engine = &*self.parts.engine;
        let mut end = turn::run((engine, session), input, trace, &mut reporter, stop.child_token()).await;
        let mut last = None;
        for part in reporter.into_messages() {
            last = self.post(thread, part, None).await;
        }
        if session.awaits_yes(self.parts.clock.now().timestamp()) {
            *talk.question() = last;
        }
        end.trace.mark(Stage::End, Instant::now());
        let record = end.record(id, session.id().channel, &*self.parts.clock);
        if let Some(store) = &self.parts.store
            && let Err(error) = store.save_turn(&record).await
        {
            tracing::warn!(%error, "the turn was not recorded");
        }
    }

    async fn next_turn(&self) -> TurnId {
        let last = match &self.parts.store {
            Some(store) => store.last_turn().await.ok().flatten().map_or(0, |record| record.id.0),
            None => 0,
        };
        TurnId(last + 1)
    }

    /// Hands a message to the outbox; its number.
    async fn post(&self, thread: SignalThread, text: String, key: Option<String>) -> Option<OutgoingId> {
        let (audience, urgency) = (audience(thread), Urgency::Direct);
        let posted = self.parts.outbox.post(Outgoing { audience, text, urgency, key, expires: None }).await;
        posted.inspect_err(|error| tracing::warn!(%error, "an answer was not sent")).ok()
    }

    async fn show_as_read(&self, message: &OwnerMessage) {
        if !self.parts.config.read_receipts {
            return;
        }
        let params = json!({ "recipient": self.parts.config.owner_uuid(), "targetTimestamp": [message.stamp], "type": "read" });
        if let Err(fault) = self.parts.link.ask("sendReceipt", params, COURTESY).await {
            tracing::debug!(%fault, "no receipt was sent");
        }
    }

    async fn show_typing(&self, thread: SignalThread) {
        if !self.parts.config.typing {
            return;
        }
        let params = match thread {
            SignalThread::Owner => json!({ "recipient": self.parts.config.owner_uuid() }),
            SignalThread::Group => json!({ "groupId": self.parts.config.group }),
        };
        if let Err(fault) = self.parts.link.ask("sendTyping", params, COURTESY).await {
            tracing::debug!(%fault, "no sign of typing was sent");
        }
    }
}

fn audience(thread: SignalThread) -> Audience {
    match thread {
        SignalThread::Owner => Audience::Owner,
        SignalThread::Group => Audience::Group,
    }
}

#[cfg(test)]
mod tests;
