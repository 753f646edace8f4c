//! PURE. Which home automation server a house is behind, and what each is called in files and addresses.

use serde::{Deserialize, Serialize};

/// A kind of home automation server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hub {
    /// openHAB 4.0 or newer.
    #[default]
    #[serde(rename = "openhab")]
    OpenHab,
    /// Home Assistant 2023.5 or newer.
    HomeAssistant,
}

impl Hub {
    /// All of them, in the order in which they are looked for.
    pub const ALL: [Self; 2] = [Self::OpenHab, Self::HomeAssistant];

    /// As its makers write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenHab => "openHAB",
            Self::HomeAssistant => "Home Assistant",
        }
    }

    /// The oldest version that is understood.
    pub fn oldest(self) -> &'static str {
        match self {
            Self::OpenHab => "4.0",
            Self::HomeAssistant => "2023.5",
        }
    }

    /// As in the configuration, and the folder of what is stored of it.
    pub fn word(self) -> &'static str {
        match self {
            Self::OpenHab => "openhab",
            Self::HomeAssistant => "home-assistant",
        }
    }

    /// Its port in a network at home.
    pub fn port(self) -> u16 {
        match self {
            Self::OpenHab => 8080,
            Self::HomeAssistant => 8123,
        }
    }

    /// The name of the systemd credential that holds its token.
    pub fn credential(self) -> &'static str {
        match self {
            Self::OpenHab => "openhab-token",
            Self::HomeAssistant => "home-assistant-token",
        }
    }
}
