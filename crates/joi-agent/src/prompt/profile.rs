//! Picks the profile of a conversation when `persona.mode` wants profiles.
//!
//! Runs in the task of the turn. Input: the first request of a conversation. Output: a profile with its own words
//! behind the character and a list of tools, which stay until the conversation is over: the head of the prompt must not
//! change within it. If the model fails or names no profile, the configured one is used.

use serde::Deserialize;
use serde_json::json;

use crate::deadline;
use crate::model::ChatModel;
use crate::prompt::profiles::{Profile, all};
use crate::prompt::side_query::{SideQueries, SideQuery};
use crate::sink::ReceiverClosed;
use joi_answer::json::object;

/// The instruction.
const PROMPT: &str = include_str!("../../../../assets/prompts/profile.md");
/// Most tokens of the answer.
const TOKENS: u32 = 20;

/// The reply of a model.
#[derive(Debug, Deserialize)]
struct ProfileAnswer {
    profile: String,
}

fn picked(written: &str) -> Option<&'static Profile> {
    let ProfileAnswer { profile } = object(written)?;
    all().iter().find(|known| known.name.eq_ignore_ascii_case(profile.trim()))
}

/// Picks the profile of a conversation that begins with `asked`.
pub(crate) async fn pick<M: ChatModel>(
    asked: &str,
    fallback: &'static Profile,
    model: &str,
    side: &SideQueries<'_, M>,
) -> Result<&'static Profile, ReceiverClosed> {
    let lines: Vec<String> = all().iter().map(|known| format!("{}: {}", known.name, known.about)).collect();
    let names: Vec<&str> = all().iter().map(|known| known.name.as_str()).collect();
    let instruction = PROMPT.replace("{profiles}", &lines.join("\n")).replace("{asked}", asked);
    let query = SideQuery {
        purpose: "profile",
        instruction: &instruction,
        format: Some(json!({
            "type": "object", "properties": { "profile": { "enum": names } }, "required": ["profile"],
        })),
        tokens: TOKENS,
        limit: deadline::PROFILE,
        model,
    };
    let (profile, why) = match side.ask(query).await.as_deref().map(picked) {
        Some(Some(profile)) => (profile, "the model picked it"),
        Some(None) => (fallback, "the model named none"),
        None => (fallback, "the model gave no answer in time"),
    };
    tracing::debug!(profile = profile.name, why, "picked for this conversation");
    side.sink.decided("profile", profile.name.as_str(), why).await?;
    Ok(profile)
}

#[cfg(test)]
mod tests {
    use super::*;

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
