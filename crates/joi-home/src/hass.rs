//! Home Assistant over its REST and WebSocket interfaces.
//!
//! [`HomeAssistant`] is the handle: any thread, cheap to clone. Its follower is the one task that keeps the house true. In:
//! address, long-lived token, rules. Out: the house to watch, commands. What its owner does not expose to assistants
//! does not exist here. It refuses to send what was not checked, to send twice, to follow redirects.

pub mod client;
mod entity;
pub mod model;
pub mod registry;
mod services;
mod socket;
mod states;
#[cfg(test)]
pub(crate) mod tests;
mod words;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::{broadcast, watch};

use super::address::ServerAddress;
use super::backend::{Home, HomeView, SendFault, ServerEvent};
use super::fault::HomeFault;
use super::follow::{Followed, Follower, HubClient as _};
use super::house::{House, HouseRules, ItemState, Ordered};
use super::hub::Hub;
use super::server::ServerCheck;
use super::token::TokenSource;
use client::HassClient;

/// A server, as it is spoken to.
#[derive(Clone)]
pub struct HomeAssistant {
    client: Arc<HassClient>,
    followed: Followed,
}

impl HomeAssistant {
    /// A server at `address`, and the task that keeps it connected.
    ///
    /// # Errors
    /// The HTTP client can't be made.
    pub fn new(
        address: ServerAddress,
        token: TokenSource,
        rules: HouseRules,
    ) -> Result<(Self, Follower), HomeFault> {
        let client = Arc::new(HassClient::new(address, token)?);
        let (follower, followed) = Follower::new(Arc::<HassClient>::clone(&client), rules);
        Ok((Self { client, followed }, follower))
    }

    /// Whether it is Home Assistant that answers at `address`.
    pub async fn answers(address: &ServerAddress) -> bool {
        client::answers(address).await
    }

    /// What the server sends, from now on.
    pub fn events(&self) -> broadcast::Receiver<ServerEvent> {
        self.followed.events.subscribe()
    }

    /// Where the server is, without a login.
    pub fn address(&self) -> String {
        self.client.address().to_string()
    }

    /// Reads the house once, without the follower.
    ///
    /// # Errors
    /// What is wrong, for the user.
    pub async fn read_once(&self, rules: &HouseRules) -> Result<House, HomeFault> {
        Arc::clone(&self.client).read(rules.clone()).await.map(|read| read.house)
    }

    /// Asks the server once, without the follower: whether it is one, whether it takes the token, what it has.
    ///
    /// # Errors
    /// What is wrong, for the user.
    pub async fn check(&self) -> Result<ServerCheck, HomeFault> {
        let read = Arc::clone(&self.client).read(HouseRules::default()).await?;
        Ok(ServerCheck::of(Hub::HomeAssistant, &read))
    }
}

impl Home for HomeAssistant {
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
            let kind = self.followed.view.borrow().house.item(item).map(|item| item.kind.clone());
            let kind = kind.ok_or_else(|| HomeFault::NoItem { item: item.to_owned() })?;
            // What stands for all scenes is no entity: its state is known by events alone.
            if !item.contains('.') {
                let known = self.followed.view.borrow().house.item(item).map(|item| item.state.clone());
                return Ok(known.unwrap_or_else(ItemState::unknown));
            }
            self.client.state(item).await.map(|text| ItemState::read(&text, &kind))
        })
    }
}
