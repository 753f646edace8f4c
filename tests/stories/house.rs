//! A connected house as its owner meets it: the program as it is started, and the house to try on a socket of its own.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use joi_audio::{RATE, read_wav, write_wav};
use serde_json::Value;

use crate::support::program::{Home, NOBODY, Running, project};
use crate::support::speech::{flite, pause, plain};

/// The house to try, and a user's home that is connected to it.
struct Connected {
    home: Home,
    demo: Running,
}

impl Connected {
    fn new() -> Self {
        let mut home = Home::with_model_server(NOBODY);
        let (demo, url) = demo(&home, &[]);
        home.set(&format!("home.url={url}"));
        Self { home, demo }
    }

    fn state(&self, item: &str) -> String {
        let shown: Value =
            serde_json::from_str(&self.home.joi(&["home", "items", "--json"]).well().out).unwrap();
        let rows = shown.as_array().unwrap();
        let row = rows.iter().find(|row| row["name"] == item).unwrap_or_else(|| panic!("{item}: {shown}"));
        row["state"].as_str().unwrap().to_owned()
    }

    /// Says these, one after the other, and gives the lines that were answered.
    fn says(&self, lines: &[&str]) -> Vec<String> {
        let ran = self.home.joi_reading(lines.join("\n") + "\n", &["text"]).well();
        ran.out.lines().map(str::to_owned).collect()
    }

    /// All commands that came to the house.
    fn commands(self) -> Vec<String> {
        self.demo.signal(rustix::process::Signal::INT);
        let told = self.demo.end().out;
        told.lines().filter(|line| line.contains(" ← ")).map(str::to_owned).collect()
    }
}

/// Starts the house to try with these arguments, too. Out: it, and its address.
fn demo(home: &Home, args: &[&str]) -> (Running, String) {
    let args: Vec<&str> = ["home", "demo", "--port", "0"].iter().chain(args).copied().collect();
    let mut demo = Running::start(&mut home.command(&args));
    let told = demo.until("a house to try at").out;
    let url = told.split_whitespace().find(|word| word.starts_with("http://")).unwrap();
    let url = url.trim_end_matches(';').to_owned();
    demo.until("Ctrl-C ends it");
    (demo, url)
}

#[test]
fn a_house_is_spoken_to_by_the_console() {
    let house = Connected::new();
    assert_eq!(house.state("Kitchen_Light"), "ON");
    let asked = house.home.joi(&["ask", "turn off the kitchen light"]).well();
    assert_eq!(asked.out, "Kitchen light is off.\n", "{asked:?}");
    assert_eq!(house.state("Kitchen_Light"), "OFF");
    let told = house.says(&[
        "turn on the kitchen light",
        "is the garage door open?",
        "undo that",
        "turn on the hall light and close the kitchen blinds",
        "all lights but the hall off",
    ]);
    let expected = [
        "Kitchen light is on.",
        "No, it's closed.",
        "Kitchen light is off.",
        "Hall light is on. Done.",
        "Done.",
    ];
    assert_eq!(told, expected);
    assert_eq!((house.state("Hall_Light"), house.state("Living_Ceiling")), ("ON".into(), "0".into()));
    assert_eq!(house.state("Kitchen_Blinds"), "100");
    let commands = house.commands();
    assert!(!commands.iter().any(|line| line.contains("Garage")), "{commands:?}");
    assert_eq!(commands[..3], ["Kitchen_Light ← OFF", "Kitchen_Light ← ON", "Kitchen_Light ← OFF"]);
}

#[test]
fn home_assistant_is_connected_and_spoken_to_in_the_same_words() {
    let home = Home::with_model_server(NOBODY);
    let (demo, url) = demo(&home, &["--hub", "home-assistant"]);
    let connect = ["home", "connect", &url, "--token-file", "-", "--json"];
    let connected = home.joi_reading("demo-token\n", &connect).well();
    let connected: Value = serde_json::from_str(&connected.out).unwrap();
    assert_eq!((&connected["hub"], &connected["locations"]), (&"home-assistant".into(), &9.into()));
    let lines = [
        "turn on the hall light",
        "which windows are open?",
        "how warm is it in the living room?",
        "close the kitchen blinds",
        "is the secret light on?",
        "unlock the front door",
        "no",
    ];
    let ran = home.joi_reading(lines.join("\n") + "\n", &["text"]).well();
    let told: Vec<_> = ran.out.lines().collect();
    assert_eq!(told[0], "Hall light is on.", "{told:?}");
    assert!(told[1].contains("itchen window"), "{told:?}");
    assert!(told[2].contains("21.4"), "{told:?}");
    assert!(!told[4].contains("ecret light is"), "{told:?}");
    assert!(told[5].contains("shall I really do it with Front door"), "{told:?}");
    demo.signal(rustix::process::Signal::INT);
    let calls = demo.end().out;
    let calls: Vec<_> = calls.lines().filter(|line| line.contains(" ← ")).collect();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(calls[0].starts_with("light.turn_on") && calls[1].starts_with("cover.close_cover"), "{calls:?}");
}

