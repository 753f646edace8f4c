//! Whole turns with a scripted model, a store in memory, a manual clock and paused time.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Zoned;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::model::Room;
use super::prompt::head::HeadSet;
use super::*;
use joi_answer::digest;
use joi_base::clock::{Clock, ManualClock};
use joi_base::message::{ConversationId, Origin, Private, TurnId};
use joi_base::trace::Decision;
use joi_language::ReplySentences;
use joi_language::testing::{english, german, in_english};
use joi_llm::ModelPriority;
use joi_llm::{Ask, LlmError, Message, ModelSize, Role};
use joi_schedule::{Schedule, ScheduleParts, TimersConfig};
use joi_store::Store;
use joi_tools::{Router, ToolRegistry, Toolbox, ToolsConfig};

mod acting;
mod agent_questions;
mod agents;
mod attacks;
mod breakdowns;
mod carried;
mod choice;
mod confirmation;
mod diary;
mod directed;
mod endless;
mod failures;
mod faults;
mod forms;
mod frugal;
mod house;
mod language;
mod large_memory;
mod length;
mod limits;
mod memory;
mod outgoing;
mod outside;
mod path;
mod privacy;
mod proactive;
mod profiles;
mod programs;
mod read_ahead;
mod replaced;
mod rules;
mod safe_answers;
mod said;
mod scripted;
mod secrets;
mod server;
mod sessions;
mod take_back;
mod talk;
mod timers;
mod told;
mod tools;
mod weather;

use scripted::{Scripted, Step, plans};

/// An engine with everything a test looks at, and two conversations.
struct Bench {
    engine: Engine<Scripted>,
    voice: Session,
    console: Session,
    model: Arc<Scripted>,
    clock: Arc<ManualClock>,
    store: Store,
}

/// What one turn did.
struct Ran {
    outcome: ReplyOutcome,
    events: Vec<ReplyEvent>,
}

impl Ran {
    fn of(outcome: ReplyOutcome, mut received: mpsc::Receiver<ReplyEvent>) -> Self {
        let mut events = Vec::new();
        while let Ok(event) = received.try_recv() {
            events.push(event);
        }
        Self { outcome, events }
    }

    /// The tools that were called, and what came of it.
    fn called(&self) -> Vec<(&str, &str)> {
        let called = |event: &'_ ReplyEvent| matches!(event, ReplyEvent::Called(_));
        let calls = self.events.iter().filter(|event| called(event));
        calls
            .filter_map(|e| if let ReplyEvent::Called(c) = e { Some((&*c.name, &*c.outcome)) } else { None })
            .collect()
    }

    /// What one stage decided, in order.
    fn decided(&self, stage: &str) -> Vec<&str> {
        let verdict = |event: &'_ ReplyEvent| matches!(event, ReplyEvent::Decided(d) if d.stage == stage);
        let decisions = self.events.iter().filter(|event| verdict(event));
        decisions
            .filter_map(|e| if let ReplyEvent::Decided(d) = e { Some(&*d.verdict) } else { None })
            .collect()
    }

    /// Returns the text that is shown and spoken, asides in parentheses, notices in brackets.
    fn shown(&self) -> String {
        let shown = |event: &ReplyEvent| match event {
            ReplyEvent::Text(text) => text.clone(),
            ReplyEvent::Aside(text) => format!("({text}) "),
            ReplyEvent::Offer(text) => format!(" ({text})"),
            ReplyEvent::Notice(text) => format!("[{text}] "),
            ReplyEvent::Act(_)
            | ReplyEvent::FirstToken(_)
            | ReplyEvent::Decided(_)
            | ReplyEvent::Used(_)
            | ReplyEvent::Called(_) => String::new(),
        };
        self.events.iter().map(shown).collect()
    }

    fn acts(&self) -> Vec<Action> {
        let act = |event: &ReplyEvent| if let ReplyEvent::Act(a) = event { Some(*a) } else { None };
        self.events.iter().filter_map(act).collect()
    }
}

fn time(text: &str) -> Zoned {
    text.parse().unwrap()
}

/// 22 November 2026 was a Sunday.
fn start() -> Zoned {
    time("2026-11-22T14:05:30+01:00[Europe/Vienna]")
}

/// Returns the sentences that are said without a model.
fn say() -> &'static ReplySentences {
    &english().sentences().reply
}

