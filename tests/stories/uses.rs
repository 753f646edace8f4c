//! Goals that a server of their own works on, while another one answers: which words go where, and how that is shown.

use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use joi_llm::testing::anthropic::events;
use serde_json::{Value, json};

use super::service::deaf_home_with;
use crate::support::ollama_double::{Double, Script};
use crate::support::program::{Home, NOBODY, Running};

/// No working program needs so long to answer in a thread.
const LONG: Duration = Duration::from_secs(90);

fn status(home: &Home) -> String {
    home.joi(&["status"]).out
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < LONG, "{what}: it never came");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn goals_are_worked_on_by_their_own_server_and_nothing_of_them_goes_to_the_one_that_answers() {
    let (chat, goals) = (Double::start().await, Double::anthropic().await);
    let asks = events("", &[("send_message", json!({ "text": "Do you like trains?" }))], (900, 40));
    goals.when("the owner has written", vec![Script::events(&asks)]);
    let mut home = deaf_home_with(&chat.url);
    std::fs::write(home.path("key"), "sk-ant-test\n").unwrap();
    std::fs::set_permissions(home.path("key"), std::fs::Permissions::from_mode(0o600)).unwrap();
    let key = format!("llm.uses.goals.key_file={}", home.arg("key"));
    home.set("goals.feed=false")
        .set("llm.uses.goals.backend=anthropic")
        .set(&format!("llm.uses.goals.url={}", goals.url))
        .set("llm.uses.goals.model=claude-double-1")
        .set("goals.prices.claude-double-1.input=3.0")
        .set("goals.prices.claude-double-1.output=15.0")
        .set(&key);
    home.joi(&["goals", "new", "trip to Osaka"]).well();
    let before = chat.chats().len();
    let mut joi = Running::start(&mut home.command(&["run"]));
    joi.until("Ctrl-C ends");
    until("its question", || home.joi(&["goals", "show", "Osaka"]).out.contains("Do you like trains?"));
    assert!(status(&home).contains("claude-double-1 is ready (anthropic)"), "{}", status(&home));
    let about_osaka =
        |chats: &[Value]| chats.iter().filter(|chat| chat.to_string().contains("Osaka")).count();
    assert_eq!(about_osaka(&chat.chats()[before..]), 0);
    assert!(goals.seen().iter().all(|seen| seen.key.as_deref() == Some("sk-ant-test")));
    let sent = &goals.chats()[0];
    assert!(sent["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "send_message"), "{sent:#}");
    let usage: Value = serde_json::from_str(&home.joi(&["usage", "--json"]).well().out).unwrap();
    let of_goals = usage["uses"].as_array().unwrap().iter().find(|one| one["use"] == "goals").unwrap();
    assert_eq!((&of_goals["server"], &of_goals["model"]), (&json!("anthropic"), &json!("claude-double-1")));
    assert_eq!(of_goals["usage"]["tokens_in"], 900);
    assert!((of_goals["usage"]["cost"].as_f64().unwrap() - 0.0033).abs() < 1e-9, "{of_goals:#}");
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn a_use_outside_of_the_home_has_to_be_allowed_and_is_off_without_a_key_and_named() {
    let mut home = deaf_home_with(NOBODY);
    home.set("llm.uses.goals.backend=openai").set("llm.uses.goals.url=https://joi.invalid");
    let refused = home.joi(&["status"]);
    assert!(refused.err.contains("llm.uses.goals.outside = true"), "{refused:?}");
    home.set("llm.uses.goals.outside=true").set("llm.uses.goals.outside_may=[\"memory\"]");
    let told = "goals: words leave the house: what is said to the model is sent to https://joi.invalid; the memory too, while \
                the house stays at home";
    let doctor = home.joi(&["doctor", "--quick", "--json"]);
    let rows: Vec<Value> = serde_json::from_str(&doctor.out).unwrap();
    assert!(rows.iter().any(|row| row["what"] == "privacy" && row["told"] == told), "{rows:#?}");
    let mut joi = Running::start(&mut home.command(&["run"]));
    let shown = joi.until("Ctrl-C ends");
    assert!(shown.err.contains(told) || shown.out.contains(told), "it is named at the start: {shown:?}");
    until("its state", || status(&home).contains("off without an API key; set llm.uses.goals.key_file"));
    assert_eq!(joi.terminate().code, Some(0));
}