#[test]
fn a_lock_is_opened_by_a_yes_only() {
    let house = Connected::new();
    let told = house.says(&["unlock the front door", "no"]);
    assert!(told[0].contains("shall I really do it with Front door"), "{told:?}");
    assert_eq!(house.state("Front_Door_Lock"), "ON");
    let told = house.says(&["unlock the front door", "yes"]);
    assert_eq!(told.last().map(String::as_str), Some("Done."));
    assert_eq!(house.state("Front_Door_Lock"), "OFF");
    assert_eq!(house.commands(), ["Front_Door_Lock ← OFF"]);
}

#[test]
fn a_house_that_stops_in_between_is_reported_in_one_sentence() {
    let house = Connected::new();
    let mut joi = Running::start(house.home.command(&["text"]).stdin(Stdio::piped()));
    joi.tell("turn on the hall light");
    joi.until("Hall light is on.");
    assert_eq!(house.commands(), ["Hall_Light ← ON"]);
    joi.tell("turn off the hall light");
    let told = joi.until("reach the house").out;
    assert_eq!(told.trim(), "I can't reach the house at the moment; nothing was done.");
    joi.tell("is the hall light on?");
    assert_eq!(joi.until("reach the house").out.trim(), "I can't reach the house at the moment.");
}

#[test]
fn a_house_is_spoken_to_by_voice() {
    let house = Connected::new();
    let file = house.home.arg("said.wav");
    let phrase = read_wav(project("tests/data/hear/phrase.wav"), RATE).unwrap();
    let said = flite("slt", "turn off the kitchen light");
    let all = [pause(1.0), phrase, pause(0.6), said, pause(3.0)];
    write_wav(Path::new(&file), RATE, &all.concat()).unwrap();
    let ran = house.home.joi(&["hear", "--json", "--wav", &file, "--out", &house.home.arg("out.wav")]).well();
    let turn: Value = serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
    assert_eq!(plain(turn["heard"].as_str().unwrap()), "turn off the kitchen light", "{turn}");
    assert_eq!(turn["reply"], "Kitchen light is off.", "{turn}");
    assert_eq!(turn["model_use"], Value::Array(vec![]));
    assert_eq!(house.state("Kitchen_Light"), "OFF");
    assert_eq!(house.commands(), ["Kitchen_Light ← OFF"]);
}

/// What a command shows as JSON.
fn rows(house: &Connected, args: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().chain(&["--json"]).copied().collect();
    serde_json::from_str(&house.home.joi(&args).well().out).unwrap()
}

/// The line of a table that begins with this.
fn line<'a>(table: &'a str, begins: &str) -> &'a str {
    let fits = |line: &&str| line.trim_start().starts_with(begins);
    table.lines().find(fits).unwrap_or_else(|| panic!("{begins}: {table}"))
}

#[test]
fn rooms_items_and_permissions_of_a_house_are_shown_as_tables_and_as_json() {
    let house = Connected::new();
    let told = |args: &[&str]| house.home.joi(args).well().out;
    let rooms = told(&["home", "rooms"]);
    assert!(line(&rooms, "ROOM").contains("ALSO CALLED"), "{rooms}");
    let kitchen = line(&rooms, "Kitchen");
    let found = rows(&house, &["home", "rooms"]);
    let row = found.as_array().unwrap().iter().find(|row| row["label"] == "Kitchen").unwrap();
    assert!(kitchen.contains(row["item"].as_str().unwrap()), "{kitchen}");
    assert!(kitchen.trim_end().ends_with(&row["items"].to_string()) && row["items"] != 0, "{kitchen}: {row}");

    let shown = told(&["home", "show", "Hall light"]);
    let facts = rows(&house, &["home", "show", "Hall_Light"]);
    assert!(
        line(&shown, "name").ends_with(" Hall_Light") && line(&shown, "by voice").contains("read"),
        "{shown}"
    );
    assert_eq!((&facts["type"], &facts["places"][0]), (&"Switch".into(), &"Hall".into()), "{facts}");
    let nobody = house.home.joi(&["home", "show", "Hall_Lihgt"]);
    assert!(nobody.complaint().contains("did you mean Hall_Light?"), "{nobody:?}");

    let permissions = told(&["home", "permissions"]);
    assert!(line(&permissions, "Front_Door_Lock").contains("asks first (entrance)"), "{permissions}");
    let lock = rows(&house, &["home", "permissions"]);
    let lock = lock.as_array().unwrap().iter().find(|row| row["name"] == "Front_Door_Lock").unwrap();
    assert_eq!(lock["asks_first"], true);

    let meanings = told(&["home", "meanings"]);
    let proposed = rows(&house, &["home", "meanings"]);
    let smoke = proposed.as_array().unwrap().iter().find(|row| row["meaning"] == "smoke").unwrap();
    let item = smoke["item"].as_str().unwrap();
    assert!(line(&meanings, item).contains("proposed"), "{meanings}");
    assert!(line(&meanings, "smoke = [").contains(item), "lines for the configuration: {meanings}");
}