/// The schedule of a program that rings itself.
fn schedule(store: &Store, clock: &Arc<ManualClock>) -> Schedule {
    Schedule::new(ScheduleParts {
        store: store.clone(),
        clock: Arc::clone(clock) as Arc<dyn Clock>,
        config: TimersConfig::default(),
        languages: in_english(),
        is_synchronised: || false,
        wake_up: None,
    })
}

impl Bench {
    fn new(script: Vec<Vec<Step>>) -> Self {
        Self::with(script, |_| {})
    }

    fn with(script: Vec<Vec<Step>>, change: impl FnOnce(&mut EngineParts<Scripted>)) -> Self {
        let model = Arc::new(Scripted::new(script));
        let clock = Arc::new(ManualClock::at(start()));
        let store = Store::in_memory().unwrap();
        let mut parts = EngineParts {
            agents: None,
            home: None,
            initiative: crate::Initiative::default(),
            // Model calls beside the answer are switched on where a test is about them.
            reply: ReplyConfig {
                planner: PlannerConfig { mode: PlannerMode::Never, ..PlannerConfig::default() },
                ..ReplyConfig::default()
            },
            persona: PersonaConfig::default(),
            context: ContextConfig::default(),
            memory: MemoryConfig { extractor: Extractor::Never, ..MemoryConfig::default() },
            wake_phrase: Some("hey jarvis".into()),
            model: Arc::clone(&model),
            room: ROOM,
            store: Some(store.clone()),
            schedule: Some(schedule(&store, &clock)),
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            tools: ToolRegistry::default(),
            tool_rules: ToolsConfig { router: Router::Keyword, ..ToolsConfig::default() },
            protocols: Protocols::default(),
            languages: in_english(),
        };
        change(&mut parts);
        Self::of(Engine::new(parts), model, clock, store)
    }

    fn of(engine: Engine<Scripted>, model: Arc<Scripted>, clock: Arc<ManualClock>, store: Store) -> Self {
        let voice = Session::new(ConversationId::voice(ConversationId::HOME));
        Self { engine, voice, console: Session::new(ConversationId::console()), model, clock, store }
    }

    /// The first part of a prompt, as every conversation begins.
    fn head(&self, size: ModelSize, protocol: Protocol) -> String {
        let parts = &self.engine.parts;
        let heads = HeadSet::new(parts.tools.snapshot(), &self.engine.speaking(&self.engine.language()));
        heads.of_profile(None).of(size, protocol, &[]).system
    }

    /// Says something for which the planner writes these steps.
    async fn say_planned(&mut self, text: &str, plan: &[&str]) -> Ran {
        self.model.first(plans(plan));
        self.engine.parts.reply.planner.mode = PlannerMode::Always;
        let ran = self.say(text).await;
        self.engine.parts.reply.planner.mode = PlannerMode::Never;
        ran
    }

    async fn say(&self, text: &str) -> Ran {
        self.say_in(&self.voice, text).await
    }

    async fn say_in(&self, session: &Session, text: &str) -> Ran {
        self.heard_in(session, text, false).await
    }

    /// Says something of which the recogniser is not sure.
    async fn mumbles(&self, text: &str) -> Ran {
        self.heard_in(&self.voice, text, true).await
    }

    async fn heard_in(&self, session: &Session, text: &str, is_unsure: bool) -> Ran {
        let (events, received) = mpsc::channel(1_000);
        let turn = TurnInput { id: TurnId(1), text: Private(text.into()), language: None, is_unsure };
        let outcome = reply(&self.engine, session, turn, events, CancellationToken::new()).await;
        Ran::of(outcome, received)
    }

    fn later(&self, seconds: i64) {
        let now = self.clock.now();
        self.clock.set(now.checked_add(jiff::SignedDuration::from_secs(seconds)).unwrap());
    }

    /// The stored dialogue as (speaker, text).
    async fn stored(&self) -> Vec<(&'static str, String)> {
        let rows = self.store.dialogue_since(jiff::Timestamp::MIN, 1_000).await.unwrap();
        rows.into_iter().map(|row| (row.role.name(), row.text.0)).collect()
    }
}

fn outcome(heard: &str, text: &str, ended: Ended) -> (String, String, Ended) {
    (heard.into(), text.into(), ended)
}

fn ended(ran: &Ran) -> (String, String, Ended) {
    (ran.outcome.heard.0.clone(), ran.outcome.text.0.clone(), ran.outcome.ended)
}

/// A request as the model saw it.
fn request(messages: &[(Role, &str)]) -> Vec<Message> {
    messages.iter().map(|(role, text)| Message::new(*role, *text)).collect()
}

const ROOM: Room = Room { context_tokens: 4096, reply_tokens: 500 };
