//! Watches as their owner meets them: set by words in one program, noticed by another, kept over crashes. The house to try
//! is on a socket of its own; there is no model.

use std::time::{Duration, Instant};

use joi_house_demo::{DemoHome, DemoWants};
use joi_store::Store;
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::service::deaf_home;
use crate::support::program::{Home, Running};

/// No working program needs so long to notice something.
const LONG: Duration = Duration::from_secs(60);

struct Watched {
    runtime: Runtime,
    house: DemoHome,
    home: Home,
}

impl Watched {
    fn new() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let house = runtime.block_on(DemoHome::start(DemoWants::default())).unwrap();
        let mut home = deaf_home();
        home.set(&format!("home.url={}", house.url()));
        Self { runtime, house, home }
    }

    fn ask(&self, said: &str) -> String {
        self.home.joi(&["ask", said]).well().out.trim_end().to_owned()
    }

    /// Starts the program, and waits until it watches a house that is connected.
    fn run(&self) -> Running {
        let mut joi = Running::start(&mut self.home.command(&["run"]));
        joi.until("Ctrl-C ends");
        self.until("the house", || {
            let status = self.home.joi(&["status"]).out;
            status.contains("openHAB") && status.contains("watches")
        });
        joi
    }

    fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < LONG, "{what}: it never came");
        }
    }

    fn watches(&self) -> Vec<Value> {
        let listed = self.home.joi(&["watch", "--json"]).well().out;
        serde_json::from_str::<Value>(&listed).unwrap().as_array().unwrap().clone()
    }

    /// What waits to be said, as it is kept.
    fn announced(&self) -> Vec<String> {
        self.runtime.block_on(async {
            let store = Store::open(&self.home.path("data/joi.db")).unwrap();
            let rows = store.announcements().await.unwrap();
            store.close().await.unwrap();
            rows.into_iter().map(|row| row.announcement).filter(|text| text.contains("\"watch\"")).collect()
        })
    }
}

#[test]
fn a_watch_set_by_words_is_noticed_once_whatever_is_killed_in_between() {
    let watched = Watched::new();
    let ran = watched.home.joi(&["ask", "Tell me when the garage opens, please."]).well();
    assert_eq!(ran.out, "I'll tell you when Garage door is open.\n");
    assert!(ran.err.contains("joi is not running: it watches once `joi run` does"), "{ran:?}");
    assert_eq!(watched.ask("what are you watching?"), "What I'm watching for: when Garage door is open.");
    let row = watched.watches()[0].clone();
    assert_eq!((&row["origin"], &row["items"]), (&json!("typing"), &json!(["Garage_Door"])));

    let joi = watched.run();
    assert_eq!(watched.announced(), [""; 0]);
    joi.signal(Signal::KILL);
    joi.end();
    // It opens while nobody watches.
    watched.house.set("Garage_Door", "0");
    let joi = watched.run();
    watched.until("the announcement", || watched.announced().len() == 1);
    assert_eq!(watched.watches(), Vec::<Value>::new(), "once is over");
    joi.signal(Signal::KILL);
    joi.end();
    let joi = watched.run();
    watched.house.set("Garage_Door", "100");
    watched.house.set("Garage_Door", "0");
    watched.house.set("Front_Door", "OPEN");
    let told = watched.ask("when the front door closes, turn on the hall light");
    assert_eq!(told, "When Front door is closed: Hall light on.");
    watched.house.set("Front_Door", "CLOSED");
    watched.until("the command", || !watched.house.commands().is_empty());
    watched.until("its end", || watched.watches().is_empty());
    assert_eq!(watched.house.commands(), [("Hall_Light".to_owned(), "ON".to_owned())]);
    assert_eq!(watched.announced().len(), 1, "it was noticed once, and is kept until it is heard");
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn the_command_line_sets_tests_lists_and_ends_watches() {
    let watched = Watched::new();
    let joi = |args: &[&str]| watched.home.joi(&[&["watch"], args].concat());
    assert_eq!(joi(&[]).well().out, "nothing is watched for\n");
    let added = joi(&["add", "let me know if it gets below five degrees outside"]).well();
    assert_eq!(added.out, "I'll tell you when Outside temperature is below 5 °C.\n");
    let added = joi(&["add", "each", "time", "the", "kitchen", "window", "opens", "tell", "me"]).well();
    assert_eq!(
        added.out,
        "I'll tell you every time Kitchen window is open. It is so now; I'll wait for the next time.\n"
    );
    assert_eq!(
        joi(&["test", "2"]).well().out,
        "it is so at the moment; then joi says: Kitchen window is open.\n"
    );
    let tested = joi(&["test", "--json", "when the garage opens, turn on the hall light"]).well().out;
    let tested: Value = serde_json::from_str(&tested).unwrap();
    assert_eq!(tested, json!({"so": false, "says": null, "does": "Hall light on"}));
    let wrong = joi(&["add", "tell me a story"]);
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.complaint().contains("is no request to watch; allowed: "), "{wrong:?}");
    let none = joi(&["add", "tell me when the dishwasher is done"]);
    assert!(none.complaint().contains("I don't find dishwasher in the house."), "{none:?}");
    let table = joi(&["list"]).well().out;
    assert!(table.contains("every time Kitchen window is open") && table.lines().count() == 3, "{table}");
    assert_eq!(joi(&["remove", "7"]).code, Some(1));
    assert_eq!(
        joi(&["remove", "the kitchen window"]).well().out,
        "Not any more: every time Kitchen window is open.\n"
    );
    assert_eq!(
        joi(&["remove", "--all"]).well().out,
        "Not any more: when Outside temperature is below 5 °C.\n"
    );
    assert_eq!(watched.watches(), Vec::<Value>::new());
}
