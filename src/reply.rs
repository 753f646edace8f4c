//! From words to an answer: redact → quick intents → dialogue → prompt → model → check → remember.
//!
//! [`reply`] runs in the task of one turn; [`Engine`] is what turns share. In: what was heard or
//! typed. Out: [`ReplyEvent`]s while the answer comes in, and a [`ReplyOutcome`]. Nothing behind the
//! first line sees unredacted text. A missing store, or one that fails, costs the memory and never
//! the answer; a missing model becomes an apology. Dropping or cancelling a turn aborts the model.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use futures_util::StreamExt;
use jiff::Zoned;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::llm::{self, Ask, Length, LlmError, Message, ModelSize};
use crate::message::{Channel, Private, TurnId};
use crate::store::{Exchange, ExchangeId, Store, StoreError};
use crate::trace::{Decision, ModelUse};

mod ask;
pub mod check;
mod config;
mod context;
mod dialogue;
mod gate;
pub mod intents;
pub mod malformed;
pub mod model;
mod outlet;
mod patience;
mod prompt;
pub mod redact;
pub mod sanitize;
#[cfg(test)]
mod tests;
pub mod words;

pub use config::{Character, ContextConfig, PersonaConfig, Placement, ReplyConfig, TimeKind};

use intents::{Intent, QuickIntent, VolumeChange};
use model::{ChatModel, ModelState, Room};
use outlet::{Outlet, Unheard};

/// Most messages read from the store for one prompt; far more than fit into it.
const READ_BACK: u32 = 1_000;

/// What an [`Engine`] is made of.
pub struct EngineParts<M> {
    /// `[reply]`.
    pub reply: ReplyConfig,
    /// `[persona]`.
    pub persona: PersonaConfig,
    /// `[context]`.
    pub context: ContextConfig,
    /// The first enabled wake phrase, for her name.
    pub wake_phrase: Option<String>,
    /// The model.
    pub model: Arc<M>,
    /// The model's window.
    pub room: Room,
    /// Memory; without it every question is the first.
    pub store: Option<Store>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

/// What all turns share.
pub struct Engine<M> {
    parts: EngineParts<M>,
    name: String,
    heads: Heads,
    // Short sections without an await: plain mutexes do.
    last: Mutex<HashMap<Channel, String>>,
    store_failed: Mutex<bool>,
}

/// What was heard or typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnInput {
    /// Which turn.
    pub id: TurnId,
    /// Where it was said, and where the answer goes.
    pub channel: Channel,
    /// The words, without the wake phrase, not yet redacted.
    pub text: Private<String>,
}

/// What happens during a turn, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplyEvent {
    /// The next words of the answer: show them, speak them. Together they are the answer.
    Text(String),
    /// A sentence to say at once that is no part of the answer ("one moment…").
    Aside(String),
    /// Do this now.
    Act(Action),
    /// Tell the owner, in writing; not to be spoken.
    Notice(String),
    /// The model's first word came.
    FirstToken(Instant),
    /// Something was decided; for the trace.
    Decided(Decision),
    /// A model call is over; for the trace.
    Used(ModelUse),
}

/// What the channel is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Be silent at once.
    StopSpeaking,
    /// Change the volume.
    Volume(VolumeChange),
    /// The user wants nothing more: don't listen for a follow-up.
    EndConversation,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyOutcome {
    /// What was heard or typed, redacted: this, never the input, goes into records.
    pub heard: Private<String>,
    /// The answer, as far as it went out.
    pub text: Private<String>,
    /// How it came to its end.
    pub ended: Ended,
    /// Whether more may be said.
    pub conversation: Conversation,
    /// The stored exchange; see [`Engine::heard_only`].
    pub exchange: Option<ExchangeId>,
}

/// Whether the user may want to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conversation {
    /// He may.
    GoesOn,
    /// He has said that he wants nothing more.
    IsOver,
}

/// The ways a turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The model answered.
    Answered,
    /// No model was needed.
    Quick,
    /// There was no whole answer, and she said so.
    Apologised,
    /// The turn was cancelled, or nobody listened any more.
    Cancelled,
}

