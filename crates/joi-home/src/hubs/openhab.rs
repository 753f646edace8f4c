//! openHAB 4.x and 5.x over its REST interface and its stream of events.
//!
//! Sends nothing twice, follows no redirect, loads no picture.

mod answers;
mod events;
mod frames;
mod rest;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::hub::{Hub, MdnsService};
pub use frames::{SseFrame, SseFrames};
use rest::RestClient;

/// openHAB, 4.0 or newer.
pub(crate) const HUB: Hub = Hub {
    word: "openhab",
    name: answers::NAME,
    port: 8080,
    schemes: &["http", "https"],
    hosts: &["openhab", "openhabian"],
    token_hint: "a token: make one on your profile page (API Tokens)",
    token_place: "API Tokens on your profile page",
    token_user: "role user",
    example: "http://openhab:8080",
    no_items: "Add items in openHAB; a server that has just started shows them after a minute.",
    no_rooms: "Give the items places in openHAB's semantic model (Settings, Model); until then only their labels count.",
    mdns: &[
        MdnsService { kind: "_openhab-server._tcp.local.", scheme: "http", url_keys: &[] },
        MdnsService { kind: "_openhab-server-ssl._tcp.local.", scheme: "https", url_keys: &[] },
    ],
    connect: |address, token| Ok(Arc::new(RestClient::new(address, token)?)),
};
