//! The running program under mishaps: a broken configuration, signals of a terminal, a second program on the same data.

use rustix::process::Signal;

use super::service::{deaf_home, run, status};
use crate::support::program::Running;

#[test]
fn with_a_broken_configuration_she_is_muted_stopped_and_examined_and_a_hangup_does_not_end_her() {
    let home = deaf_home();
    let joi = run(&home);
    for broken in ["[llm]\nmodle = 1\n", "no = toml = at all", "[audio]\nvolume = 900\n"] {
        std::fs::create_dir_all(home.path("config/joi")).unwrap();
        std::fs::write(home.path("config/joi/config.toml"), broken).unwrap();
        for command in [
            &["mute"][..],
            &["toggle"],
            &["status"],
            &["timers", "stop"],
            &["timers"],
            &["memory"],
            &["forget", "--yes"],
        ] {
            let ran = home.joi(command).well();
            let told: Vec<&str> =
                ran.err.lines().filter(|line| line.contains("configuration is broken")).collect();
            assert_eq!(told.len(), 1, "{command:?}: {ran:?}");
        }
        let doctor = home.joi(&["doctor", "--quick"]);
        assert!(doctor.out.contains("✗ configuration") && doctor.out.contains("✓ models"), "{doctor:?}");
        let refused = home.joi(&["ask", "hello"]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
    }
    // The language of a sound configuration may be broken as well.
    let language = home.path("config/joi/languages/xx");
    std::fs::create_dir_all(&language).unwrap();
    std::fs::write(language.join("commands.toml"), "no = toml = at all").unwrap();
    std::fs::write(home.path("config/joi/config.toml"), "language = \"xx\"\n").unwrap();
    for command in [&["mute"][..], &["toggle"], &["status"], &["timers", "stop"], &["forget", "--yes"]] {
        home.joi(command).well();
    }
    let doctor = home.joi(&["doctor", "--quick"]);
    assert!(doctor.out.contains("✗ model server") && doctor.out.contains("disk"), "{doctor:?}");
    joi.signal(Signal::HUP);
    assert_eq!(status(&home)["muted"], false);
    joi.signal(Signal::HUP);
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn a_second_one_on_the_same_data_is_refused_from_any_runtime_directory() {
    let home = deaf_home();
    let joi = run(&home);
    let second = Running::start(home.command(&["run"]).env("JOI_RUNTIME", home.path("another"))).end();
    assert_eq!(second.code, Some(1), "{second:?}");
    assert!(second.complaint().contains("already runs with the data"), "{second:?}");
    assert_eq!(joi.terminate().code, Some(0));
}
