//! `[llm]` of the configuration: which server, which model, how it is run.
//!
//! Plain data, immutable after start. It holds no secret and no live state.

use std::fmt;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::choose::ANY;
use super::{Options, Think};
use joi_base::problem::Problem;

/// How long at most our own server waits for the next command: nobody may come again, and the memory is wanted back.
pub const LONGEST_LINGERING: Duration = Duration::from_secs(300);

/// Which server is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// Ollama where it runs and has the model, else our own.
    Auto,
    /// Ollama at `llm.url` only.
    Ollama,
    /// Our own `joi-model` only.
    Local,
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Ollama => "ollama",
            Self::Local => "local",
        })
    }
}

/// How many threads the model computes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// One fewer than the machine has, so that ears and mouth keep one; of two our own server takes both for the first
    /// sentence of an answer.
    Auto,
    /// Exactly so many.
    Count(u32),
}

impl Threads {
    /// The number for a model on this machine.
    pub fn count(self) -> u32 {
        match self {
            Self::Count(count) => count,
            Self::Auto => cores().max(2) - 1,
        }
    }

    /// The number for the first tokens of an answer of our own server, behind which the voice begins. Of two cores it gets
    /// both: one is all that is left to it else.
    pub fn first(self) -> u32 {
        match self {
            Self::Auto => cores().min(2).max(self.count()),
            Self::Count(count) => count,
        }
    }
}

fn cores() -> u32 {
    available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(1))
}

impl Serialize for Threads {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => to.serialize_str("auto"),
            Self::Count(count) => to.serialize_u32(*count),
        }
    }
}

impl<'de> Deserialize<'de> for Threads {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum WrittenThreads {
            Count(u32),
            Word(String),
        }
        match WrittenThreads::deserialize(from)? {
            WrittenThreads::Count(count) => Ok(Self::Count(count)),
            WrittenThreads::Word(word) if word == "auto" => Ok(Self::Auto),
            WrittenThreads::Word(word) => {
                Err(de::Error::invalid_value(de::Unexpected::Str(&word), &"\"auto\" or a number"))
            }
        }
    }
}

/// How long the models of a family think.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThinkRule {
    /// A model's name, or the beginning of it with `*` behind.
    pub model: String,
    /// How long it thinks.
    pub think: Think,
}

/// A chat model of the owner's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnModel {
    /// What it is called.
    pub name: String,
    /// Its GGUF file, with a chat template in it; absolute.
    pub path: PathBuf,
}

/// The language model's settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LlmConfig {
    /// "auto": Ollama where it runs and has the model, else our own; "ollama" or "local": only that one.
    pub backend: Backend,
    /// Where Ollama listens: http:// or https://, host, port.
    pub url: String,
    /// A model's name as `ollama list` shows it, or "auto": the first installed of a list of models
    /// that suit a small computer (see the README).
    pub model: String,
    /// Which model our own server runs: "auto", the best of the list that `joi models` shows which is there, fits into
    /// the free memory and writes at least 6 tokens a second on this machine; or a name of that list, however slow
    /// it is. What can't be run is passed over for the next.
    pub local: String,
    /// Chat models of yours, the best first, before those that Joi knows: GGUF files with a chat template, as
    /// `[{ name = "my-model", path = "/home/me/my-model.gguf" }]`.
    pub local_models: Vec<OwnModel>,
    /// Length of the context in tokens, 2048 to 32768. Higher remembers more of the conversation and
    /// costs memory; a change loads the model anew.
    pub num_ctx: u32,
    /// Longest reply in tokens, 16 to 500. Higher allows longer answers.
    pub num_predict: u32,
    /// How varied answers are, 0 to 2; 0 always says the likeliest.
    pub temperature: f32,
    /// How strongly words already said are avoided, 1 (not at all) to 2.
    pub repeat_penalty: f32,
    /// Seconds the model stays in memory after an answer, −1 (for ever) or 0 to 86400. Loading it anew
    /// takes seconds to minutes. Behind `joi ask` and other commands that end, our own server waits for the next one
    /// for so long, but never longer than 300 seconds; with 0 it ends with the command.
    pub keep_alive: i64,
    /// Threads the model computes with, "auto" (one fewer than the machine has; of two our own server takes both for the
    /// first sentence of an answer) or 1 to 64. With an
    /// Ollama on another machine "auto" leaves the choice to it.
    pub threads: Threads,
    /// How long a model on Ollama thinks before it answers, by the name of its family: "off", "on", "low", "medium" or
    /// "high". `*` stands for the rest of a name, and the first entry that fits counts; a model that is not listed does
    /// not think, nor does the embedded one. More thinking answers better, and seconds to minutes later. Ollama refuses
    /// anything but "off" for a model that can't think.
    pub think: Vec<ThinkRule>,
    /// The model that finds what is meant rather than what is said: its name on Ollama, "auto" (the first installed one
    /// that can, or the embedded one), or "" (none: what is remembered is found by its words).
    pub embed_model: String,
}

impl Default for LlmConfig {
    fn default() -> Self {
        Self {
            backend: Backend::Auto,
            url: "http://127.0.0.1:11434".to_owned(),
            model: "auto".to_owned(),
            local: ANY.to_owned(),
            local_models: Vec::new(),
            num_ctx: 4096,
            num_predict: 500,
            temperature: 0.5,
            repeat_penalty: 1.1,
            keep_alive: -1,
            threads: Threads::Auto,
            think: default_think(),
            embed_model: "auto".to_owned(),
        }
    }
}

