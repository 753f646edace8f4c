//! Timers as their users meet them: set in one program, rung by another, kept over restarts and crashes.

use std::collections::BTreeMap;
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::Value;

use super::service::deaf_home;
use crate::support::program::{Home, NOBODY, Running};

fn listed(home: &Home) -> Vec<Value> {
    let out = home.joi(&["timers", "--json"]).well().out;
    serde_json::from_str::<Value>(&out).unwrap().as_array().unwrap().clone()
}

/// Name and state of all entries.
fn states(home: &Home) -> Vec<(String, String)> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    listed(home).iter().map(|row| (word(&row["name"]), word(&row["state"]))).collect()
}

#[test]
fn a_timer_set_before_the_start_rings_until_it_is_stopped() {
    let home = deaf_home();
    let ran = home.joi(&["ask", "set an egg timer for one second"]).well();
    assert_eq!(ran.out, "Egg timer, 1 second.\n");
    assert!(ran.err.contains("joi is not running: it rings once `joi run` does"), "{ran:?}");

    let mut joi = Running::start(&mut home.command(&["run"]));
    joi.until("◉ Egg timer.");
    assert_eq!(states(&home), [("egg".into(), "ringing".into())]);
    joi.signal(Signal::KILL);
    joi.end();

    let mut joi = Running::start(&mut home.command(&["run"]));
    joi.until("◉ Egg timer.");
    assert_eq!(home.joi(&["timers", "stop"]).well().out, "1 silenced\n");
    assert_eq!(states(&home), []);
    assert_eq!(home.joi(&["timers", "stop"]).well().out, "Nothing is ringing.\n");

    assert_eq!(home.joi(&["timers", "snooze", "1", "second"]).well().out, "Egg timer again in 1 second.\n");
    joi.until("◉ Egg timer.");
    home.joi(&["ask", "stop"]).well();
    assert_eq!(states(&home), []);

    home.joi(&["timers", "add", "1", "hour", "--name", "tea"]).well();
    // A second may pass between two commands.
    let is_left = |told: &str, what: &str| {
        let length = told.strip_prefix(what).and_then(|rest| rest.strip_suffix(" left.\n"));
        assert!(
            length.is_some_and(|length| length == "1 hour" || length.starts_with("59 minutes 5")),
            "{told}"
        );
    };
    is_left(&home.joi(&["timers", "pause", "tea"]).well().out, "Tea timer paused, ");
    assert_eq!(states(&home), [("tea".into(), "paused".into())]);
    is_left(&home.joi(&["ask", "resume the tea timer"]).well().out, "Tea timer goes on, ");
    assert_eq!(states(&home), [("tea".into(), "waiting".into())]);
    home.joi(&["timers", "cancel", "tea"]).well();

    let ran = home.joi(&["ask", "remind me in one second to water the plants"]).well();
    assert_eq!(ran.out, "Reminder in 1 second: water the plants.\n");
    assert!(!ran.err.contains("not running"), "she runs, and was told: {ran:?}");
    joi.until("◉ Reminder: water the plants.");
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn timers_are_named_listed_changed_and_cancelled_without_any_model() {
    // No model is there at all
    let home = Home::with_model_server(NOBODY);
    let said = "set a pasta timer\nnine and a half minutes\nset a rice timer for 20 minutes\n\
                how long is left on the pasta timer\nadd two minutes to the pasta timer\ncancel the timer\n\
                the rice one\nwake me at half past six on weekdays\ndon't cancel all timers\ncancel all alarms\n";
    let told = home.joi_reading(said, &["text"]).well().out;
    let told: Vec<&str> = told.lines().collect();
    assert_eq!(told[..3], ["For how long?", "Pasta timer, 9 minutes 30 seconds.", "Rice timer, 20 minutes."]);
    assert!(told[3].ends_with(" left on the pasta timer."), "{told:?}");
    assert!(told[4].starts_with("Pasta timer, 11 minutes "), "{told:?}");
    assert!(told[5].starts_with("Which one: the pasta timer or the rice timer?"), "{told:?}");
    assert_eq!(told[6..8], ["Rice timer cancelled.", "Alarm at 6:30 AM on weekdays."]);
    assert_eq!(told.last(), Some(&"6:30 AM alarm cancelled."));
    assert_eq!(states(&home), [("pasta".into(), "waiting".into())]);
}

#[test]
fn the_command_line_sets_lists_and_cancels() {
    let home = Home::with_model_server(NOBODY);
    let add = |args: &[&str]| home.joi(&[&["timers", "add"], args].concat()).well().out;
    assert_eq!(add(&["9m30s", "--name", "pasta"]), "Pasta timer, 9 minutes 30 seconds.\n");
    assert_eq!(add(&["half past six on weekdays"]), "Alarm at 6:30 AM on weekdays.\n");
    assert_eq!(
        add(&["tomorrow", "at", "noon", "--remind", "call Ann"]),
        "Reminder tomorrow at noon: call Ann.\n"
    );
    let table = home.joi(&["timers"]).well().out;
    for part in ["pasta", "on weekdays", "call Ann", "reminder", "12:00:00"] {
        assert!(table.contains(part), "{part} in {table}");
    }
    let wrong = home.joi(&["timers", "add", "soonish"]);
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.complaint().contains("\"soonish\" is no length and no time; allowed: "), "{wrong:?}");
    let none = home.joi(&["timers", "cancel", "rice"]);
    assert_eq!((none.code, none.out.as_str()), (Some(1), "There is no timer called rice.\n"));
    assert_eq!(home.joi(&["timers", "cancel", "2"]).well().out, "6:30 AM alarm cancelled.\n");
    assert_eq!(home.joi(&["timers", "cancel", "--all"]).well().out, "All 2 cancelled.\n");
    assert_eq!(home.joi(&["timers"]).well().out, "there are no timers, alarms or reminders\n");
}

