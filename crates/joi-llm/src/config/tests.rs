use super::*;
use crate::OPEN_AI;

#[test]
fn the_defaults_have_no_problem_and_survive_toml() {
    let config = LlmConfig::default();
    assert_eq!(config.check(), []);
    let written = toml::to_string(&config).unwrap();
    assert_eq!(toml::from_str::<LlmConfig>(&written).unwrap(), config);
    assert_eq!(toml::from_str::<LlmConfig>("threads = 3").unwrap().threads, Threads::Count(3));
    assert!(toml::from_str::<LlmConfig>("threads = \"many\"").is_err());
    assert!(toml::from_str::<LlmConfig>("modell = \"x\"").is_err());
}

#[test]
fn every_problem_is_reported_at_once() {
    let config = LlmConfig {
        url: "ftp://x".into(),
        model: " ".into(),
        local: String::new(),
        local_models: [("", "/a"), ("b", "b.gguf"), ("c", "/c"), ("c", "/d")]
            .map(|(name, path)| OwnModel { name: name.into(), path: path.into() })
            .into(),
        num_ctx: 1,
        num_predict: 501,
        temperature: f32::NAN,
        repeat_penalty: 0.5,
        keep_alive: -2,
        threads: Threads::Count(0),
        think: ["", "q*en"].map(|model| ThinkRule { model: model.into(), think: Think::On }).into(),
        ..LlmConfig::default()
    };
    assert_eq!(config.check().len(), 14);
}

#[test]
fn only_a_server_on_this_machine_gets_a_number_of_threads() {
    let at = |url: &str| LlmConfig { url: url.into(), ..LlmConfig::default() };
    assert_eq!(at("http://localhost:1").options().num_thread, Some(Threads::Auto.count()));
    assert_eq!(at("http://nas:11434").options().num_thread, None);
    let fixed = LlmConfig { threads: Threads::Count(5), ..at("http://nas:11434") };
    assert_eq!(fixed.options().num_thread, Some(5));
}

#[test]
fn our_own_server_waits_for_the_next_command_as_long_as_the_model_may_stay_but_not_for_ever() {
    let stays = |keep_alive| LlmConfig { keep_alive, ..LlmConfig::default() }.lingers();
    let seconds = |n| Some(Duration::from_secs(n));
    assert_eq!([-1, 0, 60, 86_400].map(stays), [seconds(300), None, seconds(60), seconds(300)]);
}

#[test]
fn an_address_outside_of_the_home_has_to_be_allowed() {
    let at =
        |url: &str| LlmConfig { url: url.into(), backend: Backend::Server(&OPEN_AI), ..LlmConfig::default() };
    let refused = at("https://api.example.com/v1");
    let problems: Vec<String> = refused.check().iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "llm.url is https://api.example.com/v1; allowed: an address at home, or any other with llm.outside = true. \
          Everything that is said to the model would be sent there. Correct the address, or set llm.outside = true \
          to allow that."
        ]
    );
    let allowed = LlmConfig { outside: true, ..refused.clone() };
    let unused = LlmConfig { backend: Backend::Local, ..refused.clone() };
    assert_eq!((allowed.check(), unused.check()), (Vec::new(), Vec::new()));
    assert_eq!(
        LlmConfig { backend: Backend::Auto, ..refused }.check().len(),
        1,
        "Ollama elsewhere is outside too"
    );
    assert_eq!(at("http://nas.local:8080/v1").check(), []);
}

#[test]
fn the_backend_and_its_key_are_read_from_toml() {
    let text = "backend = \"openai\"\nurl = \"http://nas:8080\"\nkey_file = \"/etc/joi/llm-key\"";
    let config: LlmConfig = toml::from_str(text).unwrap();
    assert_eq!((config.backend, config.backend.to_string().as_str()), (Backend::Server(&OPEN_AI), "openai"));
    assert_eq!(config.check(), []);
    let relative = LlmConfig { key_file: "key".into(), ..config };
    assert_eq!(relative.check().len(), 1);
}

