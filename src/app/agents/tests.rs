//! Agents over a real queue of announcements and a scripted model, in paused time: what they say, ask for, and never do.

use std::collections::BTreeMap;
use std::sync::Mutex as StdMutex;

use futures_util::FutureExt as _;
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use jiff::{SignedDuration, Zoned};
use serde_json::{Value, json};
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::*;
use joi_agent::Engine;
use joi_agent::model::{ModelState, Room, Served};
use joi_agent::{
    ContextConfig, EngineParts, Initiative, MemoryConfig, PersonaConfig, Protocols, ReplyConfig,
};
use joi_autonomy::agent::guard::Guardrail;
use joi_autonomy::agent::news::{AgentEvent, AgentNews, ApprovalDecision, TurnEnding};
use joi_base::clock::Clock;
use joi_home::house::{House, HouseRules, TagVocabulary, read};
use joi_home::{HomeLink, HomeView};
use joi_language::Language;
use joi_language::testing::{english, in_english};
use joi_llm::{Ask, ChatEvent, ChatStats, Knowledge, LlmConfig, LlmError, ModelSize, OLLAMA, ServedBy};
use joi_schedule::announce::{AnnounceConfig, Announcer};
use joi_tools::{
    Arguments, Call, Effect, Output, Tool, ToolError, ToolRegistry, Toolbox, ToolsConfig, schema,
};

mod limits;
mod restarts;

/// A clock that goes with the paused time of the test, and may be set.
struct PausedClock {
    began: Zoned,
    at: Instant,
    set_by: StdMutex<SignedDuration>,
}

impl Clock for PausedClock {
    fn now(&self) -> Zoned {
        let passed = SignedDuration::try_from(self.at.elapsed()).unwrap();
        self.began.checked_add(passed + *self.set_by.lock().unwrap()).unwrap()
    }
}

/// Writes what the last message of a prompt makes it write.
type Thoughts = Box<dyn Fn(&str) -> String + Send + Sync>;

struct Thinker {
    thoughts: Thoughts,
    asked: StdMutex<Vec<String>>,
    /// How long an answer takes.
    takes: Duration,
}

impl ChatModel for Thinker {
    type Words = BoxStream<'static, Result<ChatEvent, LlmError>>;

    fn state(&self) -> ModelState {
        ModelState::Ready(Served {
            model: "thinker".into(),
            size: ModelSize::Small,
            knowledge: Knowledge::Fair,
            has_tools: None,
            by: ServedBy::Server(&OLLAMA),
        })
    }

    async fn settled(&self) -> ModelState {
        self.state()
    }

    async fn ask(&self, ask: Ask) -> Result<Self::Words, LlmError> {
        let last = ask.messages.last().map(|message| message.content.clone()).unwrap_or_default();
        let text = (self.thoughts)(&last);
        self.asked.lock().unwrap().push(last);
        let stats = ChatStats { prompt_eval_count: 900, eval_count: 100, ..ChatStats::default() };
        let takes = self.takes;
        let waits = stream::once(async move {
            tokio::time::sleep(takes).await;
            Ok(ChatEvent::Text(text))
        });
        Ok(waits.chain(stream::iter([Ok(ChatEvent::Done(stats))])).boxed())
    }
}

fn call(name: &str, arguments: Value) -> String {
    format!("```tool_call\n{}\n```", json!({ "name": name, "arguments": arguments }))
}

fn yields(seconds: u32, names: &[&str]) -> String {
    call("yield", json!({ "mode": "sleep", "sleep": seconds, "wake_early_if": names }))
}

/// A deed that an agent may only do with a yes.
#[derive(Default)]
struct Deed(StdMutex<usize>);

impl Tool for Deed {
    fn name(&self) -> &str {
        "closeGarage"
    }
    fn description(&self) -> &str {
        "close the garage"
    }
    fn schema(&self) -> Value {
        schema::object(json!({}), &[])
    }
    fn effect(&self, _: &Arguments) -> Effect {
        Effect::Changes
    }
    fn in_words(&self, _: &Arguments, _: &Language) -> String {
        "close the garage".into()
    }
    fn run<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        *self.0.lock().unwrap() += 1;
        async { Ok(Output::own("It is closed.")) }.boxed()
    }
}

struct Bench {
    agents: Agents,
    announcer: Announcer,
    clock: Arc<PausedClock>,
    deed: Arc<Deed>,
    engine: Arc<Engine<Thinker>>,
    house: watch::Sender<HomeView>,
    events: broadcast::Receiver<AgentEvent>,
    stop: CancellationToken,
    running: JoinSet<()>,
    seen: Vec<AgentEvent>,
}

fn garage(state: &str) -> HomeView {
    let Value::Array(rows) = json!([
        { "name": "Garage_Door", "type": "Rollershutter", "label": "Garage door", "state": state },
    ]) else {
        unreachable!()
    };
    let house = House::new(read::items(rows).0, &TagVocabulary::default(), &HouseRules::default());
    HomeView { house, link: HomeLink::Up { version: "5".into() } }
}

