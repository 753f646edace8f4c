//! `[agents.NAME]` of the configuration: what an agent is for, what it observes, when it works, and its hard limits.
//!
//! Plain data, immutable after start. Every part is optional; an agent without autonomy and heartbeat only answers. A table
//! of a sensor is read by [`sensors`](AgentEntry::sensors) when the agent starts: one that can't be used is skipped, and
//! keeps nothing else from starting.

use std::collections::BTreeMap;

use jiff::civil::time;
use joi_base::problem::Problem;
use joi_schedule::announce::{QuietHours, QuietPeriod};
use serde::{Deserialize, Serialize};

use super::field::FieldRule;
use super::sensor_entry::SensorEntry;

/// Longest name of an agent, a field, a sensor or a signal.
const LONGEST_NAME: usize = 32;

/// All agents by name.
pub type AgentEntries = BTreeMap<String, AgentEntry>;

/// One agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgentEntry {
    /// What it is for and how it behaves, in words for the model.
    pub prompt: String,
    /// Further names by which it is spoken of, in any language.
    pub called: Vec<String>,
    /// Periods of the day in which it works by itself: "HH:MM-HH:MM", which may cross midnight. It is asked at any time.
    pub active_hours: Vec<QuietPeriod>,
    /// Tools that it may call by itself although they change something, by name. Any other such call waits for a yes.
    pub allow: Vec<String>,
    /// Its fields by name.
    pub fields: BTreeMap<String, FieldRule>,
    /// Its sensors by name, as they are written.
    pub sensors: BTreeMap<String, toml::Table>,
    /// Whether and how it sets its own pace.
    pub autonomy: AutonomyRules,
    /// A turn at a fixed interval, for an agent without autonomy.
    pub heartbeat: HeartbeatRules,
}

impl Default for AgentEntry {
    fn default() -> Self {
        let (prompt, called, allow, fields, sensors, autonomy, heartbeat) = Default::default();
        let active_hours = vec![QuietPeriod::daily(time(8, 0, 0, 0), time(23, 0, 0, 0))];
        Self { prompt, called, active_hours, allow, fields, sensors, autonomy, heartbeat }
    }
}

/// `[agents.NAME.autonomy]`: its pace, and limits that the program holds whatever the model does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AutonomyRules {
    /// Whether it sets its own pace.
    pub enabled: bool,
    /// Most turns without a sleep, 1 to 1000.
    pub max_consecutive_turns: u32,
    /// Most tokens read and written within an hour, 1000 to 10000000.
    pub token_budget_per_hour: u64,
    /// Most calls within a minute that change something or speak, 0 to 60.
    pub max_actions_per_minute: u32,
    /// Time awake without anything happening after which it sleeps until something does, in seconds, 10 to 86400.
    pub idle_timeout_s: u32,
    /// Shortest pause between turns, in seconds, 1 to 3600.
    pub min_pause_s: u32,
    /// Sleep after a limit was reached, in seconds, 1 to 3600.
    pub forced_sleep_s: u32,
    /// Model that decides whether a change is worth a turn; "auto": the one that answers; "": every change is.
    pub precheck_model: String,
    /// Pause after a change that was not worth a turn, in seconds, 1 to 3600.
    pub precheck_sleep_s: u32,
}

impl Default for AutonomyRules {
    fn default() -> Self {
        Self {
            enabled: false,
            max_consecutive_turns: 50,
            token_budget_per_hour: 100_000,
            max_actions_per_minute: 10,
            idle_timeout_s: 600,
            min_pause_s: 1,
            forced_sleep_s: 60,
            precheck_model: String::new(),
            precheck_sleep_s: 10,
        }
    }
}

/// `[agents.NAME.heartbeat]`: the simpler way, a fixed prompt at an interval.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HeartbeatRules {
    /// Time between two turns in minutes, 1 to 1440; 0: none.
    pub every_min: u32,
    /// What the model is asked each time.
    pub prompt: String,
}

impl AgentEntry {
    /// Returns the hours in which it works by itself.
    pub fn hours(&self) -> QuietHours {
        QuietHours::new(self.active_hours.clone())
    }

    /// Returns whether it does anything unasked.
    pub fn works_alone(&self) -> bool {
        self.autonomy.enabled || self.heartbeat.every_min > 0
    }

    /// Returns the sensors that can be used, and one problem for each that can't.
    pub fn sensors(&self, key: &str) -> (Vec<(String, SensorEntry)>, Vec<Problem>) {
        let mut usable = Vec::new();
        let mut problems = Vec::new();
        for (name, table) in &self.sensors {
            match SensorEntry::read(&format!("{key}.sensors.{name}"), table) {
                Ok(sensor) => usable.push((name.clone(), sensor)),
                Err(problem) => problems.push(*problem),
            }
        }
        (usable, problems)
    }

    /// Returns a warning for each field that a usable sensor updates and that does not exist.
    pub fn unknown_updates(&self, key: &str) -> Vec<Problem> {
        let known: Vec<&str> = self.fields.keys().map(String::as_str).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let (sensors, _) = self.sensors(key);
        let unknown = sensors.iter().flat_map(|(sensor, entry)| {
            let missing = entry.updates.iter().filter(|field| !self.fields.contains_key(*field));
            missing.map(move |field| (format!("{key}.sensors.{sensor}.updates"), field.clone()))
        });
        let problem = |(updates, field): (String, String)| {
            Problem::new(updates, format!("\"{field}\""), format!("fields of the agent: {known}"))
                .remedy(format!("Add [{key}.fields.{field}], or take it out."))
        };
        unknown.map(problem).collect()
    }

