//! The commands as they are typed: exit codes, stdout, stderr, and what stays on disk.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::support::ollama_double::{Double, Model, Script};
use crate::support::program::{Home, NOBODY, project};

const COMMANDS: [&str; 22] = [
    "mute",
    "unmute",
    "toggle",
    "status",
    "events",
    "timers",
    "run",
    "text",
    "ask",
    "say",
    "listen",
    "hear",
    "devices",
    "languages",
    "models",
    "doctor",
    "config",
    "why",
    "bench",
    "forget",
    "memory",
    "wake",
];

fn nobody_home() -> Home {
    Home::with_model_server(NOBODY)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn the_time_needs_no_model_server() {
    let ran = nobody_home().joi(&["ask", "what time is it?"]).well();
    assert!(
        ran.out.starts_with("It's ") && ran.out.ends_with("M.\n") && ran.out.lines().count() == 1,
        "{ran:?}"
    );
}

#[test]
fn a_pipe_of_questions_gets_a_line_for_each() {
    let ran = nobody_home().joi_reading("what time is it?\n\nwhat day is it?\n", &["text"]).well();
    let answers: Vec<&str> = ran.out.lines().collect();
    assert_eq!(answers.len(), 2, "{ran:?}");
    assert!(answers[0].ends_with('.') && answers[1].contains("day"), "{ran:?}");
}

#[test]
fn slash_commands_show_timers_tools_model_and_the_last_answer() {
    let home = nobody_home();
    let typed =
        "/timers\n/why\nset a pasta timer for nine minutes\n/timers\n/why\n/tools\n/model\n/help\n/nothing\n";
    let ran = home.joi_reading(typed, &["text"]).well();
    let (before, after) = ran.out.split_once("Pasta timer, 9 minutes.\n").unwrap();
    assert!(
        before.starts_with("there are no timers, alarms or reminders\nthere was no answer yet\n"),
        "{ran:?}"
    );
    for part in [
        "pasta",
        "set a timer",
        "stored before it is confirmed",
        "timers",
        "calculate",
        "calls tools through",
    ] {
        assert!(after.contains(part), "{part} in {after}");
    }
    for command in ["/why", "/timers", "/tools", "/model", "/help"] {
        assert!(after.contains(&format!("{command:<8} ")), "{command} in {after}");
    }
    assert!(
        ran.err.contains("/nothing is no command; there are /why, /timers, /tools, /model, /help"),
        "{ran:?}"
    );

    let table = home.joi(&["ask", "/timers"]).well().out;
    assert!(table.contains("pasta") && table.contains("LEFT"), "{table}");
    let why = home.joi(&["ask", "/why"]).well().out;
    assert!(why.contains("set a pasta timer for nine minutes"), "of the run before: {why}");
    assert_eq!(home.joi(&["ask", "/nothing"]).code, Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_models_answer_goes_to_stdout_and_nothing_else_does() {
    let double = Double::start().await;
    double.when("sky", vec![Script::words("Because air scatters blue light the most.")]);
    let home = Home::with_model_server(&double.url);
    let ran = home.joi(&["--log", "info", "ask", "why is the sky blue?"]).well();
    // covers the log-privacy rule at the console
    for words in ["sky", "blue", "scatters"] {
        assert!(!ran.err.to_lowercase().contains(words), "{words} in the log: {}", ran.err);
    }
    assert_eq!(ran.out, "Because air scatters blue light the most.\n", "{ran:?}");

    let record = json(&home.joi(&["ask", "--json", "why", "is", "the", "sky", "blue?"]).well().out);
    assert_eq!(record["heard"], "why is the sky blue?");
    assert_eq!(record["reply"], "Because air scatters blue light the most.");
    assert_eq!(record["model_use"][0]["model"], "double:1b");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_in_no_request_no_log_and_no_file() {
    // Of A1: the secret part is searched for as bytes in everything that leaves the process
    const SECRET: &str = "jane.doe";
    let double = Double::start().await;
    double.when("dinner", vec![Script::words("I would, if I could write letters.")]);
    let home = Home::with_model_server(&double.url);
    let question = "please write to jane.doe@example.org that dinner is ready";
    let ran = home.joi(&["--log", "trace", "ask", question]).well();
    assert!(!ran.out.contains(SECRET), "stdout: {}", ran.out);
    assert!(!ran.err.contains(SECRET), "the log at its most talkative: {}", ran.err);
    let chats = double.chats();
    assert!(chats.iter().any(|chat| chat.to_string().contains("[REDACTED_EMAIL]")), "{chats:?}");
    assert!(!format!("{:?}", double.seen()).contains(SECRET), "{chats:?}");
    let stored = home.stored();
    let holds = |what: &str| stored.windows(what.len()).any(|bytes| bytes == what.as_bytes());
    assert!(holds("[REDACTED_EMAIL]"), "the dialogue is stored");
    assert!(!holds(SECRET), "the address is not");
    let why = home.joi(&["why"]).well();
    assert!(why.out.contains("[REDACTED_EMAIL]") && !why.out.contains(SECRET), "{why:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_is_in_no_log_at_its_usual_level() {
    let double = Double::start().await;
    double.when("marmalade", vec![Script::words("Marmalade is boiled from oranges.")]);
    let home = Home::with_model_server(&double.url);
    let ran = home.joi(&["--log", "info", "ask", "tell me about my marmalade"]).well();
    assert!(ran.out.contains("Marmalade is boiled"), "{ran:?}");
    assert!(!ran.err.to_lowercase().contains("marmalade"), "{ran:?}");
}

#[test]
fn the_last_turn_is_explained_until_it_is_forgotten() {
    let home = nobody_home();
    let before = home.joi(&["why"]);
    assert_eq!(before.code, Some(1));
    assert_eq!(before.complaint(), "there was no turn yet; start with `joi run` or `joi ask`");

    home.joi(&["ask", "what time is it?"]).well();
    home.joi(&["ask", "what day is it?"]).well();
    let told = home.joi(&["why"]).well().out;
    assert!(told.contains("what day is it?") && !told.contains("what time is it?"), "{told}");
    let both = home.joi(&["why", "--last", "2", "--json"]).well().out;
    let heard: Vec<Value> = both.lines().map(|line| json(line)["heard"].clone()).collect();
    assert_eq!(heard, ["what time is it?", "what day is it?"]);
    let turn = json(&home.joi(&["why", "--json"]).well().out);
    assert_eq!(turn["channel"], "console");
    assert_eq!(
        turn["marks"].as_array().and_then(|marks| marks.last()).map(|mark| mark["stage"].clone()),
        Some("end".into())
    );
    assert!(turn["decisions"].as_array().is_some_and(|all| !all.is_empty()), "{turn}");

    let unasked = home.joi(&["forget"]);
    assert_eq!(
        (unasked.code, unasked.complaint()),
        (Some(1), "say --yes to erase all dialogue without being asked")
    );
    assert_eq!(home.joi(&["forget", "--yes"]).well().out, "erased 4 messages and 2 turn records\n");
    let stored = home.stored();
    assert!(!stored.windows(12).any(|bytes| bytes == b"what day is "), "nothing of it is left in the file");
    assert_eq!(home.joi(&["why"]).code, Some(1));
}

#[test]
fn notes_timers_or_all_of_it_can_be_forgotten() {
    let home = nobody_home();
    home.joi(&["ask", "set a marmalade timer for nine minutes"]).well();
    let holds = |what: &str| home.stored().windows(what.len()).any(|bytes| bytes == what.as_bytes());
    assert_eq!(
        home.joi(&["forget", "--notes"]).complaint(),
        "say --yes to erase all notes and lists without being asked"
    );
    let notes = home.joi(&["forget", "--notes", "--yes"]).well().out;
    assert_eq!(notes, "erased 0 notes and entries of lists\n");
    assert!(home.joi(&["timers"]).well().out.contains("marmalade"), "timers stay");
    let dialogue = home.joi(&["forget", "--yes"]).well().out;
    assert_eq!(dialogue, "erased 2 messages and 1 turn records\n");
    assert!(holds("marmalade"), "the timer is still there");
    let all = home.joi(&["forget", "--all", "--yes"]).well().out;
    assert_eq!(all, "erased 0 messages and 0 turn records, 0 notes and entries of lists, 1 timers\n");
    assert!(!holds("marmalade"), "and now no byte of it is");
    let both = home.joi(&["forget", "--all", "--notes"]);
    assert_eq!(both.code, Some(2), "{both:?}");
}

#[test]
fn a_configuration_is_written_once_checked_and_shown() {
    let home = nobody_home();
    let file = home.arg("mine/joi.toml");
    let written = home.joi(&["--config", &file, "config", "init"]).well().out;
    assert!(written.starts_with(&format!("wrote {file} for a machine such as ")), "{written}");
    assert_eq!(home.joi(&["config", "check", &file]).well().out, format!("✓ {file} is fine\n"));
    let again = home.joi(&["--config", &file, "config", "init"]);
    assert_eq!(
        (again.code, again.complaint()),
        (Some(1), format!("{file} exists already; it stays as it is").as_str())
    );

    // As a package brings it, readable for joi's user.
    let packaged = home.path("mine/packaged.toml");
    std::fs::copy(project("config/default.toml"), &packaged).unwrap();
    std::fs::set_permissions(&packaged, std::fs::Permissions::from_mode(0o644)).unwrap();
    let init = ["--config", &home.arg("mine/packaged.toml"), "config", "init", "--profile", "pi4"];
    home.joi(&init).well();
    assert!(std::fs::read_to_string(&packaged).unwrap().contains("num_ctx = 2048 # pi4\n"));
    assert_eq!(std::fs::metadata(&packaged).unwrap().permissions().mode() & 0o777, 0o644);
    assert_eq!(home.joi(&init).code, Some(1), "it is the owner's now");
    assert_eq!(std::fs::read_dir(home.path("mine")).unwrap().count(), 2, "nothing is left beside it");

    let shown = home.joi(&["--config", &file, "--set", "audio.volume=42", "config", "show", "--json"]).well();
    let shown = json(&shown.out);
    assert_eq!((&shown["audio"]["volume"], &shown["speak"]["voice"]), (&42.into(), &"auto".into()));
    let table = home.joi(&["--config", &file, "config", "show"]).well().out;
    let row = |key: &str| table.lines().find(|line| line.trim_start().starts_with(key)).map(str::to_owned);
    assert!(row("llm.url").is_some_and(|row| row.contains(NOBODY) && row.contains("flag")), "{table}");
    assert!(row("speak.voice").is_some_and(|row| row.contains("auto") && row.contains("file")), "{table}");
}

#[test]
fn all_problems_of_a_configuration_are_reported_at_once() {
    let home = nobody_home();
    let file = home.arg("bad.toml");
    std::fs::write(&file, "[hear.endpoint]\npatiense = \"quick\"\nonset = 7\n").unwrap();
    for args in [&["config", "check", &file][..], &["--config", &file, "ask", "what time is it?"]] {
        let ran = home.joi(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
        assert_eq!(ran.complaint(), "the configuration has 2 problems:");
        assert!(ran.err.contains("Did you mean hear.endpoint.patience?"), "{ran:?}");
        assert!(ran.err.contains("hear.endpoint.onset is 7; allowed: 0.1 to 0.5 s"), "{ran:?}");
    }
    let missing = home.joi(&["--config", "/no/such/joi.toml", "ask", "hello"]);
    assert_ne!(missing.code, Some(0));
    assert!(missing.complaint().contains("joi config init"), "{missing:?}");
    assert_eq!(missing.code, Some(2), "{missing:?}");
    let flag = home.joi(&["--set", "llm.modle=x", "ask", "hello"]);
    assert_eq!(flag.code, Some(2));
    assert!(flag.err.contains("Did you mean llm.model?"), "{flag:?}");
}

#[test]
fn every_command_explains_itself_with_examples() {
    let home = nobody_home();
    let overview = home.joi(&["--help"]).well().out;
    for command in COMMANDS {
        assert!(overview.contains(&format!("  {command} ")), "{command} is in the overview:\n{overview}");
        let help = home.joi(&[command, "--help"]).well().out;
        assert!(help.contains("Examples:\n  ") && help.contains(&format!("joi {command}")), "{help}");
    }
    let unknown = home.joi(&["docter"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("'doctor'"), "{unknown:?}");
    assert!(home.joi(&["completions", "bash"]).well().out.contains("complete -F _joi_items"));
}

#[test]
fn the_models_are_listed_with_their_licences() {
    let listed = json(&nobody_home().joi(&["models", "list", "--json"]).well().out);
    let rows = listed.as_array().expect("rows");
    let is_whole = |row: &Value| {
        // The size of a model that is not needed may be known to its server only.
        let is_known = row["bytes"].as_u64() > Some(0) || row["default"] == false;
        row["licence"].as_str().is_some_and(|l| !l.is_empty()) && is_known
    };
    assert!(rows.iter().all(is_whole), "{listed}");
    let needed = |name: &str| {
        rows.iter().any(|row| row["name"] == name && row["default"] == true && row["state"] == "there")
    };
    assert!(needed("whisper-tiny.en") && needed("wake-hey-jarvis") && needed("voice-joe"), "{listed}");
    let wrong = nobody_home().joi(&["models", "fetch", "whisper-bass"]);
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.complaint().contains("did you mean \"whisper-base\"?"), "{wrong:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_models_are_shown_with_what_they_take_and_which_answers() {
    fn row(home: &Home, name: &str) -> Value {
        let rows = json(&home.joi(&["models", "--json"]).well().out);
        let row = rows.as_array().expect("rows").iter().find(|row| row["name"] == name).cloned();
        row.unwrap_or_else(|| panic!("{name} in {rows}"))
    }
    let small = "chat-qwen2.5-coder-0.5b";
    let double = Double::start().await;
    let mut home = Home::with_model_server(&double.url);
    home.set("llm.local_models=[{ name = \"mine\", path = \"/no/such.gguf\" }]");
    assert_eq!(
        (&row(&home, "double:1b")["answers"], &row(&home, small)["answers"]),
        (&true.into(), &false.into())
    );
    assert_eq!(row(&home, "mine")["why"], "mine is not there: correct its path in llm.local_models");

    home.set("llm.backend=local");
    let it = row(&home, small);
    assert_eq!((&it["answers"], &it["state"], &it["chat"]), (&true.into(), &"there".into(), &true.into()));
    assert!(it["memory"].as_u64() > it["bytes"].as_u64(), "{it}");
    let measured = home.joi(&["models", "measure", small]).well().out;
    assert!(measured.contains("tokens/s"), "{measured}");
    assert!(row(&home, small)["tokens_per_s"].as_f64() > Some(0.0));
    let table = home.joi(&["models"]).well().out;
    for told in ["SPEED HERE", "there, answers", "would answer: qwen2.5-coder-0.5b-instruct-q4_k_m (local)"] {
        assert!(table.contains(told), "{told} in\n{table}");
    }
    assert!(table.contains("mine is not there: correct its path"), "why not the better one:\n{table}");
    let unknown = home.joi(&["models", "measure", "whisper-base"]);
    assert!(unknown.complaint().contains("no chat model \"whisper-base\""), "{unknown:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_shows_what_works_and_what_to_do() {
    fn verdict<'a>(rows: &'a Value, what: &str) -> &'a Value {
        let rows = rows.as_array().expect("rows");
        rows.iter().find(|row| row["what"] == what).unwrap_or_else(|| panic!("{what} in {rows:?}"))
    }
    let double = Double::start().await;
    let mut home = Home::with_model_server(&double.url);
    // Whatever this machine is fast enough for.
    home.set("hear.wake.mode=scored");
    let rows = json(&home.joi(&["doctor", "--quick", "--json"]).out);
    for what in ["configuration", "models", "speech to text", "wake phrases", "voice", "model server"] {
        assert_eq!(verdict(&rows, what)["verdict"], "good", "{rows}");
    }
    let ill = nobody_home().joi(&["doctor", "--quick", "--json"]);
    assert_eq!(ill.code, Some(1), "{ill:?}");
    let rows = json(&ill.out);
    let server = verdict(&rows, "model server");
    assert_eq!(server["verdict"], "bad", "{rows}");
    assert!(server["remedy"].as_str().is_some_and(|remedy| remedy.contains("Ollama")), "{rows}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_shows_by_what_memories_are_found() {
    // One model that can't be read costs no other
    fn search(home: &Home) -> Value {
        let rows = json(&home.joi(&["doctor", "--quick", "--json"]).out);
        let row = rows.as_array().expect("rows").iter().find(|row| row["what"] == "memory search");
        row.unwrap_or_else(|| panic!("{rows}")).clone()
    }
    let double = Double::start().await;
    let mut home = Home::with_model_server(&double.url);
    let row = search(&home);
    assert_eq!(
        row["told"], "by words and meaning: all-minilm, 384 numbers a text",
        "the embedded one beside it"
    );
    let talks = Model::new("double:1b", &["completion", "tools"]);
    double.install(vec![talks, Model::damaged("torn:1b"), Model::new("house:latest", &["embedding"])]);
    let row = search(&home);
    assert_eq!(row["told"], "by words and meaning: house:latest, 32 numbers a text");
    home.set("llm.embed_model=gone");
    let row = search(&home);
    assert_eq!(row["verdict"], "fair", "{row}");
    assert!(row["remedy"].as_str().is_some_and(|remedy| remedy.contains("ollama pull gone")), "{row}");
}
