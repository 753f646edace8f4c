//! Access control: the bearer token, and on TCP only requests addressed to this machine.
//!
//! A web page in a browser can send requests to a loopback port. `Host` and `Origin` distinguish them, as in Ollama. A
//! unix socket is protected by its file mode instead. Fails closed.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use super::error::ApiError;

/// A bearer token, stored as its hash: it can't be printed, and comparison takes constant time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BearerToken([u8; 32]);

impl BearerToken {
    /// Hashes the secret.
    pub(crate) fn new(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }
}

/// The authentication a request needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AuthPolicy {
    /// None: the socket's mode lets only its owner connect.
    Socket,
    /// The token, on a loopback port.
    Bearer(BearerToken),
    /// None, on a loopback port: any program of this machine may connect.
    Open,
}

/// Passes an authorised request on, and answers any other.
pub(super) async fn check(State(access): State<Arc<AuthPolicy>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    if *access != AuthPolicy::Socket && !means_this_machine(headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    if let AuthPolicy::Bearer(token) = access.as_ref()
        && bearer(headers).as_ref() != Some(token)
    {
        return ApiError::new(StatusCode::UNAUTHORIZED, "unauthorized").into_response();
    }
    next.run(request).await
}

fn bearer(headers: &HeaderMap) -> Option<BearerToken> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| BearerToken::new(secret.trim()))
}

fn means_this_machine(headers: &HeaderMap) -> bool {
    let is_local = |name: header::HeaderName, local: fn(&str) -> bool| match headers.get(name) {
        None => true,
        Some(value) => value.to_str().is_ok_and(local),
    };
    is_local(header::HOST, is_local_host) && is_local(header::ORIGIN, is_local_origin)
}

fn is_local_origin(origin: &str) -> bool {
    origin.split_once("://").is_some_and(|(_, host)| is_local_host(host))
}

fn is_local_host(host: &str) -> bool {
    let name = without_port(host).trim_end_matches('.').to_ascii_lowercase();
    match name.parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_unspecified(),
        Ok(IpAddr::V6(ip)) => ip.is_loopback() || ip.is_unspecified(),
        Err(_) => {
            let tails = [".localhost", ".local", ".internal"];
            name.is_empty() || name == "localhost" || tails.iter().any(|tail| name.ends_with(tail))
        }
    }
}

fn without_port(host: &str) -> &str {
    if let Some((inner, _)) = host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return inner;
    }
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_pass() {
        for host in
            ["", "localhost", "LOCALHOST:11434", "127.0.0.1:1", "[::1]:80", "pi.local:9", "192.168.1.4"]
        {
            assert!(is_local_host(host), "{host}");
        }
        for host in
            ["example.com", "example.com:11434", "8.8.8.8", "localhost.example.com", "[2001:db8::1]:80"]
        {
            assert!(!is_local_host(host), "{host}");
        }
    }

    #[test]
    fn a_web_page_of_elsewhere_is_recognised_by_its_origin() {
        assert!(is_local_origin("http://localhost:3000"));
        assert!(!is_local_origin("https://example.com"));
        assert!(!is_local_origin("null"));
    }

    #[test]
    fn a_token_is_compared_by_its_hash_and_never_printed() {
        let mut headers = HeaderMap::new();
        assert_eq!(bearer(&headers), None);
        headers.insert(header::AUTHORIZATION, "bearer s3cret".parse().unwrap());
        assert_eq!(bearer(&headers), Some(BearerToken::new("s3cret")));
        assert!(!format!("{:?}", BearerToken::new("s3cret")).contains("s3cret"));
    }
}
