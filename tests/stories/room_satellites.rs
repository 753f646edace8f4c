//! Satellites in other rooms, as their users meet them: asked with a wake phrase of their own and with one that is heard here,
//! followed up, given a timer, lost in mid-word. The satellite is a double over TCP; ears, voice and answers are real.

use std::net::TcpListener;

use joi_audio::{RATE, read_wav, write_wav};
use serde_json::Value;

use super::service::{deaf_home, run, status};
use crate::support::program::{Home, Running};
use crate::support::speech::{flite, pause, plain, questions};
use crate::support::wyoming_double::{RunningDouble, SatelliteDouble};

/// Joi runs with a satellite in the kitchen.
fn kitchen() -> (Home, Running, SatelliteDouble, RunningDouble) {
    let double = SatelliteDouble::new();
    let mut home = deaf_home();
    home.set(&format!("satellites.rooms.kitchen.address=\"{}\"", double.address()));
    let joi = run(&home);
    let kitchen = double.running();
    (home, joi, double, kitchen)
}

/// The words that were understood next.
#[track_caller]
fn understood(kitchen: &RunningDouble) -> String {
    let (transcript, _) = kitchen.until("transcript");
    plain(transcript.data["text"].as_str().unwrap())
}

/// Somebody says this to a satellite that has heard its wake phrase; the words that were understood.
#[track_caller]
fn asked(kitchen: &RunningDouble, text: &str) -> String {
    kitchen.calls();
    kitchen.hears(&[pause(0.3), flite("slt", text)].concat());
    kitchen.until("transcribe");
    kitchen.until("voice-started");
    kitchen.until("voice-stopped");
    understood(kitchen)
}

fn timers(home: &Home) -> Vec<Value> {
    let out = home.joi(&["timers", "--json"]).well().out;
    serde_json::from_str::<Value>(&out).unwrap().as_array().unwrap().clone()
}