#[test]
fn memory_and_house_stay_at_home_unless_they_are_listed() {
    let withheld = |text: &str| {
        let config: LlmConfig = toml::from_str(text).unwrap();
        [HomeData::Memory, HomeData::House].map(|data| config.withholds(data))
    };
    let outside = "url = \"https://api.example.com\"\noutside = true\n";
    assert_eq!(withheld(outside), [true, true]);
    assert_eq!(withheld(&format!("{outside}outside_may = [\"house\"]")), [true, false]);
    assert_eq!(withheld(&format!("{outside}outside_may = [\"memory\", \"house\"]")), [false, false]);
    assert_eq!(withheld(&format!("{outside}backend = \"local\"")), [false, false]);
    assert_eq!(withheld("url = \"http://nas:11434\""), [false, false]);
    assert!(toml::from_str::<LlmConfig>("outside_may = [\"all\"]").is_err());
    let leaving = |text: &str| toml::from_str::<LlmConfig>(text).unwrap().leaving();
    let sent = "words leave the house: what is said to the model is sent to https://api.example.com; ";
    for (may, also) in [
        ("", "memory and house stay at home"),
        ("\"memory\"", "the memory too, while the house stays at home"),
        ("\"house\"", "the house too, while the memory stays at home"),
        ("\"house\", \"memory\"", "memory and house too"),
    ] {
        assert_eq!(leaving(&format!("{outside}outside_may = [{may}]")), Some(format!("{sent}{also}")));
    }
    assert_eq!(leaving(""), None);
}

#[test]
fn a_use_has_a_model_or_a_server_of_its_own_with_settings_of_its_own() {
    let text = "url = \"https://api.example.com\"\nbackend = \"openai\"\noutside = true\noutside_may = [\"house\"]\n\
                key_file = \"/etc/joi/chat-key\"\n\
                [uses.goals]\nbackend = \"anthropic\"\nurl = \"https://api.anthropic.com\"\noutside = true\n\
                model = \"claude-x\"\n[uses.tasks]\nmodel = \"smaller\"\n[uses.summaries]\nbackend = \"local\"";
    let config: LlmConfig = toml::from_str(text).unwrap();
    assert_eq!(config.check(), []);
    let goals = config.server_of(ModelPurpose::Goals).unwrap();
    assert_eq!((goals.backend.to_string().as_str(), goals.model.as_str()), ("anthropic", "claude-x"));
    assert_eq!((goals.key_file.as_str(), goals.outside_host().as_deref()), ("", Some("api.anthropic.com")));
    assert!(
        goals.withholds(HomeData::House) && goals.withholds(HomeData::Memory),
        "what [llm] allows is not its own"
    );
    assert!(
        config.server_of(ModelPurpose::Tasks).is_none() && config.server_of(ModelPurpose::Chat).is_none()
    );
    assert_eq!(config.other_model_of(ModelPurpose::Tasks), Some("smaller"));
    assert_eq!(config.other_model_of(ModelPurpose::Goals), None);
    let summaries = config.server_of(ModelPurpose::Summaries).unwrap();
    assert!(summaries.backend == Backend::Local && !summaries.is_outside());
    assert!(config.for_conversations().server_of(ModelPurpose::Goals).is_none());
}

#[test]
fn problems_of_a_use_name_its_own_keys() {
    let text = "[uses.goals]\nbackend = \"openai\"\nurl = \"https://api.example.com\"\nkey_file = \"key\"\n\
                [uses.tasks]\nurl = \"http://nas:8080\"\n[uses.summaries]\nbackend = \"local\"";
    let config: LlmConfig = toml::from_str(text).unwrap();
    let problems: Vec<String> = config.check().iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 4, "{problems:#?}");
    assert!(
        problems[0].starts_with("llm.uses.goals.url is https://api.example.com; allowed: "),
        "{problems:#?}"
    );
    assert!(problems[0].contains("with llm.uses.goals.outside = true"), "{problems:#?}");
    assert!(problems[1].starts_with("llm.uses.goals.key_file is key; "), "{problems:#?}");
    assert!(problems[2].starts_with("llm.uses.tasks.url is http://nas:8080; "), "{problems:#?}");
    assert!(problems[3].starts_with("llm.uses.summaries.backend is local; "), "{problems:#?}");
    assert!(toml::from_str::<LlmConfig>("[uses.goals]\nbackend = \"auto\"").is_err());
    assert!(toml::from_str::<LlmConfig>("[uses.chat]\nmodel = \"x\"").is_err());
}
