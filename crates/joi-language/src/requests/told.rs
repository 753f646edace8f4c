//! The words by which it is known that something is told.
//!
//! Plain data, read once with the other words of `consent.toml`.

use serde::Deserialize;

use super::Phrases;

/// What tells something: a request that is joined to it belongs to it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToldWords {
    /// With these a clause is joined to the one before.
    pub coordinates: Phrases,
    /// Verbs of what is over.
    pub past: Phrases,
    /// Verbs by which it is told what somebody says or wants.
    pub reports: Phrases,
    /// Forms of such verbs; `*` stands for any letters.
    pub participles: Vec<String>,
    /// With one of these a participle is a verb of what is over; none where it needs no other verb.
    pub perfect: Phrases,
    /// With these it is none ("it's finished"), and whoever is spoken of does nothing.
    pub present: Phrases,
    /// Who does something in a clause that may go on with what sounds like a request: "ich koche und stelle einen Timer".
    pub tellers: Phrases,
    /// With one of these at its end an utterance takes back what it asks for.
    pub retractions: Phrases,
    /// With these at its beginning a clause wants something told: "tell me a joke".
    pub recitals: Phrases,
}
