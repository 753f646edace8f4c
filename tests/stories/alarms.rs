//! Alarms as their owner meets them: the program as it is started, without a microphone, a loudspeaker or a model, and
//! the house to try.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::service::deaf_home;
use crate::support::program::{Home, Running};

fn alerts(home: &Home) -> Vec<Value> {
    let ran = home.joi(&["alert", "list", "--json"]).well();
    serde_json::from_str::<Value>(&ran.out).unwrap().as_array().unwrap().clone()
}

/// Waits until there are so many alarms; how long that took.
fn until_alarms(home: &Home, count: usize) -> Duration {
    let began = Instant::now();
    while alerts(home).len() < count {
        assert!(began.elapsed() < Duration::from_secs(20), "no alarm came");
    }
    began.elapsed()
}

/// A detector of the house to try, which nobody may command, gets this state.
fn detect(url: &str, item: &str, state: &str) {
    let server = url.trim_start_matches("http://");
    let mut connection = TcpStream::connect(server).unwrap();
    let length = state.len();
    write!(
        connection,
        "PUT /rest/items/{item}/state HTTP/1.1\r\nHost: {server}\r\nContent-Type: text/plain\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{state}"
    )
    .unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
}

#[test]
fn smoke_in_the_house_is_an_alarm_and_the_socket_acknowledges_it() {
    let mut home = deaf_home();
    let mut demo = Running::start(&mut home.command(&["home", "demo", "--port", "0"]));
    let told = demo.until("a house to try at").out;
    let url = told.split_whitespace().find(|word| word.starts_with("http://")).unwrap();
    let url = url.trim_end_matches(';').to_owned();
    home.set(&format!("home.url={url}")).set("home.meaning.smoke=[\"Kitchen_Smoke\"]");
    let mut joi = Running::start(&mut home.command(&["run"]));
    joi.until("Ctrl-C ends");
    // The house and the service that watches it.
    let is_up = |status: &str| status.contains("openHAB") && status.contains("awareness");
    while !is_up(&home.joi(&["status"]).out) {}
    home.joi(&["alert", "test"]).well();
    until_alarms(&home, 1);
    detect(&url, "Kitchen_Smoke", "ON");
    until_alarms(&home, 2);
    let newest = alerts(&home)[0].clone();
    assert_eq!((&newest["kind"]["id"], &newest["acknowledged"]), (&"smoke_alarm".into(), &Value::Null));
    home.joi(&["alert", "acknowledge"]).well();
    let began = Instant::now();
    while alerts(&home).iter().any(|alert| alert["acknowledged"].is_null()) {
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", alerts(&home));
    }
    assert!(alerts(&home).iter().all(|alert| alert["by"] == "socket"));
}