/// So many are set before they are looked at and cancelled: there can't be many more at the same time.
const ROUND: usize = 400;

#[test]
fn no_confirmed_timer_is_lost_or_doubled_when_the_program_is_killed() {
    // `make crash-test` writes a thousand.
    let writes: usize = std::env::var("JOI_CRASH_WRITES").map_or(60, |writes| writes.parse().unwrap());
    let home = Home::with_model_server(NOBODY);
    let mut random = fastrand::Rng::with_seed(0x6a6f69);
    let (mut sent, mut confirmed, mut kills, mut stored) = (0, 0, 0, 0);
    while confirmed < writes {
        let round = crash_round(&home, &mut random, &mut sent, ROUND.min(writes - confirmed));
        (confirmed, kills, stored) = (confirmed + round.0, kills + round.1, stored + round.2);
        home.joi(&["timers", "cancel", "--all"]).well();
    }
    println!("{confirmed} confirmed, {kills} kills, {stored} stored, none lost, none doubled");
}

/// Sets timers in a program that is killed again and again; how many were confirmed, killed and stored.
fn crash_round(
    home: &Home,
    random: &mut fastrand::Rng,
    sent: &mut usize,
    writes: usize,
) -> (usize, usize, usize) {
    let (mut confirmed, mut kills) = (Vec::new(), 0);
    while confirmed.len() < writes {
        let mut joi = Running::start(home.command(&["text"]).stdin(Stdio::piped()));
        for _ in 0..random.usize(1..=40).min(writes - confirmed.len()) {
            joi.tell(&format!("set a timer called x{sent} for nine minutes"));
            joi.until(&format!("X{sent} timer, 9 minutes."));
            confirmed.push(format!("x{sent}"));
            *sent += 1;
        }
        // One more, of which nobody knows how far it comes.
        joi.tell(&format!("set a timer called x{sent} for nine minutes"));
        *sent += 1;
        for _ in 0..random.usize(0..20_000) {
            std::thread::yield_now();
        }
        joi.signal(Signal::KILL);
        joi.end();
        kills += 1;
    }
    let mut stored: BTreeMap<String, usize> = BTreeMap::new();
    for (name, state) in states(home) {
        assert_eq!(state, "waiting", "{name}");
        *stored.entry(name).or_default() += 1;
    }
    let lost: Vec<_> = confirmed.iter().filter(|name| !stored.contains_key(*name)).collect();
    let doubled: Vec<_> = stored.iter().filter(|(_, times)| **times > 1).collect();
    assert!(lost.is_empty() && doubled.is_empty(), "lost {lost:?}, doubled {doubled:?}");
    assert!(stored.len() <= confirmed.len() + kills, "only what was sent is there");
    (confirmed.len(), kills, stored.len())
}
