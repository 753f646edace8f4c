//! Reads the address of a model server and decides whether it is at home.
//!
//! In: `llm.url`. Out: the URL, or nothing where it can't be used. It resolves no name: only what is written counts, and
//! whatever is not certainly at home is outside. Pure: no I/O, no clock.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns the URL of a model server; nothing where it can't be used, or carries a user name or password.
pub(super) fn parse_url(written: &str) -> Option<reqwest::Url> {
    let url = reqwest::Url::parse(written.trim()).ok()?;
    let fits = matches!(url.scheme(), "http" | "https") && url.has_host() && url.username().is_empty();
    (fits && url.password().is_none() && url.query().is_none() && url.fragment().is_none()).then_some(url)
}

/// Returns whether the host of `url` is at home: loopback, private (RFC 1918), link-local or unique local, a bare host
/// name, or one below `.local`, `.localhost`, `.internal` or `.home.arpa`.
pub(super) fn is_at_home(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
    if let Ok(address) = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
        return match address {
            IpAddr::V4(address) => is_home_v4(address),
            IpAddr::V6(address) => address.to_ipv4_mapped().map_or_else(|| is_home_v6(address), is_home_v4),
        };
    }
    let is_below =
        |zone: &str| host.strip_suffix(zone).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'));
    !host.is_empty()
        && (!host.contains('.') || ["local", "localhost", "internal", "home.arpa"].into_iter().any(is_below))
}

fn is_home_v4(address: Ipv4Addr) -> bool {
    address.is_loopback() || address.is_private() || address.is_link_local() || address.is_unspecified()
}

fn is_home_v6(address: Ipv6Addr) -> bool {
    let is_unique_local = address.segments()[0] & 0xfe00 == 0xfc00;
    let is_link_local = address.segments()[0] & 0xffc0 == 0xfe80;
    address.is_loopback() || address.is_unspecified() || is_unique_local || is_link_local
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_with_a_password_is_refused() {
        for (url, fits) in
            [("http://a:b@h:1", false), ("http://h", true), ("h:1", false), ("https://h/ollama", true)]
        {
            assert_eq!(parse_url(url).is_some(), fits, "{url}");
        }
    }

    #[test]
    fn only_loopback_private_and_local_names_are_at_home() {
        for (host, expected) in [
            ("127.0.0.1:11434", true),
            ("127.8.9.1", true),
            ("[::1]:1", true),
            ("0.0.0.0:1", true),
            ("10.1.2.3", true),
            ("172.16.0.1", true),
            ("172.31.255.255", true),
            ("192.168.178.20:8080", true),
            ("169.254.1.1", true),
            ("[fe80::1]", true),
            ("[fd12:3456::1]:8080", true),
            ("[::ffff:192.168.1.1]", true),
            ("localhost:8080", true),
            ("nas:8080", true),
            ("NAS.Local", true),
            ("nas.local.:8080", true),
            ("gpu.home.arpa", true),
            ("gpu.internal", true),
            ("0x7f.1", true),
            ("172.32.0.1", false),
            ("100.64.0.1", false),
            ("8.8.8.8", false),
            ("134744072", false),
            ("[2001:db8::1]", false),
            ("[::ffff:8.8.8.8]", false),
            ("api.openai.com", false),
            ("local.example.com", false),
            ("evil-local", true),
            ("x.evillocal", false),
            ("home.arpa.example", false),
            ("nas.fritz.box", false),
        ] {
            let url = parse_url(&format!("http://{host}/v1")).unwrap();
            assert_eq!(is_at_home(&url), expected, "{host}");
        }
    }
}
