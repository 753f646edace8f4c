//! The knobs of the reply engine: `[reply]`, `[persona]`, `[context]`.
//!
//! Plain data, any thread; immutable after start.

use serde::{Deserialize, Serialize};

use crate::prompt::profiles::{self, Profile};
use joi_base::problem::Problem;

/// How long a starting model is waited for, and how much of the dialogue the model sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReplyConfig {
    /// Seconds from the moment the model is ready to its first word, 1 to 300. More is more patient
    /// with a slow machine, but a model that hangs is noticed later.
    pub first_word_s: u32,
    /// Seconds of silence from the model in the middle of an answer, 1 to 120.
    pub next_word_s: u32,
    /// Seconds of the model's time for a whole answer, 5 to 600.
    pub whole_reply_s: u32,
    /// Seconds to wait for a model that is still starting, 5 to 1800. A large model on a slow disk
    /// needs minutes.
    pub wake_up_s: u32,
    /// Seconds without a message after which a conversation is over, 30 to 3600. More keeps the
    /// thread longer and makes prompts longer.
    pub window_s: u32,
    /// Most exchanges of one conversation the model sees, 2 to 100. More remembers further back and
    /// costs time when a prompt has to be read anew.
    pub window_exchanges: u32,
    /// Messages from before the conversation that the model sees all the same, 0 to 50.
    pub older_messages: u32,
    /// How old, in hours, such an earlier message may be, 1 to 168.
    pub older_hours: u32,
    /// Most sentences of a spoken answer, 1 to 50; then joi asks whether to go on. A story, a list or steps may be
    /// longer, and so may what is read.
    pub spoken_sentences: u32,
    /// Most words of a spoken answer, 10 to 500. It ends with the last whole sentence within them.
    pub spoken_words: u32,
    /// Planning before an answer.
    pub planner: PlannerConfig,
}

impl Default for ReplyConfig {
    fn default() -> Self {
        Self {
            first_word_s: 30,
            next_word_s: 15,
            whole_reply_s: 120,
            wake_up_s: 300,
            window_s: 300,
            window_exchanges: 20,
            older_messages: 10,
            older_hours: 24,
            spoken_sentences: 3,
            spoken_words: 60,
            planner: PlannerConfig::default(),
        }
    }
}

/// Whether and how the model plans a turn before it answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlannerConfig {
    /// Whether the model plans before it answers: "auto" (a large model always; a small one where the words show
    /// several parts that want a tool, or talk of the past), "always" or "never". A plan is one more call.
    pub mode: PlannerMode,
    /// What comes first: "router" (the planner sees the tools that were picked) or "planner" (it sees all of them).
    pub order: PlannerOrder,
    /// Which model of the server plans, by name; "": the one that answers, which has read most of the prompt already.
    pub model: String,
}

impl Default for PlannerConfig {
    fn default() -> Self {
        Self { mode: PlannerMode::Auto, order: PlannerOrder::Router, model: String::new() }
    }
}

/// Whether the model plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlannerMode {
    /// A large model always; a small one where the words show several parts, or talk of the past.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlannerOrder {
    /// The router: the planner sees the tools that were picked.
    Router,
    /// The planner: it sees all tools.
    Planner,
}

impl ReplyConfig {
    /// All values that can't be used.
    pub fn check(&self) -> Vec<Problem> {
        let rows = [
            ("reply.first_word_s", self.first_word_s, 1.0..=300.0, "s"),
            ("reply.next_word_s", self.next_word_s, 1.0..=120.0, "s"),
            ("reply.whole_reply_s", self.whole_reply_s, 5.0..=600.0, "s"),
            ("reply.wake_up_s", self.wake_up_s, 5.0..=1800.0, "s"),
            ("reply.window_s", self.window_s, 30.0..=3600.0, "s"),
            ("reply.window_exchanges", self.window_exchanges, 2.0..=100.0, "exchanges"),
            ("reply.older_messages", self.older_messages, 0.0..=50.0, "messages"),
            ("reply.older_hours", self.older_hours, 1.0..=168.0, "h"),
            ("reply.spoken_sentences", self.spoken_sentences, 1.0..=50.0, "sentences"),
            ("reply.spoken_words", self.spoken_words, 10.0..=500.0, "words"),
        ];
        let outside = |(key, value, range, unit)| Problem::outside(key, f64::from(value), range, unit);
        rows.into_iter().filter_map(outside).collect()
    }
}

