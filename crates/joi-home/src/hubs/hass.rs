//! Home Assistant over its REST and WebSocket interfaces.
//!
//! Entities that are not exposed to assistants do not exist here. Sends nothing twice, follows no redirect.

mod client;
mod entity;
mod model;
mod registry;
mod services;
mod socket;
mod states;
#[cfg(any(test, feature = "testing"))]
mod testing;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::hub::{Hub, MdnsService};
use client::HassClient;
#[cfg(any(test, feature = "testing"))]
pub use testing::house_from_hass;

/// Home Assistant, 2023.5 or newer.
pub(crate) const HUB: Hub = Hub {
    word: "home-assistant",
    name: client::NAME,
    port: 8123,
    schemes: &["http", "https"],
    hosts: &["homeassistant"],
    token_hint: "a long-lived access token: make one on your profile page (Security), as an administrator,",
    token_place: "Security on your profile page",
    token_user: "administrator",
    example: "http://homeassistant.local:8123",
    no_items: "Expose entities in Home Assistant (Settings, Voice assistants, Expose).",
    no_rooms: "Make areas in Home Assistant (Settings, Areas) and put devices and entities into them.",
    mdns: &[MdnsService {
        kind: "_home-assistant._tcp.local.",
        scheme: "http",
        url_keys: &["internal_url", "base_url"],
    }],
    connect: |address, token| Ok(Arc::new(HassClient::new(address, token)?)),
};
