//! The conversation with the owner over Signal: written messages are answered in writing.
//!
//! Turns run one after the other in one Tokio task; what must not wait for them is done at once (`sorting`). In: what the
//! gate let through. Out: messages in the outbox, which sends them in their order and within its rates, and a record of
//! each turn. The thread with the owner and the group have a session each. What is old, long or without words is answered
//! with a fixed sentence and never acted on. A voice message becomes words first ([`notes`]); a thumb up acknowledges an
//! alarm or says yes (`approval`).

mod approval;
mod inbox;
pub mod notes;
mod plain;
mod reporter;
mod sorting;
mod waiting;

use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::json;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::turn;
pub use inbox::{SignalArrivals, SignalInbox, inbox};
use joi_agent::model::ChatModel;
use joi_agent::{Ended, Engine, Session, TurnInput};
use joi_base::clock::Clock;
use joi_base::message::{ConversationId, Private, TurnId};
use joi_base::trace::{Stage, Trace};
use joi_language::{Language, LanguageCode, fill, times};
use joi_messages::outbound::{Audience, Outbox, Outgoing, OutgoingId, Urgency};
use joi_messages::signal::SignalConfig;
use joi_messages::signal::gate::{OwnerMatter, OwnerMessage, SignalThread};
use joi_messages::signal::link::SignalLink;
use joi_store::Store;
use notes::NoteListener;
use reporter::MessageReporter;
use waiting::{MessageNames, WaitingTurn, WaitingTurns};

/// Time for a receipt or a sign of typing.
const COURTESY: Duration = Duration::from_secs(10);

/// What the conversation is made of.
pub struct SignalConversationParts<M> {
    /// Answers.
    pub engine: Arc<Engine<M>>,
    /// Keeps the records of turns.
    pub store: Option<Store>,
    /// The clock.
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
    inbox: Mutex<SignalArrivals>,
    waiting: WaitingTurns,
}

/// The conversation in one thread.
struct SignalTalk {
    session: Session,
    last: StdMutex<LastMessage>,
}

/// The last answer in a thread.
#[derive(Default)]
struct LastMessage {
    names: MessageNames,
    /// The answer, if it ends with a question which waits for a yes.
    question: Option<OutgoingId>,
    /// Its words disappear from the thread.
    is_fleeting: bool,
}

/// Words that are to be answered.
struct WrittenWords<'a> {
    text: Private<String>,
    /// Their language, where they were heard.
    language: Option<LanguageCode>,
    /// Of the message that they stand in.
    names: &'a MessageNames,
    /// They disappear from the thread.
    is_fleeting: bool,
}

impl SignalTalk {
    fn new(id: ConversationId) -> Self {
        Self { session: Session::new(id), last: StdMutex::default() }
    }

    fn last(&self) -> MutexGuard<'_, LastMessage> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M: ChatModel> SignalConversation<M> {
    /// A conversation that has not begun.
    pub fn new(parts: SignalConversationParts<M>, inbox: SignalArrivals) -> Self {
        let owner = SignalTalk::new(ConversationId::signal(&parts.config.owner_uuid()));
        let group = SignalTalk::new(ConversationId::signal(&parts.config.group));
        Self { parts, owner, group, inbox: Mutex::new(inbox), waiting: WaitingTurns::default() }
    }

    /// Answers until `stop`. A turn that runs then is cancelled.
    pub async fn run(&self, stop: CancellationToken) {
        let mut inbox = self.inbox.lock().await;
        tokio::join!(self.sort(&mut inbox, &stop), self.take_turns(&stop));
    }

    /// One message after the other.
    async fn take_turns(&self, stop: &CancellationToken) {
        loop {
            // Both arms are cancel-safe.
            let (turn, cancel) = tokio::select! {
                () = stop.cancelled() => return,
                next = self.waiting.next(stop) => next,
            };
            self.answer(turn, &cancel).await;
            self.waiting.is_over();
        }
    }

    async fn answer(&self, turn: WaitingTurn, cancel: &CancellationToken) {
        let WaitingTurn { message, names } = turn;
        if !matches!(message.matter, OwnerMatter::Approval(..)) {
            self.show_as_read(&message).await;
        }
        let language = self.parts.engine.language();
        let words = &language.sentences().messages;
        let (thread, key) = (message.thread, |what: &str| format!("{what}/{}", message.stamp));
        let written =
            |text, language| WrittenWords { text, language, names: &names, is_fleeting: message.is_fleeting };
        match message.matter {
            OwnerMatter::Words(text) => self.turn(thread, written(text, None), cancel).await,
            OwnerMatter::Approval(target, age) => self.approved(thread, (target, age), cancel).await,
            // They are done at once.
            OwnerMatter::TakenBack(_) | OwnerMatter::Corrected(..) | OwnerMatter::Remark(_) => {}
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
            OwnerMatter::Voice(file) => {
                let heard = tokio::select! {
                    () = cancel.cancelled() => return,
                    heard = self.listen(thread, file) => heard,
                };
                match heard {
                    Ok((text, language)) => self.turn(thread, written(text, language), cancel).await,
                    Err(why) => {
                        let told = notes::fault_sentence(&why, &language);
                        self.post(thread, told, Some(key("note"))).await;
                    }
                }
            }
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

    /// Answers words. Those that are taken back meanwhile are answered no further, and nothing of them is kept.
    async fn turn(&self, thread: SignalThread, words: WrittenWords<'_>, cancel: &CancellationToken) {
        let talk = self.talk(thread);
        let session = &talk.session;
        let WrittenWords { text, language, names, is_fleeting } = words;
        *talk.last() = LastMessage { names: names.clone(), question: None, is_fleeting };
        let id = self.next_turn().await;
        let input = TurnInput { id, text, language, is_unsure: false };
        self.show_typing(thread).await;
        let mut reporter = MessageReporter::new(self.parts.outbox.clone(), audience(thread));
        let trace = Trace::starting(Instant::now());
        let engine = &*self.parts.engine;
        session.keeps_words(!is_fleeting);
        let mut end = turn::run((engine, session), input, trace, &mut reporter, cancel.clone()).await;
        if cancel.is_cancelled() {
            session.drop_question();
            if end.outcome.ended == Ended::Cancelled {
                return;
            }
        }
        let mut last = None;
        for part in reporter.into_messages() {
            last = self.post(thread, part, None).await;
        }
        if session.awaits_yes(self.parts.clock.now().timestamp()) {
            talk.last().question = last;
        }
        end.trace.mark(Stage::End, Instant::now());
        let record = end.record(id, session.id().channel, &*self.parts.clock);
        if let Some(store) = self.parts.store.as_ref().filter(|_| !is_fleeting)
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
