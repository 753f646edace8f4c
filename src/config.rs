//! The whole configuration: composed of the stages' own structs, read once at start, immutable after.
//!
//! Sources, later ones win: built-in defaults, the file, environment variables (`JOI__LLM__URL` for
//! `llm.url`), `--set llm.url=…`. Unknown keys and unusable values are refused, all of them at once.
//! Any thread. It holds no live state.

mod documented;
pub(crate) mod edit;
mod environment;
mod load;
mod profile;
#[cfg(test)]
mod reference;
mod usable;

use serde::{Deserialize, Serialize};

pub(crate) use documented::{DocumentedKey, documented};
pub(crate) use environment::unknown_variables;
pub(crate) use load::leaves;
pub use load::{ConfigError, Effective, Override, ValueOrigin, load, load_text};
pub use profile::{MachineFacts, MachineProfile};
pub(crate) use usable::load_usable;

use crate::backup::BackupConfig;
use crate::metrics::MetricsConfig;
use joi_agent::{ContextConfig, MemoryConfig, PersonaConfig, ReplyConfig};
use joi_audio::{AudioConfig, RingSound};
use joi_autonomy::agent::entry::{self, AgentEntries, AgentEntry};
use joi_base::problem::Problem;
use joi_channels::voice::ConversationConfig;
use joi_goals::config::GoalsConfig;
use joi_hear::HearConfig;
use joi_home::HomeConfig;
use joi_language::ANY_LANGUAGE;
use joi_llm::LlmConfig;
use joi_mcp::McpConfig;
use joi_messages::outbound::{NtfyConfig, OutboundConfig};
use joi_messages::signal::SignalConfig;
use joi_models::ModelsConfig;
use joi_page::PageConfig;
use joi_proactive::alert::AlertConfig;
use joi_proactive::awareness::AwarenessConfig;
use joi_proactive::impulse::ImpulseConfig;
use joi_satellites::SatellitesConfig;
use joi_schedule::TimersConfig;
use joi_schedule::announce::AnnounceConfig;
use joi_speak::SpeakConfig;
use joi_store::StoreConfig;
use joi_tools::ToolsConfig;

/// Every key at its default with its meaning, generated from the types below (`make config-reference`); `joi config
/// init` writes it.
pub const DEFAULT_FILE: &str = include_str!("../config/default.toml");

/// Tables whose inner keys the owner names: a server of tools, an agent, a room, a model with its price.
const NAMED_BY_OWNER: &[&str] = &["mcp.servers.", "agents.", "satellites.rooms.", PRICES];

/// The table of prices, by the names of models.
const PRICES: &str = "goals.prices.";

/// Everything that can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The language that joi hears, understands and speaks: "en", "de", the name of a folder with the files of another
    /// one, in `languages` beside the configuration file; or "auto": joi answers in whichever of them was spoken.
    pub language: String,
    /// Microphone and speaker.
    pub audio: AudioConfig,
    /// Wake word, voice activity, endpointing, speech to text.
    pub hear: HearConfig,
    /// Spoken conversations.
    pub conversation: ConversationConfig,
    /// How replies are made.
    pub reply: ReplyConfig,
    /// Name and character.
    pub persona: PersonaConfig,
    /// Time and place.
    pub context: ContextConfig,
    /// Memory beyond the conversation.
    pub memory: MemoryConfig,
    /// Tools.
    pub tools: ToolsConfig,
    /// Tools of other programs.
    pub mcp: McpConfig,
    /// The language model and its server.
    pub llm: LlmConfig,
    /// The voice.
    pub speak: SpeakConfig,
    /// The house: openHAB or Home Assistant.
    pub home: HomeConfig,
    /// Rooms beyond this machine.
    pub satellites: SatellitesConfig,
    /// Unsolicited messages.
    pub announce: AnnounceConfig,
    /// How many messages leave the house.
    pub outbound: OutboundConfig,
    /// Messages over Signal, through a signal-cli daemon.
    pub signal: SignalConfig,
    /// Alerts to a topic of an ntfy server.
    pub ntfy: NtfyConfig,
    /// What counts as worth mentioning in the house.
    pub awareness: AwarenessConfig,
    /// Proactive messages.
    pub impulse: ImpulseConfig,
    /// Agents by name.
    #[serde(skip_serializing_if = "AgentEntries::is_empty")]
    pub agents: AgentEntries,
    /// Goals that joi works on in the background.
    pub goals: GoalsConfig,
    /// Alarms.
    pub alert: AlertConfig,
    /// How timers, alarms and reminders ring.
    pub timers: TimersConfig,
    /// The database.
    pub store: StoreConfig,
    /// Automatic backups.
    pub backup: BackupConfig,
    /// Where the models are.
    pub models: ModelsConfig,
    /// Figures for Prometheus.
    pub metrics: MetricsConfig,
    /// The page.
    pub page: PageConfig,
    /// Logging.
    pub log: LogConfig,
}

