//! The program is killed (SIGKILL): at points that a seed chooses while alarms come in and go out, of which none is lost, and
//! none arrives twice without saying so; and in every stage of what it does that needs no sound. So is its model server.

use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use joi_llm::{Ask, Backend, ChatEvent, LlmError, Message, Mind, ServedBy};
use serde_json::{Value, json};

use super::messages::{alarmed_home, pass, sends, until_open};
use super::mind::{answer, kill as kill_server, parts, until};
use super::service::deaf_home_with;
use crate::support::fake_joi_model::{Fake, serving_that_holds};
use crate::support::ollama_double::{Double, Script};
use crate::support::program::{FOR_EVER, Home, NOBODY, Running};
use crate::support::signal_double::{Seen, SignalDouble};

/// Programs that are killed.
const KILLS: usize = 10;
const SEED: u64 = 19;
/// In front of a message that may have arrived before.
const MARK: &str = "(You may have had this already.)";

/// One program: alarms are sent to it, and it is killed. Tells which were taken.
fn killed(
    home: &Home,
    double: &SignalDouble,
    door: &str,
    texts: &[String],
    rng: &mut fastrand::Rng,
) -> Vec<bool> {
    while double.seen.try_recv().is_ok() {}
    let joi = Running::start(&mut home.command(&["run"]));
    let (never, nothing) = channel::<()>();
    if rng.u8(0..4) == 0 {
        // Before it is up.
        pass(&nothing, Duration::from_millis(rng.u64(0..1500)));
        joi.signal(rustix::process::Signal::KILL);
        joi.end();
        return vec![false; texts.len()];
    }
    until_open(door);
    let sending: Vec<_> = texts
        .iter()
        .map(|text| {
            let (door, text) = (door.to_owned(), text.clone());
            thread::spawn(move || sends(&door, &text))
        })
        .collect();
    match rng.u8(0..4) {
        // While the alarm is stored.
        0 => pass(&nothing, Duration::from_micros(rng.u64(0..20_000))),
        // When the first message is at the daemon, and its answer is not back.
        1 => pass(&double.seen, FOR_EVER),
        2 => while double.seen.recv_timeout(FOR_EVER) == Ok(Seen::Asked) {},
        _ => pass(&nothing, Duration::from_millis(rng.u64(0..400))),
    }
    drop(never);
    joi.signal(rustix::process::Signal::KILL);
    joi.end();
    sending.into_iter().map(|sent| sent.join().unwrap()).collect()
}

#[test]
fn killed_at_any_point_it_loses_no_alarm_and_doubles_at_most_one_which_says_so() {
    let (home, double, door) = alarmed_home();
    let mut rng = fastrand::Rng::with_seed(SEED);
    // What is not taken is sent again, as whoever sends it would.
    let (mut untaken, mut all): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for round in 0..KILLS {
        let new = (0..rng.usize(1..3)).map(|n| format!("Detector {round}.{n}"));
        let new: Vec<String> = new.collect();
        all.extend(new.clone());
        untaken.extend(new);
        let taken = killed(&home, &double, &door, &untaken, &mut rng);
        let mut taken = taken.into_iter();
        untaken.retain(|_| !taken.next().unwrap_or(false));
    }
    let joi = Running::start(&mut home.command(&["run"]));
    until_open(&door);
    for text in &untaken {
        assert!(sends(&door, text), "{text} is not taken");
    }
    let copies =
        |text: &str| double.texts().into_iter().filter(|sent| sent.contains(text)).collect::<Vec<_>>();
    let give_up = Instant::now() + FOR_EVER;
    let waiting = || {
        let status = home.joi(&["status", "--json"]).well().out;
        serde_json::from_str::<Value>(&status).unwrap()["messages"]["waiting"].as_u64()
    };
    let is_lost = || all.iter().any(|text| copies(text).is_empty());
    while is_lost() || waiting() != Some(0) {
        assert!(Instant::now() < give_up, "lost: {all:?} {:?}", double.texts());
    }
    let arrived: Vec<(&String, Vec<String>)> = all.iter().map(|text| (text, copies(text))).collect();
    let again: Vec<&String> = arrived.iter().flat_map(|(_, copies)| &copies[1..]).collect();
    assert!(again.iter().all(|copy| copy.contains(MARK)), "not marked: {again:?}");
    assert!(again.len() <= KILLS, "more than one for each kill: {again:?}");
    let ring = home.joi(&["alert", "ack", "--json"]).well().out;
    assert_eq!(serde_json::from_str::<Value>(&ring).unwrap()["heard"], all.len(), "nobody has heard them");
    assert_eq!(joi.terminate().code, Some(0));
}

