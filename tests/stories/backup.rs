//! A backup from outside: made beside the running program, refused by it, restored to another machine; killed in the middle.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Instant;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::Signal;
use serde_json::Value;

use super::service::deaf_home;
use crate::support::program::{FOR_EVER, Home, Running};

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

/// A pipe with a name, at which its reader waits.
fn pipe(path: PathBuf) -> PathBuf {
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    path
}

/// The other end of a pipe, once somebody has opened it to read.
fn once_read(pipe: &Path) -> File {
    let (told, opened) = channel();
    let pipe = pipe.to_owned();
    thread::spawn(move || told.send(File::options().write(true).open(pipe)));
    opened.recv_timeout(FOR_EVER).expect("somebody reads it").unwrap()
}

/// The names in a folder with this start and this end.
fn named(folder: &Path, start: &str, end: &str) -> Vec<PathBuf> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_meant = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with(start) && name.ends_with(end)
    };
    names.filter(is_meant).collect()
}

// It copies the database first, and then waits at the pipe in the place of a small file
#[test]
fn the_next_backup_removes_what_a_killed_one_has_left_and_one_that_is_stopped_leaves_nothing() {
    let home = lived_in();
    let stick = home.path("stick");
    std::fs::create_dir(&stick).unwrap();
    let wake = pipe(home.path("data/wake.json"));
    let joi = Running::start(&mut home.command(&["backup", &home.arg("stick")]));
    let other_end = once_read(&wake);
    joi.signal(Signal::KILL);
    assert_eq!(joi.end().signal, Some(9));
    drop(other_end);
    let left = named(&stick, ".joi-backup-", ".db.part");
    let copy = std::fs::read(&left[0]).unwrap();
    assert!(copy.windows(9).any(|word| word == b"marmalade"), "it was killed in the middle of its work");

    let mut joi = Running::start(&mut home.command(&["backup", &home.arg("stick")]));
    let other_end = once_read(&wake);
    let now = named(&stick, ".joi-backup-", ".db.part");
    assert!(now.len() == 1 && now != left, "{now:?}");
    joi.signal(Signal::TERM);
    joi.until("stopping");
    drop(other_end);
    let stopped = joi.end();
    assert!(
        stopped.code == Some(1) && stopped.complaint().starts_with("stopped before it was done"),
        "{stopped:?}"
    );
    assert_eq!(named(&stick, "", ""), Vec::<PathBuf>::new());

    std::fs::remove_file(wake).unwrap();
    home.joi(&["backup", &home.arg("stick")]).well();
    assert_eq!(named(&stick, "", "").len(), 1);
}

#[test]
fn forgetting_reaches_what_a_killed_restore_has_unpacked() {
    let home = lived_in();
    let file = home.path("mine.tar.gz");
    home.joi(&["backup", &home.arg("mine.tar.gz")]).well();
    let archive = pipe(home.path("pipe"));
    let joi = Running::start(&mut home.command(&["restore", &home.arg("pipe")]));
    let mut other_end = once_read(&archive);
    let content = std::fs::read(file).unwrap();
    // The rest never comes.
    let sending = thread::spawn(move || {
        // Whoever is killed reads no more.
        let _ = other_end.write_all(&content[..content.len() / 2]);
        other_end
    });
    let data = home.path("data");
    let is_unpacked = || named(&data, ".restore-", "").iter().any(|stage| stage.join("data/joi.db").exists());
    let give_up = Instant::now() + FOR_EVER;
    while !is_unpacked() {
        assert!(Instant::now() < give_up, "nothing is unpacked");
        thread::yield_now();
    }
    joi.signal(Signal::KILL);
    assert_eq!(joi.end().signal, Some(9));
    drop(sending.join().unwrap());
    assert!(is_unpacked());
    home.joi(&["forget", "--all", "--yes"]).well();
    assert_eq!(named(&data, ".restore-", ""), Vec::<PathBuf>::new());
    assert!(!home.stored().windows(9).any(|word| word == b"marmalade"));
}
