//! The service of goals over the real engine in paused time: what was cut off goes on, tasks bring their result back, the assistant
//! answers, a call waits for a yes, the health monitor acts, and a week of life keeps to the limits.

use std::sync::Mutex as StdMutex;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt as _, StreamExt as _};
use jiff::{SignedDuration, Timestamp, Zoned};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::feed::TakesTopics;
use super::handle::GoalsHandle;
use super::*;
use joi_agent::Engine;
use joi_agent::model::{ChatModel, ModelState, Room, Served};
use joi_agent::{
    ContextConfig, EngineParts, Initiative, MemoryConfig, PersonaConfig, Protocols, ReplyConfig,
};
use joi_autonomy::agent::lines::Agents;
use joi_base::clock::Clock;
use joi_base::message::Origin;
use joi_goals::config::GoalsConfig;
use joi_goals::orchestrator::TYPED;
use joi_goals::owner::{self, OpenedGoal};
use joi_language::Language;
use joi_language::testing::{english, in_english};
use joi_llm::{Ask, ChatEvent, ChatStats, Knowledge, LlmConfig, LlmError, ModelSize, OLLAMA, ServedBy};
use joi_proactive::awareness::Topic;
use joi_schedule::announce::{AnnounceConfig, Announcer};
use joi_store::{Store, WorkChange, WorkRow};
use joi_tools::{
    Arguments, Call, Effect, Output, Tool, ToolError, ToolRegistry, Toolbox, ToolsConfig, schema,
};

mod news;
mod week;

/// A clock that goes with the paused time of the test.
struct PausedClock {
    began: Zoned,
    at: Instant,
}

impl Clock for PausedClock {
    fn now(&self) -> Zoned {
        &self.began + SignedDuration::try_from(self.at.elapsed()).unwrap()
    }
}

/// Writes what the last message of a prompt makes it write, or fails.
type Thoughts = Box<dyn FnMut(&str) -> Result<String, LlmError> + Send>;

struct Thinker {
    thoughts: StdMutex<Thoughts>,
    calls: StdMutex<usize>,
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
        *self.calls.lock().unwrap() += 1;
        let last = ask.messages.last().map(|message| message.content.clone()).unwrap_or_default();
        let text = (self.thoughts.lock().unwrap())(&last)?;
        let stats = ChatStats { prompt_eval_count: 900, eval_count: 100, ..ChatStats::default() };
        let waits = stream::once(async move {
            tokio::time::sleep(Duration::from_secs(2)).await;
            Ok(ChatEvent::Text(text))
        });
        Ok(waits.chain(stream::iter([Ok(ChatEvent::Done(stats))])).boxed())
    }
}

fn call(name: &str, arguments: Value) -> String {
    format!("```tool_call\n{}\n```", json!({ "name": name, "arguments": arguments }))
}

/// A deed that a goal may only do with a yes.
#[derive(Default)]
struct Deed(StdMutex<usize>);

impl Tool for Deed {
    fn name(&self) -> &str {
        "bookTable"
    }
    fn description(&self) -> &str {
        "book a table"
    }
    fn schema(&self) -> Value {
        schema::object(json!({}), &[])
    }
    fn effect(&self, _: &Arguments) -> Effect {
        Effect::Changes
    }
    fn in_words(&self, _: &Arguments, _: &Language) -> String {
        "book a table".into()
    }
    fn run<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        *self.0.lock().unwrap() += 1;
        async { Ok(Output::own("It is booked.")) }.boxed()
    }
}

struct Bench {
    agents: Agents,
    announcer: Announcer,
    clock: Arc<PausedClock>,
    deed: Arc<Deed>,
    engine: Arc<Engine<Thinker>>,
    store: Store,
    handle: GoalsHandle,
    /// Topics that were offered to the impulse.
    topics: Arc<StdMutex<Vec<Topic>>>,
    stop: CancellationToken,
    running: JoinHandle<()>,
}

impl Bench {
    fn new(thoughts: impl FnMut(&str) -> Result<String, LlmError> + Send + 'static) -> Self {
        Self::over(Store::in_memory().unwrap(), thoughts)
    }

    fn over(store: Store, thoughts: impl FnMut(&str) -> Result<String, LlmError> + Send + 'static) -> Self {
        let began = "2026-03-04T12:00:00[Europe/Vienna]".parse().unwrap();
        let config = GoalsConfig { feed: false, ..GoalsConfig::default() };
        Self::with((store, config), Arc::new(PausedClock { began, at: Instant::now() }), thoughts)
    }

