//! Whole turns with a scripted model, a store in memory, a manual clock and paused time.

use std::sync::Arc;

use jiff::Zoned;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::model::Room;
use super::*;
use crate::clock::ManualClock;
use crate::llm::{Message, Role};
use crate::schedule::{ScheduleParts, TimersConfig};
use crate::tools::Router;

mod acting;
mod breakdowns;
mod choice;
mod diary;
mod directed;
mod failures;
mod faults;
mod frugal;
mod limits;
mod memory;
mod path;
mod privacy;
mod profiles;
mod scripted;
mod timers;
mod tools;

use scripted::{Scripted, Step, plans};

/// An engine with everything a test looks at.
struct Bench {
    engine: Engine<Scripted>,
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

    /// What is shown and spoken, asides in parentheses, notices in brackets.
    fn shown(&self) -> String {
        let shown = |event: &ReplyEvent| match event {
            ReplyEvent::Text(text) => text.clone(),
            ReplyEvent::Aside(text) => format!("({text}) "),
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

/// The schedule of a program that rings itself.
fn schedule(store: &Store, clock: &Arc<ManualClock>) -> Schedule {
    Schedule::new(ScheduleParts {
        store: store.clone(),
        clock: Arc::clone(clock) as Arc<dyn Clock>,
        config: TimersConfig::default(),
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
            // What is asked beside the answer is switched on where a test is about it.
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
            tools: Toolbox::default(),
            tool_rules: ToolsConfig { router: Router::Keyword, ..ToolsConfig::default() },
            protocols: Protocols::default(),
        };
        change(&mut parts);
        Self { engine: Engine::new(parts), model, clock, store }
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
        self.say_on(Channel::Voice, text).await
    }

    async fn say_on(&self, channel: Channel, text: &str) -> Ran {
        let (events, received) = mpsc::channel(1_000);
        let turn = TurnInput { id: TurnId(1), channel, text: Private(text.into()) };
        let outcome = reply(&self.engine, turn, events, CancellationToken::new()).await;
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

fn told(ran: &Ran) -> (String, String, Ended) {
    (ran.outcome.heard.0.clone(), ran.outcome.text.0.clone(), ran.outcome.ended)
}

/// A request as the model saw it.
fn request(messages: &[(Role, &str)]) -> Vec<Message> {
    messages.iter().map(|(role, text)| Message::new(*role, *text)).collect()
}

const ROOM: Room = Room { context_tokens: 4096, reply_tokens: 500 };
