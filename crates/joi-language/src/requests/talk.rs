//! Words by which talk is known for what it is, and answers to it for what they are.

use serde::Deserialize;

use super::phrases::Phrases;

/// Kinds of answers.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct TalkWords {
    /// With these a long answer is wanted.
    pub long: Phrases,
    /// Words that ask for a story or a recital.
    pub tales: Phrases,
    /// With these beside it, at length.
    pub at_length: Phrases,
    /// A question that begins with one of these is not answered by its own words.
    pub open: Phrases,
    /// Behind one of these such a question may begin: "do you know why".
    #[serde(default)]
    pub wonders: Phrases,
    /// No answer to one, by itself.
    #[serde(default)]
    pub nods: Phrases,
    /// With these the answer may consist of the user's own words.
    pub again: Phrases,
    /// With these the answer before is wanted once more.
    #[serde(default)]
    pub once_more: Phrases,
    /// Phrases that are answered with themselves.
    pub greetings: Phrases,
    /// With these an answer may need the time or the place.
    pub here: Phrases,
    /// Who says one of these speaks of himself.
    pub own: Phrases,
    /// Who says one of these is sad, or is glad.
    pub sad: Phrases,
    pub glad: Phrases,
    /// No answer to whoever is sad.
    pub rejoices: Phrases,
    /// Who says one of these speaks of himself alone.
    pub first_person: Phrases,
    /// An answer that begins with one of these gives a reason.
    pub reasons: Phrases,
    /// With one of these a reason is asked for.
    pub asks_reason: Phrases,
    /// A question that begins with one of these asks what its speaker is to do, or how.
    #[serde(default)]
    pub seeks: Phrases,
    /// With one of these a recipe is wanted, which is longer than other answers.
    #[serde(default)]
    pub recipes: Phrases,
    /// Who says one of these speaks of whom he speaks to.
    pub addressed: Phrases,
    /// Stock phrases of models that answer nothing.
    pub stock: Phrases,
}