/// Answers one turn. Ends soon after `cancel`, or when the receiver of `events` is dropped; what
/// went out until then is remembered as the answer.
pub async fn reply<M: ChatModel>(
    engine: &Engine<M>,
    turn: TurnInput,
    events: mpsc::Sender<ReplyEvent>,
    cancel: CancellationToken,
) -> ReplyOutcome {
    let now = engine.parts.clock.now();
    let asked = redact::redact(&turn.text.0);
    drop(turn.text);
    let mut outlet = Outlet::new(events);
    let turn = Turn { channel: turn.channel, now, asked: asked.as_str() };
    let ended = tokio::select! {
        biased;
        () = cancel.cancelled() => Err(Unheard),
        ended = engine.respond(&turn, asked.labels(), &mut outlet) => ended,
    };
    let (ended, keep) = ended.unwrap_or((Ended::Cancelled, Keep::Yes));
    let said = outlet.said.trim().to_owned();
    let exchange = match keep {
        Keep::Yes if !said.is_empty() => engine.remember(&turn, &said, &outlet).await,
        Keep::Yes | Keep::No => None,
    };
    let conversation = if outlet.is_over { Conversation::IsOver } else { Conversation::GoesOn };
    ReplyOutcome { heard: Private(asked.into_string()), text: Private(said), ended, conversation, exchange }
}

/// One turn behind the redaction.
struct Turn<'a> {
    channel: Channel,
    now: Zoned,
    asked: &'a str,
}

/// Whether an exchange belongs to the dialogue.
enum Keep {
    Yes,
    No,
}

/// What every prompt begins with, for small models and for large ones.
struct Heads {
    small: String,
    large: String,
}

impl Heads {
    fn new(character: Character, name: &str) -> Self {
        let of = |size| prompt::head(character, name, size);
        Self { small: of(ModelSize::Small), large: of(ModelSize::Large) }
    }

    fn of(&self, size: ModelSize) -> &str {
        match size {
            ModelSize::Small => &self.small,
            ModelSize::Large => &self.large,
        }
    }
}

/// What every prompt begins with, for [`llm::Mind`] to have read before the first question.
pub fn head(
    persona: &PersonaConfig,
    context: &ContextConfig,
    wake_phrase: Option<&str>,
    clock: Arc<dyn Clock>,
) -> llm::Head {
    let heads = Heads::new(persona.character, &prompt::name(persona, wake_phrase));
    let context = context.clone();
    Arc::new(move |_, size| {
        let line = context::line(&context, &clock.now());
        let newest = prompt::Newest { asked: "", context: &line, placement: context.placement };
        let messages =
            prompt::build(heads.of(size), Vec::new(), &newest, Room::from(&llm::LlmConfig::default()));
        Ask { messages, ..Ask::default() }
    })
}

impl<M: ChatModel> Engine<M> {
    /// An engine; starts nothing.
    pub fn new(parts: EngineParts<M>) -> Self {
        let name = prompt::name(&parts.persona, parts.wake_phrase.as_deref());
        let heads = Heads::new(parts.persona.character, &name);
        Self { parts, name, heads, last: Mutex::default(), store_failed: Mutex::default() }
    }

    /// The name she goes by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Has the model read everything that is known before the question: the head and the dialogue
    /// of `channel`. To be called once the model is loaded, at a wake word, and when an answer is
    /// complete; then only the question is left to read. Dropping it aborts it.
    ///
    /// # Errors
    /// The model's; a warm-up that failed costs time, nothing else.
    pub async fn read_ahead(&self, channel: Channel) -> Result<(), LlmError> {
        let turn = Turn { channel, now: self.parts.clock.now(), asked: "" };
        let messages = self.prompt(&turn, &self.past(&turn).await.unwrap_or_default());
        let mut words = self.parts.model.ask(messages, Length::OneToken).await?;
        while let Some(event) = words.next().await {
            event?;
        }
        Ok(())
    }

    /// Corrects the dialogue after a spoken answer was interrupted: only `heard` of it was audible.
    pub async fn heard_only(&self, exchange: ExchangeId, heard: String) -> Result<(), StoreError> {
        match &self.parts.store {
            Some(store) => store.amend_answer(exchange, heard).await,
            None => Ok(()),
        }
    }

