//! Decides which requests an endpoint takes, by their headers.
//!
//! In: method and headers. Out: nothing, or the refusal.

use std::net::IpAddr;
use std::time::Duration;

use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use joi_base::message::Private;

use crate::{LargeBodies, TlsIdentity};

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
    /// Which requests of web pages are taken.
    pub pages: PageRequests,
    /// The certificate of this machine; nothing where connections are not encrypted.
    pub tls: Option<TlsIdentity>,
    /// How long a request may take.
    pub times: RequestTimes,
    /// Which requests may bring more than that; nothing where none may.
    pub large_bodies: Option<LargeBodies>,
}

impl Default for EndpointRules {
    fn default() -> Self {
        let times = RequestTimes::default();
        let pages = PageRequests::Refused;
        Self {
            body_bytes: 4096,
            connections: 32,
            connections_of_a_peer: 16,
            token: None,
            pages,
            tls: None,
            times,
            large_bodies: None,
        }
    }
}

/// Which requests of web pages an endpoint takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageRequests {
    /// None: a header `Origin` is refused, on a loopback address also a foreign `Host`.
    Refused,
    /// Those of the page that the endpoint itself serves. `Host` must be an address, "localhost" or one of `names`, so
    /// that no foreign name that resolves to this machine is answered; an `Origin` must be that host.
    Own {
        /// Names of this machine in the network, without a port.
        names: Vec<String>,
    },
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
    /// Checks a request to an endpoint on a loopback address, or on another one.
    #[expect(clippy::result_large_err, reason = "the refusal is sent at once")]
    pub(crate) fn admits(
        &self,
        method: &Method,
        headers: &HeaderMap,
        is_loopback: bool,
    ) -> Result<(), Response> {
        let host = text(headers, "host");
        let is_foreign = match &self.pages {
            PageRequests::Refused => {
                headers.contains_key(header::ORIGIN) || (is_loopback && !is_this_machine(host))
            }
            PageRequests::Own { names } => {
                let is_named = names.iter().any(|name| name.eq_ignore_ascii_case(without_port(host)));
                !(is_this_machine(host) || is_named)
                    || is_of_another_page(method, headers, host, self.tls.is_some())
            }
        };
        if is_foreign {
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

fn text<'h>(headers: &'h HeaderMap, name: &str) -> &'h str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Returns whether another page than that at `host` sends a request. A link on another page may be followed: that request
/// has no cookie of the strict kind, and changes nothing.
fn is_of_another_page(method: &Method, headers: &HeaderMap, host: &str, is_encrypted: bool) -> bool {
    let is_of_host = |origin: &str| {
        // Somebody else may stand in front of an endpoint without encryption, and add it.
        let plain = origin.strip_prefix("http://").filter(|_| !is_encrypted);
        let at = plain.or_else(|| origin.strip_prefix("https://"));
        at.is_some_and(|at| at.eq_ignore_ascii_case(host))
    };
    let origins = headers.get_all(header::ORIGIN);
    if origins.iter().any(|origin| !origin.to_str().is_ok_and(is_of_host)) {
        return true;
    }
    let is_followed_link = *method == Method::GET && text(headers, "sec-fetch-mode") == "navigate";
    matches!(text(headers, "sec-fetch-site"), "cross-site" | "same-site") && !is_followed_link
}

/// Returns a host without its port.
fn without_port(host: &str) -> &str {
    host.strip_suffix(|c: char| c.is_ascii_digit()).map_or(host, |_| {
        host.rsplit_once(':')
            .filter(|(name, _)| !name.contains(':') || name.ends_with(']'))
            .map_or(host, |(name, _)| name)
    })
}

/// Returns whether a host is an address or "localhost", with or without a port.
fn is_this_machine(host: &str) -> bool {
    let name = without_port(host).trim_start_matches('[').trim_end_matches(']');
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
            rules
                .admits(&Method::GET, &headers, true)
                .map_or_else(|refusal| refusal.status(), |()| StatusCode::OK)
        };
        assert_eq!(status(Some("Bearer secret")), StatusCode::OK);
        for wrong in
            [None, Some("Bearer secre"), Some("Bearer secrets"), Some("secret"), Some("Bearer Secret")]
        {
            assert_eq!(status(wrong), StatusCode::UNAUTHORIZED, "{wrong:?}");
        }
    }

    #[test]
    fn an_own_page_is_taken_and_no_other_page_nor_a_name_that_was_made_to_resolve_here() {
        let names = vec!["pi.local".to_owned()];
        let rules = EndpointRules { pages: PageRequests::Own { names }, ..EndpointRules::default() };
        let taken = |method: Method, given: &[(&'static str, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in given {
                headers.append(*name, value.parse().unwrap());
            }
            // What an address of the network answers is checked no less.
            [true, false].map(|is_loopback| rules.admits(&method, &headers, is_loopback).is_ok())
        };
        let (here, there) = (("host", "192.168.1.5:9754"), ("host", "pi.local:9754"));
        let of = |origin| ("origin", origin);
        let site = |site| ("sec-fetch-site", site);
        for given in [
            &[here][..],
            &[there],
            &[("host", "PI.local:9754"), of("http://pi.local:9754")],
            &[here, of("http://192.168.1.5:9754"), site("same-origin")],
            &[there, of("https://pi.local:9754"), site("same-origin")],
            &[here, site("none")],
        ] {
            assert_eq!(taken(Method::POST, given), [true; 2], "{given:?}");
        }
        for given in [
            &[("host", "evil.example:9754")][..],
            &[("host", "evil.example:9754"), of("http://evil.example:9754")],
            &[],
            &[here, of("http://evil.example")],
            &[here, of("null")],
            &[here, of("http://192.168.1.5:80")],
            &[here, of("http://pi.local:9754")],
            &[here, of("http://192.168.1.5:9754"), of("http://evil.example")],
            &[here, site("cross-site")],
            &[here, site("same-site")],
            &[here, site("cross-site"), ("sec-fetch-mode", "navigate")],
        ] {
            assert_eq!(taken(Method::POST, given), [false; 2], "{given:?}");
        }
        let link = [here, site("cross-site"), ("sec-fetch-mode", "navigate")];
        assert_eq!(taken(Method::GET, &link), [true; 2]);
        assert_eq!(taken(Method::GET, &link[..2]), [false; 2]);
    }
}
