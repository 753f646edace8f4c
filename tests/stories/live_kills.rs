//! `joi run` is killed (SIGKILL) while somebody speaks to joi, and while joi's voice plays, on a real sound server.

use std::sync::PoisonError;

use serde_json::Value;

use super::live::{ALONE, Recorder, Room, ask};
use crate::support::ollama_double::Script;
use crate::support::program::{Home, Ran, Running};
use crate::support::sound_server::with_sound_server;

/// Blocks of some ms that joi has been loud in when joi is killed.
const SOON: usize = 50;

fn kill(joi: Running) -> Ran {
    joi.signal(rustix::process::Signal::KILL);
    let ran = joi.end();
    assert_eq!(ran.code, None);
    ran
}

/// Something to lose: a memory, and a timer that was confirmed.
fn stores(home: &Home) {
    home.joi(&["ask", "remember that the spare key is in the shed"]).well();
    home.joi(&["timers", "add", "--name", "tea", "90 minutes"]).well();
}

/// Joi listens again, and all that was stored is there; what joi had to say until joi was ended.
fn listens_again(home: &Home) -> Ran {
    let mut joi = Running::start(&mut home.command(&["run"]));
    joi.until("listening through");
    let json = |args: &[&str]| -> Value { serde_json::from_str(&home.joi(args).well().out).unwrap() };
    let status = json(&["status", "--json"]);
    assert!(
        status.get("losses").is_none_or(|losses| losses.as_array().is_none_or(Vec::is_empty)),
        "{status}"
    );
    assert!(home.joi(&["memory"]).well().out.contains("the shed"));
    let timers = json(&["timers", "--json"]);
    let names: Vec<&Value> = timers.as_array().unwrap().iter().map(|timer| &timer["name"]).collect();
    assert_eq!(names, ["tea"], "once");
    let ran = joi.terminate();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran
}

#[test]
fn killed_while_somebody_speaks_she_listens_again_and_answers_nothing_of_it() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    with_sound_server(|server| {
        let room = Room::with(server);
        room.double.when("sky", vec![Script::lines(&[]).then_silence()]);
        stores(&room.home);
        let mut events = Running::start(&mut room.home.command(&["events"]));
        events.until("\"state\":");
        ask(server, 1);
        // Behind the wake phrase the question goes on.
        events.until("\"state\":\"listening\"");
        let killed = kill(room.joi);
        assert!(!killed.err.contains("you:"), "{killed:?}");
        let ran = listens_again(&room.home);
        assert!(!ran.err.contains("you:"), "{ran:?}");
        let last: Value = serde_json::from_str(&room.home.joi(&["why", "--json"]).well().out).unwrap();
        assert!(last["heard"].as_str().is_some_and(|heard| heard.contains("spare key")), "{last}");
    });
}

#[test]
fn killed_while_her_voice_plays_she_listens_again_and_does_not_go_on() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    with_sound_server(|server| {
        let mut room = Room::with(server);
        let answer = "Blue light is scattered by the air far more than red light is. ".repeat(8);
        room.double.when("why", vec![Script::words(&answer)]);
        stores(&room.home);
        let recorder = Recorder::of(server);
        ask(server, 1);
        room.joi.until("you:");
        recorder.until_loud(SOON);
        kill(room.joi);
        recorder.end();
        let ran = listens_again(&room.home);
        assert!(!ran.out.contains("scattered") && !ran.err.contains("scattered"), "{ran:?}");
    });
}
