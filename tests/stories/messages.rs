//! Messages as their owner meets them: the program as it is started, without a microphone, a loudspeaker or a model, beside
//! a double of the signal-cli daemon.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::service::deaf_home;
use crate::support::program::{FOR_EVER, Home, Running, project};
use crate::support::signal_double::{OWNER, SignalDouble};

/// A home with the double as its way out, and its address for alarms of other programs.
pub(super) fn alarmed_home() -> (Home, SignalDouble, String) {
    let mut home = deaf_home();
    std::fs::create_dir_all(home.path("signal")).unwrap();
    let double = SignalDouble::start(&home.path("signal"));
    for setting in double.settings() {
        home.set(&setting);
    }
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let door = format!("127.0.0.1:{port}");
    home.set(&format!("alert.listen={door}"));
    (home, double, door)
}

/// Sends an alarm as another program would: whether it was taken. A program that is killed meanwhile takes nothing.
pub(super) fn sends(door: &str, text: &str) -> bool {
    let body = json!({ "text": text, "priority": "high" }).to_string();
    let request = format!(
        "POST /events HTTP/1.1\r\nHost: {door}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let Ok(mut stream) = TcpStream::connect(door) else { return false };
    let mut answer = String::new();
    let talked = stream.write_all(request.as_bytes()).and_then(|()| stream.read_to_string(&mut answer));
    talked.is_ok() && answer.starts_with("HTTP/1.1 202")
}

/// Waits until the door is open.
pub(super) fn until_open(door: &str) {
    let give_up = Instant::now() + FOR_EVER;
    while TcpStream::connect(door).is_err() {
        assert!(Instant::now() < give_up, "the door does not open");
        thread::yield_now();
    }
}

/// Lets so much time pass, or less if something is told.
pub(super) fn pass<T>(told: &Receiver<T>, time: Duration) {
    let _ = told.recv_timeout(time);
}

#[test]
fn an_alarm_of_the_running_program_is_acknowledged_by_typing_beside_it_and_by_a_thumb_up() {
    let (home, double, door) = alarmed_home();
    let joi = Running::start(&mut home.command(&["run"]));
    until_open(&door);
    let ringing = || {
        let status = home.joi(&["status", "--json"]).well().out;
        serde_json::from_str::<Value>(&status).unwrap()["alarms"].as_u64().unwrap()
    };
    assert!(home.joi(&["ask", "I heard it"]).well().out.contains("no alarm"), "none rings yet");
    assert!(sends(&door, "The cellar is wet"));
    assert_eq!(ringing(), 1);
    assert_eq!(home.joi(&["ask", "I've seen it"]).well().out.trim(), "Good. I'm silent about it now.");
    assert_eq!(ringing(), 0);
    assert!(sends(&door, "The freezer is warm") && sends(&door, "The door is open"));
    let give_up = Instant::now() + FOR_EVER;
    let stamp = loop {
        assert!(Instant::now() < give_up, "{:?}", double.texts());
        if let Some(stamp) = double.stamp_of("freezer") {
            break stamp;
        }
        pass(&double.seen, Duration::from_secs(1));
    };
    let reaction = json!({ "emoji": "👍", "targetAuthorUuid": "us", "targetSentTimestamp": stamp });
    while ringing() == 2 {
        assert!(Instant::now() < give_up, "the thumb up was not seen");
        // Its message may not be known to be sent yet.
        double.owner_sends(&json!({ "message": null, "reaction": reaction }));
    }
    assert_eq!(ringing(), 1, "the other one rings on");
    assert_eq!(
        home.joi_reading("I heard it\n", &["text"]).well().out.trim(),
        "Good. I'm silent about it now."
    );
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn a_voice_message_is_understood_and_answered_in_writing_and_one_that_can_not_be_decoded_says_so() {
    let (home, double, _) = alarmed_home();
    let joi = Running::start(&mut home.command(&["run"]));
    let give_up = Instant::now() + FOR_EVER;
    let answered = |file: &str, expected: &[&str]| {
        double.attach(&std::fs::read(project("tests/data/notes").join(file)).unwrap());
        let note = json!({ "message": null, "attachments": [{ "id": file, "contentType": "audio/aac" }] });
        let before = double.texts().len();
        // What is sent before the program is connected is lost.
        while double.owner_sends(&note) == 0 {
            assert!(Instant::now() < give_up, "nobody is connected");
            thread::yield_now();
        }
        while double.texts().len() == before {
            assert!(Instant::now() < give_up, "no answer to {file}");
            pass(&double.seen, Duration::from_secs(1));
        }
        let answer = double.texts().pop().unwrap();
        assert!(expected.iter().any(|part| answer.contains(part)), "{file}: {answer}");
    };
    answered("../jfk.wav", &["this kind of voice message"]);
    answered("time.m4a", &["AM", "PM"]);
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn an_alarm_of_another_program_is_at_the_messenger_within_two_seconds() {
    let (home, double, door) = alarmed_home();
    let joi = Running::start(&mut home.command(&["run"]));
    until_open(&door);
    let give_up = Instant::now() + FOR_EVER;
    let until_sent = |text: &str| {
        while double.stamp_of(text).is_none() {
            assert!(Instant::now() < give_up, "{:?}", double.texts());
            pass(&double.seen, Duration::from_secs(1));
        }
    };
    // The connection is there.
    assert!(sends(&door, "The cellar is wet"));
    until_sent("The cellar is wet");
    // The quickest of them: others use this machine too.
    let alarms = ["The freezer is warm", "The door is open", "The roof leaks", "The gate is broken"];
    let quickest = alarms.iter().map(|text| {
        let began = Instant::now();
        assert!(sends(&door, text));
        until_sent(text);
        began.elapsed()
    });
    let quickest = quickest.min().unwrap();
    assert!(quickest < Duration::from_secs(2), "{quickest:?}");
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn a_daemon_that_is_not_there_is_reported_and_joi_lives_on_until_it_is() {
    let mut home = deaf_home();
    std::fs::create_dir_all(home.path("signal")).unwrap();
    let socket = home.path("signal").join("signal.sock");
    home.set(&format!("signal.daemon=unix:{}", socket.display()));
    home.set(&format!("signal.owner={OWNER}"));
    let joi = Running::start(&mut home.command(&["run"]));
    let give_up = Instant::now() + FOR_EVER;
    let shows = |part: &str| {
        let status = home.joi(&["status"]);
        assert!(Instant::now() < give_up, "{status:?}");
        status.out.lines().any(|line| line.contains("signal") && line.contains(part))
    };
    while !shows("No such file") {
        thread::yield_now();
    }
    let _double = SignalDouble::start(&home.path("signal"));
    while !shows("signal-cli 0.14.6") {
        thread::yield_now();
    }
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn a_phone_is_linked_by_the_code_in_the_terminal() {
    let (home, _double, _) = alarmed_home();
    let linked = home.joi(&["signal", "link"]).well();
    let drawn: Vec<&str> = linked.out.lines().filter(|line| line.contains(['█', '▀', '▄'])).collect();
    assert!(drawn.len() > 15, "a code of half blocks: {}", linked.out);
    let widths: Vec<usize> = drawn.iter().map(|line| line.chars().count()).collect();
    assert!(widths.iter().all(|width| *width == widths[0] && *width <= 80), "{widths:?}");
    assert!(linked.out.trim_end().ends_with("linked to +491701"), "{}", linked.out);
    assert!(linked.err.contains("Linked devices") && linked.err.contains("signal.mode = \"linked\""));
}
