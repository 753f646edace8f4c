//! `llm.backend`: which server is asked.
//!
//! Plain data, written by name.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::kinds::{KINDS, OLLAMA};
use crate::server::ServerKind;

const AUTO: &str = "auto";
const LOCAL: &str = "local";

/// Which server is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// Ollama where it runs and has the model, else our own.
    Auto,
    /// Our own `joi-model` only.
    Local,
    /// The server of this kind at `llm.url` only.
    Server(&'static ServerKind),
}

impl Backend {
    /// Returns the kind of the server at `llm.url`.
    pub(crate) fn kind(self) -> &'static ServerKind {
        match self {
            Self::Auto | Self::Local => &OLLAMA,
            Self::Server(kind) => kind,
        }
    }

    /// Returns what the owner can do where no server serves.
    pub fn remedy(self) -> &'static str {
        self.kind().remedy
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => AUTO,
            Self::Local => LOCAL,
            Self::Server(kind) => kind.name,
        })
    }
}

impl Serialize for Backend {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Backend {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let written = String::deserialize(from)?;
        let known = [Self::Auto, Self::Local].into_iter().chain(KINDS.iter().copied().map(Self::Server));
        known.clone().find(|backend| backend.to_string() == written).ok_or_else(|| {
            let names: Vec<_> = known.map(|backend| format!("`{backend}`")).collect();
            de::Error::custom(format!("unknown variant `{written}`, expected one of {}", names.join(", ")))
        })
    }
}
