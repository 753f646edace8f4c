//! A backup from outside: made beside the running program, refused by it, restored to another machine.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use super::service::deaf_home;
use crate::support::program::{Home, Running};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A machine with a memory and a configuration file.
fn lived_in() -> Home {
    let home = deaf_home();
    let config = home.path("config/joi/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(&config, "[ntfy]\ntopic = \"only-for-us\"\n[store]\nretention_days = 12\n").unwrap();
    home.joi_reading("remember that the key is under the marmalade\n", &["text"]).well();
    home
}

#[test]
fn a_backup_beside_the_running_program_is_restored_on_another_machine() {
    let home = lived_in();
    let mut joi = Running::start(&mut home.command(&["run"]));
    joi.until("Ctrl-C ends");
    let file = home.arg("mine.tar.gz");
    let made = json(&home.joi(&["backup", &file, "--json"]).well().out);
    assert_eq!(
        (&made["with_secrets"], &made["left_out"][0]),
        (&false.into(), &"ntfy.topic".into()),
        "{made}"
    );
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    let again = home.joi(&["backup", &file]);
    assert!(again.code == Some(1) && again.err.contains("exists already"), "{again:?}");
    let refused = home.joi(&["restore", &file]);
    assert!(refused.code == Some(1) && refused.err.contains("joi is running; stop it"), "{refused:?}");
    let looked = json(&home.joi(&["restore", &file, "--dry-run", "--json"]).well().out);
    assert_eq!(looked["restored"], false, "{looked}");
    joi.terminate();

    let other = deaf_home();
    let told = other.joi(&["restore", &file]).well();
    assert!(told.out.contains("restored data/joi.db as"), "{told:?}");
    assert!(told.err.contains("left out as secrets, to be set again: ntfy.topic"), "{told:?}");
    let list = other.joi(&["memory", "list"]).well();
    assert!(list.out.contains("marmalade"), "{list:?}");
    let config = json(&other.joi(&["config", "show", "--json"]).well().out);
    assert_eq!((&config["store"]["retention_days"], &config["ntfy"]["topic"]), (&12.into(), &"".into()));
    let kept = json(&other.joi(&["restore", &file, "--json"]).well().out);
    assert_eq!(kept["kept"].as_array().unwrap().len(), 2, "{kept}");
}

#[test]
fn forgetting_says_that_backups_still_hold_it() {
    let mut home = lived_in();
    let folder = home.path("stick");
    std::fs::create_dir(&folder).unwrap();
    home.set(&format!("backup.folder={}", folder.display()));
    home.joi(&["backup", &home.arg("stick")]).well();
    let told = home.joi(&["forget", "--all", "--yes"]).well();
    assert!(told.err.contains("still hold it"), "{told:?}");
}
