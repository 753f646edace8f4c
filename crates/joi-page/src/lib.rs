//! The page: what goes on in a running Joi, for people to look at and to act on, with the rights of its owner's typing.
//!
//! Tasks of the listener of `joi-serve`. In: requests of browsers that are signed in ([`PageAccess`]), and what the program
//! shows of itself ([`PageHost`]). Out: whole pages as HTML, one stream of events for each open page. A change is a form: it
//! needs the cookie of a browser and a key that no other page can read. Texts of people, models and servers are escaped,
//! and marked where somebody else wrote them. Nothing is loaded from anywhere else.

mod access;
mod act;
mod assets;
pub mod chart;
mod config;
mod enter;
mod form;
mod host;
mod live;
mod look;
mod notice;
mod pace;
mod rooms;
mod secret;
mod server;
mod sessions;
mod shell;
mod state;
mod stream;
mod talk;
mod views;

pub use access::{BrowserRow, PageAccess};
pub use config::PageConfig;
pub use host::{DeviceView, PageFault};
pub use live::{LiveEvent, LiveFeed};
pub use rooms::*;
pub use server::{PageParts, routes, rules};
pub use state::PageLanguage;
pub use views::*;

#[cfg(test)]
mod tests;
