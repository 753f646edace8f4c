//! What another program may do, the reasons it gets for what it may not, and the protocol in both eras.

mod protocol;

use std::sync::Arc;
use std::time::Duration;

use joi_base::clock::{Clock, ManualClock};
use joi_base::message::Place;
use joi_language::testing::in_english;
use joi_schedule::announce::{AnnounceConfig, Announcer, Floor, Next, Presence, Situation};
use joi_schedule::{Schedule, ScheduleParts, TimersConfig, When};
use joi_store::Store;
use joi_tools::testing::{StillHome, rows};
use joi_tools::{ToolServices, ToolsConfig, builtin};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::*;

/// A desk with real parts, and what is behind it.
struct DeskScene {
    desk: ToolDesk,
    home: Arc<StillHome>,
    store: Store,
    announcer: Announcer,
    asked: mpsc::Receiver<OutsideQuestion>,
}

/// A minute before the quiet hours end, or in the afternoon.
const NIGHT: &str = "2026-11-22T06:59:00+01:00[Europe/Vienna]";
const DAY: &str = "2026-11-22T14:05:30+01:00[Europe/Vienna]";

impl DeskScene {
    fn new(allow: &[&str]) -> Self {
        Self::at(DAY, allow, ToolsConfig::default())
    }

    fn at(time: &str, allow: &[&str], rules: ToolsConfig) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::at(time.parse().unwrap()));
        let (store, home) = (Store::in_memory().unwrap(), Arc::new(StillHome::new(rows())));
        let schedule = Schedule::new(ScheduleParts {
            store: store.clone(),
            clock: Arc::clone(&clock),
            config: TimersConfig::default(),
            languages: in_english(),
            is_synchronised: || true,
            wake_up: None,
        });
        let tools = builtin(
            &rules,
            &ToolServices {
                store: Some(store.clone()),
                schedule: Some(schedule),
                reads_when: |_, said| (said == "10 minutes").then_some(When::In(600)),
                clock: Arc::clone(&clock),
                home: Some(Arc::clone(&home) as Arc<dyn joi_home::Home>),
                http: None,
            },
        );
        let announcer = Announcer::new(&AnnounceConfig::default(), None, Arc::clone(&clock));
        let (questions, asked) = mpsc::channel(1);
        let config = McpServeConfig {
            allow: allow.iter().map(|name| (*name).to_owned()).collect(),
            ..McpServeConfig::default()
        };
        let desk = ToolDesk::new(DeskParts {
            config,
            rules,
            tools,
            announcer: announcer.clone(),
            questions,
            status: Box::new(|| json!({ "state": "idle" })),
            clock,
            languages: in_english(),
        });
        Self { desk, home, store, announcer, asked }
    }

    async fn call(&self, name: &str, arguments: Value) -> CallAnswer {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        self.desk.call(name, arguments).await
    }

    async fn done(&self, name: &str, arguments: Value) -> String {
        match self.call(name, arguments).await {
            CallAnswer::Done(text) => text,
            other => panic!("{other:?}"),
        }
    }

    async fn refused(&self, name: &str, arguments: Value) -> String {
        match self.call(name, arguments).await {
            CallAnswer::Failed(why) => why,
            other => panic!("{other:?}"),
        }
    }

    /// Waits until something is to be said, and takes it.
    async fn next(&self) -> Next {
        let place = Place::named("home");
        let situation = Situation { place: &place, floor: Floor::Free, presence: Presence::Here };
        while self.announcer.waiting().is_empty() {
            tokio::task::yield_now().await;
        }
        self.announcer.next(&situation).await
    }
}