    /// The path of a turn.
    async fn respond(
        &self,
        turn: &Turn<'_>,
        hidden: &[redact::Label],
        outlet: &mut Outlet,
    ) -> Result<(Ended, Keep), Unheard> {
        if !hidden.is_empty() {
            let kinds: Vec<&str> = hidden.iter().map(|label| label.token()).collect();
            outlet.decided("redact", "hidden", kinds.join(" ")).await?;
        }
        if turn.asked.is_empty() {
            outlet.decided("intents", "nothing", "no words").await?;
            outlet.say(words::NOTHING_HEARD).await?;
            return Ok((Ended::Quick, Keep::No));
        }
        if let Some(quick) = intents::match_intent(turn.asked) {
            let keep = self.act(turn, &quick, outlet).await?;
            return Ok((Ended::Quick, keep));
        }
        let past = match self.past(turn).await {
            Ok(past) => past,
            Err(error) => self.without_memory(&error, outlet).await?,
        };
        let messages = self.prompt(turn, &past);
        outlet.decided("dialogue", past.verdict(), format!("{} messages", messages.len())).await?;
        let answer = ask::answer(&*self.parts.model, &self.parts.reply, messages, outlet).await?;
        let ended = match answer {
            ask::Answer::Whole => Ended::Answered,
            ask::Answer::Apology => Ended::Apologised,
        };
        Ok((ended, Keep::Yes))
    }

    /// Does what needs no model.
    async fn act(&self, turn: &Turn<'_>, quick: &QuickIntent, outlet: &mut Outlet) -> Result<Keep, Unheard> {
        outlet.decided("intents", format!("{:?}", quick.what), quick.reason.as_str()).await?;
        let (actions, keep): (&[Action], Keep) = match quick.what {
            Intent::Time | Intent::Date => (&[], Keep::Yes),
            Intent::Volume(change) => (&[Action::Volume(change)], Keep::Yes),
            Intent::Repeat => (&[], Keep::No),
            Intent::Stop => (&[Action::StopSpeaking, Action::EndConversation], Keep::No),
            Intent::Thanks | Intent::Goodbye | Intent::GoodNight => (&[Action::EndConversation], Keep::Yes),
            Intent::NeverMind => (&[Action::EndConversation], Keep::No),
        };
        outlet.is_over = actions.contains(&Action::EndConversation);
        for action in actions {
            outlet.send(ReplyEvent::Act(*action)).await?;
        }
        let last = self.lock(&self.last).get(&turn.channel).cloned();
        outlet.say(&intents::answer(quick.what, &turn.now, last.as_deref())).await?;
        Ok(keep)
    }

    fn prompt(&self, turn: &Turn<'_>, past: &dialogue::Past) -> Vec<Message> {
        let context = context::line(&self.parts.context, &turn.now);
        let newest =
            prompt::Newest { asked: turn.asked, context: &context, placement: self.parts.context.placement };
        // A model that is still starting is most likely the embedded one.
        let size = match self.parts.model.state() {
            ModelState::Ready(served) => served.size,
            ModelState::Starting | ModelState::Down(_) => ModelSize::Small,
        };
        prompt::build(self.heads.of(size), past.messages.clone(), &newest, self.parts.room)
    }

    async fn past(&self, turn: &Turn<'_>) -> Result<dialogue::Past, StoreError> {
        let Some(store) = &self.parts.store else { return Ok(dialogue::Past::default()) };
        let now = turn.now.timestamp();
        let rows = store.dialogue_since(dialogue::horizon(&self.parts.reply, now), READ_BACK).await?;
        Ok(dialogue::past(&rows, turn.channel, now, &self.parts.reply))
    }

    /// Keeps what was asked and what was answered. A failure costs the memory, not the answer.
    async fn remember(&self, turn: &Turn<'_>, said: &str, outlet: &Outlet) -> Option<ExchangeId> {
        self.lock(&self.last).insert(turn.channel, said.to_owned());
        let store = self.parts.store.as_ref()?;
        let exchange = Exchange {
            channel: turn.channel,
            asked_at: turn.now.timestamp(),
            asked: Private(turn.asked.to_owned()),
            answered_at: self.parts.clock.now().timestamp(),
            answer: Private(said.to_owned()),
        };
        match store.add_exchange(exchange).await {
            Ok(id) => {
                *self.lock(&self.store_failed) = false;
                Some(id)
            }
            Err(error) => {
                // A receiver that is gone can't be told; the log was.
                let _ = self.without_memory(&error, outlet).await;
                None
            }
        }
    }

    /// Tells a failure of the store: once, until it works again.
    async fn without_memory(&self, error: &StoreError, outlet: &Outlet) -> Result<dialogue::Past, Unheard> {
        let told = std::mem::replace(&mut *self.lock(&self.store_failed), true);
        if !told {
            tracing::warn!(%error, "the dialogue can't be remembered");
            outlet.send(ReplyEvent::Notice(error.to_string())).await?;
        }
        outlet.decided("memory", "failed", error.to_string()).await?;
        Ok(dialogue::Past::default())
    }

    fn lock<'a, T>(&self, what: &'a Mutex<T>) -> std::sync::MutexGuard<'a, T> {
        what.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
