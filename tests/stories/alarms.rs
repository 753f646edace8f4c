//! Alarms as their owner meets them: the program as it is started, without a microphone, a loudspeaker or a model, and
//! the house to try.

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

#[test]
fn smoke_in_the_house_is_an_alarm_and_the_socket_acknowledges_it() {
    let mut home = deaf_home();
    let mut demo = Running::start(&mut home.command(&["home", "demo", "--port", "0"]));
    let told = demo.until("a house to try at").out;
    let url = told.split_whitespace().find(|word| word.starts_with("http://")).unwrap();
    home.set(&format!("home.url={}", url.trim_end_matches(';')))
        .set("home.meaning.smoke=[\"Kitchen_Smoke\"]");
    let mut joi = Running::start(&mut home.command(&["run"]));
    joi.until("Ctrl-C ends");
    while !home.joi(&["status"]).out.contains("openHAB") {}
    home.joi(&["alert", "test"]).well();
    until_alarms(&home, 1);
    home.joi(&["home", "send", "Kitchen_Smoke", "on", "--yes"]);
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
