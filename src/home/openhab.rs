//! openHAB 4.x and 5.x over its REST interface and its stream of events.
//!
//! [`OpenHab`] is the handle: any thread, cheap to clone. [`Follower`] is the one task that keeps the house true; without
//! it nothing is ever connected. In: address, token, rules. Out: the house to watch, commands. It refuses to send what
//! was not checked, to send twice, to follow redirects, to load pictures.

mod address;
mod answers;
mod events;
mod follow;
mod frames;
mod link;
mod rest;
#[cfg(test)]
mod tests;
mod token;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::{Notify, broadcast, watch};

use super::backend::{Home, HomeView, SendFault};
use super::fault::HomeFault;
use super::house::{HouseRules, ItemState, Ordered};
pub use address::ServerAddress;
pub use events::ServerEvent;
pub use follow::Follower;
use rest::RestClient;
pub use token::{CREDENTIAL, HomeToken, TokenSource};

/// Events that are kept for somebody who is slow; the oldest are lost then.
const EVENTS: usize = 1024;

/// A server, as it is spoken to.
#[derive(Clone)]
pub struct OpenHab {
    rest: Arc<RestClient>,
    view: watch::Receiver<HomeView>,
    events: broadcast::Sender<ServerEvent>,
    doubted: Arc<Notify>,
}

/// What a server says of itself and of us, asked once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCheck {
    /// Its version.
    pub version: String,
    /// How many items it has.
    pub items: usize,
    /// Whether any of them is in the semantic model.
    pub has_semantics: bool,
    /// Rooms, floors, buildings, gardens.
    pub locations: usize,
}

impl OpenHab {
    /// A server at `address`, and the task that keeps it connected.
    ///
    /// # Errors
    /// The HTTP client can't be made.
    pub fn new(
        address: ServerAddress,
        token: TokenSource,
        rules: HouseRules,
    ) -> Result<(Self, Follower), HomeFault> {
        let rest = Arc::new(RestClient::new(address, token)?);
        let (sender, view) = watch::channel(HomeView::default());
        let (events, _) = broadcast::channel(EVENTS);
        let doubted = Arc::new(Notify::new());
        let follower = Follower {
            rest: Arc::clone(&rest),
            rules,
            view: sender,
            events: events.clone(),
            doubted: Arc::clone(&doubted),
        };
        Ok((Self { rest, view, events, doubted }, follower))
    }

    /// What the server sends, from now on.
    pub fn events(&self) -> broadcast::Receiver<ServerEvent> {
        self.events.subscribe()
    }

    /// Reads the house once, without the follower.
    ///
    /// # Errors
    /// What is wrong, for the user.
    pub async fn read_once(&self, rules: &HouseRules) -> Result<super::house::House, HomeFault> {
        self.rest.renew_token()?;
        let vocabulary = self.rest.vocabulary().await;
        self.rest.house(&vocabulary, rules).await.map(|read| read.house)
    }

    /// Where the server is, without a login.
    pub fn address(&self) -> String {
        self.rest.address().to_string()
    }

    /// Asks the server once, without the follower: whether it is one, whether it takes the token, what it has.
    ///
    /// # Errors
    /// What is wrong, for the user.
    pub async fn check(&self) -> Result<ServerCheck, HomeFault> {
        self.rest.renew_token()?;
        let read = self.rest.house(&super::house::TagVocabulary::default(), &HouseRules::default()).await?;
        Ok(ServerCheck {
            version: read.version,
            items: read.house.items().len(),
            has_semantics: read.house.has_semantics(),
            locations: read.house.locations().len(),
        })
    }
}

impl Home for OpenHab {
    fn watch(&self) -> watch::Receiver<HomeView> {
        self.view.clone()
    }

    fn send<'a>(&'a self, ordered: &'a Ordered) -> BoxFuture<'a, Result<(), SendFault>> {
        Box::pin(async move {
            let sent = self.rest.command(&ordered.item, &ordered.text).await;
            if let Err(SendFault::NotSent(fault) | SendFault::OutcomeUnknown(fault)) = &sent {
                tracing::info!(item = ordered.item, %fault, "a command failed");
                if *fault != HomeFault::Refused {
                    self.doubted.notify_one();
                }
            }
            sent
        })
    }

    fn state<'a>(&'a self, item: &'a str) -> BoxFuture<'a, Result<ItemState, HomeFault>> {
        Box::pin(async move {
            let kind = self.view.borrow().house.item(item).map(|item| item.kind.clone());
            let kind = kind.ok_or_else(|| HomeFault::NoItem { item: item.to_owned() })?;
            if kind == super::house::ItemKind::Image {
                return Ok(ItemState::read("", &kind));
            }
            self.rest.state(item).await.map(|text| ItemState::read(&text, &kind))
        })
    }
}
