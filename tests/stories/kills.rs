//! The program is killed (SIGKILL): at points that a seed chooses while alarms come in and go out, of which none is lost, and
//! none arrives twice without saying so; and in every stage of what it does.

use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::messages::{alarmed_home, pass, sends, until_open};
use super::service::deaf_home_with;
use crate::support::ollama_double::{Double, Script};
use crate::support::program::{FOR_EVER, Home, Running};
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

/// Killed at once.
fn kill(joi: Running) {
    joi.signal(rustix::process::Signal::KILL);
    assert_eq!(joi.end().code, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_in_any_stage_she_starts_again_with_all_that_was_stored() {
    let double = Double::start().await;
    let half = Script::first_words("It is the air. It scatters blue light, and then ").then_silence();
    double.when("sky", vec![Script::lines(&[]).then_silence(), half]);
    let home = deaf_home_with(&double.url);
    home.joi(&["ask", "remember that the spare key is in the shed"]).well();
    home.joi(&["timers", "add", "--name", "tea", "90 minutes"]).well();

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
    // Thinking
    let joi = Running::start(&mut home.command(&["ask", QUESTION]));
    while !double.chats().iter().any(|chat| chat.to_string().contains("sky")) {
        double.until_chats(double.chats().len() + 1).await;
    }
    kill(joi);
    // In the middle of an answer
    let mut joi = Running::start(&mut home.command(&["ask", QUESTION]));
    joi.until("It is the air.");
    kill(joi);

    let mut joi = Running::start(&mut home.command(&["run"]));
    joi.until("Ctrl-C ends");
    let status: Value = serde_json::from_str(&home.joi(&["status", "--json"]).well().out).unwrap();
    assert!(status["stages"].as_array().unwrap().iter().all(|stage| stage["fresh"] == true), "{status}");
    assert!(
        status.get("losses").is_none_or(|losses| losses.as_array().is_none_or(Vec::is_empty)),
        "{status}"
    );
    assert!(home.joi(&["memory"]).well().out.contains("the shed"));
    assert!(home.joi(&["timers"]).well().out.contains("tea"));
    assert_eq!(joi.terminate().code, Some(0));
}
