//! The server that is meant, whichever kind it is: one handle and one task for the rest of the program.
//!
//! Any thread, cheap to clone. In: which kind, where, with which token. Out: what [`Home`] offers, and a check for
//! `joi home connect` and `joi doctor`.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::{broadcast, watch};

use super::address::ServerAddress;
use super::backend::{Home, HomeView, SendFault, ServerEvent};
use super::fault::HomeFault;
use super::follow::{Follower, ReadHouse};
use super::hass::HomeAssistant;
use super::house::{House, HouseRules, ItemState, Ordered};
use super::hub::Hub;
use super::openhab::OpenHab;
use super::token::TokenSource;

/// What a server says of itself and of us, asked once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCheck {
    /// Which kind of server it is.
    pub hub: Hub,
    /// Its version.
    pub version: String,
    /// How many items it has.
    pub items: usize,
    /// Whether any of them is in a room or an equipment.
    pub has_semantics: bool,
    /// Rooms, floors, buildings, gardens.
    pub locations: usize,
}

impl ServerCheck {
    pub(super) fn of(hub: Hub, read: &ReadHouse) -> Self {
        Self {
            hub,
            version: read.version.clone(),
            items: read.house.items().len(),
            has_semantics: read.house.has_semantics(),
            locations: read.house.locations().len(),
        }
    }
}

/// Where a house is, and how to get in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubPlace {
    /// Which kind of server it is.
    pub hub: Hub,
    /// Its address.
    pub address: ServerAddress,
    /// Where its token is looked for.
    pub token: TokenSource,
}

/// A server, as it is spoken to.
#[derive(Clone)]
pub enum HomeServer {
    /// openHAB.
    OpenHab(OpenHab),
    /// Home Assistant.
    HomeAssistant(HomeAssistant),
}

impl HomeServer {
    /// The server at `place`, and the task that keeps it connected.
    ///
    /// # Errors
    /// The HTTP client can't be made.
    pub fn new(place: HubPlace, rules: HouseRules) -> Result<(Self, Follower), HomeFault> {
        let HubPlace { hub, address, token } = place;
        Ok(match hub {
            Hub::OpenHab => {
                let (house, follower) = OpenHab::new(address, token, rules)?;
                (Self::OpenHab(house), follower)
            }
            Hub::HomeAssistant => {
                let (house, follower) = HomeAssistant::new(address, token, rules)?;
                (Self::HomeAssistant(house), follower)
            }
        })
    }

    /// Which kind of server it is.
    pub fn hub(&self) -> Hub {
        match self {
            Self::OpenHab(_) => Hub::OpenHab,
            Self::HomeAssistant(_) => Hub::HomeAssistant,
        }
    }

    /// What the server sends, from now on.
    pub fn events(&self) -> broadcast::Receiver<ServerEvent> {
        match self {
            Self::OpenHab(house) => house.events(),
            Self::HomeAssistant(house) => house.events(),
        }
    }

    /// Where the server is, without a login.
    pub fn address(&self) -> String {
        match self {
            Self::OpenHab(house) => house.address(),
            Self::HomeAssistant(house) => house.address(),
        }
    }

    /// Reads the house once, without the follower.
    ///
    /// # Errors
    /// What is wrong, for the user.
    pub async fn read_once(&self, rules: &HouseRules) -> Result<House, HomeFault> {
        match self {
            Self::OpenHab(house) => house.read_once(rules).await,
            Self::HomeAssistant(house) => house.read_once(rules).await,
        }
    }

    /// Asks the server once, without the follower: whether it is one, whether it takes the token, what it has.
    ///
    /// # Errors
    /// What is wrong, for the user.
    pub async fn check(&self) -> Result<ServerCheck, HomeFault> {
        match self {
            Self::OpenHab(house) => house.check().await,
            Self::HomeAssistant(house) => house.check().await,
        }
    }

    /// As what the rest of the program needs of it.
    pub fn shared(&self) -> Arc<dyn Home> {
        Arc::new(self.clone())
    }

    fn inner(&self) -> &dyn Home {
        match self {
            Self::OpenHab(house) => house,
            Self::HomeAssistant(house) => house,
        }
    }
}

impl Home for HomeServer {
    fn watch(&self) -> watch::Receiver<HomeView> {
        self.inner().watch()
    }

    fn send<'a>(&'a self, ordered: &'a Ordered) -> BoxFuture<'a, Result<(), SendFault>> {
        self.inner().send(ordered)
    }

    fn state<'a>(&'a self, item: &'a str) -> BoxFuture<'a, Result<ItemState, HomeFault>> {
        self.inner().state(item)
    }
}
