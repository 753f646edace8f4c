//! The whole configuration: composed of the stages' own structs, read once at start, immutable after.
//!
//! Sources, later ones win: built-in defaults, the file, environment variables (`JOI__LLM__URL` for
//! `llm.url`), `--set llm.url=…`. Unknown keys and unusable values are refused, all of them at once.
//! Any thread. It holds no live state.

mod load;

use serde::{Deserialize, Serialize};

pub(crate) use load::leaves;
pub use load::{ConfigError, Effective, Origin, Override, load, load_text};

use crate::audio::AudioConfig;
use crate::channels::voice::ConversationConfig;
use crate::hear::HearConfig;
use crate::llm::LlmConfig;
use crate::models::ModelsConfig;
use crate::problem::Problem;
use crate::reply::{ContextConfig, MemoryConfig, PersonaConfig, ReplyConfig};
use crate::schedule::TimersConfig;
use crate::speak::SpeakConfig;
use crate::store::StoreConfig;
use crate::tools::ToolsConfig;

/// The documented default file; `joi config init` writes it.
pub const DEFAULT_FILE: &str = include_str!("../config/default.toml");

/// Everything that can be set. See `config/default.toml` for each key's meaning.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Microphone and speaker.
    pub audio: AudioConfig,
    /// Wake word, voice activity, endpointing, speech to text.
    pub hear: HearConfig,
    /// How she talks with people.
    pub conversation: ConversationConfig,
    /// How replies are made.
    pub reply: ReplyConfig,
    /// Who she is.
    pub persona: PersonaConfig,
    /// What she knows of time and place.
    pub context: ContextConfig,
    /// What she remembers beyond the conversation.
    pub memory: MemoryConfig,
    /// What she can do beside talking.
    pub tools: ToolsConfig,
    /// The language model and its server.
    pub llm: LlmConfig,
    /// Her voice.
    pub speak: SpeakConfig,
    /// How timers, alarms and reminders ring.
    pub timers: TimersConfig,
    /// The database.
    pub store: StoreConfig,
    /// Where the models are.
    pub models: ModelsConfig,
    /// What is logged.
    pub log: LogConfig,
}

/// `[log]`: what is logged to stderr, beside the flag `--log`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogConfig {
    /// Whether everything about sound, hearing and speaking is logged, instead of warnings only.
    pub voice_debug: bool,
}

impl Config {
    /// All problems of all sections, and those between sections.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = self.audio.check();
        problems.extend(self.hear.check());
        problems.extend(self.conversation.check());
        problems.extend(self.reply.check());
        problems.extend(self.persona.check());
        problems.extend(self.context.check());
        problems.extend(self.memory.check());
        problems.extend(self.tools.check());
        problems.extend(self.llm.check());
        problems.extend(self.speak.check());
        problems.extend(self.timers.check());
        problems.extend(self.store.check());
        problems.extend(self.models.check());
        problems
    }
}

#[cfg(test)]
mod tests;