    fn with(
        (store, config): (Store, GoalsConfig),
        clock: Arc<PausedClock>,
        thoughts: impl FnMut(&str) -> Result<String, LlmError> + Send + 'static,
    ) -> Self {
        let shown = Arc::clone(&clock) as Arc<dyn Clock>;
        let announcer = Announcer::new(&AnnounceConfig::default(), None, Arc::clone(&shown));
        let deed = Arc::new(Deed::default());
        let model = Thinker { thoughts: StdMutex::new(Box::new(thoughts)), calls: StdMutex::default() };
        let engine = Arc::new(Engine::new(EngineParts {
            agents: None,
            home: None,
            initiative: Initiative::default(),
            reply: ReplyConfig::default(),
            persona: PersonaConfig::default(),
            context: ContextConfig::default(),
            memory: MemoryConfig::default(),
            wake_phrase: None,
            model: Arc::new(model),
            room: Room::from(&LlmConfig::default()),
            store: None,
            schedule: None,
            clock: Arc::clone(&shown),
            tools: ToolRegistry::from(Toolbox::new(vec![Arc::clone(&deed) as Arc<dyn Tool>])),
            tool_rules: ToolsConfig::default(),
            protocols: Protocols::default(),
            languages: in_english(),
        }));
        let agents = Agents::with_assistant([], ASSISTANT);
        let asked_for = agents.requests(ASSISTANT);
        let (asked, calls) = mpsc::channel(QUESTIONS);
        let bus = agents.bus().clone();
        let world = DeskWorld {
            store: store.clone(),
            clock: shown,
            bus,
            config,
            approvals: StdMutex::default(),
            asked: Some(asked),
        };
        let orchestrator = Orchestrator::new(Arc::clone(&engine), announcer.clone(), world, TYPES);
        let handle = GoalsHandle::default();
        let parts = (Arc::clone(&engine), announcer.clone());
        let topics: Arc<StdMutex<Vec<Topic>>> = Arc::default();
        let taken = Arc::clone(&topics);
        let takes: TakesTopics = Arc::new(move |topic| taken.lock().unwrap().push(topic));
        let channels = (asked_for, calls);
        let mut task = GoalTask::new(Arc::new(orchestrator), parts, handle.clone(), channels, takes);
        agents.shows(ASSISTANT, task.row());
        let stop = CancellationToken::new();
        let ends = stop.clone();
        let running = tokio::spawn(async move { task.run(ends).await });
        Self { agents, announcer, clock, deed, engine, store, handle, topics, stop, running }
    }

    fn now(&self) -> Timestamp {
        self.clock.now().timestamp()
    }

    async fn pass(&self, seconds: u64) {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
    }

    async fn goal(&self) -> i64 {
        let about = ("trip to Tokyo", "two weeks in May");
        let opened = owner::open(&self.store, about, (Origin::Speech, "talk"), Vec::new(), self.now());
        let OpenedGoal::Opened(id, _) = opened.await.unwrap() else { panic!("it is there") };
        self.handle.look_again();
        id
    }

    async fn row(&self, id: i64) -> WorkRow {
        self.store.work().await.unwrap().into_iter().find(|row| row.id == id).unwrap()
    }

    async fn thread(&self, id: i64) -> Vec<String> {
        let cells = self.store.cells(id, 0, 100).await.unwrap();
        cells.iter().map(|cell| format!("{}: {}", cell.author, cell.text)).collect()
    }

    fn announced(&self) -> Vec<String> {
        let now = self.clock.now();
        let waiting = self.announcer.waiting();
        waiting.iter().map(|one| one.announcement.wording.text(english(), &now).0).collect()
    }

    fn calls(&self) -> usize {
        *self.engine.parts.model.calls.lock().unwrap()
    }
}

fn says(text: &str) -> String {
    call("send_message", json!({ "text": text }))
}

