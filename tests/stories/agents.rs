//! An agent as its owner meets it: pasted from the manual, over the house to try and a scripted model.

use std::time::{Duration, Instant};

use joi_house_demo::{DemoHome, DemoWants};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::service::deaf_home_with;
use crate::support::ollama_double::{Double, Script};
use crate::support::program::{Home, Running};

/// No working program needs so long to notice something.
const LONG: Duration = Duration::from_secs(90);

/// The example of the manual, as it stands there.
fn example() -> &'static str {
    let page = include_str!("../../docs/user/agents.md");
    let block = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    block.expect("an example in the manual")
}

fn call(name: &str, arguments: Value) -> Script {
    Script::words(&format!("```tool_call\n{}\n```", json!({ "name": name, "arguments": arguments })))
}

struct Watched {
    _runtime: Runtime,
    house: DemoHome,
    model: Double,
    home: Home,
}

impl Watched {
    fn new() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let house = runtime.block_on(DemoHome::start(DemoWants::default())).unwrap();
        let model = runtime.block_on(Double::start());
        let mut home = deaf_home_with(&model.url);
        home.set(&format!("home.url={}", house.url()));
        // Whatever the hour of the day is.
        home.set("agents.garage.active_hours=[\"00:00-00:00\"]");
        let folder = home.path("config/joi");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), example()).unwrap();
        Self { _runtime: runtime, house, model, home }
    }

    /// Has the model speak once when the door was opened, and sleep until then.
    fn is_watchful(&self) {
        let sleep = || call("yield", json!({"mode": "sleep", "sleep": 3600, "wake_early_if": ["opened"]}));
        self.model.when("the owner says to you", vec![Script::words("The garage door is closed.")]);
        self.model.when("it will be said", vec![sleep()]);
        self.model
            .when("notification opened", vec![call("say", json!({"text": "The garage door is open."}))]);
        self.model.when("you watch the garage door", vec![sleep()]);
    }

    fn agent(&self) -> Value {
        let ran = self.home.joi(&["agents", "--json"]);
        if ran.code == Some(0) {
            serde_json::from_str::<Value>(&ran.out).unwrap()[0].clone()
        } else {
            Value::Null
        }
    }

    fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        let began = Instant::now();
        while !is_so() {
            assert!(
                began.elapsed() < LONG,
                "{what}: it never came; {:?} {:#?}",
                self.agent(),
                self.model.chats()
            );
        }
    }

    fn run(&self) -> Running {
        let mut joi = Running::start(&mut self.home.command(&["run"]));
        joi.until("Ctrl-C ends");
        joi
    }

    fn spoke(&self) -> usize {
        let chats = self.model.chats();
        let last = |chat: &Value| {
            chat["messages"].as_array().and_then(|all| all.last()).cloned().unwrap_or_default()
        };
        let is_result = |chat: &&Value| last(chat)["content"].to_string().contains("[Tool result: say]");
        chats.iter().filter(is_result).count()
    }
}

