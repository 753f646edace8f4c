//! The kinds of home automation servers that joi connects to. Another kind is a folder like `openhab` and a row here.

pub(crate) mod hass;
pub(crate) mod openhab;

use serde::{Deserialize, Deserializer, de};

use super::hub::Hub;

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

/// Returns the names of all kinds, the last one behind `before_last`, as in "openHAB or Home Assistant".
pub fn hub_names(before_last: &str) -> String {
    let [first @ .., last] = HUBS.map(|hub| hub.name);
    format!("{} {before_last} {last}", first.join(", "))
}

/// Returns what the owner of a house without rooms can do, whatever its kind.
pub fn no_rooms() -> String {
    HUBS.map(|hub| hub.no_rooms).join(" ")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_read_by_its_word_and_an_unknown_word_names_all() {
        for hub in HUBS {
            let written = serde_json::to_string(&hub).unwrap();
            assert_eq!(serde_json::from_str::<Hub>(&written).unwrap(), hub);
        }
        let error = serde_json::from_str::<Hub>("\"nonsense\"").unwrap_err().to_string();
        let words = HUBS.map(|hub| format!("`{}`", hub.word)).join(" or ");
        assert!(error.contains(&format!("unknown variant `nonsense`, expected {words}")), "{error}");
    }
}
