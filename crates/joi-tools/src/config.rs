//! The knobs of the tools: `[tools]`.
//!
//! Plain data, any thread; immutable after start.

use serde::{Deserialize, Serialize};

use joi_base::problem::Problem;

use super::shipped::SHIPPED;

mod lookups;

pub use lookups::{SearchConfig, Units, WeatherConfig};

/// Permissions of tools, and which calls need a yes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolsConfig {
    /// Whether the model may call tools at all.
    pub enabled: bool,
    /// Whether tools may use the internet (weather, search, web pages): what is looked up leaves the house.
    pub online: bool,
    /// What a model below 1 B parameters does about facts and matters it is likely to get wrong: "offer" asks whether to
    /// look them up, "always" looks them up at once, "never" only says that it is not sure. Looking up needs
    /// `tools.online`; what is asked then leaves the house.
    pub lookup: LookUpMode,
    /// Tools that never run, by name, for example ["webSearch"]; `/tools` in `joi text` lists them. A tool of a server
    /// is called as it is there, for example ["files__write_file"].
    pub never: Vec<String>,
    /// Tools that run only after your yes, by name.
    pub always_ask: Vec<String>,
    /// Most calls within a minute that do more than look, 1 to 100.
    pub calls_per_minute: u32,
    /// Time to wait for a yes before a call, in seconds, 5 to 120. Silence means no.
    pub confirm_s: u32,
    /// Which tools a request may use: "keyword" (those whose words fit), "llm" (those the model picks in a call of its
    /// own; by words when that fails), "all", or "auto" (by words for a small model, as the model picks for a large
    /// one).
    pub router: Router,
    /// Which model of the server picks them, and says what to look for in the memory, by name; "": the one that
    /// answers.
    pub router_model: String,
    /// Whether a small model's first reply to a request with likely tools is bound to them, or to none of them. Off, it
    /// writes what it likes, and more of it is no call or a wrong one.
    pub constrain: bool,
    /// Most turns of the model in one answer, 1 to 20. Higher finds out more and takes longer.
    pub max_turns: u32,
    /// Most searches for further tools in one answer, 0 to 10.
    pub search_max_calls: u32,
    /// Whether long results are shortened before the model answers: "auto" (for a small model), "always" or "never".
    pub digest: Digest,
    /// Earlier answers whose tool results the model sees again, 0 to 16.
    pub carryover_max_turns: u32,
    /// Most characters of each such tool result, 200 to 8000.
    pub carryover_per_entry_chars: u32,
    /// The weather.
    pub weather: WeatherConfig,
    /// Searching the web.
    pub search: SearchConfig,
}

impl Default for ToolsConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            online: true,
            lookup: LookUpMode::Offer,
            never: Vec::new(),
            always_ask: Vec::new(),
            calls_per_minute: 10,
            confirm_s: 20,
            router: Router::Auto,
            router_model: String::new(),
            constrain: true,
            max_turns: 8,
            search_max_calls: 3,
            digest: Digest::Auto,
            carryover_max_turns: 2,
            carryover_per_entry_chars: 1_200,
            weather: WeatherConfig::default(),
            search: SearchConfig::default(),
        }
    }
}

impl ToolsConfig {
    /// Returns all values that can't be used.
    pub fn check(&self) -> Vec<Problem> {
        let rows = [
            ("tools.calls_per_minute", self.calls_per_minute, 1.0..=100.0, "calls"),
            ("tools.confirm_s", self.confirm_s, 5.0..=120.0, "s"),
            ("tools.max_turns", self.max_turns, 1.0..=20.0, "turns"),
            ("tools.search_max_calls", self.search_max_calls, 0.0..=10.0, "searches"),
            ("tools.carryover_max_turns", self.carryover_max_turns, 0.0..=16.0, "answers"),
            ("tools.carryover_per_entry_chars", self.carryover_per_entry_chars, 200.0..=8000.0, "characters"),
        ];
        let outside = |(key, value, range, unit)| Problem::outside(key, f64::from(value), range, unit);
        let mut problems: Vec<Problem> = rows.into_iter().filter_map(outside).collect();
        for (key, names) in [("tools.never", &self.never), ("tools.always_ask", &self.always_ask)] {
            let unknown =
                names.iter().filter(|name| !SHIPPED.contains(&name.as_str()) && !name.contains("__"));
            problems.extend(unknown.map(|name| {
                Problem::new(key, name, format!("names of tools: {}", SHIPPED.join(", ")))
                    .remedy("`joi text` lists them with /tools")
            }));
        }
        problems.extend(self.weather.check());
        problems.extend(self.search.check());
        problems
    }
}

/// When facts are looked up that a small model is likely to get wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LookUpMode {
    /// After a yes.
    Offer,
    /// At once.
    Always,
    /// Never by itself.
    Never,
}

/// Which tools a request may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Router {
    /// By words for a small model, as the model picks for a large one.
    Auto,
    /// Those the model picks, in a call of its own; by words when that fails.
    Llm,
    /// Those whose words fit the request; all of them when none does.
    Keyword,
    /// All of them.
    All,
}

/// Whether long results are shortened first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Digest {
    /// For a small model.
    Auto,
    /// For every model.
    Always,
    /// Never.
    Never,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_fine_and_all_problems_are_reported() {
        assert_eq!(ToolsConfig::default().check(), []);
        let mut config = ToolsConfig { confirm_s: 1, max_turns: 0, ..ToolsConfig::default() };
        config.never = vec!["lamp".into(), "stop".into()];
        config.weather.forecast_url = "open-meteo.com".into();
        config.search.wikipedia = "{language}.wikipedia.org".into();
        let keys: Vec<String> = config.check().into_iter().map(|p| p.key).collect();
        let wrong = ["confirm_s", "max_turns", "never", "weather.forecast_url", "search.wikipedia"];
        assert_eq!(keys, wrong.map(|key| format!("tools.{key}")));
        config.search.wikipedia = String::new();
        assert_eq!(config.check().len(), wrong.len() - 1);
    }
}
