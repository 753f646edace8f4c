//! The kinds of home automation servers that joi connects to. Another kind is a folder like `openhab` and a row here.

use serde::{Deserialize, Deserializer, de};

use super::hub::Hub;
use super::{hass, openhab};

/// All kinds, in the order in which they are looked for; the first is the default of the configuration.
pub const HUBS: [Hub; 2] = [openhab::HUB, hass::HUB];

impl Default for Hub {
    fn default() -> Self {
        HUBS[0]
    }
}

impl Hub {
    /// Returns the kind of this [`word`](Self::word).
    pub fn named(word: &str) -> Option<Self> {
        HUBS.into_iter().find(|hub| hub.word == word)
    }
}

impl<'de> Deserialize<'de> for Hub {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Self::named(&word).ok_or_else(|| {
            let known = HUBS.map(|hub| format!("`{}`", hub.word)).join(" or ");
            de::Error::custom(format!("unknown variant `{word}`, expected {known}"))
        })
    }
}
