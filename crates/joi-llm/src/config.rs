//! `[llm]` of the configuration: which server, which model, how it is run.
//!
//! Plain data, immutable after start. It holds no secret and no live state.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::address::{is_at_home, parse_url};
use super::wire::{Options, Think};
use joi_base::problem::Problem;

mod backend;
mod threads;
mod uses;

pub use backend::Backend;
pub use threads::Threads;
pub use uses::{LlmUseConfig, LlmUsesConfig, ModelPurpose, UseBackend, keys_of};

/// How long at most the embedded server waits for the next command: nobody may come again, and the memory is wanted back.
pub const LONGEST_LINGERING: Duration = Duration::from_secs(300);

/// The value of `llm.local` that accepts any model.
pub(crate) const ANY: &str = "auto";

/// Data that stay at home unless the owner allows a model server outside of it to read them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HomeData {
    /// Memories: facts, diary, documents, earlier conversations.
    Memory,
    /// The state of the house, and its tools.
    House,
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
    /// "auto": Ollama where it runs and has the model, else our own; "local": only our own; "ollama" or another kind of
    /// server: only the one at `url`. "openai" is any OpenAI-compatible one, for example llama-server, vLLM, LM Studio or
    /// LocalAI; "anthropic" is one with the Messages API of Anthropic.
    pub backend: Backend,
    /// Where Ollama or the OpenAI-compatible server listens: http:// or https://, host, port; a path where the server has
    /// one, with or without /v1 at its end.
    pub url: String,
    /// true: `url` may be an address outside of the home. Everything that is said to the model is sent there, without
    /// passwords, keys and the like. Addresses at home are loopback, private and link-local ones, bare host names, and
    /// names below .local, .internal and .home.arpa.
    pub outside: bool,
    /// What else may be sent to an address outside of the home: "memory" (what is remembered, in prompts, as a tool and for
    /// vectors), "house" (its state, and its tools for the model). What is not listed stays at home.
    pub outside_may: Vec<HomeData>,
    /// Absolute path of a file with the API key of the server, which nobody else may read; "": the systemd credential
    /// llm-key, or no key. Outside of the home a server of the kinds "openai" and "anthropic" is off without a key.
    pub key_file: String,
    /// A model's name as `ollama list` or the OpenAI-compatible server shows it, or "auto": the first installed of a list
    /// of models that suit a small computer (see the README); on an OpenAI-compatible server the first chat model.
    pub model: String,
    /// Which model the embedded server runs: "auto", the best of the list that `joi models` shows which is there, fits into
    /// the free memory and writes at least 6 tokens a second on this machine; or a name of that list, however slow
    /// it is. What can't be run is passed over for the next.
    pub local: String,
    /// Chat models of yours, the best first, before those that Joi knows: GGUF files with a chat template, as
    /// `[{ name = "my-model", path = "/home/me/my-model.gguf" }]`.
    pub local_models: Vec<OwnModel>,
    /// Length of the context in tokens, 2048 to 32768. Higher remembers more of the conversation and
    /// costs memory; a change loads the model anew. An OpenAI-compatible server has to be started with at least this length.
    pub num_ctx: u32,
    /// Longest reply in tokens, 16 to 500. Higher allows longer answers.
    pub num_predict: u32,
    /// How varied answers are, 0 to 2; 0 always says the likeliest.
    pub temperature: f32,
    /// How strongly words already said are avoided, 1 (not at all) to 2.
    pub repeat_penalty: f32,
    /// Seconds the model stays in memory after an answer, −1 (for ever) or 0 to 86400. Loading it anew
    /// takes seconds to minutes. Behind `joi ask` and other commands that end, the embedded server waits for the next one
    /// for so long, but never longer than 300 seconds; with 0 it ends with the command.
    pub keep_alive: i64,
    /// Threads the model computes with, "auto" (one fewer than the machine has; of two the embedded server takes both for the
    /// first sentence of an answer) or 1 to 64. With an
    /// Ollama on another machine "auto" leaves the choice to it.
    pub threads: Threads,
    /// How long a model on Ollama thinks before it answers, by the name of its family: "off", "on", "low", "medium" or
    /// "high". `*` stands for the rest of a name, and the first entry that fits counts; a model that is not listed does
    /// not think, nor does the embedded one. More thinking answers better, and seconds to minutes later. Ollama refuses
    /// anything but "off" for a model that can't think.
    pub think: Vec<ThinkRule>,
    /// The model that finds what is meant rather than what is said: its name on the server, "auto" (the first installed
    /// one that can, or the embedded one), or "" (none: what is remembered is found by its words). On a server outside of the
    /// home only with "memory" in `outside_may`; "auto" is the embedded one there without it.
    pub embed_model: String,
    /// Models and servers by use.
    pub uses: LlmUsesConfig,
    /// What these settings are for.
    #[serde(skip)]
    pub purpose: ModelPurpose,
}

