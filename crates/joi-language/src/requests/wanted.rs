//! Words by which an utterance reads as a wish for a deed or a look-up, whatever it is about.
//!
//! Plain data, read once with the other words of `consent.toml`.

use serde::Deserialize;

use super::phrases::Phrases;

/// Words of a wish.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WantedWords {
    /// Beginnings of a clause by which somebody is asked to do something: "could you".
    pub asks: Phrases,
    /// Beginnings of a clause that want something done or looked up: "give me a shout".
    pub begins: Phrases,
    /// The same wherever they stand in a clause.
    pub anywhere: Phrases,
    /// Beginnings of a clause for which words are enough: "explain".
    pub talk: Phrases,
}