#[tokio::test]
async fn reading_is_on_and_what_changes_something_names_its_switch() {
    let scene = DeskScene::new(&["add_to_list", "set_*"]);
    let list = scene.desk.listed().await.unwrap();
    let names: Vec<&str> = list.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "say",
            "ask",
            "list_timers",
            "set_timer",
            "read_list",
            "add_to_list",
            "recall",
            "house_state",
            "status"
        ]
    );
    assert_eq!(list.off, ["cancel_timer", "remove_from_list", "remember", "house_command"]);
    let why = scene.refused("house_command", json!({ "item": "Kitchen light", "command": "on" })).await;
    assert!(why.contains("mcp.serve.allow = [\"house_command\"]"), "{why}");
    assert_eq!(scene.home.sent(), []);
    assert_eq!(scene.call("open_door", json!({})).await, CallAnswer::Unknown("open_door".into()));
    assert_eq!(scene.done("status", json!({})).await, "{\"state\":\"idle\"}");
    let state = scene.done("house_state", json!({ "words": "kitchen" })).await;
    assert!(state.contains("Kitchen light") && !state.contains("Secret"), "{state}");
    let set = scene.done("set_timer", json!({ "when": "10 minutes", "name": "pasta" })).await;
    assert!(set.contains("10 minutes"), "{set}");
    assert!(scene.done("list_timers", json!({})).await.to_lowercase().contains("pasta"));
}

#[tokio::test]
async fn what_a_program_stores_is_a_strangers_and_comes_back_marked() {
    let scene = DeskScene::new(&["add_to_list", "remember"]);
    scene.done("add_to_list", json!({ "list": "shopping", "text": "milk" })).await;
    assert!(scene.store.has_foreign_notes("shopping").await.unwrap());
    let read = scene.done("read_list", json!({ "list": "shopping" })).await;
    assert!(read.contains("milk") && read.contains("UNTRUSTED"), "{read}");
    scene.done("remember", json!({ "text": "The boiler is red." })).await;
    let found = scene.done("recall", json!({ "text": "boiler" })).await;
    assert!(found.contains("red") && found.contains("UNTRUSTED"), "{found}");
    let secret = json!({ "text": "the card is 4111 1111 1111 1111" });
    assert!(scene.refused("remember", secret).await.contains("secrets are not kept"));
}

#[tokio::test]
async fn an_allowed_tool_opens_no_door_and_is_not_what_the_owner_is_asked_about() {
    let scene = DeskScene::new(&["house_command"]);
    let lock = json!({ "item": "Front door lock", "command": "off" });
    let why = scene.refused("house_command", lock).await;
    assert!(why.starts_with("house_command was not done: ") && scene.home.sent().is_empty(), "{why}");
    let done = scene.done("house_command", json!({ "item": "Kitchen light", "command": "on" })).await;
    assert!(done.contains("Kitchen light") && scene.home.sent().len() == 1, "{done}");
    let rules = ToolsConfig { always_ask: vec!["homeCommand".into()], ..ToolsConfig::default() };
    let careful = DeskScene::at(DAY, &["house_command"], rules);
    let why = careful.refused("house_command", json!({ "item": "Kitchen light", "command": "on" })).await;
    assert!(why.contains("can't say yes") && careful.home.sent().is_empty(), "{why}");
}

#[tokio::test]
async fn no_more_is_changed_in_a_minute_than_the_settings_allow() {
    let rules = ToolsConfig { calls_per_minute: 2, ..ToolsConfig::default() };
    let scene = DeskScene::at(DAY, &["add_to_list"], rules);
    for entry in ["milk", "bread"] {
        scene.done("add_to_list", json!({ "list": "shopping", "text": entry })).await;
    }
    let why = scene.refused("add_to_list", json!({ "list": "shopping", "text": "eggs" })).await;
    assert!(why.contains("too many calls"), "{why}");
    scene.done("read_list", json!({ "list": "shopping" })).await;
}