/// `[log]`: what is logged to stderr, beside the flag `--log`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogConfig {
    /// true: log everything about sound, hearing and speaking to stderr, never what was said; false: warnings.
    pub voice_debug: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            language: "en".to_owned(),
            audio: AudioConfig::default(),
            hear: HearConfig::default(),
            conversation: ConversationConfig::default(),
            reply: ReplyConfig::default(),
            persona: PersonaConfig::default(),
            context: ContextConfig::default(),
            memory: MemoryConfig::default(),
            tools: ToolsConfig::default(),
            mcp: McpConfig::default(),
            llm: LlmConfig::default(),
            speak: SpeakConfig::default(),
            home: HomeConfig::default(),
            satellites: SatellitesConfig::default(),
            outbound: OutboundConfig::default(),
            signal: SignalConfig::default(),
            ntfy: NtfyConfig::default(),
            timers: TimersConfig::default(),
            announce: AnnounceConfig::default(),
            awareness: AwarenessConfig::default(),
            impulse: ImpulseConfig::default(),
            agents: AgentEntries::new(),
            goals: GoalsConfig::default(),
            alert: AlertConfig::default(),
            store: StoreConfig::default(),
            backup: BackupConfig::default(),
            models: ModelsConfig::default(),
            metrics: MetricsConfig::default(),
            page: PageConfig::default(),
            log: LogConfig::default(),
        }
    }
}

impl Config {
    /// Returns the sound of a ring.
    ///
    /// # Errors
    /// The file can't be read, or there is nothing to hear in it.
    pub fn ring_sound(&self) -> Result<RingSound, Problem> {
        match self.timers.ring_file() {
            Some(file) => RingSound::read(file).map_err(|why| self.timers.ring_problem(why)),
            None => Ok(RingSound::built_in()),
        }
    }

    /// A satellite in the room of the local devices would share its conversation.
    fn room_problem(&self) -> Option<Problem> {
        let name = &self.audio.room;
        let is_taken = self.satellites.rooms.contains_key(name);
        is_taken.then(|| {
            let key = format!("satellites.rooms.{name}");
            Problem::new(key, name, "a name other than that of audio.room, the room of this machine")
        })
    }

    /// Returns the language that is spoken; nothing where several are.
    pub fn one_language(&self) -> Option<&str> {
        Some(self.language.as_str()).filter(|language| *language != ANY_LANGUAGE)
    }

    /// Returns the problems that keep nothing from starting, of which somebody asks: a file that is missing for a while,
    /// a sensor of an agent, which is skipped.
    pub fn check_files(&self) -> Vec<Problem> {
        let of_agent = |(name, agent): (&String, &AgentEntry)| {
            let key = format!("agents.{name}");
            let mut problems = agent.sensors(&key).1;
            problems.extend(agent.unknown_updates(&key));
            problems
        };
        self.ring_sound().err().into_iter().chain(self.agents.iter().flat_map(of_agent)).collect()
    }

    /// Returns all problems of all sections, and those between sections.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = self.audio.check();
        problems.extend(self.hear.check());
        problems.extend(self.conversation.check());
        problems.extend(self.reply.check());
        problems.extend(self.persona.check());
        problems.extend(self.context.check());
        problems.extend(self.memory.check());
        problems.extend(self.tools.check());
        problems.extend(self.mcp.check());
        problems.extend(self.llm.check());
        problems.extend(self.speak.check());
        problems.extend(self.home.check());
        problems.extend(self.satellites.check());
        problems.extend(self.room_problem());
        problems.extend(self.outbound.check());
        problems.extend(self.signal.check());
        problems.extend(self.ntfy.check());
        problems.extend(self.timers.check());
        problems.extend(self.awareness.check());
        problems.extend(self.impulse.check());
        problems.extend(entry::check(&self.agents));
        problems.extend(self.goals.check());
        problems.extend(self.alert.check());
        problems.extend(self.store.check());
        problems.extend(self.backup.check());
        problems.extend(self.models.check());
        problems.extend(self.metrics.check());
        problems.extend(self.page.check());
        problems
    }
}

#[cfg(test)]
mod tests;
