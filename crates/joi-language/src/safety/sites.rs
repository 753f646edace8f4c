//! What sites are called, and which of them may be quoted about a matter.
//!
//! Pure: no I/O, no clock.

use serde::Deserialize;

/// What sites are called, and which of them are relied on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteWords {
    names: Vec<(String, String)>,
    trusted: Vec<String>,
}

impl SiteWords {
    /// What the site of a host is called: its name, else the host without what every host may begin with.
    pub fn name<'a>(&'a self, host: &'a str) -> &'a str {
        let named =
            self.names.iter().filter(|(site, _)| is_of(host, site)).max_by_key(|(site, _)| site.len());
        named.map_or_else(|| host.strip_prefix("www.").unwrap_or(host), |(_, name)| name)
    }

    /// Whether it may be quoted about a matter.
    pub fn is_trusted(&self, host: &str) -> bool {
        self.trusted.iter().any(|site| is_of(host, site))
    }
}

/// Whether `host` is `site` or below it.
fn is_of(host: &str, site: &str) -> bool {
    host.strip_suffix(site).is_some_and(|below| below.is_empty() || below.ends_with('.'))
}
