//! Where the signal-cli daemon listens: a unix socket, TCP, or HTTP.
//!
//! In: the text of the configuration. Out: the address. None of the three ways knows a password: a socket that others
//! can't open is the safe one, and an address that leaves this machine is refused unless it is written out.
//! Pure: no I/O, no clock.

use std::fmt;
use std::path::PathBuf;

/// Where the daemon is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DaemonAddress {
    /// A unix socket.
    Unix(PathBuf),
    /// Host and port.
    Tcp(String),
    /// `http://` with host and port, without a slash at the end.
    Http(String),
}

impl DaemonAddress {
    /// Reads `unix:/run/signal-cli/socket`, `tcp:localhost:7583` or `http://localhost:8081`. "" is the daemon's own
    /// socket below `runtime`, the directory of this user's sockets.
    ///
    /// # Errors
    /// It is none of them; the text says what one looks like.
    pub fn read(text: &str, runtime: Option<PathBuf>) -> Result<Self, String> {
        let told = || "unix:/PATH, tcp:HOST:PORT or http://HOST:PORT".to_owned();
        let has_port = |text: &str| {
            let port = text.rsplit_once(':').filter(|(host, _)| !host.is_empty());
            let is_port = port.is_some_and(|(_, port)| port.parse::<u16>().is_ok_and(|port| port > 0));
            is_port && !text.contains(['/', '@', '?', '#', ' '])
        };
        let text = text.trim();
        if text.is_empty() {
            let below = runtime.unwrap_or_else(|| PathBuf::from("/run"));
            return Ok(Self::Unix(below.join("signal-cli/socket")));
        }
        if let Some(path) = text.strip_prefix("unix:") {
            return if path.starts_with('/') { Ok(Self::Unix(path.into())) } else { Err(told()) };
        }
        if let Some(host) = text.strip_prefix("tcp:").filter(|host| has_port(host)) {
            return Ok(Self::Tcp(host.to_owned()));
        }
        match text.strip_prefix("http://").map(|rest| rest.trim_end_matches('/')) {
            Some(host) if has_port(host) => Ok(Self::Http(format!("http://{host}"))),
            _ => Err(told()),
        }
    }
}

impl fmt::Display for DaemonAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Tcp(host) => write!(f, "tcp:{host}"),
            Self::Http(url) => f.write_str(url),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_it_is_shown_and_anything_else_is_refused() {
        for text in ["unix:/run/signal-cli/socket", "tcp:localhost:7583", "http://[::1]:8081"] {
            assert_eq!(DaemonAddress::read(text, None).unwrap().to_string(), text);
        }
        let own = DaemonAddress::read("", Some("/run/user/7".into())).unwrap();
        assert_eq!(own.to_string(), "unix:/run/user/7/signal-cli/socket");
        for text in
            ["unix:socket", "tcp:localhost", "tcp:host:0", "https://a:1", "http://a", "http://a:1/b", "a:1"]
        {
            assert!(DaemonAddress::read(text, None).is_err(), "{text}");
        }
    }
}