/// Speech can't wait for a thought. gpt-oss always thinks: "off" is ignored, "low" is the least.
fn default_think() -> Vec<ThinkRule> {
    let rule = |model: &str, think| ThinkRule { model: model.to_owned(), think };
    vec![rule("qwen3*", Think::Off), rule("deepseek-r1*", Think::Off), rule("gpt-oss*", Think::Low)]
}

/// Whether a name in `llm.think` can be one: `*` is its end or nowhere.
fn is_pattern(model: &str) -> bool {
    !model.trim().is_empty() && !model.strip_suffix('*').unwrap_or(model).contains('*')
}

impl LlmConfig {
    /// Everything that is wrong with it.
    pub fn check(&self) -> Vec<Problem> {
        let number = |key: &str, value: f64, low: f64, high: f64, unit: &str| {
            Problem::outside(&format!("llm.{key}"), value, low..=high, unit)
        };
        let threads = match self.threads {
            Threads::Auto => None,
            Threads::Count(count) => number("threads", f64::from(count), 1.0, 64.0, "or \"auto\""),
        };
        let url = parse_url(&self.url).is_none().then(|| {
            Problem::new("llm.url", &self.url, "http:// or https:// with host and port")
                .remedy("Write for example http://127.0.0.1:11434.")
        });
        let model = self
            .model
            .trim()
            .is_empty()
            .then(|| Problem::new("llm.model", "empty", "a model's name or \"auto\""));
        let local = self.local.trim().is_empty().then(|| {
            Problem::new("llm.local", "empty", "a name of the list that `joi models` shows, or \"auto\"")
        });
        [
            url,
            model,
            local,
            number("num_ctx", f64::from(self.num_ctx), 2048.0, 32768.0, "tokens"),
            number("num_predict", f64::from(self.num_predict), 16.0, 500.0, "tokens"),
            number("temperature", f64::from(self.temperature), 0.0, 2.0, ""),
            number("repeat_penalty", f64::from(self.repeat_penalty), 1.0, 2.0, ""),
            number("keep_alive", self.keep_alive as f64, -1.0, 86_400.0, "seconds"),
            threads,
        ]
        .into_iter()
        .flatten()
        .chain(self.think.iter().filter(|rule| !is_pattern(&rule.model)).map(|rule| {
            Problem::new(
                "llm.think",
                format!("{:?}", rule.model),
                "a model's name, or the beginning of it and *",
            )
            .remedy("Write for example [{ model = \"qwen3*\", think = \"off\" }].")
        }))
        .chain(self.own_model_problems())
        .collect()
    }

    fn own_model_problems(&self) -> impl Iterator<Item = Problem> {
        let wrong =
            |(at, model): (usize, &OwnModel)| {
                let name = model.name.trim();
                let is_twice = self.local_models[..at].iter().any(|other| other.name == model.name);
                let value = if name.is_empty() || name == ANY || is_twice {
                    format!("{:?}", model.name)
                } else if !model.path.is_absolute() {
                    format!("{:?}", model.path)
                } else {
                    return None;
                };
                let problem =
                    Problem::new("llm.local_models", value, "a name of its own and an absolute path each");
                Some(problem.remedy(
                    "Write for example [{ name = \"my-model\", path = \"/home/me/my-model.gguf\" }].",
                ))
            };
        self.local_models.iter().enumerate().filter_map(wrong)
    }

    /// The options of every call. Two calls never differ in them, or the server would load the model anew.
    pub fn options(&self) -> Options {
        let theirs_to_choose =
            self.threads == Threads::Auto && self.backend != Backend::Local && !self.is_this_machine();
        Options {
            num_ctx: self.num_ctx,
            num_thread: (!theirs_to_choose).then(|| self.threads.count()),
            num_predict: self.num_predict,
            temperature: self.temperature,
            repeat_penalty: self.repeat_penalty,
            seed: None,
            stop: Vec::new(),
        }
    }

    /// How long our own server waits for the next command after the last one that used it; nothing: it ends with the
    /// command.
    pub fn lingers(&self) -> Option<Duration> {
        let wanted = u64::try_from(self.keep_alive).map_or(LONGEST_LINGERING, Duration::from_secs);
        Some(wanted.min(LONGEST_LINGERING)).filter(|stays| !stays.is_zero())
    }

    /// Whether `llm.url` points at this machine.
    pub fn is_this_machine(&self) -> bool {
        let host = parse_url(&self.url).and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
        host == "localhost" || host == "[::1]" || host.starts_with("127.")
    }
}

/// The URL of a model server; nothing when it is none, or carries a user name or password.
pub(super) fn parse_url(written: &str) -> Option<reqwest::Url> {
    let url = reqwest::Url::parse(written.trim()).ok()?;
    let fits = matches!(url.scheme(), "http" | "https") && url.has_host() && url.username().is_empty();
    (fits && url.password().is_none() && url.query().is_none() && url.fragment().is_none()).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn every_problem_is_told_at_once() {
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
    fn the_first_tokens_never_get_fewer_threads_and_exactly_those_that_are_configured() {
        assert_eq!(Threads::Count(1).first(), 1);
        assert!(Threads::Auto.first() >= Threads::Auto.count().max(cores().min(2)));
        assert!(Threads::Auto.first() <= cores());
    }

    #[test]
    fn only_a_server_on_this_machine_is_told_how_many_threads_to_use() {
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
    fn a_url_with_a_password_is_refused() {
        for (url, fits) in
            [("http://a:b@h:1", false), ("http://h", true), ("h:1", false), ("https://h/ollama", true)]
        {
            assert_eq!(parse_url(url).is_some(), fits, "{url}");
        }
    }
}
