//! The program as it is typed. That this test exists also has the program built beside `joi`, where the stories of
//! the workspace look for it.

#![allow(clippy::unwrap_used, reason = "in a test, what was not expected ends it")]

use std::process::Command;

#[test]
fn help_names_every_measurement_and_an_unknown_one_is_wrong_usage() {
    let joi_bench = |arg: &str| Command::new(env!("CARGO_BIN_EXE_joi-bench")).arg(arg).output().unwrap();
    let help = String::from_utf8(joi_bench("--help").stdout).unwrap();
    for what in ["trust", "wake", "echo", "stop", "model", "trunk", "acting", "everyday"] {
        assert!(help.contains(&format!("joi-bench {what}")), "{what} in {help}");
    }
    assert_eq!(joi_bench("turns").status.code(), Some(2));
}
