use toml::Value;

use super::load::{leaves, schema};
use super::*;

fn problems(text: &str) -> Vec<String> {
    match load_text(text, "joi.toml", &[]) {
        Err(ConfigError::Problems(problems)) => problems.iter().map(ToString::to_string).collect(),
        other => panic!("expected problems, got {other:?}"),
    }
}

#[test]
fn the_default_file_says_exactly_what_is_built_in() {
    let effective = load_text(DEFAULT_FILE, "default.toml", &[]).expect("the default file loads");
    assert_eq!(effective.config, Config::default());
}

#[test]
fn all_problems_are_reported_at_once_with_the_nearest_name() {
    let told = problems("[llm]\nmodle = \"x\"\nnum_ctx = \"many\"\n[hear.endpoint]\npatience = \"slow\"\n");
    assert_eq!(told.len(), 3, "{told:?}");
    let all = told.join("\n");
    assert!(
        all.contains("llm.modle is \"x\"; allowed: this key does not exist. Did you mean llm.model?"),
        "{all}"
    );
    assert!(all.contains("llm.num_ctx is \"many\""), "{all}");
    assert!(all.contains("hear.endpoint.patience is \"slow\""), "{all}");
    assert!(all.contains("quick") && all.contains("relaxed"), "{all}");
}

#[test]
fn servers_of_tools_have_names_of_their_owner() {
    let text = "[mcp.servers.my-time]\ncommand = \"time\"\nargs = [\"a\"]\n[mcp.servers.my-time.env]\nLANG = \"C\"\n";
    let config = load_text(text, "joi.toml", &[]).expect("a server").config;
    let server = &config.mcp.servers["my-time"];
    assert_eq!((server.command.as_str(), server.env["LANG"].as_str()), ("time", "C"));
    let told = problems("[mcp.servers.time]\ncomand = \"x\"\ntimeout_s = \"long\"\n");
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("mcp.servers.time.comand is \"x\"; allowed: unknown field"), "{told:?}");
    assert!(told[1].starts_with("mcp.servers.time.timeout_s is \"long\""), "{told:?}");
    assert_eq!(problems("[mcp.servers.time]\nargs = [\"x\"]\n").len(), 1, "neither a program nor an address");
}

#[test]
fn an_emergency_number_holds_nothing_but_a_number() {
    assert!(load_text("[context]\nemergency_number = \"+43 1 144-0\"", "joi.toml", &[]).is_ok());
    for number in ["call me", "112, please", "123456789012345678901"] {
        let told = problems(&format!("[context]\nemergency_number = \"{number}\""));
        assert!(told.len() == 1 && told[0].contains("context.emergency_number"), "{told:?}");
    }
}

#[test]
fn a_value_of_another_type_is_reported_with_the_range_that_is_allowed() {
    let told = problems(
        "[store]\nretention_days = \"abc\"\n[audio]\nvolume = 300\ninput_gain_db = \"loud\"\ntone = 1\ninput = 3\nhost = 7\n",
    );
    let expected = [
        "audio.host is 7; allowed: one of `auto`, `alsa`, `pulseaudio`",
        "audio.input is 3; allowed: a list, for example [\"default\"]",
        "audio.input_gain_db is \"loud\"; allowed: a number from -20 to 30 dB",
        "audio.tone is 1; allowed: true or false",
        "audio.volume is 300; allowed: a whole number from 0 to 100 %",
        "store.retention_days is \"abc\"; allowed: a whole number from 1 to 3650 days",
    ];
    assert_eq!(told, expected);
}

#[test]
fn every_number_has_a_range_that_is_reported() {
    let without: Vec<String> = leaves(&schema())
        .into_iter()
        .filter(|(_, default)| matches!(default, Value::Integer(_) | Value::Float(_)))
        .map(|(key, _)| problems_of(&key))
        .filter(|told| !told.contains("number from "))
        .collect();
    assert_eq!(without, [] as [String; 0]);
}

fn problems_of(key: &str) -> String {
    let given = Override::from_flag(&format!("{key}=\"abc\"")).unwrap();
    load_text("", "f", &[given]).unwrap_err().to_string()
}

#[test]
fn prices_are_by_the_names_of_models_which_may_hold_dots() {
    let file =
        "[goals.prices.\"gpt-4.1\"]\ninput = 2.5\noutput = 10.0\n[goals.prices.claude-x]\ninput = 3.0\n";
    let flag = Override::from_flag("goals.prices.claude-x.output=15").unwrap();
    let prices = load_text(file, "f", &[flag]).expect("loads").config.goals.prices;
    let of = |name: &str| (prices[name].input, prices[name].output);
    assert_eq!([of("gpt-4.1"), of("claude-x")], [(2.5, 10.0), (3.0, 15.0)]);
    let refused = load_text("[goals.prices.\"gpt-4.1\"]\ninput = -1.0\n", "f", &[]).unwrap_err().to_string();
    assert!(refused.contains("goals.prices.\"gpt-4.1\".input is -1"), "{refused}");
}