const QUESTION: &str = "why is the sky blue?";
/// The beginning of an answer that has no end.
const HALF: &str = "It is the air. It scatters blue light, and then ";

/// Killed at once.
pub(super) fn kill(joi: Running) {
    joi.signal(rustix::process::Signal::KILL);
    assert_eq!(joi.end().code, None);
}

/// Something to lose: a memory, and a timer that was confirmed.
pub(super) fn stores(home: &Home) {
    home.joi(&["ask", "remember that the spare key is in the shed"]).well();
    home.joi(&["timers", "add", "--name", "tea", "90 minutes"]).well();
}

/// Joi runs again, every stage of joi's lives, and all that was stored is there.
pub(super) fn runs_again(home: &Home) -> Running {
    let mut joi = Running::start(&mut home.command(&["run"]));
    joi.until("Ctrl-C ends");
    let status: Value = serde_json::from_str(&home.joi(&["status", "--json"]).well().out).unwrap();
    assert!(status["stages"].as_array().unwrap().iter().all(|stage| stage["fresh"] == true), "{status}");
    assert!(
        status.get("losses").is_none_or(|losses| losses.as_array().is_none_or(Vec::is_empty)),
        "{status}"
    );
    assert!(home.joi(&["memory"]).well().out.contains("the shed"));
    let timers: Value = serde_json::from_str(&home.joi(&["timers", "--json"]).well().out).unwrap();
    let names: Vec<&Value> = timers.as_array().unwrap().iter().map(|timer| &timer["name"]).collect();
    assert_eq!(names, ["tea"], "once");
    joi
}

/// How many requests, `of` all that have come, are about the sky.
fn about_the_sky(of: &[Value]) -> usize {
    of.iter().filter(|chat| chat.to_string().contains("sky")).count()
}

