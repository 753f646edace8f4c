//! The running program from outside: its state, its switch, systemd, and a light that follows it. There is
//! no sound device, so that joi is in a state that stays: joi can't hear.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixDatagram;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use rustix::process::Signal;
use serde_json::Value;

use crate::support::program::{FOR_EVER, Home, NOBODY, Running, project};

pub(super) fn deaf_home() -> Home {
    deaf_home_with(NOBODY)
}

/// The same with a model server.
pub(super) fn deaf_home_with(url: &str) -> Home {
    let mut home = Home::with_model_server(url);
    home.set("audio.host=alsa")
        .set("audio.input=[\"no such microphone\"]")
        .set("audio.output=[\"no such speaker\"]");
    home
}

/// Joi runs, and knows that joi can't hear.
pub(super) fn run(home: &Home) -> Running {
    let mut joi = Running::start(&mut home.command(&["run"]));
    joi.until("Ctrl-C ends");
    follow(home).until("no such microphone");
    joi
}

pub(super) fn status(home: &Home) -> Value {
    serde_json::from_str(&home.joi(&["status", "--json"]).well().out).unwrap()
}

fn follow(home: &Home) -> Running {
    Running::start(&mut home.command(&["events"]))
}

fn state(name: &str) -> String {
    format!("\"state\":\"{name}\"")
}

#[test]
fn she_shows_what_she_does_and_how_her_parts_are() {
    let home = deaf_home();
    let joi = run(&home);
    let now = status(&home);
    assert_eq!((&now["state"], &now["muted"]), (&"error".into(), &false.into()), "{now}");
    assert!(now["note"].as_str().is_some_and(|note| note.contains("no such microphone")), "{now}");
    assert!(now["microphone"]["fault"].is_string(), "{now}");
    assert_eq!(now["models"]["whisper"], "whisper-tiny.en");
    let mut stages: Vec<&str> =
        now["stages"].as_array().unwrap().iter().map(|stage| stage["name"].as_str().unwrap()).collect();
    stages.sort_unstable();
    let all = [
        "alarms",
        "awareness",
        "conversation",
        "interjections",
        "listener",
        "store",
        "timers",
        "voice",
        "whisper",
    ];
    assert_eq!(stages, all, "{now}");
    assert!(now["stages"].as_array().unwrap().iter().all(|stage| stage["fresh"] == true), "{now}");
    let services = now["services"].as_array().unwrap();
    let names: Vec<&str> = services.iter().map(|service| service["name"].as_str().unwrap()).collect();
    let started = [
        "systemd",
        "control socket",
        "buttons",
        "mute display",
        "machine",
        "speech models",
        "model server",
        "timers",
        "ring light",
        "diary",
        "greeting",
        "upkeep",
        "alarms",
        "awareness",
        "impulse",
        "goals",
        "questions of programs",
        "tool servers",
        "display",
        "conversation",
    ];
    assert_eq!(names, started, "{now}");
    assert!(services.iter().all(|service| service["state"] == "running"), "{now}");
    let table = home.joi(&["status"]).well().out;
    for line in [
        "control socket",
        "state ",
        "microphone ",
        "speaker ",
        "chat model ",
        "running      joi ",
        "machine      ",
        "backups      none",
        "listener",
        "beating",
    ] {
        assert!(table.contains(line), "{line} in {table}");
    }
    // It is loaded by whatever opens ALSA's way to JACK, and may wait for ever.
    assert!(!joi.maps().contains("libjack"), "a device was opened that nobody named");
    let human = Running::start(&mut home.command(&["events", "--human"])).until(" error: ");
    assert!(human.out.contains("no such microphone"), "{human:?}");
    let ran = joi.terminate().well();
    for missing in ["microphone: none of the devices", "speaker: none of the devices"] {
        assert!(ran.err.contains(missing), "{missing} in {ran:?}");
    }
}

