//! Whether and why joi speaks up by itself, as it is looked up: tables and JSON.

use jiff::Timestamp;
use joi_proactive::impulse::record::{ImpulseOutcome, ImpulseRecord};
use joi_proactive::impulse::{Hold, ImpulseScore, ImpulseVerdict};
use joi_store::Store;
use serde_json::Value;

use crate::support::program::{Home, NOBODY};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn three_simulated_days_are_shown_as_a_plot_as_csv_and_as_json_and_are_the_same_each_time() {
    let home = Home::with_model_server(NOBODY);
    let days = ["impulse", "simulate", "--days", "3", "--seed", "7", "--house", "family"];
    let told = home.joi(&days).well().out;
    let kept = "in quiet hours 0, within 60 min after \"not now\" 0, topics twice in 24 h 0";
    assert!(told.contains(kept) && told.contains("silent because:"), "{told}");
    assert!(told.contains("all told at once: true"), "{told}");
    assert_eq!(told, home.joi(&days).well().out, "the same seed, the same days");
    let found = json(&home.joi(&[&days[..], &["--json"]].concat()).well().out);
    let contacts = found["contacts"].as_array().unwrap().len();
    assert!(told.contains(&format!("{contacts} contacts,")), "{told}");
    assert_eq!(found["per_day"].as_array().unwrap().len(), 3);
    assert_eq!(found["inconsiderate"]["after_not_now"], 0);
    let rows = home.joi(&[&days[..], &["--csv"]].concat()).well().out;
    assert!(rows.lines().count() > 3, "{rows}");
}

fn decision(minute: i64, verdict: ImpulseVerdict, outcome: Option<ImpulseOutcome>) -> ImpulseRecord {
    let score = ImpulseScore {
        base: 0.05,
        silence: 0.2,
        context: 0.15,
        time: 0.1,
        entropy: 0.0,
        damper: 0.0,
        pattern: 0.0,
        boost: 0.0,
        total: 0.5,
    };
    ImpulseRecord {
        at: Timestamp::from_second(1_800_000_000 + minute * 60).unwrap(),
        score,
        threshold: 0.5,
        verdict,
        topics: 1,
        events: 1,
        outbound: 0,
        direct: 0,
        silence_h: Some(6.5),
        about: Some("open".into()),
        outcome,
        why: None,
    }
}

#[tokio::test]
async fn why_she_spoke_up_is_a_table_and_a_line_of_json_for_each_decision_once_there_is_one() {
    let home = Home::with_model_server(NOBODY);
    let undecided = home.joi(&["why", "--impulse"]);
    assert!(undecided.complaint().contains("has not decided yet"), "{undecided:?}");
    let store = Store::open(&home.path("data").join("joi.db")).unwrap();
    let held = decision(0, ImpulseVerdict::Hold { why: Hold::QuietHours }, None);
    let said = decision(12, ImpulseVerdict::Speak { topic: 1 }, Some(ImpulseOutcome::Said));
    for record in [&held, &said] {
        store.add_impulse(record.at, serde_json::to_string(record).unwrap()).await.unwrap();
    }
    store.close().await.unwrap();
    let told = home.joi(&["why", "--impulse"]).well().out;
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[0].trim_start().starts_with("WHEN") && lines[0].contains("CAME TO"), "{told}");
    assert!(lines[1].contains("+0.20 (6.5 h)") && lines[1].contains("quiet_hours"), "{told}");
    assert!(lines[2].contains("speak") && lines[2].trim_end().ends_with("said"), "{told}");
    let rows = home.joi(&["why", "--impulse", "--json"]).well().out;
    let read: Vec<ImpulseRecord> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!(read, [held, said]);
}
