//! What passes through a turn never gets into a log line: not what was said, answered, called, fetched or remembered.

use std::io;
use std::sync::LazyLock;

use super::scripted::{Step, answers};
use super::tools::{Fake, Kit, chooses, writes};
use super::*;
use joi_llm::ModelSize::{Large, Small};
use joi_tools::{Effect, Output, ToolError};

/// A word that stands in every text of these turns, and the digits of secrets.
const MARKS: [&str; 5] = ["quincemarmalade", "4111", "2345678", "hunter2", "ann@example"];

/// What every thread of this process logs at info and above, as on stderr.
#[derive(Clone, Copy)]
struct Log;

static LINES: LazyLock<Mutex<Vec<u8>>> = LazyLock::new(Mutex::default);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Begins to take down the log, once.
fn take_down() {
    static BEGUN: LazyLock<bool> = LazyLock::new(|| {
        // A time has digits that look like those of a secret now and then.
        let log = tracing_subscriber::fmt().with_max_level(tracing::Level::INFO).without_time();
        tracing::subscriber::set_global_default(log.with_writer(|| Log).finish()).is_ok()
    });
    assert!(*BEGUN, "nobody else takes the log of the tests");
}

/// No mark stands in any line, and these words do: the log was taken down.
#[track_caller]
fn holds_no_mark_but(told: &[&str]) {
    let log = String::from_utf8_lossy(&LINES.lock().unwrap()).into_owned();
    let leaks: Vec<&str> =
        log.lines().filter(|line| MARKS.iter().any(|mark| line.to_lowercase().contains(mark))).collect();
    assert!(leaks.is_empty(), "{leaks:#?}");
    for words in told {
        assert!(log.contains(words), "\"{words}\" was logged");
    }
}

const SECRETS: &str = "quincemarmalade: my card is 4111 1111 1111 1111, my number +43 660 2345678, \
    my password is hunter2 and I am ann@example.org";

// covers the log-privacy rule: transcripts, answers and secrets
#[tokio::test]
async fn what_is_said_and_answered_is_in_no_log_line_also_when_the_model_fails() {
    take_down();
    let words = "the model said quincemarmalade";
    for failure in [
        vec![Step::Lasting],
        vec![Step::Says(words)],
        vec![Step::Text("Quincemarmalade is"), Step::Says(words)],
        vec![Step::Text("{\"quincemarmalade\": \"hunter2\", \"a"), Step::Done],
        answers("Done! I've added quincemarmalade to the list."),
        answers("Your card is 4111 1111 1111 1111, quincemarmalade."),
        answers("Quincemarmalade is sweet."),
    ] {
        let bench = Bench::new(vec![failure; 12]);
        bench.say("what do you know of quincemarmalade").await;
        bench.say(SECRETS).await;
        bench.store.break_down().await;
        bench.say_in(&bench.console, "and why is quincemarmalade sweet").await;
    }
    holds_no_mark_but(&["no whole answer", "can't be remembered"]);
}

// covers the log-privacy rule: tools, their arguments and what they bring
#[tokio::test]
async fn what_is_called_and_fetched_is_in_no_log_line() {
    take_down();
    let arguments = "{\"what\":\"quincemarmalade\"}";
    let page =
        Fake::new("page", Effect::Fetches, Ok(Output::foreign("quincemarmalade, call +43 660 2345678")));
    let worse = Fake::new("worse", Effect::Looks, Err(ToolError::EndTurn("no quincemarmalade there".into())));
    for (size, name) in
        [(Small, "look"), (Small, "broken"), (Large, "lamp"), (Large, "page"), (Small, "worse")]
    {
        let kit = Kit::new();
        let mut tools = kit.toolbox().all().to_vec();
        tools.retain(|tool| tool.name() != "page");
        tools.extend([page.clone() as Arc<dyn joi_tools::Tool>, worse.clone()]);
        let script = vec![
            writes(name, arguments),
            writes(name, "{\"what\":quincemarmalade"),
            answers("Quincemarmalade it is."),
        ];
        let bench = Bench::equipped(size, Toolbox::new(tools), script, |_| {});
        bench.say("look after the quincemarmalade, please").await;
        bench.say("yes").await;
    }
    let six =
        "```tool_call\n{\"name\":\"look\",\"arguments\":{\"what\":\"quincemarmalade\"}}\n```\n".repeat(6);
    let six = vec![Step::Text(six.leak()), Step::Done];
    let bench = Bench::with_kit(Large, &Kit::new(), vec![six, answers("Quincemarmalade.")]);
    bench.say("where is it").await;
    let add = "{\"action\":\"add\",\"list\":\"quincemarmalade\",\"text\":\"quincemarmalade\"}";
    let bench = Bench::shipped(vec![chooses("lists", add), answers("No.")]);
    bench.store.break_notes().await;
    bench.say("put quincemarmalade on the shopping list").await;
    holds_no_mark_but(&["too many calls in one reply", "the lists can't be used"]);
}

// covers the log-privacy rule: quick commands, timers, memory, diary
#[tokio::test]
async fn what_is_set_and_remembered_is_in_no_log_line() {
    take_down();
    let told = answers("{\"diary\":\"quincemarmalade 99\",\"user\":[],\"wishes\":[]}");
    let more = vec![answers("Quincemarmalade?"); 12];
    let bench = Bench::new([vec![answers("Quincemarmalade!"), told], more].concat());
    bench.say("my sister Ann cooks quincemarmalade every autumn").await;
    bench.later(400);
    bench.engine.write_diary().await.unwrap();
    let commands = [
        "set a quincemarmalade timer for nine minutes",
        "remind me tomorrow at noon to cook quincemarmalade",
        "turn on the quincemarmalade lamp",
        "remember that I like quincemarmalade",
        "call me Quincemarmalade from now on",
        "what do you know about me",
        "forget what I said about quincemarmalade",
        "yes",
    ];
    for command in commands {
        bench.say(command).await;
    }
    bench.store.break_timers().await;
    bench.store.break_memory().await;
    for command in commands.into_iter().chain(["what did I say about quincemarmalade"]) {
        bench.say(command).await;
    }
    holds_no_mark_but(&["in the user's own words", "a timer was not stored", "the memory can't be used"]);
}
