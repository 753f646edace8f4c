//! Goals as their owner meets them: opened in a conversation, worked on by the running program with a scripted model, looked
//! at by command, and kept where the program is killed in the middle of a run.

use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::sync::Notify;

use super::service::deaf_home_with;
use crate::support::ollama_double::{Double, Script};
use crate::support::program::{Home, Running};

/// No working program needs so long to answer in a thread.
const LONG: Duration = Duration::from_secs(90);

const QUESTION: &str = "Do you like trains?";

fn call(name: &str, arguments: Value) -> Script {
    Script::words(&format!("```tool_call\n{}\n```", json!({ "name": name, "arguments": arguments })))
}

struct Planned {
    _runtime: Runtime,
    model: Double,
    home: Home,
}

impl Planned {
    fn new() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let model = runtime.block_on(Double::start());
        let mut home = deaf_home_with(&model.url);
        home.set("goals.feed=false");
        Self { _runtime: runtime, model, home }
    }

    /// Has the model keep a note and ask the owner something once it is woken by the owner's words.
    fn is_helpful(&self) {
        self.model.when("tool result: create_note", vec![call("send_message", json!({ "text": QUESTION }))]);
        self.model
            .when("the owner has written", vec![call("create_note", json!({ "text": "May is warm." }))]);
    }

    fn run(&self) -> Running {
        let mut joi = Running::start(&mut self.home.command(&["run"]));
        joi.until("Ctrl-C ends");
        joi
    }

    fn goal(&self) -> Value {
        let ran = self.home.joi(&["goals", "show", "Tokyo", "--json"]);
        if ran.code == Some(0) { serde_json::from_str(&ran.out).unwrap() } else { Value::Null }
    }

    /// The texts of `author` in the thread of the goal.
    fn thread(&self, author: &str) -> Vec<String> {
        let goal = self.goal();
        let cells = goal["thread"].as_array().cloned().unwrap_or_default();
        let by_author = cells.iter().filter(|cell| cell["author"] == author && cell["kind"] == "text");
        by_author.map(|cell| cell["text"].as_str().unwrap_or_default().to_owned()).collect()
    }

    fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        let began = Instant::now();
        while !is_so() {
            assert!(
                began.elapsed() < LONG,
                "{what}: it never came; {:#} {:#?}",
                self.goal(),
                self.model.chats()
            );
        }
    }
}

#[test]
fn a_goal_is_opened_in_words_worked_on_left_and_ended() {
    let planned = Planned::new();
    planned.is_helpful();
    let joi = planned.run();
    let mut talk = Running::start(planned.home.command(&["text"]).stdin(Stdio::piped()));
    talk.tell("help me plan the trip to Tokyo");
    talk.until("I call it trip to Tokyo.");
    planned.until("the question", || planned.thread("agent") == [QUESTION]);
    assert_eq!(planned.goal()["notes"][0]["text"], "May is warm.");
    talk.tell("how is the Tokyo trip going?");
    talk.until(QUESTION);
    talk.tell("leave it for now");
    talk.until("I'll leave trip to Tokyo for now.");
    assert_eq!(planned.goal()["status"], "waiting");
    talk.tell("never mind");
    talk.until("All right.");
    talk.tell("work on it");
    talk.until("I'm on it: trip to Tokyo.");
    // Two commands that follow each other are one conversation.
    let ask = |said: &str| planned.home.joi(&["ask", said]).well().out.trim_end().to_owned();
    assert!(ask("how is the Tokyo trip going?").starts_with("I'm working on trip to Tokyo."));
    assert_eq!(ask("leave it for now"), "I'll leave trip to Tokyo for now.");
    talk.tell("we're done with Tokyo");
    talk.until("Trip to Tokyo is done. Its notes stay.");
    assert_eq!(planned.goal()["status"], "archived");
    assert_eq!(planned.home.joi(&["goals"]).well().out, "no goals; `joi goals new NAME` opens one\n");
    talk.terminate();
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn words_that_a_killed_run_had_not_answered_are_answered_once_after_the_next_start() {
    let planned = Planned::new();
    // The first reply never comes to its end.
    let gate = Arc::new(Notify::new());
    let hangs = call("send_message", json!({ "text": "never heard" })).waiting_at(0, &gate);
    let asks = call("send_message", json!({ "text": QUESTION }));
    planned.model.when("the owner has written", vec![hangs, asks]);
    let joi = planned.run();
    planned.home.joi(&["goals", "new", "trip to Tokyo"]).well();
    planned.until("the run", || !planned.model.chats().is_empty());
    joi.signal(Signal::KILL);
    joi.end();
    assert_eq!(planned.thread("agent"), [""; 0]);
    let joi = planned.run();
    planned.until("the question", || planned.thread("agent") == [QUESTION]);
    planned.until("the end of the run", || planned.goal()["thread"][0]["processed"] == true);
    assert_eq!(joi.terminate().code, Some(0));
    let joi = planned.run();
    assert_eq!(planned.thread("agent"), [QUESTION], "and is not answered again");
    assert_eq!(joi.terminate().code, Some(0));
}
