//! From words to an answer: redact → a yes to a question of hers → quick intents → two requests? → dialogue → recall
//! gate → router → planner → memory → prompt → model and tools → check → remember.
//!
//! [`reply`] runs in the task of one turn; [`Engine`] is what turns share. In: what was heard or
//! typed. Out: [`ReplyEvent`]s while the answer comes in, and a [`ReplyOutcome`]. Nothing behind the
//! first line sees unredacted text. A missing store, or one that fails, costs the memory and never
//! the answer; a missing model becomes an apology. Dropping or cancelling a turn aborts the model.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use jiff::{Timestamp, Zoned};
use tokio::sync::{OnceCell, mpsc};
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::llm::{Ask, Length, LlmError};
use crate::message::{Channel, Private, TurnId};
use crate::schedule::Schedule;
use crate::store::{ExchangeId, Store, StoreError};
use crate::tools::{Toolbox, ToolsConfig};
use crate::trace::{Decision, ModelUse, ToolUse};

mod acting;
mod ask;
mod carry;
pub mod check;
mod claims;
mod compound;
mod config;
mod context;
mod deadline;
mod dialogue;
pub mod diary;
mod digest;
mod gate;
mod head;
mod home;
pub mod intents;
mod listener;
pub mod malformed;
pub mod memory;
pub mod model;
mod outlet;
mod parts;
mod patience;
mod plan;
mod planner;
mod profile;
mod prompt;
mod protocol;
mod quick;
pub mod redact;
mod remember;
mod repeats;
mod router;
pub mod sanitize;
mod scratch;
#[cfg(test)]
mod tests;
mod timers;
mod tool_loop;
mod trunk;
pub mod words;

pub use config::{Character, ContextConfig, PersonaConfig, Placement, ReplyConfig, TimeKind};
pub use config::{Order, PersonaMode, PlannerConfig, PlannerMode};

pub use head::{Prelude, head};
pub use memory::{Everyday, Extractor, MemoryConfig, MemoryDigest, Sources, memory_question};
pub use protocol::{Protocol, Protocols};

use acting::Prepared;
use carry::Carry;
use deadline::in_time;
use head::Heads;
use intents::VolumeChange;
use model::{ChatModel, Room};
use outlet::{Outlet, Unheard};
use scratch::Scratch;
use tool_loop::Pending;

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
    /// `[memory]`.
    pub memory: MemoryConfig,
    /// The first enabled wake phrase, for her name.
    pub wake_phrase: Option<String>,
    /// The model.
    pub model: Arc<M>,
    /// The model's window.
    pub room: Room,
    /// Memory; without it every question is the first.
    pub store: Option<Store>,
    /// Timers, alarms and reminders; without it none can be set.
    pub schedule: Option<Schedule>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// What she can do.
    pub tools: Toolbox,
    /// `[tools]`.
    pub tool_rules: ToolsConfig,
    /// Which model calls tools how.
    pub protocols: Protocols,
}

