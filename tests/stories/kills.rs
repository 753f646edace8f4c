//! The program is killed (SIGKILL) at points that a seed chooses while alarms come in and go out: none is lost, and none
//! arrives twice without saying so.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::service::deaf_home;
use crate::support::program::{FOR_EVER, Home, Running};
use crate::support::signal_double::{Seen, SignalDouble};

/// Programs that are killed.
const KILLS: usize = 10;
const SEED: u64 = 19;
/// In front of a message that may have arrived before.
const MARK: &str = "(You may have had this already.)";

/// A home with the double as its way out, and its address for alarms of other programs.
fn alarmed_home() -> (Home, SignalDouble, String) {
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
fn sends(door: &str, text: &str) -> bool {
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
fn until_open(door: &str) {
    let give_up = Instant::now() + FOR_EVER;
    while TcpStream::connect(door).is_err() {
        assert!(Instant::now() < give_up, "the door does not open");
        thread::yield_now();
    }
}

/// Lets so much time pass, or less if something is told.
fn pass<T>(told: &Receiver<T>, time: Duration) {
    let _ = told.recv_timeout(time);
}

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
