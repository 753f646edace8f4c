//! `[satellites.rooms.NAME]`: a satellite in another room. Plain data, read once at the start.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use joi_base::problem::Problem;

/// The port on which satellites usually listen.
const PORT: u16 = 10_700;
/// Most rooms: each has ears and a voice of its own in memory.
const MOST: usize = 16;
/// Longest name of a room.
const LONGEST_NAME: usize = 32;

/// One satellite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RoomEntry {
    /// Where it listens, as "kitchen.local:10700"; without a port 10700.
    pub address: String,
    /// The room of the house that "here" is, by its item, its label or its kind; "": the name of the table.
    pub room: String,
    /// Loudness at the start, 0 to 100 percent.
    pub volume: u8,
    /// true: the wake phrase, errors and long thinking are acknowledged by a tone. Most satellites have tones of their own.
    pub tones: bool,
}

impl Default for RoomEntry {
    fn default() -> Self {
        Self { address: String::new(), room: String::new(), volume: 100, tones: false }
    }
}

/// Where a satellite listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoomAddress {
    /// A name or an address.
    pub host: String,
    /// The port.
    pub port: u16,
}

impl std::fmt::Display for RoomAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]:{}", self.host, self.port),
            false => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

impl RoomAddress {
    /// Reads `host`, `host:port`, `[address]:port` or an address of IPv6; nothing where it is none.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.parse::<std::net::Ipv6Addr>().is_ok() {
            return Some(Self { host: text.to_owned(), port: PORT });
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) => (host, port.parse().ok().filter(|port| *port != 0)?),
            None => (text, PORT),
        };
        let host = match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(inner) => inner.parse::<std::net::Ipv6Addr>().ok()?.to_string(),
            None => host.to_owned(),
        };
        let is_name = |c: char| c.is_alphanumeric() || ".-_:%".contains(c);
        (!host.is_empty() && host.chars().all(is_name)).then_some(Self { host, port })
    }
}

impl RoomEntry {
    /// Returns where the satellite listens.
    pub fn address(&self) -> Option<RoomAddress> {
        RoomAddress::read(&self.address)
    }

    /// Returns the room of the house that "here" is, where the table is called `name`.
    pub fn house_room<'a>(&'a self, name: &'a str) -> &'a str {
        if self.room.is_empty() { name } else { &self.room }
    }

    fn check(&self, key: &str) -> Vec<Problem> {
        let mut problems = Vec::new();
        if self.address().is_none() {
            let allowed = "a host with or without a port, as \"kitchen.local:10700\"";
            problems.push(Problem::new(format!("{key}.address"), &self.address, allowed));
        }
        problems.extend(Problem::outside(&format!("{key}.volume"), f64::from(self.volume), 0.0..=100.0, "%"));
        problems
    }
}

/// Returns whether a room may be called `name`.
pub(crate) fn is_name(name: &str) -> bool {
    let is_plain = |c: char| !c.is_control() && !"./[]\"'".contains(c);
    !name.trim().is_empty() && name.chars().count() <= LONGEST_NAME && name.chars().all(is_plain)
}

/// Returns all problems of the rooms.
pub(crate) fn check(rooms: &BTreeMap<String, RoomEntry>) -> Vec<Problem> {
    let mut problems = Vec::new();
    if rooms.len() > MOST {
        problems.push(Problem::new("satellites.rooms", rooms.len(), format!("at most {MOST} rooms")));
    }
    let mut addresses: Vec<RoomAddress> = Vec::new();
    for (name, entry) in rooms {
        let key = format!("satellites.rooms.{name}");
        if !is_name(name) {
            let allowed = "a name of 1 to 32 characters without full stops, slashes, brackets and quotes";
            problems.push(Problem::new(key.clone(), name, allowed));
        }
        problems.extend(entry.check(&key));
        if let Some(address) = entry.address() {
            if addresses.contains(&address) {
                let allowed = "an address that no other room has";
                problems.push(Problem::new(format!("{key}.address"), &entry.address, allowed));
            }
            addresses.push(address);
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_host_with_or_without_a_port() {
        let read = |text: &str| RoomAddress::read(text).map(|address| address.to_string());
        for (text, address) in [
            ("kitchen.local", Some("kitchen.local:10700")),
            ("192.168.1.20:10701", Some("192.168.1.20:10701")),
            ("fd00::5", Some("[fd00::5]:10700")),
            ("[fd00::5]:10701", Some("[fd00::5]:10701")),
            ("", None),
            (":10700", None),
            ("kitchen:", None),
            ("kitchen:0", None),
            ("kitchen:70000", None),
            ("tcp://kitchen:10700", None),
            ("a b:10700", None),
            ("[kitchen]:10700", None),
        ] {
            assert_eq!(read(text).as_deref(), address, "{text}");
        }
    }

    #[test]
    fn every_problem_of_a_room_is_reported_with_its_key() {
        let entry = |address: &str| RoomEntry { address: address.into(), ..RoomEntry::default() };
        let rooms = BTreeMap::from([
            ("a.b".to_owned(), entry("one:10700")),
            ("bath".to_owned(), entry("")),
            ("kitchen".to_owned(), entry("one")),
            ("loud".to_owned(), RoomEntry { volume: 101, ..entry("two") }),
        ]);
        let keys: Vec<String> = check(&rooms).into_iter().map(|problem| problem.key).collect();
        let expected = ["a.b", "bath.address", "kitchen.address", "loud.volume"];
        assert_eq!(keys, expected.map(|key| format!("satellites.rooms.{key}")));
        assert_eq!(check(&BTreeMap::from([("kitchen".to_owned(), entry("one"))])), []);
    }
}
