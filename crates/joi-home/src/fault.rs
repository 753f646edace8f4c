//! PURE. What can be wrong between us and a home automation server, with what to do about it.
//!
//! Texts are for tables, logs and `joi doctor`; what is spoken is up to whoever speaks. No fault holds a token or an
//! address with a password.

use thiserror::Error;

use super::address::ServerAddress;
use super::hub::Hub;
use joi_base::root_cause;

/// Why the server gives us nothing, or does not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HomeFault {
    /// No connection, or none that lasts: retry.
    #[error("no connection to {address}: {why}")]
    Unreachable {
        /// Host and port.
        address: String,
        /// What the system says.
        why: String,
    },
    /// Something answers there, but it is no such server: tell the user.
    #[error("{address} answers, but it is neither openHAB nor Home Assistant: {why}")]
    NotAServer {
        /// The address that was asked.
        address: String,
        /// What it answered.
        why: String,
    },
    /// The server is starting or stopping: retry.
    #[error("the server is starting or stopping ({why})")]
    Starting {
        /// What it answered.
        why: String,
    },
    /// The token is wrong or was revoked: tell the user.
    #[error("the server does not accept the token")]
    WrongToken,
    /// The server wants a token and has none from us: tell the user.
    #[error("the server wants a token")]
    TokenMissing,
    /// The token's user may not do that: tell the user.
    #[error("the token's user may not do that")]
    Forbidden,
    /// The server is older than what is understood: tell the user.
    #[error("{} {version} is too old; {} or newer is needed", .hub.name(), .hub.oldest())]
    TooOld {
        /// Which kind of server it is.
        hub: Hub,
        /// Its version.
        version: String,
    },
    /// A proxy in between does not reach the server: retry.
    #[error("the proxy does not reach the server (status {status})")]
    Proxy {
        /// 502, 503 or 504.
        status: u16,
    },
    /// The address has moved: tell the user.
    #[error("the server is at another address: {target}")]
    Moved {
        /// Where it says it is.
        target: String,
    },
    /// No item of that name on the server: read the house again.
    #[error("the server has no item {item}")]
    NoItem {
        /// The name.
        item: String,
    },
    /// The server refused the command: tell the user.
    #[error("the server refused the command")]
    Refused,
    /// An answer that can't be read: give up, read again.
    #[error("the server's answer can't be read: {why}")]
    Unreadable {
        /// What is wrong with it.
        why: String,
    },
    /// The house was not read yet, or the connection was lost: wait.
    #[error("not connected to the house")]
    NotConnected,
    /// The file with the token can't be used: tell the user.
    #[error("{file}: {why}")]
    TokenFile {
        /// The file.
        file: String,
        /// What is wrong with it.
        why: String,
    },
}

impl HomeFault {
    pub(super) fn unreachable(address: &ServerAddress, error: &(dyn std::error::Error + 'static)) -> Self {
        Self::Unreachable { address: address.to_string(), why: root_cause::of(error) }
    }

    pub(super) fn silent(address: &ServerAddress) -> Self {
        Self::Unreachable { address: address.to_string(), why: "no answer in time".to_owned() }
    }

    /// Whether it may pass by itself within seconds: a restart, a network that is down.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable { .. }
            | Self::Starting { .. }
            | Self::Proxy { .. }
            | Self::Unreadable { .. }
            | Self::NotConnected => true,
            Self::NotAServer { .. }
            | Self::WrongToken
            | Self::TokenMissing
            | Self::Forbidden
            | Self::TooOld { .. }
            | Self::Moved { .. }
            | Self::NoItem { .. }
            | Self::Refused
            | Self::TokenFile { .. } => false,
        }
    }

    /// What to do about it, one sentence.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => {
                "Check that the server runs and that its address is right, for example http://openhab:8080 or \
                 http://homeassistant.local:8123."
            }
            Self::NotAServer { .. } => {
                "Give the address of the server's own page, with the path of your proxy if it has one."
            }
            Self::Starting { .. } => "Wait a minute; a start takes that long.",
            Self::WrongToken => {
                "Make a new token on your profile page (openHAB: API Tokens; Home Assistant: Security) and run \
                 `joi home connect` again."
            }
            Self::TokenMissing => {
                "Make a token on your profile page (openHAB: API Tokens; Home Assistant: Security) and run \
                 `joi home connect`."
            }
            Self::Forbidden => {
                "Make the token with a user that may do it (openHAB: role user; Home Assistant: administrator)."
            }
            Self::TooOld { .. } => "Update it.",
            Self::Proxy { .. } => "Check the address of the server in the proxy, and that the server runs.",
            Self::Moved { .. } => "Set home.url to that address.",
            Self::NoItem { .. } => "See `joi home items` for the names.",
            Self::Refused => "See `joi home show ITEM` for what it takes.",
            Self::Unreadable { .. } => "See the server's log; update it if it goes on.",
            Self::NotConnected => "See `joi home connect`.",
            Self::TokenFile { .. } => "Run `joi home connect` again, or correct home.token_file.",
        }
    }
}