/// `[persona]`: name, character and profiles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PersonaConfig {
    /// The name of the assistant, 1 to 40 characters; "auto" takes it from the wake phrase ("hey jarvis" gives Jarvis).
    pub name: String,
    /// The character of the assistant: "joi" (warm) or "butler" (dry).
    pub character: Character,
    /// Whether there is one persona with all tools ("unified"), or the model picks a profile at the beginning of each
    /// conversation ("profiles"): developer, business or life, each with its own words and tools.
    pub mode: PersonaMode,
    /// The profile when none can be picked: "developer", "business" or "life".
    pub fallback: String,
}

impl Default for PersonaConfig {
    fn default() -> Self {
        Self {
            name: "auto".into(),
            character: Character::Joi,
            mode: PersonaMode::Unified,
            fallback: "life".into(),
        }
    }
}

/// Whether there is one persona or several profiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PersonaMode {
    /// The persona itself, with all tools.
    Unified,
    /// The model picks one of the profiles at the beginning of each conversation, with its own tools.
    Profiles,
}

impl PersonaConfig {
    /// The profile a conversation begins with; nothing where there is only the persona.
    pub(crate) fn fallback_profile(&self) -> Option<&'static Profile> {
        match self.mode {
            PersonaMode::Unified => None,
            PersonaMode::Profiles => profiles::all().iter().find(|profile| profile.name == self.fallback),
        }
    }

    /// All values that can't be used.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let name = self.name.trim();
        let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '\'' | '.'));
        if !plain || !(1..=40).contains(&name.chars().count()) {
            let allowed = "auto, or a name of 1 to 40 letters, digits and spaces";
            problems.push(Problem::new("persona.name", &self.name, allowed));
        }
        let names: Vec<&str> = profiles::all().iter().map(|profile| profile.name.as_str()).collect();
        if !names.contains(&self.fallback.as_str()) {
            let allowed = format!("the name of a profile: {}", names.join(", "));
            problems.push(Problem::new("persona.fallback", &self.fallback, allowed));
        }
        problems
    }
}

/// The shipped characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Character {
    /// A warm companion.
    Joi,
    /// A dry butler.
    Butler,
}

/// Time and place in the model's prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContextConfig {
    /// Where time and place stand in the prompt: "user" is fast, "system" makes the model read the whole prompt anew on
    /// every turn.
    pub placement: Placement,
    /// "local" or "utc" time.
    pub time: TimeKind,
    /// Where joi is installed, in words, at most 100 characters, for example "Vienna, Austria"; "" means unknown. Only
    /// the language model receives it.
    pub location: String,
    /// The number of the emergency services at that place, for example "112": at most 20 digits, spaces, "+" and "-".
    /// With "", answers say "your emergency number".
    pub emergency_number: String,
}

impl Default for ContextConfig {
    fn default() -> Self {
        let (location, emergency_number) = (String::new(), String::new());
        Self { placement: Placement::User, time: TimeKind::Local, location, emergency_number }
    }
}

impl ContextConfig {
    /// All values that can't be used.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let location = &self.location;
        let fits = location.trim().chars().count() <= 100;
        if !fits || location.chars().any(|c| c.is_control() || matches!(c, '[' | ']')) {
            let allowed = "one line of at most 100 characters without brackets";
            let problem = Problem::new("context.location", location, allowed);
            problems.push(problem.remedy("Leave it out when it is nobody's business"));
        }
        let number = &self.emergency_number;
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '+' | '-');
        if number.chars().count() > 20 || !number.chars().all(is_number) {
            let allowed = "at most 20 digits, spaces, \"+\" and \"-\"";
            let problem = Problem::new("context.emergency_number", number, allowed);
            problems.push(problem.remedy("Write the number alone, for example 112"));
        }
        problems
    }
}

/// Where the context block stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Placement {
    /// At the head of the newest user message.
    User,
    /// At the head of the system message.
    System,
}

/// The clock that is shown to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeKind {
    /// The owner's zone, by name.
    Local,
    /// UTC.
    Utc,
}