#[tokio::test(start_paused = true)]
async fn a_goal_is_answered_its_task_works_and_what_it_finds_comes_back_to_the_goal() {
    let bench = Bench::new(|last| {
        Ok(match last {
            last if last.contains("<instructions>") => "Small inns are in Yanaka.".into(),
            last if last.contains("A task has brought") => says("Small inns are in Yanaka."),
            last if last.contains("is task 3") => says("I am having it looked up."),
            last if last.contains("The owner has written") => {
                call("create_task", json!({ "name": "inns", "instructions": "find small inns" }))
            }
            _ => "Nothing to do.".into(),
        })
    });
    bench.pass(1).await;
    let goal = bench.goal().await;
    bench.pass(300).await;
    assert_eq!(
        bench.thread(goal).await,
        [
            "user: two weeks in May",
            "agent: task 3: inns",
            "agent: I am having it looked up.",
            "agent: task 3 has brought note 1",
            "agent: Small inns are in Yanaka.",
        ]
    );
    let tasks: Vec<_> =
        bench.store.work().await.unwrap().into_iter().filter(|row| row.parent == goal).collect();
    assert_eq!(tasks.iter().map(|row| row.status.as_str()).collect::<Vec<_>>(), ["completed"]);
    assert_eq!(bench.announced().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_the_last_program_left_locked_is_given_back_at_the_start_and_answered_once() {
    let store = Store::in_memory().unwrap();
    let before = Bench::over(store.clone(), |_| Ok(says("Never sent.")));
    before.pass(1).await;
    let goal = before.goal().await;
    before.pass(1).await;
    assert!(before.row(goal).await.run.is_some(), "it thinks");
    before.running.abort();
    let after = Bench::over(store, |_| Ok(says("Here is the answer.")));
    after.pass(60).await;
    assert_eq!(after.thread(goal).await, ["user: two weeks in May", "agent: Here is the answer."]);
    assert_eq!(after.row(goal).await.run, None);
}

#[tokio::test(start_paused = true)]
async fn the_assistant_answers_whoever_talks_with_it_and_its_words_stay_out_of_the_goals() {
    let bench = Bench::new(|last| {
        let knows = last.contains("trip to Tokyo") && last.contains("owner: how far are we?");
        Ok(if knows { "The trip to Tokyo is waiting.".into() } else { says("Hm.") })
    });
    bench.pass(1).await;
    let goal = bench.goal().await;
    bench.pass(30).await;
    let answer = bench.agents.talk(ASSISTANT, "how far are we?").await;
    assert_eq!(answer.as_deref(), Ok("The trip to Tokyo is waiting."));
    assert_eq!(bench.thread(goal).await, ["user: two weeks in May", "agent: Hm."]);
    assert_eq!(bench.announced(), ["About trip to Tokyo: Hm."], "an answer that was typed is not said aloud");
}

#[tokio::test(start_paused = true)]
async fn a_call_with_an_effect_waits_for_a_yes_and_its_result_wakes_the_goal() {
    for (decision, ran, told) in [
        (Some(true), 1, "agent: bookTable (call 1) was granted and done: It is booked."),
        (Some(false), 0, "agent: bookTable (call 1) was denied"),
        (None, 0, "agent: bookTable (call 1) was not answered in time"),
    ] {
        let bench = Bench::new(|last| {
            Ok(match last {
                last if last.contains("bookTable (call 1)") => says("So be it."),
                last if last.contains("The owner has written") => call("bookTable", json!({})),
                _ => "It waits.".into(),
            })
        });
        bench.pass(1).await;
        let goal = bench.goal().await;
        bench.pass(30).await;
        assert_eq!(bench.agents.rows()[0].approvals.len(), 1);
        assert!(
            bench.announced().iter().any(|said| said.contains("book a table")),
            "{:?}",
            bench.announced()
        );
        match decision {
            Some(is_yes) => bench.agents.decide(ASSISTANT, 1, is_yes).await.unwrap(),
            None => bench.pass(10 * 60).await,
        }
        bench.pass(60).await;
        assert_eq!(*bench.deed.0.lock().unwrap(), ran);
        let thread = bench.thread(goal).await;
        assert!(thread.iter().any(|line| line == told), "{thread:?}");
        assert_eq!(thread.last().unwrap(), "agent: So be it.");
        assert!(bench.agents.rows()[0].approvals.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn the_health_monitor_has_an_idle_goal_wait_and_removes_what_is_over_for_long() {
    let bench = Bench::new(|_| Ok("Nothing to do.".into()));
    bench.pass(1).await;
    let goal = bench.goal().await;
    bench.pass(10).await;
    owner::change(&bench.store, goal, joi_goals::status::WorkEvent::Resumed, bench.now()).await.unwrap();
    bench.store.change_work(goal, vec![WorkChange::Checks(0)], bench.now()).await.unwrap();
    bench.pass(5 * 3_600).await;
    assert_eq!(bench.row(goal).await.status, "working");
    bench.pass(3_600 + 600).await;
    assert_eq!(bench.row(goal).await.status, "waiting");
    bench.stop.cancel();
    assert!(bench.running.await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn typed_words_are_answered_in_the_thread_and_not_aloud() {
    let bench = Bench::new(|_| Ok(says("Noted.")));
    bench.pass(1).await;
    let goal = bench.goal().await;
    bench.pass(30).await;
    let aloud = bench.announced().len();
    owner::say(&bench.store, goal, "by train", (Origin::Typing, TYPED), bench.now()).await.unwrap();
    bench.handle.look_again();
    bench.pass(30).await;
    assert_eq!((bench.thread(goal).await.len(), bench.announced().len()), (4, aloud));
}