/// Waits for a further request about the sky than the `before` that had come.
async fn until_asked(model: &Double, before: usize) {
    loop {
        let chats = model.chats();
        if about_the_sky(&chats) > before {
            return;
        }
        model.until_chats(chats.len() + 1).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_in_any_stage_she_starts_again_with_all_that_was_stored() {
    let double = Double::start().await;
    let half = Script::first_words(HALF).then_silence();
    double.when("sky", vec![Script::lines(&[]).then_silence(), half]);
    let home = deaf_home_with(&double.url);
    stores(&home);

    // Starting, waiting, listening
    for stage in ["waking up", "Ctrl-C ends"] {
        let mut joi = Running::start(&mut home.command(&["run"]));
        joi.until(stage);
        kill(joi);
    }
    let mut joi = Running::start(&mut home.command(&["run"]));
    joi.until("Ctrl-C ends");
    home.joi(&["listen", "--now"]).well();
    joi.until("● listening");
    kill(joi);
    // A command that thinks
    let joi = Running::start(&mut home.command(&["ask", QUESTION]));
    until_asked(&double, 0).await;
    kill(joi);
    // In the middle of its answer
    let mut joi = Running::start(&mut home.command(&["ask", QUESTION]));
    joi.until("It is the air.");
    kill(joi);

    assert_eq!(runs_again(&home).terminate().code, Some(0));
}

/// The same with an owner who writes to joi.
fn written_home(url: &str) -> (Home, SignalDouble) {
    let mut home = deaf_home_with(url);
    std::fs::create_dir_all(home.path("signal")).unwrap();
    let owner = SignalDouble::start(&home.path("signal"));
    for setting in owner.settings() {
        home.set(&setting);
    }
    stores(&home);
    (home, owner)
}

/// Starts joi, and the owner writes this to joi; what is sent before joi is connected would be lost.
fn is_written_to(home: &Home, owner: &SignalDouble, text: &str) -> Running {
    let mut joi = Running::start(&mut home.command(&["run"]));
    joi.until("Ctrl-C ends");
    writes(owner, text);
    joi
}

fn writes(owner: &SignalDouble, text: &str) {
    let give_up = Instant::now() + FOR_EVER;
    while owner.owner_sends(&json!({ "message": text })) == 0 {
        assert!(Instant::now() < give_up, "nobody is connected");
        thread::yield_now();
    }
}

/// Joi runs again, answers what is written to joi from then on, and tells nothing of what was half done: no `words` of it.
fn writes_again(home: &Home, owner: &SignalDouble, words: &str) {
    let joi = runs_again(home);
    writes(owner, "what time is it?");
    let give_up = Instant::now() + FOR_EVER;
    let is_time = |text: &String| text.contains("AM") || text.contains("PM");
    while !owner.texts().iter().any(is_time) {
        assert!(Instant::now() < give_up, "{:?}", owner.texts());
        pass(&owner.seen, Duration::from_secs(1));
    }
    assert!(owner.texts().iter().all(|text| !text.contains(words)), "{:?}", owner.texts());
    assert_eq!(joi.terminate().code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_while_she_thinks_or_answers_she_starts_again_and_says_no_half_answer() {
    let model = Double::start().await;
    let half = Script::first_words(HALF).then_silence();
    model.when("sky", vec![Script::lines(&[]).then_silence(), half]);
    let (home, owner) = written_home(&model.url);
    // Thinking, and in the middle of an answer
    for _ in 0..2 {
        let before = about_the_sky(&model.chats());
        let joi = is_written_to(&home, &owner, QUESTION);
        until_asked(&model, before).await;
        kill(joi);
    }
    writes_again(&home, &owner, "the air");
}

/// Waits for a connection.
fn connected(listener: &TcpListener) -> TcpStream {
    listener.set_nonblocking(true).unwrap();
    let give_up = Instant::now() + FOR_EVER;
    loop {
        match listener.accept() {
            Ok((stream, _)) => return stream,
            Err(_) => assert!(Instant::now() < give_up, "nobody connects"),
        }
        thread::yield_now();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_while_a_tool_works_she_starts_again_and_says_nothing_of_it() {
    let model = Double::start().await;
    let call = json!({ "name": "webSearch", "arguments": { "query": "the highest tower" } });
    model.when("tower", vec![Script::words(&format!("```tool_call\n{call}\n```"))]);
    let (mut home, owner) = written_home(&model.url);
    // A search engine that takes the request and says nothing.
    let engine = TcpListener::bind("127.0.0.1:0").unwrap();
    home.set(&format!("tools.search.searxng=http://{}", engine.local_addr().unwrap()));
    let joi = is_written_to(&home, &owner, "search the web for the highest tower");
    let _asked = connected(&engine);
    kill(joi);
    writes_again(&home, &owner, "tower");
}

#[tokio::test]
async fn a_model_server_that_is_killed_in_mid_answer_is_replaced_before_the_next_question() {
    let fake = Fake::that_does(&serving_that_holds("story"));
    let mind = Mind::start(parts(NOBODY, Backend::Local, &fake));
    let first = until(&mind, |ready| ready.by == ServedBy::Local).await.pid;
    let story = Ask { messages: vec![Message::user("Tell me a story.")], ..Ask::default() };
    let mut reply = mind.chat(story).await.unwrap();
    let begun = reply.next().await.expect("it begins");
    assert!(matches!(begun, Ok(ChatEvent::Text(_))), "{begun:?}");
    kill_server(first);
    let ended = loop {
        match reply.next().await.expect("a reply that broke off says so") {
            Ok(more) => assert!(!matches!(more, ChatEvent::Done(_)), "it counts as a whole answer"),
            Err(error) => break error,
        }
    };
    assert_eq!(ended, LlmError::Broken);
    drop(reply);
    until(&mind, |ready| ready.by == ServedBy::Local && ready.pid != first).await;
    assert_eq!(answer(&mind, "Hello.").await.unwrap(), "You said, as I heard it: Hello.");
    mind.shutdown().await;
}