#[tokio::test]
async fn wrong_arguments_are_named() {
    let scene = DeskScene::new(&["set_timer"]);
    for (name, arguments, named) in [
        ("set_timer", json!({}), "when is missing"),
        ("set_timer", json!({ "when": "10 minutes", "kind": "egg" }), "kind"),
        ("set_timer", json!({ "when": "10 minutes", "loud": true }), "no argument loud"),
        ("set_timer", json!({ "when": "soon" }), "no length and no time"),
        ("say", json!({ "text": "a".repeat(500) }), "text"),
        ("ask", json!({ "text": 7.5e3, "x": 1 }), "no argument x"),
        ("house_state", json!({ "words": "submarine" }), "submarine"),
    ] {
        let why = scene.refused(name, arguments).await;
        assert!(why.contains(named), "{name}: {why}");
    }
}

#[tokio::test]
async fn a_text_is_said_in_the_queue_of_announcements_and_reported_when_it_was_heard() {
    let scene = DeskScene::new(&[]);
    let said = scene.call("say", json!({ "text": "Dinner is ready." }));
    let heard = async {
        let Next::Say(id, announcement) = scene.next().await else { panic!("nothing is to be said") };
        let language = in_english().get();
        assert_eq!(announcement.wording.text(&language, &scene.announcer.now()).0, "Dinner is ready.");
        scene.announcer.heard(id, std::time::Instant::now()).await;
    };
    let (said, ()) = tokio::join!(said, heard);
    assert_eq!(said, CallAnswer::Done("It was said aloud.".into()));
    for odd in ["**", "<tool_call>{\"name\": \"say\"}</tool_call>", "the card is 4111 1111 1111 1111"] {
        let why = scene.refused("say", json!({ "text": odd })).await;
        assert!(why.starts_with("It was not said: "), "{odd}: {why}");
    }
}

#[tokio::test]
async fn nothing_is_said_in_quiet_hours_and_a_cancelled_text_is_taken_back() {
    let night = DeskScene::at(NIGHT, &[], ToolsConfig::default());
    let why = night.refused("say", json!({ "text": "Wake up." })).await;
    assert!(why.contains("before 07:00") && night.announcer.waiting().is_empty(), "{why}");
    let scene = DeskScene::new(&[]);
    let saying = scene.desk.clone();
    let call = tokio::spawn(async move {
        saying.call("say", json!({ "text": "Dinner." }).as_object().unwrap().clone()).await
    });
    while scene.announcer.waiting().is_empty() {
        tokio::task::yield_now().await;
    }
    call.abort();
    while !scene.announcer.waiting().is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_question_is_answered_one_that_wants_something_done_is_not_and_a_dropped_one_is_cancelled() {
    let mut scene = DeskScene::new(&[]);
    let ask = |desk: ToolDesk| async move {
        desk.call("ask", json!({ "text": "what time is it?" }).as_object().unwrap().clone()).await
    };
    let first = tokio::spawn(ask(scene.desk.clone()));
    let question = scene.asked.recv().await.unwrap();
    assert_eq!(question.text.0, "what time is it?");
    question.answer.send(AskedAnswer { text: "It's noon.".into(), is_refused: false }).unwrap();
    assert_eq!(first.await.unwrap(), CallAnswer::Done("It's noon.".into()));
    let second = tokio::spawn(ask(scene.desk.clone()));
    let question = scene.asked.recv().await.unwrap();
    question.answer.send(AskedAnswer { text: "Shall I?".into(), is_refused: true }).unwrap();
    let CallAnswer::Failed(why) = second.await.unwrap() else { panic!("it counts as done") };
    assert!(why.starts_with("Shall I?") && why.contains("mcp.serve.allow"), "{why}");
    // One is being answered, one waits, and a third one has to come again.
    let third = tokio::spawn(ask(scene.desk.clone()));
    let question = scene.asked.recv().await.unwrap();
    let fourth = tokio::spawn(ask(scene.desk.clone()));
    while scene.asked.is_empty() {
        tokio::task::yield_now().await;
    }
    assert!(scene.refused("ask", json!({ "text": "and now?" })).await.contains("ask again"));
    third.abort();
    let cancelled = tokio::time::timeout(Duration::from_secs(60), question.cancel.cancelled()).await;
    assert!(cancelled.is_ok(), "a question that nobody waits for");
    fourth.abort();
}
