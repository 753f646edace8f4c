//! The house: a model of rooms and items, and the home automation servers it is read from.
//!
//! [`house`] is pure and knows neither a server nor speech: what the rest of the program understands, asks and
//! commands is said in its types. [`backend::Home`] is what a server has to offer; [`openhab`] and [`hass`] are two,
//! [`server`] is the one that is meant. Nothing here decides what an utterance means, and nothing here speaks.

pub mod address;
pub mod backend;
pub mod config;
pub mod demo;
pub mod discover;
pub mod fault;
mod follow;
pub mod hass;
pub mod house;
pub mod hub;
mod link;
pub mod openhab;
pub mod server;
pub mod stored;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod token;
mod wire_text;
