//! Words by which talk is known for what it is, and answers to it for what they are.

use serde::Deserialize;

use super::Phrases;

/// What is wanted of an answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct TalkWords {
    /// With these a long answer is wanted.
    pub(crate) long: Phrases,
    /// With these something is told or recited.
    pub(crate) tales: Phrases,
    /// With these beside it, at length.
    pub(crate) at_length: Phrases,
    /// A question that begins with one of these is not answered by its own words.
    pub(crate) open: Phrases,
    /// Behind one of these such a question may begin: "can you tell me why".
    #[serde(default)]
    pub(crate) wonders: Phrases,
    /// No answer to one, by itself.
    #[serde(default)]
    pub(crate) nods: Phrases,
    /// With these the answer may consist of the user's own words.
    pub(crate) again: Phrases,
    /// With these the answer before is wanted once more.
    #[serde(default)]
    pub(crate) once_more: Phrases,
    /// What is said back as it was said.
    pub(crate) greetings: Phrases,
    /// With these an answer may need the time or the place.
    pub(crate) here: Phrases,
    /// Who says one of these speaks of himself.
    pub(crate) own: Phrases,
    /// Who says one of these is sad, or is glad.
    pub(crate) sad: Phrases,
    pub(crate) glad: Phrases,
    /// No answer to whoever is sad.
    pub(crate) rejoices: Phrases,
    /// Who says one of these speaks of himself alone.
    pub(crate) first_person: Phrases,
    /// An answer that begins with one of these gives a reason.
    pub(crate) reasons: Phrases,
    /// With one of these a reason is asked for.
    pub(crate) asks_reason: Phrases,
    /// Who says one of these speaks of whom he speaks to.
    pub(crate) addressed: Phrases,
    /// Stock phrases of models that answer nothing.
    pub(crate) stock: Phrases,
}
