//! What a home automation server has to offer: a house to watch, commands, one item's state.
//!
//! Any thread. [`Home`] is narrow, so that a second kind of server fits behind it. Permission, range and caution are
//! checked before: it takes only what [`House::order`] has made. [`command`] is the way to send one: it waits until the
//! state follows, and never sends twice.

mod event;
mod expected;
#[cfg(test)]
mod tests;

use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::fault::HomeFault;
use super::house::{House, Item, ItemState, Ordered};
pub use event::ServerEvent;
pub use expected::{Expected, Follows};

/// How long a state may take to follow a command before that is told.
pub const FOLLOWS_WITHIN: Duration = Duration::from_secs(2);

/// The house and whether it is true at the moment.
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
    /// Nothing was heard yet.
    #[default]
    Connecting,
    /// The server answers, but is not through with its start: states may be missing, commands are not sent.
    Starting,
    /// States are live, commands are taken.
    Up {
        /// The server's version.
        version: String,
    },
    /// It is gone, and is asked again and again.
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

/// Why a command was not taken, or is not known to have been.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendFault {
    /// It did not reach the house: it may be said again.
    #[error(transparent)]
    NotSent(HomeFault),
    /// It was written to the connection, and no answer came. Nobody knows whether it was done: it is never repeated
    /// without being asked for.
    #[error("sent, but no answer came ({0}); nobody knows whether it was done")]
    OutcomeUnknown(HomeFault),
}

/// A home automation server.
pub trait Home: Send + Sync {
    /// The house and the connection, now and whenever they change.
    fn watch(&self) -> watch::Receiver<HomeView>;

    /// Sends one command, once. Done means that the server has queued it, not that a device has obeyed.
    fn send<'a>(&'a self, ordered: &'a Ordered) -> BoxFuture<'a, Result<(), SendFault>>;

    /// Asks the server for one item's state, past what is watched.
    fn state<'a>(&'a self, item: &'a str) -> BoxFuture<'a, Result<ItemState, HomeFault>>;
}

/// What became of a command.
#[derive(Debug, Clone, PartialEq)]
pub enum CommandOutcome {
    /// The state is as ordered.
    Done(ItemState),
    /// The state moves towards it, as a shutter does for half a minute.
    Underway(ItemState),
    /// Taken by the server, but the state did not follow in time: tell exactly this.
    NotConfirmed(ItemState),
    /// Taken by the server; no state can tell whether it was done (stop, next title).
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

/// Sends a command and waits up to `within` until the item's state follows. One command goes out, whatever happens.
///
/// A state read straight after a command may still be the old one, so that an old state proves nothing before `within` is
/// over; then the server is asked once more.
pub async fn command(home: &dyn Home, ordered: &Ordered, within: Duration) -> CommandOutcome {
    let mut seen = home.watch();
    let before = {
        let view = seen.borrow_and_update();
        if !view.link.is_up() {
            let fault = match &view.link {
                HomeLink::Lost { fault } => fault.clone(),
                HomeLink::Starting => HomeFault::Starting { why: "its start is not through".to_owned() },
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

/// Waits up to `within` until the state follows a command that was sent before, to an item as it was then. Nothing goes
/// out.
pub async fn followed(home: &dyn Home, ordered: &Ordered, before: &Item, within: Duration) -> CommandOutcome {
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
