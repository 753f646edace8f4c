//! Decides which requests an endpoint takes, by their headers, and reads the token of an endpoint.
//!
//! In: headers. Out: nothing, or the refusal. A token is read from a file once at the start, and never shown.

use std::fs;
use std::io;
use std::net::IpAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use joi_base::message::Private;

/// Bytes of the longest file that is read as a token.
const LONGEST_TOKEN: u64 = 4096;

/// The limits and conditions of one endpoint.
#[derive(Debug, Clone)]
pub struct EndpointRules {
    /// Bytes of the largest body.
    pub body_bytes: usize,
    /// Connections at the same time.
    pub connections: usize,
    /// Connections of one address at the same time.
    pub connections_of_a_peer: usize,
    /// What a request must bring as `Authorization: Bearer …`; nothing where everybody is served.
    pub token: Option<Private<String>>,
    /// How long a request may take.
    pub times: RequestTimes,
}

impl Default for EndpointRules {
    fn default() -> Self {
        let times = RequestTimes::default();
        Self { body_bytes: 4096, connections: 32, connections_of_a_peer: 16, token: None, times }
    }
}

/// Time limits of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestTimes {
    /// For its head, from the connection on.
    pub head: Duration,
    /// For its body.
    pub body: Duration,
    /// For the connection, the answer included.
    pub whole: Duration,
}

impl Default for RequestTimes {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { head: seconds(5), body: seconds(5), whole: seconds(60) }
    }
}

/// The file of a token can't be used. Report it to the owner, go on without the endpoint.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// It can't be read.
    #[error("cannot read the token from {}: {source}", .file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// It holds no token, or one that others can read.
    #[error("{} is not a token: {why}", .file.display())]
    Unusable {
        /// The file.
        file: PathBuf,
        /// Why.
        why: &'static str,
    },
}

/// Reads a token from `file`: one word, in a file that not everybody can read.
///
/// # Errors
/// [`TokenError`], which never quotes the token.
pub fn read_token(file: &Path) -> Result<Private<String>, TokenError> {
    let failed = |source| TokenError::Read { file: file.to_owned(), source };
    let unusable = |why| TokenError::Unusable { file: file.to_owned(), why };
    let about = fs::metadata(file).map_err(failed)?;
    if about.len() > LONGEST_TOKEN {
        return Err(unusable("it is too long"));
    }
    if about.permissions().mode() & 0o004 != 0 {
        return Err(unusable("everybody can read it; run chmod 600 on it"));
    }
    let text = fs::read_to_string(file).map_err(failed)?;
    let token = text.trim();
    if token.is_empty() || !token.chars().all(|sign| sign.is_ascii_graphic()) {
        return Err(unusable("it must hold one word of letters, digits and signs"));
    }
    Ok(Private(token.to_owned()))
}

impl EndpointRules {
    /// Checks the headers of a request to an endpoint on a loopback address, or on another one.
    #[expect(clippy::result_large_err, reason = "the refusal is sent at once")]
    pub(crate) fn admits(&self, headers: &HeaderMap, is_loopback: bool) -> Result<(), Response> {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        if headers.contains_key(header::ORIGIN) || (is_loopback && !is_this_machine(host)) {
            return Err((StatusCode::FORBIDDEN, "requests of web pages are not taken\n").into_response());
        }
        let Some(Private(token)) = &self.token else { return Ok(()) };
        let given = headers.get(header::AUTHORIZATION).map(|given| given.as_bytes()).unwrap_or_default();
        if is_same(given, format!("Bearer {token}").as_bytes()) {
            return Ok(());
        }
        let asks = [(header::WWW_AUTHENTICATE, "Bearer")];
        Err((StatusCode::UNAUTHORIZED, asks, "the token is missing or wrong\n").into_response())
    }
}

/// Compares in a time that does not depend on where the two differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// Returns whether a host is an address or "localhost", with or without a port.
fn is_this_machine(host: &str) -> bool {
    let name = host.strip_suffix(|c: char| c.is_ascii_digit()).map_or(host, |_| {
        host.rsplit_once(':')
            .filter(|(name, _)| !name.contains(':') || name.ends_with(']'))
            .map_or(host, |(name, _)| name)
    });
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost" || name.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_page_may_have_are_not_this_machine() {
        for host in ["127.0.0.1:9753", "127.0.0.1", "localhost:9753", "localhost", "[::1]:9753", "[::1]"] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in ["", "evil.example:9753", "localhost.evil.example", "127.0.0.1.nip.io:9753", "pi.local"] {
            assert!(!is_this_machine(host), "{host}");
        }
    }

    #[test]
    fn a_token_is_one_word_in_a_file_of_its_owner_and_is_wanted_as_it_is() {
        let file = std::env::temp_dir().join(format!("joi-serve-token-{}", std::process::id()));
        let put = |text: &str, mode| {
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        };
        for (text, mode) in [("secret", 0o644), ("", 0o600), ("two words", 0o600)] {
            put(text, mode);
            let error = read_token(&file).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
        put("secret\n", 0o600);
        let rules = EndpointRules { token: Some(read_token(&file).unwrap()), ..EndpointRules::default() };
        fs::remove_file(&file).unwrap();
        let status = |given: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, "localhost".parse().unwrap());
            given.map(|given| headers.insert(header::AUTHORIZATION, given.parse().unwrap()));
            rules.admits(&headers, true).map_or_else(|refusal| refusal.status(), |()| StatusCode::OK)
        };
        assert_eq!(status(Some("Bearer secret")), StatusCode::OK);
        for wrong in
            [None, Some("Bearer secre"), Some("Bearer secrets"), Some("secret"), Some("Bearer Secret")]
        {
            assert_eq!(status(wrong), StatusCode::UNAUTHORIZED, "{wrong:?}");
        }
    }
}
