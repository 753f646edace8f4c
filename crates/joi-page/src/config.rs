//! `[page]`: where the page is served. Plain data, read once at the start.

use std::net::SocketAddr;
use std::path::Path;

use serde::{Deserialize, Serialize};

use joi_base::problem::Problem;
use joi_serve::{ListenAddress, ListenRange};

/// The page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PageConfig {
    /// Address on which the page is served over HTTP, as "127.0.0.1:9754"; "": it is not served. A browser signs in with
    /// the link that `joi page` shows.
    pub listen: ListenAddress,
    /// true: `page.listen` may be an address that other machines reach, as "0.0.0.0:9754". Without `page.certificate` what is
    /// shown then crosses the network unencrypted.
    pub beyond_this_machine: bool,
    /// Names of this machine by which browsers may call it beside its addresses, as ["pi.local"]; a page of any other name
    /// is refused.
    pub names: Vec<String>,
    /// File with the certificate of this machine (PEM, further ones of its chain behind it): the page is then served over
    /// TLS alone; "": without encryption.
    pub certificate: String,
    /// File with its key (PEM), which only the user of joi can read; "": none.
    pub key: String,
}

impl PageConfig {
    /// Returns where the page is served; nothing where it is not.
    pub fn address(&self) -> Option<SocketAddr> {
        self.listen.within(self.range())
    }

    /// Returns the files of certificate and key; nothing where the page is served without encryption.
    pub fn tls(&self) -> Option<(&Path, &Path)> {
        let (certificate, key) = (self.certificate.trim(), self.key.trim());
        (!certificate.is_empty() && !key.is_empty()).then(|| (Path::new(certificate), Path::new(key)))
    }

    fn range(&self) -> ListenRange {
        if self.beyond_this_machine { ListenRange::Network } else { ListenRange::ThisMachine }
    }

    /// Everything that is wrong with it.
    pub fn check(&self) -> Vec<Problem> {
        let problem = self.listen.check("page.listen", "127.0.0.1:9754", self.range());
        let remedy = "Set page.beyond_this_machine = true if other machines are to see it.";
        let is_beyond = self.listen.is_beyond_this_machine();
        let listen = problem.into_iter().map(|it| if is_beyond { it.remedy(remedy) } else { it });
        let is_name = |name: &String| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-')
        };
        let wrong = self.names.iter().find(|name| !is_name(name)).map(|name| {
            Problem::new(
                "page.names",
                format!("\"{name}\""),
                "names of a machine, as \"pi.local\", without a port",
            )
        });
        let is_half = self.certificate.trim().is_empty() != self.key.trim().is_empty();
        let half = is_half.then(|| {
            let (key, value) = if self.key.trim().is_empty() {
                ("page.key", &self.key)
            } else {
                ("page.certificate", &self.certificate)
            };
            Problem::new(key, format!("\"{value}\""), "page.certificate and page.key, or neither")
        });
        listen.chain(wrong).chain(half).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_sees_it_unless_the_owner_says_otherwise() {
        let config = |listen: &str, beyond_this_machine, name: &str| PageConfig {
            listen: listen.into(),
            beyond_this_machine,
            names: vec![name.to_owned()],
            ..PageConfig::default()
        };
        for (listen, beyond, name, is_served, problems) in [
            ("", false, "pi.local", false, 0),
            ("127.0.0.1:9754", false, "pi.local", true, 0),
            ("0.0.0.0:9754", false, "pi.local", false, 1),
            ("0.0.0.0:9754", true, "pi", true, 0),
            ("127.0.0.1:9754", false, "http://pi.local", true, 1),
            ("9754", true, "pi.local:9754", false, 2),
        ] {
            let config = config(listen, beyond, name);
            assert_eq!((config.address().is_some(), config.check().len()), (is_served, problems), "{listen}");
        }
        assert_eq!(PageConfig::default().address(), None);
        let half = PageConfig { certificate: "/c.pem".into(), ..PageConfig::default() };
        let keys: Vec<_> = half.check().into_iter().map(|problem| problem.key).collect();
        assert_eq!((keys, half.tls()), (vec!["page.key".to_owned()], None));
        let whole = PageConfig { key: "/k.pem".into(), ..half };
        assert!(whole.check().is_empty() && whole.tls().is_some());
    }
}
