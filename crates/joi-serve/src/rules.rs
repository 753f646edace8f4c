//! Decides which requests an endpoint takes, by their headers.
//!
//! In: headers. Out: nothing, or the refusal.

use std::net::IpAddr;
use std::time::Duration;

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use joi_base::message::Private;

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
    fn a_token_is_wanted_as_it_is() {
        let rules = EndpointRules { token: Some(Private("secret".to_owned())), ..EndpointRules::default() };
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
