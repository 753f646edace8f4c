//! The program as it is typed. That this test exists also has the program built beside `joi`, where the stories of
//! the workspace look for it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, what was not expected ends it")]

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// So many sentences of a hundred have to be right by each voice.
const FLOOR: u64 = 70;

#[test]
fn help_names_every_measurement_and_an_unknown_one_is_wrong_usage() {
    let joi_bench = |arg: &str| Command::new(env!("CARGO_BIN_EXE_joi-bench")).arg(arg).output().unwrap();
    let help = String::from_utf8(joi_bench("--help").stdout).unwrap();
    for what in ["trust", "wake", "echo", "stop", "model", "trunk", "acting", "everyday", "house", "soak"] {
        assert!(help.contains(&format!("joi-bench {what}")), "{what} in {help}");
    }
    assert_eq!(joi_bench("turns").status.code(), Some(2));
}

/// The cache of this user, which holds the models.
fn cache() -> PathBuf {
    match std::env::var_os("XDG_CACHE_HOME") {
        Some(cache) => cache.into(),
        None => PathBuf::from(std::env::var_os("HOME").expect("HOME is set")).join(".cache"),
    }
}

/// The program with a configuration and data of its own, in a folder of this name.
fn joi_bench_at(name: &str) -> Command {
    let home = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut command = Command::new(env!("CARGO_BIN_EXE_joi-bench"));
    command
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_CACHE_HOME", cache())
        .env("JOI_DATA", home.join("data"))
        .env_remove("JOI_CONFIG");
    command
}

#[test]
fn four_voices_command_a_house_and_nothing_is_done_that_nobody_meant() {
    let args = ["house", "--json", "--set", "hear.stt.model=tiny.en", "--set", "language=en"];
    let ran = joi_bench_at("spoken-house").args(args).output().unwrap();
    let err = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && !err.contains("not installed"), "{err}");
    let told: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let voices = told["voices"].as_array().unwrap();
    let count = |voice: &Value, what: &str| voice[what].as_u64().unwrap();
    let wrong = told["sentences"].as_array().unwrap().iter().filter(|one| one["verdict"] == "wrong deed");
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&Value>::new());
    let is_first_look = |one: &Value| one["first_look"] == true;
    assert!(
        !told["sentences"].as_array().unwrap().iter().any(is_first_look),
        "the quickest is the chosen one"
    );
    assert_eq!(voices.len(), 5, "four voices, and all of them together");
    for voice in voices {
        let (said, right) = (count(voice, "said"), count(voice, "right"));
        assert!(said >= 60 && right * 100 >= said * FLOOR, "{voice:#}");
    }
}

#[test]
fn where_a_better_model_is_chosen_the_quickest_decides_what_it_is_sure_of() {
    let args = ["house", "--json", "--every", "13", "--set", "hear.stt.model=base", "--set", "language=en"];
    let ran = joi_bench_at("first-look-house").args(args).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let told: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let sentences = told["sentences"].as_array().unwrap();
    let firsts = sentences.iter().filter(|one| one["first_look"] == true).count();
    assert!(firsts > 0 && firsts < sentences.len(), "{told:#}");
}

#[test]
fn four_minutes_of_sound_leave_nothing_behind_and_what_was_said_to_her_is_answered() {
    let joi = PathBuf::from(env!("CARGO_BIN_EXE_joi-bench")).with_file_name("joi");
    let args =
        ["soak", "--minutes", "4", "--every", "1", "--json", "--set", "hear.stt.model=tiny.en", "--joi"];
    let ran = joi_bench_at("soaked").args(args).arg(joi).output().unwrap();
    let told: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let hours = told["hours"].as_array().unwrap();
    assert_eq!(hours.len(), 4, "{told:#}");
    assert!(hours.iter().all(|hour| hour["unasked"].as_array().is_some_and(Vec::is_empty)), "{told:#}");
    assert!(hours[0]["answered"].as_u64().is_some_and(|answered| answered > 0), "{told:#}");
    let descriptors = |hour: &Value| hour["descriptors"].as_u64().unwrap();
    assert!(descriptors(&hours[3]) <= descriptors(&hours[1]), "{told:#}");
}
