//! A small measurement of what passes for words, with the real ears.

use serde_json::Value;

use crate::support::program::{Home, NOBODY};

/// Of 20 words of the voices the rules were tuned with, and of 20 of others: so many are believed at least.
const TRUSTED: [(&str, u64); 2] = [("tuned", 16), ("held out", 15)];

#[test]
fn noise_is_no_turn_and_short_words_are_believed() {
    // Nothing but words of a person is a follow-up
    let home = Home::with_model_server(NOBODY);
    let args = ["trust", "--seed", "2", "--minutes", "3", "--words", "20", "--json"];
    let ran = home.joi_bench(&args).well();
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(told["noise"]["minutes"], 3);
    assert!(told["noise"]["utterances"].as_u64().is_some_and(|n| n > 0), "a crowd sounds like voices");
    for opened in ["follow_up", "after_wake"] {
        assert_eq!(told["noise"][opened]["accepted"], 0, "{opened}: {}", told["noise"]["heard"]);
        let bound = told["noise"][opened]["per_hour_at_most"].as_f64().unwrap();
        assert!((bound - 3.0 * 20.0).abs() < 0.2, "3 minutes without any prove little: {bound}");
    }
    for (group, least) in TRUSTED {
        let voices = told["words"]["voices"].as_array().unwrap();
        let all = voices.iter().find(|row| row["group"] == group && row["voice"].is_null()).unwrap();
        assert_eq!(all["said"], 20);
        assert!(all["trusted"].as_u64() >= Some(least), "{group}: {}", told["words"]);
    }
}
