//! The address that an endpoint listens on, as it stands in the configuration of every endpoint.
//!
//! In: a value of a key `listen`. Out: the address, or what is wrong with it. Pure: no I/O, no clock.

use std::net::SocketAddr;

use joi_base::problem::Problem;
use serde::{Deserialize, Serialize};

/// An address with its port, as "127.0.0.1:9753"; "" for none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ListenAddress(String);

/// Who may reach an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListenRange {
    /// Programs of this machine.
    ThisMachine,
    /// Other machines as well.
    Network,
}

impl From<&str> for ListenAddress {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl ListenAddress {
    /// Returns whether nothing is to listen.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the address; nothing where there is none that `range` allows.
    pub fn within(&self, range: ListenRange) -> Option<SocketAddr> {
        let is_allowed = |address: &SocketAddr| range == ListenRange::Network || address.ip().is_loopback();
        self.0.parse().ok().filter(is_allowed)
    }

    /// Returns what is wrong with the value of `key`, where an address would be `example`.
    pub fn check(&self, key: &str, example: &str, range: ListenRange) -> Option<Problem> {
        let is_wrong = !self.is_none() && self.within(range).is_none();
        is_wrong.then(|| {
            let allowed = format!("an address of this machine with a port, as \"{example}\", or \"\"");
            Problem::new(key, &self.0, allowed)
        })
    }

    /// Returns whether it is an address that only [`ListenRange::Network`] allows.
    pub fn is_beyond_this_machine(&self) -> bool {
        self.within(ListenRange::Network).is_some() && self.within(ListenRange::ThisMachine).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_machines_are_served_only_where_that_is_allowed() {
        use ListenRange::{Network, ThisMachine};
        for (listen, on_this_machine, beyond) in [
            ("127.0.0.1:9753", true, true),
            ("[::1]:9753", true, true),
            ("0.0.0.0:9753", false, true),
            ("192.168.1.5:9753", false, true),
            ("localhost:9753", false, false),
            ("9753", false, false),
        ] {
            let address = ListenAddress::from(listen);
            assert_eq!(address.within(ThisMachine).is_some(), on_this_machine, "{listen}");
            assert_eq!(address.within(Network).is_some(), beyond, "{listen}");
            assert_eq!(address.is_beyond_this_machine(), beyond && !on_this_machine, "{listen}");
            let problem = address.check("x.listen", "127.0.0.1:1", ThisMachine);
            assert_eq!(problem.map(|problem| problem.key), (!on_this_machine).then(|| "x.listen".to_owned()));
        }
        let none = ListenAddress::default();
        assert!(none.is_none() && none.within(Network).is_none());
        assert_eq!(none.check("x.listen", "127.0.0.1:1", ThisMachine), None);
    }
}
