//! Profiles: what she is for one conversation when `persona.mode` says so, and who picks it.
//!
//! Runs in the task of the turn. In: the first request of a conversation. Out: a profile, with words of its own
//! behind her character and a list of tools, which stay until the conversation is over: the head of the prompt must not
//! change within it. A model that fails, or names none, leaves it at the one configured for that.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::json;

use super::config::{PersonaConfig, PersonaMode};
use super::model::ChatModel;
use super::outlet::{Outlet, Unheard};
use super::trunk::{self, Beside};
use super::{Engine, Turn, deadline, dialogue};

/// The instruction.
const PROMPT: &str = include_str!("../../assets/prompts/profile.md");
/// Most tokens of the answer.
const TOKENS: u32 = 20;

/// One of them.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// What it is called.
    pub(crate) name: String,
    /// By what it is picked.
    about: String,
    /// The tools it may use.
    pub(crate) tools: Vec<String>,
    /// What stands behind her character.
    pub(crate) prompt: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    profile: Vec<Profile>,
}

/// All there are. A file that can't be read holds none, and is in the log; a test reads it.
pub(crate) fn all() -> &'static [Profile] {
    static PROFILES: LazyLock<Vec<Profile>> = LazyLock::new(|| {
        toml::from_str(include_str!("../../assets/profiles.toml"))
            .inspect_err(|error| tracing::error!(%error, "the profiles can't be read"))
            .map_or_else(|_| Vec::new(), |file: File| file.profile)
    });
    &PROFILES
}

/// What a conversation begins with; nothing when she is herself.
pub(crate) fn fallback(persona: &PersonaConfig) -> Option<&'static Profile> {
    match persona.mode {
        PersonaMode::Unified => None,
        PersonaMode::Profiles => all().iter().find(|profile| profile.name == persona.fallback),
    }
}

/// What a model writes.
#[derive(Debug, Deserialize)]
struct Written {
    profile: String,
}

fn picked(written: &str) -> Option<&'static Profile> {
    let Written { profile } = trunk::object(written)?;
    all().iter().find(|known| known.name.eq_ignore_ascii_case(profile.trim()))
}

impl<M: ChatModel> Engine<M> {
    /// Picks the profile of a conversation that has none yet.
    pub(super) async fn pick_profile(
        &self,
        turn: &Turn<'_>,
        past: &dialogue::Past,
        outlet: &Outlet,
    ) -> Result<(), Unheard> {
        let Some(fallback) = fallback(&self.parts.persona) else { return Ok(()) };
        if self.lock(&self.scratch).profile.is_some() {
            return Ok(());
        }
        let lines: Vec<String> =
            all().iter().map(|known| format!("{}: {}", known.name, known.about)).collect();
        let names: Vec<&str> = all().iter().map(|known| known.name.as_str()).collect();
        let instruction = PROMPT.replace("{profiles}", &lines.join("\n")).replace("{asked}", turn.asked);
        let beside = Beside {
            purpose: "profile",
            instruction: &instruction,
            format: Some(json!({
                "type": "object", "properties": { "profile": { "enum": names } }, "required": ["profile"],
            })),
            tokens: TOKENS,
            limit: deadline::PROFILE,
            model: &self.parts.tool_rules.router_model,
        };
        let written = self.beside(past, beside, outlet).await;
        let (profile, why) = match written.as_deref().map(picked) {
            Some(Some(profile)) => (profile, "the model picked it"),
            Some(None) => (fallback, "the model named none"),
            None => (fallback, "the model gave no answer in time"),
        };
        self.lock(&self.scratch).profile = Some(profile);
        tracing::debug!(profile = profile.name, why, "picked for this conversation");
        outlet.decided("profile", profile.name.as_str(), why).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_profiles_can_be_read_and_name_tools_that_exist() {
        let names: Vec<&str> = all().iter().map(|profile| profile.name.as_str()).collect();
        assert_eq!(names, ["developer", "business", "life"]);
        let shipped = crate::tools::SHIPPED;
        for profile in all() {
            assert!(profile.tools.iter().all(|tool| shipped.contains(&tool.as_str())), "{}", profile.name);
            assert!(profile.prompt.len() < 400, "{}", profile.name);
        }
    }

    // covers Q2
    #[test]
    fn a_name_that_is_none_is_not_picked() {
        assert_eq!(
            picked("{\"profile\": \"Business\"}").map(|profile| profile.name.as_str()),
            Some("business")
        );
        for nonsense in ["{\"profile\": \"pirate\"}", "business", "{\"profile\": 5}", ""] {
            assert_eq!(picked(nonsense), None, "{nonsense}");
        }
    }
}