impl Bench {
    fn new(agent: &str, thoughts: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        Self::taking(Duration::from_secs(2), agent, thoughts)
    }

    fn taking(
        takes: Duration,
        agent: &str,
        thoughts: impl Fn(&str) -> String + Send + Sync + 'static,
    ) -> Self {
        Self::keeping(KeptAgents::new(None), takes, agent, thoughts)
    }

    fn keeping(
        kept: KeptAgents,
        takes: Duration,
        agent: &str,
        thoughts: impl Fn(&str) -> String + Send + Sync + 'static,
    ) -> Self {
        let began = "2026-03-04T12:00:00[Europe/Vienna]".parse().unwrap();
        let clock = Arc::new(PausedClock { began, at: Instant::now(), set_by: StdMutex::default() });
        let shown = Arc::clone(&clock) as Arc<dyn Clock>;
        let announcer = Announcer::new(&AnnounceConfig::default(), None, Arc::clone(&shown));
        let deed = Arc::new(Deed::default());
        let engine = Arc::new(Engine::new(EngineParts {
            home: None,
            initiative: Initiative::default(),
            reply: ReplyConfig::default(),
            persona: PersonaConfig::default(),
            context: ContextConfig::default(),
            memory: MemoryConfig::default(),
            wake_phrase: None,
            model: Arc::new(Thinker { thoughts: Box::new(thoughts), asked: StdMutex::default(), takes }),
            room: Room::from(&LlmConfig::default()),
            store: None,
            agents: None,
            schedule: None,
            clock: Arc::clone(&shown),
            tools: ToolRegistry::from(Toolbox::new(vec![Arc::clone(&deed) as Arc<dyn Tool>])),
            tool_rules: ToolsConfig::default(),
            protocols: Protocols::default(),
            languages: in_english(),
        }));
        let house = watch::Sender::new(garage("100"));
        let (view, changes) = (house.clone(), broadcast::Sender::new(4));
        let feed: FollowHouse = Arc::new(move || (view.subscribe(), changes.subscribe()));
        let entry: AgentEntry = toml::from_str(agent).unwrap();
        let entries = BTreeMap::from([("garage".to_owned(), entry)]);
        let agents = Agents::new(entries.keys());
        let world = Arc::new(AgentWorld {
            engine: Arc::clone(&engine),
            announcer: announcer.clone(),
            clock: shown,
            bus: agents.bus().clone(),
            kept,
            house: Some(feed),
        });
        let events = world.bus.subscribe();
        let tasks = made(&world, &entries, &agents);
        let (stop, mut running) = (CancellationToken::new(), JoinSet::new());
        tasks.into_iter().for_each(|task| drop(running.spawn(task.run(stop.clone()))));
        Self { agents, announcer, clock, deed, engine, house, events, stop, running, seen: Vec::new() }
    }

    async fn pass(&mut self, seconds: u64) {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        while let Ok(event) = self.events.try_recv() {
            self.seen.push(event);
        }
    }

    fn count(&self, is_it: impl Fn(&AgentNews) -> bool) -> usize {
        self.seen.iter().filter(|event| is_it(&event.news)).count()
    }

    fn turns(&self) -> usize {
        self.count(|news| matches!(news, AgentNews::TurnCompleted { .. }))
    }

    fn announced(&self) -> Vec<String> {
        let now = self.clock.now();
        let waiting = self.announcer.waiting();
        waiting.iter().map(|one| one.announcement.wording.text(english(), &now).0).collect()
    }

    fn asked(&self) -> Vec<String> {
        self.engine.parts.model.asked.lock().unwrap().clone()
    }

    fn deeds(&self) -> usize {
        *self.deed.0.lock().unwrap()
    }
}

const GARAGE: &str = r#"
prompt = "You watch the garage door. When it has been opened, say so once."
fields.door = { type = "string" }
autonomy = { enabled = true }
[sensors.door]
house = "Garage_Door"
updates = ["door"]
signals.opened = { is = "open", notify = "The garage door was opened." }
"#;

