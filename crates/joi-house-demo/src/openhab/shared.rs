//! The state of the house to try, which all its connections share.
//!
//! Any task. Input: states and commands. Output: events for every stream.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use super::house::{DemoEvent, DemoHouse};

/// How the server answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DemoPhase {
    /// As it should.
    #[default]
    Running,
    /// A page of the web server, status 404.
    WebServerPage,
    /// "No service was found.", status 404.
    NoService,
    /// Nothing, status 404; the root answers 200 with nothing.
    Empty,
    /// A page, status 500.
    Broken,
    /// The list of items is there and empty.
    NoItems,
    /// The items are not there; everything else is.
    ItemsMissing,
    /// A proxy's 502.
    BadGateway,
    /// Commands are taken and obeyed, but the answer never comes.
    Mute,
}

/// A request that came, for tests and for `joi home demo`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoRequest {
    /// GET, POST, PUT.
    pub method: String,
    /// With the query.
    pub path: String,
    /// As it was sent.
    pub body: String,
}

/// The state that all connections share.
pub(super) struct DemoShared {
    pub(super) version: String,
    pub(super) is_open: bool,
    pub(super) follows: Duration,
    pub(super) state: Mutex<DemoState>,
    pub(super) events: broadcast::Sender<Arc<DemoEvent>>,
    pub(super) requests: broadcast::Sender<DemoRequest>,
}

pub(super) struct DemoState {
    pub(super) house: DemoHouse,
    pub(super) token: Option<String>,
    pub(super) phase: DemoPhase,
    /// No event and no sign of life goes out.
    pub(super) is_silent: bool,
    pub(super) commands: Vec<(String, String)>,
    /// Cancelled when all connections are cut.
    pub(super) run: CancellationToken,
}

impl DemoShared {
    pub(super) fn state(&self) -> MutexGuard<'_, DemoState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets a state as a device would, and sends its events.
    pub(super) fn set(&self, item: &str, text: &str) {
        let events = self.state().house.set(item, text);
        self.send(events);
    }

    /// Takes a command, and obeys a moment later; nothing when it is refused. The item has to exist.
    pub(super) fn take(self: &Arc<Self>, item: &str, text: &str) -> Option<()> {
        let obeyed = {
            let mut state = self.state();
            let obeyed = state.house.command(item, text)?;
            state.commands.push((item.to_owned(), text.to_owned()));
            obeyed
        };
        let later = Arc::clone(self);
        tokio::spawn(async move {
            later.send(obeyed.events);
            tokio::time::sleep(later.follows).await;
            for (item, state) in obeyed.states {
                later.set(&item, &state);
            }
        });
        Some(())
    }

    pub(super) fn send(&self, events: Vec<DemoEvent>) {
        for event in events {
            let _ = self.events.send(Arc::new(event));
        }
    }
}