#[test]
fn a_flag_beats_the_environment_and_the_environment_beats_the_file() {
    let environment = Override::from_environment(
        [("JOI__LLM__URL".to_string(), "http://b:1".to_string()), ("HOME".into(), "/x".into())].into_iter(),
    );
    assert_eq!(environment.len(), 1);
    let flag = Override::from_flag("llm.url=http://c:1").expect("a flag");
    let file = "[llm]\nurl = \"http://a:1\"\n";
    let url = |o: &[Override]| load_text(file, "f", o).expect("loads").config.llm.url;
    assert_eq!(url(&[]), "http://a:1");
    assert_eq!(url(&environment), "http://b:1");
    let both = [environment[0].clone(), flag];
    assert_eq!(url(&both), "http://c:1");
    let origins = load_text(file, "f", &both).expect("loads").origins;
    assert_eq!(origins.get("llm.url"), Some(&ValueOrigin::Flag));
}

#[test]
fn a_flag_without_a_value_is_refused_with_an_example() {
    let problem = Override::from_flag("llm.url").expect_err("refused");
    assert!(problem.to_string().contains("KEY=VALUE"));
}

#[test]
fn broken_toml_names_the_file_and_the_place() {
    let error = load_text("[llm\nurl = 3", "joi.toml", &[]).expect_err("refused").to_string();
    assert!(error.starts_with("joi.toml is not valid TOML"), "{error}");
    assert!(error.contains("line 1"), "{error}");
}

#[test]
fn a_ring_sound_that_is_gone_is_reported_by_a_check_and_keeps_nothing_from_starting() {
    let loaded = load_text("[timers]\nring_sound = \"/nowhere/bell.wav\"\n", "joi.toml", &[]).expect("loads");
    let told = loaded.config.check_files().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    for part in
        ["timers.ring_sound is \"/nowhere/bell.wav\"; allowed: \"built-in\"", "can't be opened", "Write"]
    {
        assert!(told.contains(part), "{part} in {told}");
    }
    assert_eq!(Config::default().check_files(), []);
}

#[test]
fn a_language_that_there_is_not_is_refused_with_those_there_are() {
    let told = problems("language = \"pt\"\n");
    let expected = "language is \"pt\"; allowed: \"en\", \"de\", \"fr\", \"es\", \"it\", \"nl\", \"auto\". A language can \
                    be added as a folder of files: see docs/user/languages.md.";
    assert_eq!(told, [expected]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    std::fs::write(&file, "language = \"pt\"\n").unwrap();
    std::fs::create_dir_all(folder.path().join("languages/pt")).unwrap();
    assert!(load(&file, &[]).is_err(), "a folder without commands is no language");
    std::fs::write(folder.path().join("languages/pt/commands.toml"), "").unwrap();
    let loaded = load(&file, &[]).unwrap().config;
    assert_eq!((loaded.language.as_str(), loaded.hear.stt.heard()), ("pt", vec!["pt".to_owned()]));
    std::fs::create_dir_all(folder.path().join("languages/xx")).unwrap();
    std::fs::write(folder.path().join("languages/xx/commands.toml"), "").unwrap();
    std::fs::write(&file, "language = \"xx\"\n").unwrap();
    let told = load(&file, &[]).unwrap_err().to_string();
    assert!(told.contains("Set whisper = \"…\" in languages/xx/voice.toml, or hear.stt.language."), "{told}");
    std::fs::write(folder.path().join("languages/xx/voice.toml"), "whisper = \"nl\"").unwrap();
    assert_eq!(load(&file, &[]).unwrap().config.hear.stt.heard(), ["nl"]);
}

#[test]
fn whisper_hears_the_language_that_is_spoken_unless_something_else_is_set() {
    let heard = |text: &str| load_text(text, "joi.toml", &[]).unwrap().config.hear.stt.heard();
    assert_eq!(heard(""), ["en"]);
    assert_eq!(heard("language = \"de\""), ["de"]);
    assert_eq!(heard("language = \"auto\""), ["en", "de"]);
    assert_eq!(heard("language = \"auto\"\n[hear.stt]\nlanguage = \"de\""), ["de"]);
    assert_eq!(heard("language = \"de\"\n[hear.stt]\nlanguage = \"en\""), ["en"]);
    let told = problems("language = \"de\"\n[hear.stt]\nmodel = \"tiny.en\"");
    let expected = "hear.stt.model is \"tiny.en\"; allowed: \"base\" or \"auto\" with language = \"de\". `joi models \
                    fetch whisper-base` brings the model.";
    assert_eq!(told, [expected]);
}

proptest::proptest! {
    #[test]
    fn foreign_bytes_never_break_the_reader_of_configurations(
        file in joi_base::testing::damaged_text(DEFAULT_FILE),
        value in "\\PC{0,20}",
    ) {
        if let Err(error) = load_text(&file, "f", &[]) {
            proptest::prop_assert!(!error.to_string().is_empty());
        }
        let given = Override { key: "llm.num_ctx".into(), text: value, origin: ValueOrigin::Flag };
        let _ = load_text("", "f", &[given]);
    }
}