#[test]
fn the_switch_is_obeyed_shown_and_kept() {
    let home = deaf_home();
    let mut joi = run(&home);
    let mut events = follow(&home);
    events.until(&state("error"));
    assert_eq!(home.joi(&["mute"]).well().out, "muted\n");
    events.until(&state("muted"));
    joi.until("muted; `joi unmute`");
    assert!(home.path("data/muted").exists());
    assert!(home.joi(&["status"]).well().out.contains("switched off"));
    // As `pkill` does: each program of this name gets it.
    events.signal(Signal::USR1);
    joi.signal(Signal::USR1);
    events.until(&state("error"));
    assert!(!home.path("data/muted").exists());
    joi.until("not muted any more");
    assert_eq!(home.joi(&["toggle"]).well().out, "muted\n");
    events.until(&state("muted"));

    let second = home.joi(&["run"]);
    assert_eq!(second.code, Some(1), "{second:?}");
    assert!(second.complaint().starts_with("joi is running already ("), "{second:?}");

    assert_eq!(joi.terminate().code, Some(0));
    let followed = events.end();
    assert_eq!(followed.code, Some(0), "the stream ends with the program: {followed:?}");
    assert!(followed.out.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{followed:?}");
    assert!(!home.path("run/joi.sock").exists());

    let mut again = Running::start(&mut home.command(&["run"]));
    again.until("muted; `joi unmute`");
    again.until("Ctrl-C ends");
    assert_eq!((&status(&home)["state"], &status(&home)["muted"]), (&"muted".into(), &true.into()));
    assert_eq!(home.joi(&["unmute"]).well().out, "not muted\n");
    assert_eq!(again.terminate().code, Some(0));
}

#[test]
fn the_doctor_asks_her_for_her_devices_instead_of_opening_others() {
    let mut home = deaf_home();
    let joi = run(&home);
    follow(&home).until("no such speaker");
    home.set("audio.input=[\"other\"]").set("audio.output=[\"other\"]");
    let rows: Value = serde_json::from_str(&home.joi(&["doctor", "--json"]).out).unwrap();
    for (what, hers) in [("microphone", "no such microphone"), ("speaker", "no such speaker")] {
        let row = rows.as_array().unwrap().iter().find(|row| row["what"] == what).unwrap();
        assert!(row["verdict"] == "bad" && row["told"].as_str().unwrap().contains(hers), "{row}");
    }
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn in_the_journal_what_went_wrong_has_the_priority_of_an_error() {
    let home = deaf_home();
    let path = home.path("stderr");
    let told = |stream: &dyn Fn(&std::fs::Metadata) -> String| {
        let file = std::fs::File::create(&path).unwrap();
        let mut command = home.command(&["config", "check", "missing.toml"]);
        command.env("JOURNAL_STREAM", stream(&file.metadata().unwrap())).stderr(file);
        assert_eq!(command.status().unwrap().code(), Some(1));
        std::fs::read_to_string(&path).unwrap()
    };
    let journal = told(&|is| format!("{}:{}", is.dev(), is.ino()));
    assert!(journal.starts_with("<3>joi: there is no file missing.toml"), "{journal}");
    let other = told(&|is| format!("{}:{}", is.dev(), is.ino() + 1));
    assert!(other.starts_with("joi: there is no file missing.toml"), "{other}");
}

#[test]
fn a_button_has_her_listen_without_a_word() {
    // Push to talk
    let home = deaf_home();
    let ran = home.joi(&["listen", "--now"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.complaint().starts_with("joi is not running; start it with `joi run`"), "{ran:?}");
    let mut joi = run(&home);
    assert!(home.joi(&["listen", "--now"]).well().err.contains("she listens"));
    joi.until("● listening");
    joi.signal(Signal::USR2);
    joi.until("● listening");
    home.joi(&["mute"]).well();
    let ran = home.joi(&["listen", "--now"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.complaint().contains("joi unmute"), "{ran:?}");
    joi.signal(Signal::USR2);
    joi.until("she was asked to listen, and is muted");
    assert_eq!(status(&home)["state"], "muted", "no button unmutes her");
    // What is said of the missing microphone waits until the voice is loaded.
    let give_up = Instant::now() + FOR_EVER;
    for queue in ["lines 0 of", "store 0 of"] {
        loop {
            let table = home.joi(&["status"]).well().out;
            if table.contains(queue) {
                break;
            }
            assert!(Instant::now() < give_up, "{queue} in {table}");
        }
    }
    assert!(status(&home)["echo"]["erle_db"].is_number());
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn the_switch_is_turned_while_she_does_not_run() {
    let home = deaf_home();
    for command in ["status", "events"] {
        let ran = home.joi(&[command]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.complaint().starts_with("joi is not running; start it with `joi run`"), "{ran:?}");
    }
    let holds = "joi is not running, this holds from its next start\n";
    for (command, position) in
        [("mute", "muted"), ("mute", "muted"), ("toggle", "not muted"), ("toggle", "muted")]
    {
        assert_eq!(home.joi(&[command]).well().out, format!("{position}; {holds}"));
    }
    let ran = home.joi(&["listen"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.complaint().contains("joi unmute"), "{ran:?}");
    let rows: Value = serde_json::from_str(&home.joi(&["doctor", "--json"]).out).unwrap();
    let row = rows.as_array().unwrap().iter().find(|row| row["what"] == "microphone").unwrap();
    assert_eq!((&row["verdict"], &row["remedy"]), (&"fair".into(), &"joi unmute".into()), "{row}");
    assert_eq!(home.joi(&["unmute"]).well().out, format!("not muted; {holds}"));

    let mut broken = deaf_home();
    let file = broken.path("taken");
    std::fs::write(&file, "a file").unwrap();
    broken.use_data(&file);
    let ran = broken.joi(&["mute"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.complaint().contains("can't be written"), "{ran:?}");
    let mut joi = Running::start(&mut broken.command(&["run"]));
    joi.until("the microphone is muted until `joi unmute`");
    assert_eq!(status(&broken)["state"], "muted", "in doubt she is muted");
}

/// Reads what systemd is told until a message holds `text`; gives all messages.
fn told_until(systemd: &UnixDatagram, text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let length = systemd.recv(&mut buffer).unwrap_or_else(|error| panic!("{error} after {all:?}"));
        all.push(String::from_utf8_lossy(&buffer[..length]).into_owned());
        if all.last().is_some_and(|last| last.contains(text)) {
            return all;
        }
    }
}

#[test]
fn systemd_learns_that_joi_is_ready_alive_and_ending() {
    let home = deaf_home();
    let systemd = UnixDatagram::bind(home.path("notify")).unwrap();
    systemd.set_read_timeout(Some(FOR_EVER)).unwrap();
    let mut command = home.command(&["run", "--discreet"]);
    command.env("NOTIFY_SOCKET", home.path("notify")).env("WATCHDOG_USEC", "300000");
    let mut joi = Running::start(&mut command);
    joi.until("waking up");
    told_until(&systemd, "READY=1\n");
    for _ in 0..3 {
        told_until(&systemd, "WATCHDOG=1\n");
    }
    home.joi(&["mute"]).well();
    told_until(&systemd, "STATUS=muted\n");
    joi.signal(Signal::TERM);
    let last = told_until(&systemd, "STOPPING=1\n");
    assert_eq!(joi.end().code, Some(0), "{last:?}");
}

fn light(home: &Home, arguments: &[&str]) -> Command {
    let mut command = Command::new("python3");
    command.arg(project("examples/leds.py")).args(["--once", "--socket"]).arg(home.path("run/joi.sock"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_light_follows_her() {
    let home = deaf_home();
    // Says on stderr what it would do to the pins.
    let pins = home.path("pinctrl");
    std::fs::write(&pins, "#!/bin/sh\necho \"$*\" >&2\n").unwrap();
    std::fs::set_permissions(&pins, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", home.arg(""), std::env::var("PATH").unwrap());

    let joi = run(&home);
    let mut printed = Running::start(&mut light(&home, &["--dry-run"]));
    printed.until("error: red, blinking");
    let mut real = Running::start(light(&home, &["--pins", "17,27,22"]).env("PATH", path));
    for level in ["set 17 op dh", "set 17 op dl", "set 17 op dh"] {
        real.until(level);
    }
    home.joi(&["mute"]).well();
    printed.until("muted: red");
    assert_eq!(joi.terminate().code, Some(0));
    printed.until("gone: dark");
    let ran = printed.end();
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{ran:?}");
    let ran = real.end();
    assert!(
        ran.code == Some(0) && ran.err.ends_with("set 17 op dl\nset 27 op dl\nset 22 op dl\n"),
        "{ran:?}"
    );

    let ran = Running::start(&mut light(&home, &["--dry-run"])).end();
    assert!(ran.code == Some(1) && ran.err.contains("joi.sock"), "she is not there: {ran:?}");
}

#[test]
fn a_ring_of_lights_follows_her() {
    let home = deaf_home();
    let joi = run(&home);
    // What an SPI device would be written goes to a pipe.
    let arguments = ["--spi", "/dev/stdout", "--count", "12", "--brightness", "3"];
    let mut ring = light(&home, &arguments).spawn().unwrap();
    let mut lights = ring.stdout.take().unwrap();
    let frame = |colour: [u8; 3]| {
        let one = [&[0xE3][..], &colour].concat();
        [vec![0; 4], one.repeat(12), vec![0; 4]].concat()
    };
    let (dark, red) = (frame([0, 0, 0]), frame([0, 0, 255]));
    let mut next = || {
        let mut read = vec![0; dark.len()];
        lights.read_exact(&mut read).map(|()| read).unwrap()
    };
    assert_eq!(next(), dark, "before it knows anything");
    assert_eq!(next(), red, "she can't hear");
    assert_eq!(next(), dark, "which blinks");
    assert_eq!(joi.terminate().code, Some(0));
    let mut rest = Vec::new();
    lights.read_to_end(&mut rest).unwrap();
    assert_eq!(rest.len() % dark.len(), 0);
    assert!(rest.is_empty() || rest.ends_with(&dark), "she is gone");
    assert!(ring.wait().unwrap().success());

    let ran = Running::start(&mut light(&home, &["--spi", &home.arg("spidev")])).end();
    assert!(ran.code == Some(1) && ran.err.contains("is SPI switched on"), "{ran:?}");
}

/// What the example makes of presses of a button, each of so many milliseconds.
fn press(home: &Home, presses: &[u64]) -> Output {
    let mut command = Command::new("python3");
    command.arg(project("examples/button.py")).arg("--socket").arg(home.path("run/joi.sock"));
    command.args(["--events", "/dev/stdin"]).stdin(Stdio::piped());
    let mut button = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut kernel = button.stdin.take().unwrap();
    let (mut now, edges) = (1_000_000_000_u64, [1_u32, 2]);
    for length in presses {
        for edge in edges {
            // struct gpio_v2_line_event
            let event =
                [&now.to_ne_bytes()[..], &edge.to_ne_bytes(), &17_u32.to_ne_bytes(), &[0; 32]].concat();
            kernel.write_all(&event).unwrap();
            now += length * 1_000_000;
        }
    }
    drop(kernel);
    button.wait_with_output().unwrap()
}

#[test]
fn a_button_at_a_pin_talks_and_mutes() {
    let home = deaf_home();
    let told = |out: Output| (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
    let gone = press(&home, &[200]);
    assert!(gone.status.success(), "it waits for her: {gone:?}");
    assert!(told(gone).1.contains("joi.sock"), "and says that she is not there");

    let mut joi = run(&home);
    let (out, err) = told(press(&home, &[200, 1500, 200, 1000]));
    assert_eq!(out, "listening\nmuted\nnot muted\n", "{err}");
    assert!(err.contains("joi unmute") && err.lines().count() == 1, "a short press does not unmute: {err}");
    joi.until("● listening");
    assert_eq!(status(&home)["muted"], false);
    assert_eq!(joi.terminate().code, Some(0));
}
