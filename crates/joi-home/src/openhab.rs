//! openHAB 4.x and 5.x over its REST interface and its stream of events.
//!
//! [`OpenHab`] is the handle: any thread, cheap to clone. [`Follower`] is the one task that keeps the house true; without
//! it nothing is ever connected. In: address, token, rules. Out: the house to watch, commands. It refuses to send what
//! was not checked, to send twice, to follow redirects, to load pictures.

mod answers;
pub(super) mod events;
mod frames;
mod rest;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::{broadcast, watch};

pub use super::address::ServerAddress;
pub use super::backend::ServerEvent;
use super::backend::{Home, HomeView, SendFault};
use super::fault::HomeFault;
pub use super::follow::Follower;
use super::follow::{Followed, HubClient};
use super::house::{House, HouseRules, ItemState, Ordered};
use super::hub::Hub;
use super::server::ServerCheck;
pub use super::token::{HomeToken, TokenSource};
use rest::RestClient;

/// A server, as it is spoken to.
#[derive(Clone)]
pub struct OpenHab {
    rest: Arc<RestClient>,
    followed: Followed,
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
        let (follower, followed) = Follower::new(Arc::<RestClient>::clone(&rest), rules);
        Ok((Self { rest, followed }, follower))
    }

    /// What the server sends, from now on.
    pub fn events(&self) -> broadcast::Receiver<ServerEvent> {
        self.followed.events.subscribe()
    }

    /// Reads the house once, without the follower.
    ///
    /// # Errors
    /// What is wrong, for the user.
    pub async fn read_once(&self, rules: &HouseRules) -> Result<House, HomeFault> {
        self.rest.renew_token()?;
        Arc::clone(&self.rest).read(rules.clone()).await.map(|read| read.house)
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
        Ok(ServerCheck::of(Hub::OpenHab, &read))
    }
}

impl Home for OpenHab {
    fn watch(&self) -> watch::Receiver<HomeView> {
        self.followed.view.clone()
    }

    fn send<'a>(&'a self, ordered: &'a Ordered) -> BoxFuture<'a, Result<(), SendFault>> {
        Box::pin(async move {
            let sent = self.rest.command(&ordered.item, &ordered.text).await;
            self.followed.sent(&ordered.item, &sent);
            sent
        })
    }

    fn state<'a>(&'a self, item: &'a str) -> BoxFuture<'a, Result<ItemState, HomeFault>> {
        Box::pin(async move {
            let kind = self.followed.view.borrow().house.item(item).map(|item| item.kind.clone());
            let kind = kind.ok_or_else(|| HomeFault::NoItem { item: item.to_owned() })?;
            if kind == super::house::ItemKind::Image {
                return Ok(ItemState::read("", &kind));
            }
            self.rest.state(item).await.map(|text| ItemState::read(&text, &kind))
        })
    }
}
