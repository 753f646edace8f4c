//! The house: a model of rooms and items, and the home automation servers it is read from.
//!
//! [`house`] is pure and knows neither a server nor speech: the rest of the program understands, asks and commands in its
//! types. [`Home`] is the interface of a server; [`HomeServer`] implements it for every kind in [`HUBS`]. Nothing here
//! decides what an utterance means, and nothing here speaks.
//!
//! ```
//! use joi_home::house::{HouseRules, ItemCommand};
//! use joi_home::{HomeServer, Hub, HubPlace, ServerAddress, TokenSource};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let demo = joi_house_demo::DemoHome::start(Default::default()).await?;
//! let address = ServerAddress::read(&demo.url())?;
//! let place = HubPlace { hub: Hub::default(), address, token: TokenSource::None };
//! let (server, _) = HomeServer::new(place, HouseRules::default())?;
//! let house = server.read_once(&HouseRules::default()).await?;
//! let order = house.order("Hall_Light", &ItemCommand::On);
//! assert_eq!(order.unwrap().text, "ON");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `examples/follow.rs` follows a house and prints what changes in it.

mod address;
mod backend;
mod config;
mod discover;
mod fault;
mod follow;
pub mod house;
mod http;
mod hub;
mod hubs;
mod link;
mod remedy;
mod server;
mod stored;
mod token;
mod wire_text;

pub use address::{ServerAddress, is_exact};
pub use backend::{
    CommandOutcome, FOLLOWS_WITHIN, Home, HomeLink, HomeView, SendFault, ServerEvent, command, confirm,
};
pub use config::HomeConfig;
pub use discover::{FoundHome, SearchRange, find_servers};
pub use fault::HomeFault;
pub use follow::Follower;
pub use hub::Hub;
#[cfg(any(test, feature = "testing"))]
pub use hubs::hass::house_from_hass;
pub use hubs::openhab::{SseFrame, SseFrames};
pub use hubs::{HUBS, hub_names, no_rooms};
pub use server::{HomeServer, HubPlace, ServerCheck};
pub use stored::StoredHome;
pub use token::{HomeToken, TOKEN_CREDENTIAL, TokenSource};
