//! Words for a house that is not reached: the cause, where its owner can do something about it.
//!
//! Pure: no I/O, no clock.

use joi_home::{HomeFault, HomeLink};
use joi_language::HouseSentences;

/// Returns the sentence for this state of the connection.
pub fn sentence<'a>(link: &HomeLink, say: &'a HouseSentences) -> &'a str {
    match link {
        HomeLink::Lost { fault } => cause(fault, say).unwrap_or(&say.not_reached),
        HomeLink::Starting => &say.starting,
        HomeLink::Connecting | HomeLink::Up { .. } => &say.not_reached,
    }
}

/// Returns what is wrong, where it is more than a connection that may come back by itself.
pub fn cause<'a>(fault: &HomeFault, say: &'a HouseSentences) -> Option<&'a String> {
    match fault {
        HomeFault::WrongToken | HomeFault::TokenMissing | HomeFault::TokenFile { .. } => Some(&say.no_token),
        HomeFault::Forbidden => Some(&say.no_rights),
        HomeFault::NotAServer { .. } | HomeFault::Moved { .. } => Some(&say.wrong_address),
        HomeFault::TooOld { .. } => Some(&say.too_old),
        HomeFault::Starting { .. } => Some(&say.starting),
        HomeFault::Unreachable { .. }
        | HomeFault::Proxy { .. }
        | HomeFault::NoItem { .. }
        | HomeFault::Refused
        | HomeFault::Unreadable { .. }
        | HomeFault::NotConnected => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_language::testing::{english, german};

    #[test]
    fn why_the_house_is_not_reached_is_reported_where_it_is_known() {
        let address = || "http://openhab:8080".to_owned();
        for (fault, told) in [
            (HomeFault::NotConnected, "I can't reach the house at the moment."),
            (
                HomeFault::Unreachable { address: address(), why: String::new() },
                "I can't reach the house at the moment.",
            ),
            (HomeFault::WrongToken, "The house does not accept my token; it needs a new one."),
            (HomeFault::Forbidden, "The user of my token may not do that in the house."),
            (HomeFault::Moved { target: address() }, "The address of the house is not right any more."),
        ] {
            let link = HomeLink::Lost { fault };
            assert_eq!(super::sentence(&link, &english().house().unwrap().say), told, "{link:?}");
        }
        let starting = super::sentence(&HomeLink::Starting, &german().house().unwrap().say);
        assert_eq!(starting, "Das Haus startet gerade; frag mich in einer Minute noch einmal.");
    }
}
