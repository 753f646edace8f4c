//! Faults between joi and a home automation server; their remedies are in `remedy.rs`.
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
    #[error("{address} answers, but it is no home automation server that joi knows: {why}")]
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
}