#[test]
fn a_command_is_sent_once_and_a_lock_only_with_a_yes() {
    let house = Connected::new();
    let sent = house.home.joi(&["home", "send", "hall light", "on"]).well();
    assert_eq!(sent.out, "Hall_Light is ON\n", "{sent:?}");
    let blinds = rows(&house, &["home", "send", "Kitchen_Blinds", "down"]);
    assert_eq!((&blinds["item"], &blinds["outcome"]), (&"Kitchen_Blinds".into(), &"done".into()), "{blinds}");
    let refused = house.home.joi(&["home", "send", "Front_Door_Lock", "off"]);
    assert_eq!(refused.complaint(), "not sent; --yes sends it without a question");
    house.home.joi(&["home", "send", "Front_Door_Lock", "off", "--yes"]).well();
    let wrong = house.home.joi(&["home", "send", "Living_Setpoint", "purple"]);
    assert_ne!(wrong.code, Some(0), "{wrong:?}");
    let expected = ["Hall_Light ← ON", "Kitchen_Blinds ← DOWN", "Front_Door_Lock ← OFF"];
    assert_eq!(house.commands(), expected);
}

#[test]
fn what_happens_in_the_house_is_watched_until_ctrl_c() {
    let house = Connected::new();
    let mut watch = Running::start(&mut house.home.command(&["home", "watch"]));
    watch.until("connected: openHAB 5.2.1 at http://127.0.0.1:");
    house.home.joi(&["home", "send", "hall light", "on"]).well();
    let told = watch.until("Hall_Light is ON").out;
    assert!(line_ending(&told, " Hall_Light ← ON").split(':').count() >= 3, "with the time: {told}");
    watch.signal(rustix::process::Signal::INT);
    watch.end().well();

    let mut watch = Running::start(&mut house.home.command(&["home", "watch", "--json"]));
    watch.until("\"link\":\"up\"");
    house.home.joi(&["home", "send", "hall light", "off"]).well();
    watch.until("\"state\":\"OFF\"");
    watch.signal(rustix::process::Signal::INT);
    let told = watch.end().well().out;
    let rows: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.iter().all(|row| row["at"].as_str().is_some_and(|at| at.contains('T'))), "{told}");
    let of_light: Vec<&Value> = rows.iter().filter(|row| row["item"] == "Hall_Light").collect();
    let [commanded, changed] = of_light[..] else { panic!("{told}") };
    assert_eq!((&commanded["command"], &changed["state"]), (&"OFF".into(), &"OFF".into()), "{told}");
}

/// The line of a text that ends with this.
fn line_ending<'a>(text: &'a str, ends: &str) -> &'a str {
    text.lines().find(|line| line.ends_with(ends)).unwrap_or_else(|| panic!("{ends}: {text}"))
}

#[test]
fn a_token_is_stored_for_its_owner_alone_once_the_server_has_taken_it() {
    let home = Home::with_model_server(NOBODY);
    let (_demo, url) = demo(&home, &["--token", "oh.joi.right"]);
    let connect =
        |token: &str| home.joi_reading(format!("{token}\n"), &["home", "connect", &url, "--token-file", "-"]);
    let stored = home.path("data/openhab");

    let missing = home.joi(&["home", "connect", &url]);
    assert!(missing.complaint().contains("the server wants a token"), "{missing:?}");
    let wrong = connect("oh.joi.wrong");
    assert!(wrong.complaint().contains("the server does not accept the token"), "{wrong:?}");
    assert!(!stored.join("token").exists() && !stored.join("address").exists());

    let right = connect("oh.joi.right").well();
    assert!(right.out.contains(&format!("openHAB 5.2.1 at {url}: 61 items")), "{right:?}");
    assert!(!(right.out + &right.err).contains("oh.joi"), "no token is shown");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&stored), mode(&stored.join("token"))), (0o700, 0o600));
    assert_eq!(std::fs::read_to_string(stored.join("token")).unwrap().trim(), "oh.joi.right");
    home.joi(&["home", "send", "hall light", "on"]).well();

    connect("oh.joi.wrong").complaint();
    home.joi(&["home", "send", "hall light", "off"]).well();
    assert_eq!(std::fs::read_to_string(stored.join("token")).unwrap().trim(), "oh.joi.right");
}
