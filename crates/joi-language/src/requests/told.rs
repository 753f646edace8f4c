//! Words by which a clause is known to report something.
//!
//! Plain data, read once with the other words of `consent.toml`.

use serde::Deserialize;

use super::phrases::Phrases;

/// Words of a report: a request that is joined to it belongs to it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToldWords {
    /// With these a clause is joined to the one before.
    pub coordinates: Phrases,
    /// Verbs of what is over.
    pub past: Phrases,
    /// Verbs that report what somebody says or wants.
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
    /// Beginnings of a clause that asks for a story: "sing me a song".
    pub recitals: Phrases,
}
