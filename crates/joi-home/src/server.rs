//! The connected server, whichever kind it is: one handle and one task for the rest of the program.
//!
//! Any thread, cheap to clone. In: kind, address, token. Out: what [`Home`] offers, and a check for `joi home connect` and
//! `joi doctor`. Sends no command twice, and only commands that [`House::order`] has checked.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::{broadcast, watch};

use super::address::ServerAddress;
use super::backend::{Home, HomeView, SendFault, ServerEvent};
use super::fault::HomeFault;
use super::follow::{Followed, Follower};
use super::house::{House, HouseRules, ItemState, Ordered};
use super::hub::{Hub, HubClient, ReadHouse};
use super::token::TokenSource;

/// The result of asking a server once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCheck {
    /// The kind of server.
    pub hub: Hub,
    /// The server's version.
    pub version: String,
    /// The number of items.
    pub items: usize,
    /// Whether any item is in a room or an equipment.
    pub has_semantics: bool,
    /// The number of rooms, floors, buildings and gardens.
    pub locations: usize,
}

impl ServerCheck {
    fn of(hub: Hub, read: &ReadHouse) -> Self {
        Self {
            hub,
            version: read.version.clone(),
            items: read.house.items().len(),
            has_semantics: read.house.has_semantics(),
            locations: read.house.locations().len(),
        }
    }

    /// Describes the size of the house, as in "61 items, 9 rooms and floors".
    pub fn extent(&self) -> String {
        match (self.items, self.locations) {
            (0, _) => "no items".to_owned(),
            (items, 0) => format!("{items} items, none in rooms"),
            (items, locations) => format!("{items} items, {locations} rooms and floors"),
        }
    }

    /// Returns one sentence on what the owner can do about missing items or rooms; `None` when there are some.
    pub fn remedy(&self) -> Option<&'static str> {
        match (self.items, self.locations) {
            (0, _) => Some(self.hub.no_items),
            (_, 0) => Some(self.hub.no_rooms),
            _ => None,
        }
    }
}

/// A server that can be connected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubPlace {
    /// The kind of server.
    pub hub: Hub,
    /// Its address.
    pub address: ServerAddress,
    /// Where its token is looked for.
    pub token: TokenSource,
}

/// A home automation server of any kind.
#[derive(Clone)]
pub struct HomeServer {
    hub: Hub,
    client: Arc<dyn HubClient>,
    followed: Followed,
}

impl HomeServer {
    /// Creates the handle of the server at `place`, and the task that keeps it connected. Nothing is connected until the
    /// task runs.
    ///
    /// # Errors
    /// The HTTP client can't be made.
    pub fn new(place: HubPlace, rules: HouseRules) -> Result<(Self, Follower), HomeFault> {
        let HubPlace { hub, address, token } = place;
        let client = (hub.connect)(address, token)?;
        let (follower, followed) = Follower::new(Arc::clone(&client), rules);
        Ok((Self { hub, client, followed }, follower))
    }

    /// The kind of server.
    pub fn hub(&self) -> Hub {
        self.hub
    }

    /// Subscribes to the server's events, from now on.
    pub fn events(&self) -> broadcast::Receiver<ServerEvent> {
        self.followed.events.subscribe()
    }

    /// Returns the server's address without a login.
    pub fn address(&self) -> String {
        self.client.address().to_string()
    }

    /// Returns whether a server of this kind answers at the address, with or without a valid token. Does not need the
    /// follower.
    pub async fn answers(&self) -> bool {
        self.client.answers().await
    }

    /// Reads the house once. Does not need the follower.
    ///
    /// # Errors
    /// The server's fault, for the user.
    pub async fn read_once(&self, rules: &HouseRules) -> Result<House, HomeFault> {
        Arc::clone(&self.client).read(rules.clone()).await.map(|read| read.house)
    }

    /// Asks the server once for its version and the size of its house. Does not need the follower.
    ///
    /// # Errors
    /// The server's fault, for the user.
    pub async fn check(&self) -> Result<ServerCheck, HomeFault> {
        let read = Arc::clone(&self.client).read(HouseRules::default()).await?;
        Ok(ServerCheck::of(self.hub, &read))
    }

    /// Returns another handle, as the interface that the rest of the program uses.
    pub fn shared(&self) -> Arc<dyn Home> {
        Arc::new(self.clone())
    }
}

impl Home for HomeServer {
    fn watch(&self) -> watch::Receiver<HomeView> {
        self.followed.view.clone()
    }

    fn send<'a>(&'a self, ordered: &'a Ordered) -> BoxFuture<'a, Result<(), SendFault>> {
        Box::pin(async move {
            let sent = self.client.command(&ordered.item, &ordered.text).await;
            self.followed.sent(&ordered.item, &sent);
            sent
        })
    }

    fn state<'a>(&'a self, item: &'a str) -> BoxFuture<'a, Result<ItemState, HomeFault>> {
        Box::pin(async move {
            let known = self.followed.view.borrow().house.item(item).cloned();
            let known = known.ok_or_else(|| HomeFault::NoItem { item: item.to_owned() })?;
            let text = self.client.state(&known).await?;
            Ok(text.map_or(known.state, |text| ItemState::read(&text, &known.kind)))
        })
    }
}