/// What all turns share.
pub struct Engine<M> {
    parts: EngineParts<M>,
    name: String,
    heads: Heads,
    /// By the name of the profile.
    profiled: HashMap<&'static str, Heads>,
    // Short sections without an await: plain mutexes do.
    last: Mutex<HashMap<Channel, String>>,
    /// What was asked back.
    unfinished: Mutex<HashMap<Channel, timers::Unfinished>>,
    /// What was set last.
    just: Mutex<HashMap<Channel, timers::Just>>,
    store_failed: Mutex<bool>,
    carry: Mutex<Carry>,
    /// Set once what an earlier run carried over is known; as it is kept now.
    kept: OnceCell<Mutex<String>>,
    pending: Mutex<HashMap<Channel, Pending>>,
    lately: Mutex<VecDeque<Timestamp>>,
    scratch: Mutex<Scratch>,
    memory: memory::Held,
    busy: diary::Busy,
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
    /// A tool was called, or was not; for the trace.
    Called(ToolUse),
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
    /// He was asked for a yes, which counts for that long; silence means no.
    Awaits(Duration),
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
    let _running = engine.busy.begin();
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
    engine.carry_over(exchange, &mut outlet);
    engine.keep_calls().await;
    let conversation = match outlet.awaits {
        _ if outlet.is_over => Conversation::IsOver,
        Some(lasts) => Conversation::Awaits(lasts),
        None => Conversation::GoesOn,
    };
    let kept = |text: String| Private(if outlet.is_private { words::NOT_KEPT.to_owned() } else { text });
    let (heard, text) = (kept(asked.into_string()), kept(said));
    ReplyOutcome { heard, text, ended, conversation, exchange }
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

impl<M: ChatModel> Engine<M> {
    /// An engine; starts nothing.
    pub fn new(parts: EngineParts<M>) -> Self {
        let name = prompt::name(&parts.persona, parts.wake_phrase.as_deref());
        let heads = Heads::new(&parts.persona, &name, parts.tools.clone());
        let profiled = Heads::profiled(&parts.persona, &name, &parts.tools);
        Self {
            parts,
            name,
            heads,
            profiled,
            last: Mutex::default(),
            unfinished: Mutex::default(),
            just: Mutex::default(),
            store_failed: Mutex::default(),
            carry: Mutex::default(),
            kept: OnceCell::new(),
            pending: Mutex::default(),
            lately: Mutex::default(),
            scratch: Mutex::default(),
            memory: memory::Held::default(),
            busy: diary::Busy::default(),
        }
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
        let _running = self.busy.begin();
        let turn = Turn { channel, now: self.parts.clock.now(), asked: "" };
        self.recall_calls().await;
        let past = self.past(&turn).await.unwrap_or_default();
        self.settle(&past);
        let prepared = Prepared { memory: self.warm(&turn.now).await, ..Prepared::default() };
        let state = self.begin(&turn, &past, prepared);
        let (messages, tools) = (state.messages, state.native);
        let ask = Ask { length: Length::OneToken, messages, tools, ..Ask::default() };
        let mut words = self.parts.model.ask(ask).await?;
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
        self.recall_calls().await;
        if turn.asked.is_empty() {
            outlet.decided("intents", "nothing", "no words").await?;
            outlet.say(words::NOTHING_HEARD).await?;
            return Ok((Ended::Quick, Keep::No));
        }
        if let Some(answered) = self.answered(turn, outlet).await? {
            return Ok(answered);
        }
        if let Some(answered) = self.erased(turn, outlet).await? {
            return Ok(answered);
        }
        if let Some(quick) = self.quick(turn) {
            let keep = self.act(turn, &quick, outlet).await?;
            return Ok((Ended::Quick, keep));
        }
        match self.requests(turn.asked) {
            Some(parts) => self.each(turn, parts, outlet).await,
            None => self.thinks(turn, outlet).await,
        }
    }

    /// The path of a request that no quick command answers.
    async fn thinks(&self, turn: &Turn<'_>, outlet: &mut Outlet) -> Result<(Ended, Keep), Unheard> {
        let past = match self.past(turn).await {
            Ok(past) => past,
            Err(error) => self.without_memory(&error, outlet).await?,
        };
        if ask::awaited(&*self.parts.model, &self.parts.reply, outlet).await?.is_some() {
            return Ok((Ended::Apologised, Keep::Yes));
        }
        self.settle(&past);
        self.pick_profile(turn, &past, outlet).await?;
        let gate = self.recall_gate(turn, &past);
        let (routed, plan) = self.directed(turn, &past, gate, outlet).await?;
        let memory = self.recalled(turn, &past, (gate, &plan), outlet).await?;
        let state = self.begin(turn, &past, Prepared { routed, plan, memory });
        outlet.decided("dialogue", past.verdict(), format!("{} messages", state.messages.len())).await?;
        self.note_choice(&state, outlet).await?;
        let end = self.converse(state, outlet).await?;
        Ok(self.ended(end, outlet))
    }

    async fn past(&self, turn: &Turn<'_>) -> Result<dialogue::Past, StoreError> {
        let Some(store) = &self.parts.store else { return Ok(dialogue::Past::default()) };
        let now = turn.now.timestamp();
        let rows = store.dialogue_since(dialogue::horizon(&self.parts.reply, now), READ_BACK);
        let rows = in_time(deadline::DIALOGUE, rows).await?;
        Ok(dialogue::past(&rows, turn.channel, now, &self.parts.reply))
    }

    fn lock<'a, T>(&self, what: &'a Mutex<T>) -> std::sync::MutexGuard<'a, T> {
        what.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