/// Speaks once when the door was opened, and sleeps until then.
fn watchful(last: &str) -> String {
    match last.contains("notification opened") {
        true => call("say", json!({ "text": "The garage door is open." })),
        false => yields(3_600, &["opened"]),
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_watches_wakes_on_an_event_speaks_once_and_yields() {
    let mut bench = Bench::new(GARAGE, watchful);
    bench.pass(600).await;
    assert_eq!((bench.turns(), bench.announced()), (1, vec![]), "it has looked once, and sleeps");
    bench.house.send_replace(garage("0"));
    bench.pass(600).await;
    assert_eq!(bench.announced(), ["The garage door is open."]);
    assert_eq!(bench.turns(), 2);
    bench.house.send_replace(garage("100"));
    bench.pass(600).await;
    assert_eq!((bench.turns(), bench.announced().len()), (2, 1), "that it closes wakes nobody");
    let names: Vec<&str> = bench.seen.iter().map(|event| event.news.name()).collect();
    let pushed = names.iter().position(|name| *name == "autonomy:notification_pushed").unwrap();
    assert_eq!(names[pushed + 1], "autonomy:turn_started", "{names:?}");
    assert!(bench.asked().iter().any(|asked| asked.contains("door: open")), "{:?}", bench.asked());
    let row = &bench.agents.rows()[0];
    assert_eq!((row.doing.as_str(), row.pace.as_str()), ("asleep", "own pace"));
}

#[tokio::test(start_paused = true)]
async fn a_deed_is_asked_about_and_denied_after_ten_minutes() {
    let closes = |last: &str| match last.contains("call 1 waits") || last.contains("pending") {
        true => yields(3_600, &[]),
        false => call("closeGarage", json!({})),
    };
    let mut bench = Bench::new(GARAGE, closes);
    bench.pass(10).await;
    assert_eq!(bench.announced(), ["The garage agent would like to close the garage. May it?"]);
    assert_eq!(bench.agents.rows()[0].approvals[0].deed, "close the garage");
    bench.pass(580).await;
    assert_eq!(bench.count(|news| matches!(news, AgentNews::ApprovalDecided { .. })), 0);
    bench.pass(30).await;
    let expired = |news: &AgentNews| {
        matches!(news, AgentNews::ApprovalDecided { decision: ApprovalDecision::Expired, .. })
    };
    assert_eq!((bench.count(expired), bench.deeds()), (1, 0));
    assert!(bench.asked().iter().any(|asked| asked.contains("so it was denied")), "the agent hears of it");
    assert!(bench.agents.decide("garage", 1, true).await.is_err(), "a late yes is none");
}

#[tokio::test(start_paused = true)]
async fn a_yes_runs_the_deed_once_and_a_permission_needs_none() {
    let closes = |last: &str| match last.contains("pending") || last.contains("notification approval") {
        true => yields(3_600, &[]),
        false => call("closeGarage", json!({})),
    };
    let mut bench = Bench::new(GARAGE, closes);
    bench.pass(10).await;
    bench.agents.decide("garage", 1, true).await.unwrap();
    bench.pass(10).await;
    assert_eq!((bench.deeds(), bench.announced()), (1, vec![]), "the question is taken back");
    assert!(bench.asked().iter().any(|asked| asked.contains("granted and done: It is closed.")));
    let allowed = |last: &str| match last.contains("It is closed.") {
        true => yields(3_600, &[]),
        false => call("closeGarage", json!({})),
    };
    let mut bench = Bench::new(&format!("allow = [\"closeGarage\"]\n{GARAGE}"), allowed);
    bench.pass(10).await;
    assert_eq!((bench.deeds(), bench.announced()), (1, vec![]));
}

#[tokio::test(start_paused = true)]
async fn somebody_who_talks_with_an_agent_is_answered_beside_its_loop() {
    let answers = |last: &str| match last.contains("The owner says to you") {
        true => "The door is closed.".to_owned(),
        false => yields(3_600, &[]),
    };
    let mut bench = Bench::new(GARAGE, answers);
    bench.pass(60).await;
    let (before, agents) = (bench.turns(), bench.agents.clone());
    assert_eq!(agents.talk("garage", "is the door closed?").await, Ok("The door is closed.".to_owned()));
    bench.pass(60).await;
    assert_eq!(bench.turns(), before + 1, "it wakes the loop, which goes on by itself");
    let unknown = agents.talk("attic", "hello").await.unwrap_err();
    assert_eq!(unknown, "there is no agent attic; the agents are: garage");
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_loop_and_its_sensors() {
    let mut bench = Bench::new(GARAGE, watchful);
    bench.pass(10).await;
    bench.stop.cancel();
    while bench.running.join_next().await.is_some() {}
    bench.house.send_replace(garage("0"));
    bench.pass(600).await;
    assert_eq!((bench.turns(), bench.announced()), (1, vec![]));
    assert!(bench.agents.talk("garage", "hello").await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_asks_its_prompt_at_its_interval() {
    let agent = "prompt = \"You watch.\"\nheartbeat = { every_min = 30, prompt = \"Is everything closed?\" }";
    let mut bench = Bench::new(agent, |_| "All is well.".to_owned());
    bench.pass(3_700).await;
    assert_eq!(bench.turns(), 2);
    assert!(bench.asked().iter().all(|asked| asked.contains("Is everything closed?")), "{:?}", bench.asked());
}

#[tokio::test(start_paused = true)]
async fn an_agent_without_autonomy_only_answers() {
    let mut bench = Bench::new("prompt = \"You know the garage.\"", |_| "Hello.".to_owned());
    bench.pass(86_400).await;
    assert_eq!((bench.seen.len(), bench.asked().len()), (0, 0));
    assert_eq!(bench.agents.talk("garage", "hello").await, Ok("Hello.".to_owned()));
}
