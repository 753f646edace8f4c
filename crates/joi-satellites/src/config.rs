//! `[satellites]`: satellites in other rooms, and what is served to rooms beyond this machine.
//!
//! Plain data, read once at the start. Everything is off until an address is given.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use joi_base::problem::Problem;
use joi_serve::{ListenAddress, ListenRange};

use super::room::{self, RoomEntry};

/// `[satellites]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SatellitesConfig {
    /// Satellites in other rooms, by the names of the rooms.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rooms: BTreeMap<String, RoomEntry>,
    /// Ears, voice and conversation for Home Assistant and other programs, over the Wyoming protocol.
    pub wyoming: WyomingConfig,
}

impl SatellitesConfig {
    /// Returns all problems of these settings.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = self.wyoming.check();
        problems.extend(room::check(&self.rooms));
        problems
    }

    /// Returns the rooms of the house that "here" is in each of these rooms.
    pub fn house_rooms(&self) -> BTreeMap<String, String> {
        let room = |(name, entry): (&String, &RoomEntry)| (name.clone(), entry.house_room(name).to_owned());
        self.rooms.iter().map(room).collect()
    }
}

/// `[satellites.wyoming]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WyomingConfig {
    /// Address on which speech to text, text to speech and wake phrases are served over the Wyoming protocol, as
    /// "0.0.0.0:10300"; "": they are not. The protocol has no password and no encryption: whoever reaches the address may
    /// use it. Addresses outside of private networks are refused.
    pub listen: ListenAddress,
    /// true: `satellites.wyoming.listen` may be an address that other machines reach.
    pub beyond_this_machine: bool,
    /// true: the service is announced by mDNS, so that Home Assistant finds it. Nothing is announced while only this machine
    /// reaches it.
    pub announce: bool,
    /// Name under which it is announced; "": "joi" and the name of this machine. Home Assistant knows the service by it:
    /// keep it.
    pub name: String,
    /// true: words that come over this address are answered, as those of another program are: they inform, change nothing,
    /// and see nothing of what was said in the house.
    pub conversation: bool,
    /// Most connections at the same time, 1 to 64. Home Assistant holds one for each satellite that waits for a wake phrase.
    pub connections: u32,
    /// Most connections of one address at the same time, 1 to 64.
    pub connections_of_a_peer: u32,
}

impl Default for WyomingConfig {
    fn default() -> Self {
        Self {
            listen: ListenAddress::default(),
            beyond_this_machine: false,
            announce: true,
            name: String::new(),
            conversation: false,
            connections: 16,
            connections_of_a_peer: 12,
        }
    }
}

/// Longest name of a service in bytes: the limit of a label of mDNS.
const LONGEST_NAME: usize = 63;

impl WyomingConfig {
    /// Returns where it is served; nothing where it is not.
    pub fn address(&self) -> Option<SocketAddr> {
        self.listen.within(self.range())
    }

    fn range(&self) -> ListenRange {
        if self.beyond_this_machine { ListenRange::Network } else { ListenRange::ThisMachine }
    }

    /// Returns all problems of these settings.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let problem = self.listen.check("satellites.wyoming.listen", "127.0.0.1:10300", self.range());
        let remedy = "Set satellites.wyoming.beyond_this_machine = true if other machines are to use it.";
        let is_beyond = self.listen.is_beyond_this_machine();
        problems.extend(problem.map(|it| if is_beyond { it.remedy(remedy) } else { it }));
        if self.name.len() > LONGEST_NAME || self.name.contains(|c: char| c.is_control() || c == '.') {
            let allowed = "at most 63 bytes without full stops and control characters";
            problems.push(Problem::new("satellites.wyoming.name", &self.name, allowed));
        }
        let counts = [
            ("satellites.wyoming.connections", self.connections),
            ("satellites.wyoming.connections_of_a_peer", self.connections_of_a_peer),
        ];
        for (key, count) in counts {
            problems.extend(Problem::outside(key, f64::from(count), 1.0..=64.0, "connections"));
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_served_at_first_and_other_machines_only_where_the_owner_says_so() {
        let config = |listen: &str, beyond_this_machine| WyomingConfig {
            listen: listen.into(),
            beyond_this_machine,
            ..WyomingConfig::default()
        };
        assert_eq!(WyomingConfig::default().address(), None);
        for (listen, beyond, is_served, problems) in [
            ("", false, false, 0),
            ("127.0.0.1:10300", false, true, 0),
            ("0.0.0.0:10300", false, false, 1),
            ("0.0.0.0:10300", true, true, 0),
            ("10300", true, false, 1),
        ] {
            let config = config(listen, beyond);
            assert_eq!((config.address().is_some(), config.check().len()), (is_served, problems), "{listen}");
        }
        let refused = config("0.0.0.0:10300", false).check()[0].to_string();
        assert!(refused.contains("beyond_this_machine = true"), "{refused}");
    }

    #[test]
    fn every_problem_is_reported_at_once() {
        let config = WyomingConfig {
            name: "a.b".into(),
            connections: 0,
            connections_of_a_peer: 65,
            ..WyomingConfig::default()
        };
        let keys: Vec<String> = config.check().into_iter().map(|problem| problem.key).collect();
        let expected = ["name", "connections", "connections_of_a_peer"];
        assert_eq!(keys, expected.map(|key| format!("satellites.wyoming.{key}")));
    }
}
