//! Words by which a request is known not to be meant for joi, or not to be meant at all.
//!
//! Plain data, read once with the other words of `consent.toml`.

use serde::Deserialize;

use super::phrases::Phrases;

/// Words around a request that take its meaning away.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UnaskedWords {
    /// Names of other assistants: an order that begins with one is theirs.
    pub others: Phrases,
    /// Words that stand beside what somebody quotes, reads or sings.
    pub quotes: Phrases,
    /// Words of irony: "my foot".
    pub ironies: Phrases,
    /// Words that forbid without a "not": "anything but".
    pub forbids: Phrases,
    /// Words of a game in which an order is a part.
    pub plays: Phrases,
    /// Beginnings of what the speaker does without help: "let me".
    pub own: Phrases,
    /// Beginnings of a clause that names a moment that no clock shows: "once dad is gone".
    pub later: Phrases,
    /// Words behind which a request says why: "because".
    pub reasons: Phrases,
    /// Words behind which a request says for whom or what: "for the".
    pub purposes: Phrases,
    /// Words behind the value that is meant instead: "… meine ich".
    pub corrected: Phrases,
    /// Words of manners and emphasis that mean nothing of a deed.
    pub manners: Phrases,
}
