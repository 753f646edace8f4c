//! Shared state of all conversations: the model, the store, the schedule, the tools, the rules.
//!
//! Made once at the start and never changed after it; what a conversation holds is a [`Session`]'s. It takes no step of
//! a turn itself: it hands each step the few parts that step needs.

use std::sync::Arc;

use jiff::{SignedDuration, Zoned};

use crate::agent::AgentContext;
use crate::agent::protocols::{Answering, Protocols};
use crate::config::{ContextConfig, PersonaConfig, ReplyConfig};
use crate::initiative::Initiative;
use crate::memory::diary::{self, Diary};
use crate::memory::{MemoryConfig, MemoryService};
use crate::model::{ChatModel, ModelAccess, Room};
use crate::outgoing::Withheld;
use crate::prompt;
use crate::prompt::head::{HeadSet, Speaking};
use crate::quick::house::ConnectedHome;
use crate::quick::timers;
use crate::session::Session;
use crate::session::asked::AskedByAgent;
use crate::session::open_question::OpenQuestion;
use joi_autonomy::agent::orders::AddressedAgents;
use joi_base::clock::Clock;
use joi_base::message::Place;
use joi_language::{Language, Languages};
use joi_llm::{Arbiter, ModelPriority};
use joi_llm::{ModelPurpose, ModelSize};
use joi_proactive::alert::AcknowledgedBy;
use joi_schedule::Schedule;
use joi_schedule::announce::AnnouncedQuestion;
use joi_store::{ExchangeId, Store, StoreError};
use joi_tools::{ToolRegistry, ToolsConfig};
use joi_understand::{intents, tongue};

/// Parts of an [`Engine`].
pub struct EngineParts<M> {
    /// `[reply]`.
    pub reply: ReplyConfig,
    /// `[persona]`.
    pub persona: PersonaConfig,
    /// `[context]`.
    pub context: ContextConfig,
    /// `[memory]`.
    pub memory: MemoryConfig,
    /// The first enabled wake phrase, from which the name is taken.
    pub wake_phrase: Option<String>,
    /// The model.
    pub model: Arc<M>,
    /// The model's window.
    pub room: Room,
    /// Memory; without it every question is the first.
    pub store: Option<Store>,
    /// Timers, alarms and reminders; without it none can be set.
    pub schedule: Option<Schedule>,
    /// The house, if one is connected.
    pub home: Option<ConnectedHome>,
    /// Handles of the proactive part.
    pub initiative: Initiative,
    /// The agents of the configuration; nothing where there are none.
    pub agents: Option<AddressedAgents>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The tools there are at any time.
    pub tools: ToolRegistry,
    /// `[tools]`.
    pub tool_rules: ToolsConfig,
    /// Which model calls tools how.
    pub protocols: Protocols,
    /// The language that is spoken; it may be replaced at any time, and counts from the next turn on.
    pub languages: Languages,
}

/// Where no house is connected no room is too warm.
const UNUSED_COMFORT: [i32; 2] = [i32::MIN, i32::MAX];

/// Shared state of all conversations.
pub struct Engine<M> {
    /// What it was made from.
    pub parts: EngineParts<M>,
    pub(crate) name: String,
    pub(crate) memory: MemoryService<M>,
    pub(crate) arbiter: Arbiter,
}

impl<M: ChatModel> Engine<M> {
    /// An engine; starts nothing.
    pub fn new(parts: EngineParts<M>) -> Self {
        let name = prompt::name(&parts.persona, parts.wake_phrase.as_deref());
        let memory = MemoryService::new(parts.memory, parts.store.clone(), Arc::clone(&parts.model));
        Self { parts, name, memory, arbiter: Arbiter::default() }
    }

    /// Returns other readings of `text`, by the names of things in the connected house.
    pub fn near_in_house(&self, language: &Language, text: &str) -> Vec<intents::Reading> {
        self.parts.home.as_ref().map(|home| home.near(language, text)).unwrap_or_default()
    }

    /// The assistant's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The tools there are for a conversation: name and description.
    pub fn tools(&self, session: &Session) -> Vec<(String, String)> {
        let tools = session.tools(&self.parts.tools, &self.speaking(&self.language()));
        tools.offered().iter().map(|tool| (tool.name().to_owned(), tool.description().to_owned())).collect()
    }

    /// Which model answers, how much may be asked of it, and how it calls tools.
    pub fn model(&self) -> String {
        let Answering { model, size, protocol, .. } = self.answering();
        let model = if model.is_empty() { "no model yet".to_owned() } else { model };
        let size = match size {
            ModelSize::Small => "small",
            ModelSize::Large => "large",
        };
        format!("{model}, {size}, calls tools through {}", protocol.name())
    }

    /// Corrects the dialogue after a spoken answer was interrupted: only `heard` of it was audible.
    ///
    /// # Errors
    /// The database's.
    pub async fn heard_only(&self, exchange: ExchangeId, heard: String) -> Result<(), StoreError> {
        match &self.parts.store {
            Some(store) => store.amend_answer(exchange, heard).await,
            None => Ok(()),
        }
    }

    /// An agent has asked, aloud, in this conversation: the next words may answer it. A question that waits goes first.
    pub fn agent_asked(&self, session: &Session, question: AnnouncedQuestion) {
        let confirm = SignedDuration::from_secs(self.parts.tool_rules.confirm_s.into());
        let until = self.parts.clock.now().timestamp().saturating_add(confirm);
        let Ok(until) = until else { return };
        let asked = OpenQuestion::Agent(AskedByAgent { question, until, is_repeated: false });
        session.with(|state| {
            state.question.get_or_insert(asked);
        });
    }

