//! `[llm.uses.…]`: another model, or another server, for goals, their tasks and summaries.
//!
//! Plain data. A use with a server of its own has settings of its own for the address, the key and what may be sent there;
//! nothing of them is taken from `[llm]`.

use std::fmt;

use joi_base::problem::Problem;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Backend, HomeData, LlmConfig};
use crate::kinds::KINDS;
use crate::server::ServerKind;

/// What a model is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModelPurpose {
    /// Conversations, agents, and all that has no use of its own.
    #[default]
    Chat,
    /// Goals.
    Goals,
    /// Tasks of goals.
    Tasks,
    /// Summaries of sessions with goals.
    Summaries,
}

impl ModelPurpose {
    /// Those that may have a model or a server of their own.
    pub const BESIDE: [Self; 3] = [Self::Goals, Self::Tasks, Self::Summaries];

    /// Returns its name in the configuration and in the table of usage.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Goals => "goals",
            Self::Tasks => "tasks",
            Self::Summaries => "summaries",
        }
    }

    /// Returns the purpose of this name; any other is conversation.
    pub fn called(name: &str) -> Self {
        Self::BESIDE.into_iter().find(|purpose| purpose.name() == name).unwrap_or_default()
    }
}

/// `[llm.uses]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LlmUsesConfig {
    /// Goals.
    pub goals: LlmUseConfig,
    /// Tasks of goals.
    pub tasks: LlmUseConfig,
    /// Summaries of sessions with goals.
    pub summaries: LlmUseConfig,
}

/// The server and the model of one use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LlmUseConfig {
    /// "same": the server that answers; "local": the embedded one, beside another server that answers; or a kind of server
    /// at `url`.
    pub backend: UseBackend,
    /// Where the server listens; "" only with "same" and "local".
    pub url: String,
    /// true: `url` may be an address outside of the home, to which the words of this use are sent.
    pub outside: bool,
    /// What else may be sent there for this use: "memory", "house". The thread and the notes of a goal are sent in any case.
    pub outside_may: Vec<HomeData>,
    /// Absolute path of a file with the API key for this use, which nobody else may read; "": the systemd credential
    /// llm-key-goals, llm-key-tasks or llm-key-summaries. A server outside of the home is off without a key.
    pub key_file: String,
    /// A model's name; "": with "same" the one that answers, else "auto".
    pub model: String,
}

/// Which server is asked for a use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UseBackend {
    /// The one that answers.
    #[default]
    Same,
    /// Another one.
    Other(Backend),
}

/// The value of `backend` for the server that answers.
const SAME: &str = "same";

impl UseBackend {
    fn all() -> impl Iterator<Item = Self> + Clone {
        let kinds = KINDS.iter().copied().map(|kind: &ServerKind| Self::Other(Backend::Server(kind)));
        [Self::Same, Self::Other(Backend::Local)].into_iter().chain(kinds)
    }
}

impl fmt::Display for UseBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same => f.write_str(SAME),
            Self::Other(backend) => backend.fmt(f),
        }
    }
}

impl Serialize for UseBackend {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for UseBackend {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let written = String::deserialize(from)?;
        Self::all().find(|backend| backend.to_string() == written).ok_or_else(|| {
            let names: Vec<_> = Self::all().map(|backend| format!("`{backend}`")).collect();
            de::Error::custom(format!("unknown variant `{written}`, expected one of {}", names.join(", ")))
        })
    }
}

/// Returns a text that names keys of `[llm]` with the keys of `purpose` in their place.
pub fn keys_of(purpose: ModelPurpose, text: &str) -> String {
    match purpose {
        ModelPurpose::Chat => text.to_owned(),
        ModelPurpose::Goals | ModelPurpose::Tasks | ModelPurpose::Summaries => {
            text.replace("llm.", &format!("llm.uses.{}.", purpose.name()))
        }
    }
}

impl LlmConfig {
    fn use_of(&self, purpose: ModelPurpose) -> Option<&LlmUseConfig> {
        match purpose {
            ModelPurpose::Chat => None,
            ModelPurpose::Goals => Some(&self.uses.goals),
            ModelPurpose::Tasks => Some(&self.uses.tasks),
            ModelPurpose::Summaries => Some(&self.uses.summaries),
        }
    }

    /// Returns the settings of the server that serves `purpose`, where that is another one than for conversations.
    pub fn server_of(&self, purpose: ModelPurpose) -> Option<Self> {
        let own = self.use_of(purpose)?;
        let UseBackend::Other(backend) = own.backend else { return None };
        let model = if own.model.trim().is_empty() { "auto" } else { own.model.trim() };
        Some(Self {
            backend,
            url: own.url.clone(),
            outside: own.outside,
            outside_may: own.outside_may.clone(),
            key_file: own.key_file.clone(),
            model: model.to_owned(),
            // Vectors are made for conversations alone.
            embed_model: String::new(),
            uses: LlmUsesConfig::default(),
            purpose,
            ..self.clone()
        })
    }

    /// Returns the name of another model of the server that answers, for `purpose`.
    pub fn other_model_of(&self, purpose: ModelPurpose) -> Option<&str> {
        let own = self.use_of(purpose).filter(|own| own.backend == UseBackend::Same)?;
        Some(own.model.trim()).filter(|model| !model.is_empty())
    }

    /// Returns these settings without those of further servers: a command that ends needs none.
    #[must_use]
    pub fn for_conversations(self) -> Self {
        Self { uses: LlmUsesConfig::default(), ..self }
    }

    /// Returns everything that is wrong with the uses.
    pub(super) fn use_problems(&self) -> Vec<Problem> {
        ModelPurpose::BESIDE.into_iter().flat_map(|purpose| self.problems_of(purpose)).collect()
    }

    fn problems_of(&self, purpose: ModelPurpose) -> Vec<Problem> {
        let prefix = format!("llm.uses.{}", purpose.name());
        let is_embedded_anyway = !matches!(self.backend, Backend::Server(_));
        match (self.use_of(purpose), self.server_of(purpose)) {
            (Some(own), None) if !own.url.is_empty() => {
                let allowed = "\"\" where backend is \"same\"";
                let remedy = "Name the kind of the server in backend, for example \"openai\".";
                vec![Problem::new(format!("{prefix}.url"), &own.url, allowed).remedy(remedy)]
            }
            (_, None) => Vec::new(),
            (_, Some(own)) if own.backend == Backend::Local && is_embedded_anyway => {
                let allowed = "\"same\", as llm.backend may be served by the embedded model already";
                vec![Problem::new(format!("{prefix}.backend"), "local", allowed)]
            }
            (_, Some(own)) if own.backend == Backend::Local => Vec::new(),
            (_, Some(own)) => {
                let of_use = |text: &str| keys_of(purpose, text);
                let moved = |problem: Problem| Problem {
                    key: of_use(&problem.key),
                    allowed: of_use(&problem.allowed),
                    remedy: of_use(&problem.remedy),
                    ..problem
                };
                own.address_problems().into_iter().map(moved).collect()
            }
        }
    }
}
