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
fn the_default_file_has_every_key() {
    let built_in = toml::Table::try_from(Config::default()).expect("defaults serialise");
    let file: toml::Table = DEFAULT_FILE.parse().expect("the default file parses");
    let keys = |t: &toml::Table| load::leaves(t).into_keys().collect::<Vec<_>>();
    assert_eq!(keys(&file), keys(&built_in));
}

#[test]
fn every_key_of_the_default_file_is_documented() {
    let mut comment = false;
    for line in DEFAULT_FILE.lines() {
        let line = line.trim();
        if line.contains('=') && !line.starts_with('#') {
            assert!(comment, "no comment above: {line}");
        }
        comment = line.starts_with('#') || (comment && !line.is_empty());
    }
}

#[test]
fn all_problems_are_told_at_once_with_the_nearest_name() {
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
    assert_eq!(origins.get("llm.url"), Some(&Origin::Flag));
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