    fn check(&self, key: &str) -> Vec<Problem> {
        let limits = &self.autonomy;
        let rows = [
            ("max_consecutive_turns", f64::from(limits.max_consecutive_turns), 1.0..=1000.0, "turns"),
            ("token_budget_per_hour", limits.token_budget_per_hour as f64, 1000.0..=10_000_000.0, "tokens"),
            ("max_actions_per_minute", f64::from(limits.max_actions_per_minute), 0.0..=60.0, "calls"),
            ("idle_timeout_s", f64::from(limits.idle_timeout_s), 10.0..=86_400.0, "s"),
            ("min_pause_s", f64::from(limits.min_pause_s), 1.0..=3600.0, "s"),
            ("forced_sleep_s", f64::from(limits.forced_sleep_s), 1.0..=3600.0, "s"),
            ("precheck_sleep_s", f64::from(limits.precheck_sleep_s), 1.0..=3600.0, "s"),
        ];
        let outside = |(name, value, range, unit)| {
            Problem::outside(&format!("{key}.autonomy.{name}"), value, range, unit)
        };
        let mut problems: Vec<Problem> = rows.into_iter().filter_map(outside).collect();
        let every = f64::from(self.heartbeat.every_min);
        problems.extend(Problem::outside(&format!("{key}.heartbeat.every_min"), every, 0.0..=1440.0, "min"));
        if self.prompt.trim().is_empty() {
            let problem =
                Problem::new(format!("{key}.prompt"), "\"\"", "a text that says what the agent is for");
            problems.push(problem.remedy(format!("Write prompt = \"You watch …\" into [{key}].")));
        }
        problems.extend(self.called.iter().filter_map(|called| unspeakable(key, called)));
        if self.heartbeat.every_min > 0 && self.autonomy.enabled {
            let problem =
                Problem::new(format!("{key}.heartbeat.every_min"), every, "0 where autonomy.enabled is true");
            problems.push(problem.remedy("An agent has a heartbeat or sets its own pace, not both."));
        }
        if self.heartbeat.every_min > 0 && self.heartbeat.prompt.trim().is_empty() {
            let problem = Problem::new(format!("{key}.heartbeat.prompt"), "\"\"", "a text in quotes");
            problems.push(problem.remedy("Write what is to be looked at each time."));
        }
        let names = self
            .fields
            .keys()
            .map(|name| (name, "fields"))
            .chain(self.sensors.keys().map(|name| (name, "sensors")));
        problems.extend(names.filter_map(|(name, part)| unusable_name(&format!("{key}.{part}"), name)));
        problems
            .extend(self.fields.iter().flat_map(|(name, rule)| rule.check(&format!("{key}.fields.{name}"))));
        problems
    }
}

/// Returns the name of an agent as it is spoken: in small letters, words parted by a space.
pub fn shown(name: &str) -> String {
    name.to_lowercase().replace(['_', '-'], " ").trim().to_owned()
}

/// Returns the problem of a name that nobody can say.
fn unspeakable(key: &str, called: &str) -> Option<Problem> {
    let is_word = |sign: char| sign.is_alphanumeric() || matches!(sign, ' ' | '-' | '\'');
    let fits = (1..=LONGEST_NAME).contains(&called.chars().count())
        && called.chars().all(is_word)
        && called.trim() == called;
    let allowed =
        format!("1 to {LONGEST_NAME} letters and digits, with single spaces and hyphens between words");
    let problem = Problem::new(format!("{key}.called"), format!("\"{called}\""), allowed);
    (!fits).then(|| problem.remedy("Choose a name that can be said."))
}

/// Returns the problems of names by which two agents are spoken of.
fn spoken_twice(agents: &AgentEntries) -> Vec<Problem> {
    let (mut known, mut problems) = (BTreeMap::new(), Vec::new());
    for (name, agent) in agents {
        for spoken in std::iter::once(name).chain(&agent.called) {
            let other = known.insert(shown(spoken), name).filter(|other| *other != name);
            problems.extend(other.map(|other| {
                let allowed = format!("a name of its own; agents.{other} is called so as well");
                Problem::new(format!("agents.{name}"), format!("\"{spoken}\""), allowed)
                    .remedy("Give one of them another name in `called`, or another key.")
            }));
        }
    }
    problems
}

/// Returns all values of all agents that can't be used, but those of sensors.
pub fn check(agents: &AgentEntries) -> Vec<Problem> {
    let one = |(name, agent): (&String, &AgentEntry)| {
        let mut problems = agent.check(&format!("agents.{name}"));
        problems.extend(unusable_name("agents", name));
        problems
    };
    agents.iter().flat_map(one).chain(spoken_twice(agents)).collect()
}

/// Returns the problem of a name that can't stand in a key, a command or a prompt.
pub(super) fn unusable_name(key: &str, name: &str) -> Option<Problem> {
    let fits = (1..=LONGEST_NAME).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-'));
    let allowed = format!("1 to {LONGEST_NAME} of a to z, 0 to 9, _ and -");
    (!fits).then(|| Problem::new(key, format!("\"{name}\""), allowed).remedy("Choose another name."))
}

#[cfg(test)]
mod tests;