    /// Makes whatever rings be silent, and says nothing about it.
    pub async fn silence(&self, place: Option<&Place>) {
        timers::silence(self.parts.schedule.as_ref(), place).await;
    }

    /// Writes the diary of all conversations that have ended and have no page yet. Dropping it loses nothing.
    ///
    /// # Errors
    /// The database's.
    pub async fn write_diary(&self) -> Result<diary::Pass, StoreError> {
        self.diary().write().await
    }

    /// Removes pages that are too old, and makes embeddings of what has none. Repeating it changes nothing.
    ///
    /// # Errors
    /// The database's.
    pub async fn consolidate(&self) -> Result<(), StoreError> {
        self.diary().consolidate().await?;
        self.embed_memories().await
    }

    /// Makes embeddings of all memories that have none. It gives way to whoever talks, and may be dropped at any time:
    /// what is made is kept.
    ///
    /// # Errors
    /// The database's.
    pub async fn embed_memories(&self) -> Result<(), StoreError> {
        tokio::select! {
            biased;
            () = self.arbiter.somebody_waits() => Ok(()),
            done = self.memory.embed_all() => done,
        }
    }

    /// Somebody has seen the alarm that was sent under this key; whether it still rang.
    pub async fn alarm_was_seen(&self, key: &str) -> bool {
        match &self.parts.initiative.alerts {
            Some(alerts) => alerts.acknowledge_sent(key, AcknowledgedBy::Message).await,
            None => false,
        }
    }

    /// Silences what rings if `text` says that it was heard, without a turn; what answers that, if nothing else is
    /// asked.
    pub async fn alarms_were_heard(&self, session: &Session, text: &str) -> Option<String> {
        let language = self.language_of(session, text, None);
        self.parts.initiative.heard_in(text, &language, session.id().channel).await
    }

    /// Returns the present description of the house for the model, in one line; empty where nothing is known, or the
    /// model must not read it.
    pub(crate) fn house_line(&self, language: &Language, now: &Zoned) -> String {
        if self.withheld().house {
            return String::new();
        }
        let known = self.parts.initiative.known(language, now);
        match (&self.parts.home, language.house()) {
            (Some(home), _) => home.summary(&known, language),
            (None, Some(words)) => joi_tools::house_summary(None, &known, UNUSED_COMFORT, words),
            (None, None) => String::new(),
        }
    }

    /// The language that is spoken until another one is.
    pub fn language(&self) -> Arc<Language> {
        self.parts.languages.get()
    }

    /// The language of what is said in a conversation: the one that was heard, the one its words are of, the only one
    /// in which it is a command, else the one that was spoken there last. Where one is spoken, it is always that.
    pub fn language_of(&self, session: &Session, text: &str, heard: Option<&str>) -> Arc<Language> {
        let languages = &self.parts.languages;
        if !languages.are_several() {
            return languages.get();
        }
        let of_words = || tongue::among(text, |code| languages.of(code).is_some());
        if let Some(said) = heard.or_else(of_words).and_then(|code| languages.of(code)) {
            return said;
        }
        let last = session.with(|state| state.language.clone()).and_then(|code| languages.of(&code));
        let last = last.unwrap_or_else(|| languages.get());
        let all = languages.all();
        let understood = |language: &&Arc<Language>| intents::match_intent(language, text).is_some();
        std::iter::once(&last).chain(&all).find(understood).map_or_else(|| Arc::clone(&last), Arc::clone)
    }

    /// Returns the persona for `language`.
    pub(crate) fn speaking<'a>(&'a self, language: &'a Arc<Language>) -> Speaking<'a> {
        Speaking { persona: &self.parts.persona, name: &self.name, language, withheld: self.withheld() }
    }

    /// Returns the data that the model must not read.
    pub(crate) fn withheld(&self) -> Withheld {
        Withheld::from(&*self.parts.model)
    }

    /// Returns the model that serves `purpose`.
    pub(crate) fn serving(&self, purpose: ModelPurpose) -> &M {
        self.parts.model.beside(purpose).unwrap_or(&self.parts.model)
    }

    /// Returns the names of the server and of the model that serve `purpose`.
    pub fn named(&self, purpose: ModelPurpose) -> (String, String) {
        let (model, asked) = (self.serving(purpose), self.parts.model.other_model(purpose));
        (model.provider(), asked.unwrap_or_else(|| model.state().named().1.to_owned()))
    }

    /// Which model answers; one that is still starting is most likely the embedded one.
    pub(crate) fn answering(&self) -> Answering {
        Answering::of(&*self.parts.model, &self.parts.protocols)
    }

    /// The model, for calls of this priority.
    pub(crate) fn access(&self, priority: ModelPriority) -> ModelAccess<'_, M> {
        ModelAccess { model: &self.parts.model, arbiter: &self.arbiter, priority }
    }

    /// Returns the context of the loop of one answer.
    pub(crate) fn agent<'a>(&'a self, session: &'a Session, heads: &'a Arc<HeadSet>) -> AgentContext<'a, M> {
        AgentContext {
            model: self.access(ModelPriority::of(session.id().channel)),
            config: &self.parts.reply,
            rules: &self.parts.tool_rules,
            protocols: &self.parts.protocols,
            store: self.parts.store.as_ref(),
            clock: &*self.parts.clock,
            session,
            heads,
        }
    }

    fn diary(&self) -> Diary<'_, M> {
        Diary {
            store: self.parts.store.as_ref(),
            rules: self.parts.memory,
            window_s: self.parts.reply.window_s,
            access: self.access(ModelPriority::Background),
            clock: &*self.parts.clock,
            heads: HeadSet::new(self.parts.tools.snapshot(), &self.speaking(&self.language())),
            answering: self.answering(),
            room: self.parts.room,
            language: self.language(),
        }
    }
}
