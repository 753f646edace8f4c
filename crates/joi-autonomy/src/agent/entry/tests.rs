use super::*;
use crate::agent::sensor_entry::SignalEntry;

fn agent(text: &str) -> AgentEntry {
    toml::from_str(text).unwrap()
}

fn problems(entry: AgentEntry) -> Vec<String> {
    check(&AgentEntries::from([("garage".to_owned(), entry)])).iter().map(ToString::to_string).collect()
}

#[test]
fn the_limits_are_those_that_are_documented() {
    let entry = agent("prompt = \"You watch the garage.\"");
    let limits = &entry.autonomy;
    assert_eq!((limits.max_consecutive_turns, limits.token_budget_per_hour), (50, 100_000));
    assert_eq!((limits.max_actions_per_minute, limits.idle_timeout_s), (10, 600));
    assert_eq!((limits.min_pause_s, limits.forced_sleep_s, limits.precheck_sleep_s), (1, 60, 10));
    assert_eq!(entry.active_hours[0].to_string(), "08:00-23:00");
    assert!(!entry.works_alone(), "every part is optional");
    assert_eq!(problems(entry), [""; 0]);
}

#[test]
fn every_value_that_can_not_be_used_is_named_with_what_is_allowed() {
    let entry = agent(
        "active_hours = [\"22:00-06:00\"]
        fields.door = { ttl_s = 700000, auto_refresh = true, refresh_pointer = \"x\" }
        fields.Door = {}
        autonomy = { enabled = true, max_consecutive_turns = 0, token_budget_per_hour = 10, max_actions_per_minute = 61, idle_timeout_s = 1, min_pause_s = 0, forced_sleep_s = 0, precheck_sleep_s = 0 }
        heartbeat = { every_min = 5 }",
    );
    let found = problems(entry);
    for expected in [
        "agents.garage.autonomy.max_consecutive_turns is 0; allowed: 1 to 1000 turns",
        "agents.garage.autonomy.token_budget_per_hour is 10; allowed: 1000 to 10000000 tokens",
        "agents.garage.autonomy.max_actions_per_minute is 61; allowed: 0 to 60 calls",
        "agents.garage.autonomy.idle_timeout_s is 1; allowed: 10 to 86400 s",
        "agents.garage.autonomy.min_pause_s is 0; allowed: 1 to 3600 s",
        "agents.garage.autonomy.forced_sleep_s is 0; allowed: 1 to 3600 s",
        "agents.garage.autonomy.precheck_sleep_s is 0; allowed: 1 to 3600 s",
        "agents.garage.prompt is \"\"; allowed: a text that says what the agent is for",
        "agents.garage.heartbeat.every_min is 5; allowed: 0 where autonomy.enabled is true",
        "agents.garage.heartbeat.prompt is \"\"; allowed: a text in quotes",
        "agents.garage.fields is \"Door\"; allowed: 1 to 32 of a to z",
        "agents.garage.fields.door.ttl_s is 700000; allowed: 0 to 604800 s",
        "agents.garage.fields.door.refresh_pointer is \"x\"; allowed: a JSON pointer",
        "agents.garage.fields.door.auto_refresh is true; allowed: true only with refresh_tool",
    ] {
        assert!(found.iter().any(|problem| problem.starts_with(expected)), "{expected}\n{found:#?}");
    }
    assert_eq!(found.len(), 14, "{found:#?}");
    assert!(toml::from_str::<AgentEntry>("active_hours = [\"8-23\"]").is_err());
}

#[test]
fn a_sensor_that_can_not_be_used_is_skipped_with_one_problem() {
    let entry = agent(
        "[sensors.good]
        house = \"Garage_Door\"
        updates = [\"door\", \"other\"]
        signals.opened = { is = \"open\" }
        [sensors.cold]
        house = \"Outside\"
        signals.frost = { is = { below = { value = 0, unit = \"°C\" } } }
        [sensors.none]
        updates = [\"door\"]
        [sensors.two]
        url = \"http://a\"
        sse = \"http://b\"
        [sensors.typo]
        hose = \"Garage_Door\"
        [sensors.scheme]
        websocket = \"http://a\"
        updates = [\"door\"]
        [sensors.relative]
        path = \"notes\"
        updates = [\"door\"]
        [sensors.silent]
        url = \"http://a\"
        [sensors.judged]
        url = \"http://a\"
        signals.hot = { is = \"on\" }
        [sensors.high]
        url = \"http://a\"
        signals.hot = { threshold = 2.0 }",
    );
    let (usable, problems) = entry.sensors("agents.garage");
    let usable: Vec<_> = usable.iter().map(|(name, sensor)| (name.as_str(), sensor.house.as_str())).collect();
    assert_eq!(usable, [("cold", "Outside"), ("good", "Garage_Door")]);
    let found: Vec<String> = problems.iter().map(ToString::to_string).collect();
    for (at, expected) in [
        "agents.garage.sensors.high.signals.hot.threshold is 2; allowed: 0 to 1",
        "agents.garage.sensors.judged.signals.hot.is is set; allowed: only for a sensor with house",
        "agents.garage.sensors.none is a sensor with 0 sources; allowed: exactly one of tool, url",
        "agents.garage.sensors.relative.path is \"notes\"; allowed: a whole path",
        "agents.garage.sensors.scheme.websocket is \"http://a\"; allowed: an address that begins with ws://",
        "agents.garage.sensors.silent.updates is []; allowed: at least one field",
        "agents.garage.sensors.two is a sensor with 2 sources; allowed: exactly one of tool, url",
        "agents.garage.sensors.typo is as written; allowed: unknown field `hose`",
    ]
    .into_iter()
    .enumerate()
    {
        assert!(found[at].starts_with(expected), "{expected}\n{}", found[at]);
    }
    assert_eq!(found.len(), 8);
    let warned: Vec<String> =
        entry.unknown_updates("agents.garage").iter().map(ToString::to_string).collect();
    assert_eq!(warned.len(), 2, "{warned:?}");
    assert!(
        warned[1].starts_with(
            "agents.garage.sensors.good.updates is \"other\"; allowed: fields of the agent: none"
        )
    );
}

#[test]
fn every_key_is_in_the_manual_with_its_default() {
    let manual = include_str!("../../../../../docs/user/agents.md");
    let table = |value: toml::Value| value.as_table().unwrap().clone();
    let written = |value: &toml::Value| match value {
        toml::Value::Float(number) => format!("{number}"),
        other => other.to_string(),
    };
    let agent = table(toml::Value::try_from(AgentEntry::default()).unwrap());
    let sensor = table(toml::Value::try_from(SensorEntry::default()).unwrap());
    let signal = table(toml::Value::try_from(SignalEntry::default()).unwrap());
    let field = table(toml::Value::try_from(FieldRule::default()).unwrap());
    let (autonomy, heartbeat) = (table(agent["autonomy"].clone()), table(agent["heartbeat"].clone()));
    let mut seen = 0;
    for (key, value) in [agent, sensor, signal, field, autonomy, heartbeat].into_iter().flatten() {
        let row = |line: &&str| {
            line.starts_with("| ") && line.split('|').nth(1).unwrap().contains(&format!("`{key}`"))
        };
        if value.is_table() {
            continue;
        }
        let rows: Vec<&str> = manual.lines().filter(row).collect();
        assert!(!rows.is_empty(), "{key} is not in the manual");
        let default = format!("`{}`", written(&value).replace('\'', "\""));
        let has_default = |row: &&&str| row.contains(&default) || row.contains("must be set");
        assert!(rows.iter().any(|row| has_default(&row)), "{key} = {default}: {rows:?}");
        seen += 1;
    }
    assert!(seen > 30, "only {seen} keys were found");
}
