//! Faults between joi and a home automation server, each with its remedy.
//!
//! Texts are for tables, logs and `joi doctor`; what is spoken is up to whoever speaks. No fault holds a token or an
//! address with a password.
//! Pure: no I/O, no clock.

use thiserror::Error;

/// The server can't be used, or does not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HomeFault {
    /// No connection, or none that lasts: retry.
    #[error("no connection to {address}: {why}")]
    Unreachable {
        /// Host and port.
        address: String,
        /// The error of the system.
        why: String,
    },
    /// Something answers there, but it is no such server: report it.
    #[error("{address} answers, but it is neither openHAB nor Home Assistant: {why}")]
    NotAServer {
        /// The address that was asked.
        address: String,
        /// Its answer.
        why: String,
    },
    /// The server is starting or stopping: retry.
    #[error("the server is starting or stopping ({why})")]
    Starting {
        /// Its answer.
        why: String,
    },
    /// The token is wrong or was revoked: report it.
    #[error("the server does not accept the token")]
    WrongToken,
    /// The server wants a token and has none from us: report it.
    #[error("the server wants a token")]
    TokenMissing,
    /// The token's user may not do that: report it.
    #[error("the token's user may not do that")]
    Forbidden,
    /// The server is older than any supported version: report it.
    #[error("{hub} {version} is too old; {oldest} or newer is needed")]
    TooOld {
        /// The name of the kind of server.
        hub: &'static str,
        /// Its version.
        version: String,
        /// The oldest supported version.
        oldest: &'static str,
    },
    /// A proxy in between does not reach the server: retry.
    #[error("the proxy does not reach the server (status {status})")]
    Proxy {
        /// 502, 503 or 504.
        status: u16,
    },
    /// The address has moved: report it.
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
    /// The server refused the command: report it.
    #[error("the server refused the command")]
    Refused,
    /// An answer that can't be read: give up, read again.
    #[error("the server's answer can't be read: {why}")]
    Unreadable {
        /// The reason.
        why: String,
    },
    /// The house was not read yet, or the connection was lost: wait.
    #[error("not connected to the house")]
    NotConnected,
    /// The file with the token can't be used: report it.
    #[error("{file}: {why}")]
    TokenFile {
        /// The file.
        file: String,
        /// The reason.
        why: String,
    },
}

impl HomeFault {
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

    /// Returns one sentence on how to fix it.
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
