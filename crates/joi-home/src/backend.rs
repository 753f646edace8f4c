//! The interface of a home automation server: a house to watch, commands, the state of an item.
//!
//! Any thread. [`Home`] takes only what [`House::order`] has made, which checks permission, range and caution. [`command`] is the way to send one: it waits until the
//! state follows, and never sends twice.

mod event;
mod expected;

use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::fault::HomeFault;
use super::house::{House, Item, ItemState, Ordered};
pub use event::ServerEvent;
use expected::{Expected, Follows};

/// Time for a state to follow a command before the command counts as not confirmed.
pub const FOLLOWS_WITHIN: Duration = Duration::from_secs(2);

/// The house and the state of its connection.
#[derive(Debug, Clone, Default)]
pub struct HomeView {
    /// As last read. While the connection is lost its names and rooms are kept, its states are unknown.
    pub house: House,
    /// The connection.
    pub link: HomeLink,
}

/// The state of the connection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum HomeLink {
    /// Nothing was received yet.
    #[default]
    Connecting,
    /// The server is still starting: states may be missing, commands are not sent.
    Starting,
    /// States are live, commands are taken.
    Up {
        /// The server's version.
        version: String,
    },
    /// It is lost; reconnecting goes on.
    Lost {
        /// Why.
        fault: HomeFault,
    },
}

impl HomeLink {
    /// Whether states are live and commands are taken.
    pub fn is_up(&self) -> bool {
        matches!(self, Self::Up { .. })
    }
}

/// A command failed, or its outcome is unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendFault {
    /// It did not reach the house and may be sent again.
    #[error(transparent)]
    NotSent(HomeFault),
    /// It was sent without an answer and may have been carried out: never repeat it unasked.
    #[error("sent, but no answer came ({0}); it may have been carried out")]
    OutcomeUnknown(HomeFault),
}

/// A home automation server.
pub trait Home: Send + Sync {
    /// Watches the house and the connection.
    fn watch(&self) -> watch::Receiver<HomeView>;

    /// Sends one command, once. `Ok` means that the server has queued it, not that a device has obeyed.
    fn send<'a>(&'a self, ordered: &'a Ordered) -> BoxFuture<'a, Result<(), SendFault>>;

    /// Asks the server for the state of an item, whatever the watched house says.
    fn state<'a>(&'a self, item: &'a str) -> BoxFuture<'a, Result<ItemState, HomeFault>>;
}

/// The outcome of a command.
#[derive(Debug, Clone, PartialEq)]
pub enum CommandOutcome {
    /// The state is as ordered.
    Done(ItemState),
    /// The state moves towards it, as a shutter does for half a minute.
    Underway(ItemState),
    /// Taken by the server, but the state did not follow in time: report exactly this.
    NotConfirmed(ItemState),
    /// Taken by the server; no state reflects it (stop, next title).
    Sent,
    /// It failed.
    Failed(SendFault),
}

impl CommandOutcome {
    /// Whether it did not reach the house.
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Failed(SendFault::NotSent(_)))
    }
}

/// Sends a command once and waits up to `within` until the item's state follows.
///
/// A state read straight after a command may still be the old one. When `within` is over the server is asked once more.
pub async fn command(home: &dyn Home, ordered: &Ordered, within: Duration) -> CommandOutcome {
    let mut seen = home.watch();
    let before = {
        let view = seen.borrow_and_update();
        if !view.link.is_up() {
            let fault = match &view.link {
                HomeLink::Lost { fault } => fault.clone(),
                HomeLink::Starting => HomeFault::Starting { why: "still starting".to_owned() },
                HomeLink::Connecting | HomeLink::Up { .. } => HomeFault::NotConnected,
            };
            return CommandOutcome::Failed(SendFault::NotSent(fault));
        }
        view.house.item(&ordered.item).cloned()
    };
    let Some(item) = before else {
        let fault = HomeFault::NoItem { item: ordered.item.clone() };
        return CommandOutcome::Failed(SendFault::NotSent(fault));
    };
    let until = Instant::now() + within;
    if let Err(fault) = home.send(ordered).await {
        return CommandOutcome::Failed(fault);
    }
    read_back(home, ordered, &item, (seen, until)).await
}

/// Waits up to `within` until the state follows a command that was sent when the item was as in `before`. Sends nothing.
pub async fn confirm(home: &dyn Home, ordered: &Ordered, before: &Item, within: Duration) -> CommandOutcome {
    read_back(home, ordered, before, (home.watch(), Instant::now() + within)).await
}

async fn read_back(
    home: &dyn Home,
    ordered: &Ordered,
    before: &Item,
    (mut seen, until): (watch::Receiver<HomeView>, Instant),
) -> CommandOutcome {
    let Some(expected) = Expected::after(&ordered.text, before) else { return CommandOutcome::Sent };
    let mut last = Follows::No;
    loop {
        let now = seen.borrow_and_update().house.item(&ordered.item).map(|item| item.state.clone());
        if let Some(state) = now {
            last = expected.follows(&state);
            if last == Follows::Reached {
                return CommandOutcome::Done(state);
            }
        }
        if !matches!(timeout_at(until, seen.changed()).await, Ok(Ok(()))) {
            break;
        }
    }
    let state = match home.state(&ordered.item).await {
        Ok(state) => {
            last = expected.follows(&state);
            state
        }
        Err(_) => {
            seen.borrow().house.item(&ordered.item).map_or_else(ItemState::unknown, |i| i.state.clone())
        }
    };
    match last {
        Follows::Reached => CommandOutcome::Done(state),
        Follows::Towards => CommandOutcome::Underway(state),
        Follows::No => CommandOutcome::NotConfirmed(state),
    }
}