impl Default for LlmConfig {
    fn default() -> Self {
        Self {
            backend: Backend::Auto,
            url: "http://127.0.0.1:11434".to_owned(),
            outside: false,
            outside_may: Vec::new(),
            key_file: String::new(),
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
            uses: LlmUsesConfig::default(),
            purpose: ModelPurpose::Chat,
        }
    }
}

/// Speech can't wait for a thought. gpt-oss always thinks: "off" is ignored, "low" is the least.
fn default_think() -> Vec<ThinkRule> {
    let rule = |model: &str, think| ThinkRule { model: model.to_owned(), think };
    vec![rule("qwen3*", Think::Off), rule("deepseek-r1*", Think::Off), rule("gpt-oss*", Think::Low)]
}

/// Returns whether a name in `llm.think` can be one: `*` is its end or nowhere.
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
        let model = self
            .model
            .trim()
            .is_empty()
            .then(|| Problem::new("llm.model", "empty", "a model's name or \"auto\""));
        let local = self.local.trim().is_empty().then(|| {
            Problem::new("llm.local", "empty", "a name of the list that `joi models` shows, or \"auto\"")
        });
        [
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
        .chain(self.address_problems())
        .chain(self.own_model_problems())
        .chain(self.use_problems())
        .collect()
    }

    /// Returns what is wrong with the address, what is allowed there, and the file with the key.
    fn address_problems(&self) -> Vec<Problem> {
        let url = parse_url(&self.url).is_none().then(|| {
            Problem::new("llm.url", &self.url, "http:// or https:// with host and port")
                .remedy("Write for example http://127.0.0.1:11434.")
        });
        let outside = (self.is_outside() && !self.outside).then(|| {
            Problem::new("llm.url", &self.url, "an address at home, or any other with llm.outside = true").remedy(
                "Everything that is said to the model would be sent there. Correct the address, or set llm.outside = true \
                 to allow that.",
            )
        });
        let key_file = (!self.key_file.is_empty() && !self.key_file.starts_with('/'))
            .then(|| Problem::new("llm.key_file", &self.key_file, "an absolute path, or \"\""));
        [url, outside, key_file].into_iter().flatten().collect()
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

    /// How long the embedded server waits for the next command after the last one that used it; nothing: it ends with the
    /// command.
    pub fn lingers(&self) -> Option<Duration> {
        let wanted = u64::try_from(self.keep_alive).map_or(LONGEST_LINGERING, Duration::from_secs);
        Some(wanted.min(LONGEST_LINGERING)).filter(|stays| !stays.is_zero())
    }

    /// Returns whether the configured server is at an address outside of the home.
    pub fn is_outside(&self) -> bool {
        self.backend != Backend::Local && parse_url(&self.url).is_some_and(|url| !is_at_home(&url))
    }

    /// Returns whether `data` must not be sent to the model, because the configured server is outside of the home.
    pub fn withholds(&self, data: HomeData) -> bool {
        self.is_outside() && !self.outside_may.contains(&data)
    }

    /// Returns a sentence about what is sent to an address outside of the home; nothing where all words stay at home.
    pub fn leaving(&self) -> Option<String> {
        let stays = match [HomeData::Memory, HomeData::House].map(|data| self.withholds(data)) {
            [true, true] => "memory and house stay at home",
            [true, false] => "the house too, while the memory stays at home",
            [false, true] => "the memory too, while the house stays at home",
            [false, false] => "memory and house too",
        };
        let url = &self.url;
        self.is_outside()
            .then(|| format!("words leave the house: what is said to the model is sent to {url}; {stays}"))
    }

    /// Returns the host of the configured server, where that is outside of the home.
    pub fn outside_host(&self) -> Option<String> {
        self.is_outside().then(|| parse_url(&self.url)?.host_str().map(str::to_owned)).flatten()
    }

    /// Returns whether `llm.url` points at this machine.
    pub fn is_this_machine(&self) -> bool {
        let host = parse_url(&self.url).and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
        host == "localhost" || host == "[::1]" || host.starts_with("127.")
    }
}

#[cfg(test)]
mod tests;