#[test]
fn the_example_of_the_manual_watches_the_garage_and_speaks_once() {
    let watched = Watched::new();
    assert_eq!(example().lines().filter(|line| !line.trim().is_empty()).count(), 10);
    watched.is_watchful();
    let joi = watched.run();
    watched.until("the agent", || watched.agent()["name"] == "garage");
    let mut tail = Running::start(&mut watched.home.command(&["agents", "tail", "--words"]));
    watched.until("its first look", || watched.agent()["doing"] == "asleep");
    assert_eq!(watched.spoke(), 0);
    watched.house.set("Garage_Door", "0");
    tail.until("notification_pushed opened: The garage door was opened.");
    tail.until("1 actions");
    watched.until("its sleep", || watched.agent()["doing"] == "asleep");
    assert_eq!(watched.spoke(), 1);
    watched.house.set("Garage_Door", "100");
    let said = watched.home.joi(&["agents", "say", "garage", "is", "the", "door", "closed?"]).well();
    assert_eq!(said.out, "The garage door is closed.\n");
    let unknown = watched.home.joi(&["agents", "say", "attic", "hello"]);
    assert_eq!(unknown.complaint(), "there is no agent attic; the agents are: garage, goals");
    assert_eq!(watched.spoke(), 1, "that it closes wakes nobody");
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn a_deed_waits_for_the_owner_who_says_no() {
    let watched = Watched::new();
    let command = || call("homeCommand", json!({"item": "Hall_Light", "command": "on"}));
    let sleep = || call("yield", json!({"mode": "sleep", "sleep": 3600}));
    watched.model.when("the owner said no", vec![sleep()]);
    watched.model.when("is pending", vec![sleep()]);
    watched.model.when("you watch the garage door", vec![command()]);
    let joi = watched.run();
    watched.until("the question", || watched.agent()["approvals"][0]["tool"] == "homeCommand");
    assert_eq!(watched.house.commands(), []);
    let listed = watched.home.joi(&["agents"]).well().out;
    assert!(listed.contains("`joi agents approve garage 1`"), "{listed}");
    watched.home.joi(&["agents", "deny", "garage", "1"]).well();
    let again = watched.home.joi(&["agents", "deny", "garage", "1"]);
    assert!(again.complaint().starts_with("no call 1 of the agent garage waits"), "{again:?}");
    watched.until("its sleep", || watched.agent()["doing"] == "asleep");
    assert_eq!(watched.house.commands(), []);
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn a_sensor_that_can_not_be_used_is_skipped_and_the_rest_goes_on() {
    let mut watched = Watched::new();
    watched.home.set("agents.garage.sensors.typo.hose=\"Garage_Door\"");
    watched.is_watchful();
    let checked = watched.home.joi(&["config", "check"]);
    let problem = "agents.garage.sensors.typo is as written; allowed: unknown field `hose`";
    assert!(checked.out.contains(problem) || checked.err.contains(problem), "{checked:?}");
    let joi = watched.run();
    watched.until("its first look", || watched.agent()["doing"] == "asleep");
    watched.house.set("Garage_Door", "0");
    watched.until("its words", || watched.spoke() == 1);
    let ended = joi.terminate();
    assert_eq!(ended.code, Some(0));
}

#[test]
fn the_owner_talks_with_an_agent_by_name_and_says_yes_in_words() {
    let watched = Watched::new();
    let command = || call("homeCommand", json!({"item": "Hall_Light", "command": "on"}));
    let sleep = || call("yield", json!({"mode": "sleep", "sleep": 3600}));
    watched.model.when("the owner says to you", vec![Script::words("All is quiet.")]);
    watched.model.when("was granted and done", vec![sleep()]);
    watched.model.when("is pending", vec![sleep()]);
    watched.model.when("you watch the garage door", vec![command()]);
    let ask = |said: &str| watched.home.joi(&["ask", said]).well().out.trim_end().to_owned();
    assert_eq!(ask("what are the agents doing?"), "Agents work only while joi is running.");
    let joi = watched.run();
    watched.until("the question", || watched.agent()["approvals"][0]["tool"] == "homeCommand");
    assert_eq!(ask("ask the garage whether everything is quiet"), "All is quiet.");
    assert!(ask("what are the agents asking?").starts_with("The garage agent would like to"));
    assert_eq!(watched.house.commands(), []);
    assert_eq!(ask("Yes, let the garage agent do it."), "All right, the garage agent may.");
    watched.until("the deed", || !watched.house.commands().is_empty());
    assert_eq!(watched.house.commands(), [("Hall_Light".to_owned(), "ON".to_owned())]);
    assert_eq!(ask("let the garage agent do it"), "No agent is waiting for a yes.");
    watched.until("its sleep", || watched.agent()["doing"] == "asleep");
    assert_eq!(ask("tell the garage to stop"), "The garage agent rests until you tell it to go on.");
    watched.until("its rest", || watched.agent()["doing"] == "paused");
    assert_eq!(watched.house.commands().len(), 1, "it is done once");
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn a_question_that_is_killed_is_denied_and_its_deed_is_never_done() {
    let watched = Watched::new();
    let command = || call("homeCommand", json!({"item": "Hall_Light", "command": "on"}));
    let sleep = || call("yield", json!({"mode": "sleep", "sleep": 3600}));
    watched.model.when("joi was restarted", vec![sleep()]);
    watched.model.when("is pending", vec![sleep()]);
    watched.model.when("you watch the garage door", vec![command()]);
    let joi = watched.run();
    watched.until("the question", || watched.agent()["approvals"][0]["approval"] == 1);
    joi.signal(rustix::process::Signal::KILL);
    joi.end();
    let joi = watched.run();
    watched.until("its sleep", || watched.agent()["doing"] == "asleep");
    assert_eq!(watched.agent()["approvals"], json!([]));
    let ask = |said: &str| watched.home.joi(&["ask", said]).well().out.trim_end().to_owned();
    let late = ask("let the garage agent do it");
    assert!(late.starts_with("That is over. Nobody answered in time"), "{late}");
    let late = watched.home.joi(&["agents", "approve", "garage", "1"]);
    assert!(late.complaint().starts_with("no call 1 of the agent garage waits"), "{late:?}");
    assert_eq!(watched.house.commands(), []);
    assert_eq!(joi.terminate().code, Some(0));
}
