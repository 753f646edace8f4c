//! The remedy of each fault between joi and a home automation server, with the words of all kinds of servers.
//!
//! For tables, logs and `joi doctor`. Pure: no I/O, no clock.

use super::fault::HomeFault;
use super::hub::Hub;
use super::hubs::{HUBS, hub_names};

impl HomeFault {
    /// Returns one sentence on how to fix it.
    pub fn remedy(&self) -> String {
        match self {
            Self::Unreachable { .. } => {
                let examples = HUBS.map(|hub| hub.example).join(" or ");
                format!("Check that the server runs and that its address is right, for example {examples}.")
            }
            Self::NotAServer { .. } => format!(
                "Give the address of the own page of {}, with the path of your proxy if it has one.",
                hub_names("or")
            ),
            Self::Starting { .. } => "Wait a minute; a start takes that long.".to_owned(),
            Self::WrongToken => {
                format!(
                    "Make a new token ({}) and run `joi home connect` again.",
                    of_each(|hub| hub.token_place)
                )
            }
            Self::TokenMissing => {
                format!("Make a token ({}) and run `joi home connect`.", of_each(|hub| hub.token_place))
            }
            Self::Forbidden => {
                format!("Make the token with a user that may do it ({}).", of_each(|hub| hub.token_user))
            }
            Self::TooOld { .. } => "Update it.".to_owned(),
            Self::Proxy { .. } => {
                "Check the address of the server in the proxy, and that the server runs.".to_owned()
            }
            Self::Moved { .. } => "Set home.url to that address.".to_owned(),
            Self::NoItem { .. } => "See `joi home items` for the names.".to_owned(),
            Self::Refused => "See `joi home show ITEM` for what it takes.".to_owned(),
            Self::Unreadable { .. } => "See the server's log; update it if it goes on.".to_owned(),
            Self::NotConnected => "See `joi home connect`.".to_owned(),
            Self::TokenFile { .. } => "Run `joi home connect` again, or correct home.token_file.".to_owned(),
        }
    }
}

/// Returns what each kind of server says, behind its name.
fn of_each(what: impl Fn(&Hub) -> &'static str) -> String {
    HUBS.map(|hub| format!("{}: {}", hub.name, what(&hub))).join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remedy_names_every_kind_of_server_in_its_own_words() {
        for (fault, start) in [
            (HomeFault::WrongToken, "Make a new token (openHAB: API Tokens"),
            (HomeFault::TokenMissing, "Make a token (openHAB: API Tokens"),
            (HomeFault::Forbidden, "Make the token with a user that may do it (openHAB: role user"),
        ] {
            let remedy = fault.remedy();
            assert!(remedy.starts_with(start), "{remedy}");
            assert!(HUBS.iter().all(|hub| remedy.contains(hub.name)), "{remedy}");
        }
        let unreachable = HomeFault::Unreachable { address: String::new(), why: String::new() }.remedy();
        assert!(HUBS.iter().all(|hub| unreachable.contains(hub.example)), "{unreachable}");
    }
}