#[test]
fn a_satellite_with_a_wake_phrase_of_its_own_is_answered_and_a_timer_set_there_rings_there() {
    let (home, joi, _double, kitchen) = kitchen();
    assert_eq!(asked(&kitchen, "what time is it?"), "what time is it");
    let (answer, _) = kitchen.until("synthesize");
    assert!(answer.data["text"].as_str().unwrap().starts_with("It's "), "{answer:?}");
    kitchen.until("audio-start");
    let (_, sound) = kitchen.until("audio-stop");
    assert!(sound > 20_000, "{sound} bytes of sound");

    let words = asked(&kitchen, "set a timer for two seconds");
    assert_eq!(
        words,
        "set a timer for two seconds".replace("two", if words.contains('2') { "2" } else { "two" })
    );
    kitchen.until("audio-stop");
    assert_eq!(timers(&home).len(), 1);
    // It rings.
    kitchen.until("audio-start");
    let (_, ring) = kitchen.until("audio-stop");
    assert!(ring > 10_000, "{ring} bytes of sound");
    kitchen.calls();
    kitchen.until("transcribe");
    kitchen.hears(&flite("slt", "stop"));
    kitchen.until("transcript");
    while !timers(&home).is_empty() {
        std::thread::yield_now();
    }

    let room = &status(&home)["rooms"][0];
    assert_eq!(
        (&room["name"], &room["state"], &room["about"]),
        (&"kitchen".into(), &"connected".into(), &"Double".into())
    );
    assert!(room["turns"].as_u64().unwrap() >= 2, "{room}");
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn a_satellite_that_always_sends_is_woken_here_and_followed_up_without_the_phrase() {
    let (_home, joi, _double, kitchen) = kitchen();
    let [time, _] = questions();
    kitchen.streams();
    kitchen.until("detect");
    kitchen.hears(&[pause(1.0), time].concat());
    assert_eq!(kitchen.until("detection").0.data["name"], "hey_jarvis");
    kitchen.until("transcribe");
    assert_eq!(understood(&kitchen), "what time is it");
    kitchen.until("audio-stop");
    // The follow-up window is open once it has sounded.
    kitchen.hears(&[pause(1.0), flite("slt", "what day is it?")].concat());
    assert_eq!(understood(&kitchen), "what day is it");
    let (_, sound) = kitchen.until("audio-stop");
    assert!(sound > 20_000, "{sound} bytes of sound");
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn a_satellite_that_is_lost_in_mid_word_comes_back_and_nothing_is_done_twice() {
    let (home, joi, double, kitchen) = kitchen();
    kitchen.calls();
    kitchen.until("transcribe");
    kitchen.hears(&flite("slt", "set a timer for ten minutes"));
    kitchen.until("voice-started");
    kitchen.cut();
    let kitchen = double.running();
    assert_eq!(timers(&home), [] as [Value; 0], "half an order is none");
    assert_eq!(asked(&kitchen, "what time is it?"), "what time is it");
    kitchen.until("audio-stop");
    let later = kitchen.so_far();
    assert!(later.iter().all(|came| came.kind != "audio-start" && came.kind != "transcript"), "{later:?}");
    assert_eq!(timers(&home), [] as [Value; 0]);
    assert_eq!(status(&home)["rooms"][0]["connections"], 2);
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn a_joi_that_is_ears_and_mouth_only_lets_a_bigger_one_think() {
    // Free a moment ago.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let mut home = deaf_home();
    home.set(&format!("satellites.rooms.kitchen.address=\"{address}\""));
    let joi = run(&home);

    let small = deaf_home();
    let (input, output) = (small.arg("said.wav"), small.arg("played.wav"));
    let [time, _] = questions();
    // The bigger one tries again after 8 s at most by then.
    write_wav(&input, RATE, &[pause(12.0), time, pause(8.0)].concat()).unwrap();
    let args = [
        "satellite",
        "--listen",
        &address,
        "--name",
        "small",
        "--unannounced",
        "--input",
        &input,
        "--output",
        &output,
    ];
    let mut satellite = Running::start(&mut small.command(&args));
    satellite.until("waits for \"hey jarvis\"");
    while status(&home)["rooms"][0]["turns"] != 1 {
        std::thread::yield_now();
    }
    let memory = satellite.memory_kb();
    assert!(memory < 100_000, "{memory} KB: it holds no speech model");
    let room = &status(&home)["rooms"][0];
    assert_eq!((&room["state"], &room["about"]), (&"connected".into(), &"small".into()), "{room}");
    let why = home.joi(&["why"]).well().out;
    assert!(why.contains("What time is it?"), "{why}");
    assert_eq!(satellite.terminate().code, Some(0));
    let played = read_wav(&output, RATE).unwrap();
    let loud = played.chunks(160).filter(|piece| piece.iter().any(|sample| sample.abs() > 0.02)).count();
    assert!(loud > 50, "{loud} loud pieces of 10 ms");
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn rooms_are_added_listed_tested_renamed_and_removed() {
    let (home, small) = (deaf_home(), deaf_home());
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let missing = home.joi(&["rooms", "add", "kitchen", &address]);
    assert!(missing.code != Some(0) && missing.complaint().contains("--unasked"), "{missing:?}");

    let (input, output) = (small.arg("said.wav"), small.arg("played.wav"));
    write_wav(&input, RATE, &pause(1.0)).unwrap();
    let args = [
        "satellite",
        "--listen",
        &address,
        "--always",
        "--unannounced",
        "--input",
        &input,
        "--output",
        &output,
    ];
    let mut satellite = Running::start(&mut small.command(&args));
    satellite.until("sends all the time");
    let added = home.joi(&["rooms", "add", "kitchen", &address, "--room", "Galley"]).well().out;
    assert!(added.contains("a satellite, answered in") && added.contains("restart joi"), "{added}");
    let rooms =
        || -> Value { serde_json::from_str(&home.joi(&["rooms", "list", "--json"]).well().out).unwrap() };
    assert_eq!((&rooms()[0]["name"], &rooms()[0]["room"]), (&"kitchen".into(), &"Galley".into()));
    assert_eq!(rooms()[0]["state"], "joi does not run");
    assert!(home.joi(&["rooms", "test", "kitchen"]).well().out.starts_with("✓ kitchen: a satellite"));
    home.joi(&["rooms", "rename", "kitchen", "dining room"]).well();
    assert_eq!(
        (&rooms()[0]["name"], &rooms()[0]["address"]),
        (&"dining room".into(), &address.clone().into())
    );
    assert_eq!(satellite.terminate().code, Some(0));
    assert!(home.joi(&["rooms", "test"]).code != Some(0), "it is gone");
    let rows: Value = serde_json::from_str(&home.joi(&["doctor", "--quick", "--json"]).out).unwrap();
    let row = rows.as_array().unwrap().iter().find(|row| row["what"] == "rooms").unwrap();
    assert!(
        row["verdict"] == "bad" && row["told"].as_str().unwrap_or_default().starts_with("dining room: "),
        "{row}"
    );
    home.joi(&["rooms", "remove", "dining room"]).well();
    assert_eq!(rooms(), Value::Array(Vec::new()));
    assert!(home.joi(&["rooms", "remove", "dining room"]).complaint().contains("no room"));
}
