//! A small server that answers as openHAB does, on the loopback address, with furniture in it.
//!
//! It is held to recorded answers of real servers: a state
//! read straight after a command may be the old one, a server that stops removes its items, one that starts (`start.rs`)
//! answers with pages, empty bodies and 404 in turns, and all states are NULL then. Its devices only follow commands.

mod house;
mod routes;
mod shared;
mod socket;
mod start;
#[cfg(test)]
mod tests;
mod values;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::broadcast;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::connection::CutListener;
use house::{DemoEvent, DemoHouse};
pub use shared::{DemoPhase, DemoRequest};
use shared::{DemoShared, DemoState};
pub use start::DemoStart;

/// The furnished house: a family house with two floors, in the words of 5.x.
const FURNITURE: &str = include_str!("../../../assets/home/demo.json");
/// Events that are kept for a stream that is slow.
const EVENTS: usize = 16_384;
/// How long a state takes to follow a command.
const FOLLOWS: Duration = Duration::from_millis(8);

/// How the server is set up.
#[derive(Debug, Clone)]
pub struct DemoWants {
    /// As which version it behaves: "5.2.1", "4.3.11".
    pub version: String,
    /// The only token it knows. Without one any token is wrong.
    pub token: Option<String>,
    /// Whether somebody without a token may read and command.
    pub is_open: bool,
    /// 0: any free port.
    pub port: u16,
    /// The rows of the item list; empty: the furnished house.
    pub items: Vec<Value>,
    /// How long a state takes to follow a command.
    pub follows: Duration,
    /// How it begins.
    pub start: DemoStart,
}

impl Default for DemoWants {
    fn default() -> Self {
        Self {
            version: "5.2.1".to_owned(),
            token: None,
            is_open: true,
            port: 0,
            items: Vec::new(),
            follows: FOLLOWS,
            start: DemoStart::Ready,
        }
    }
}

/// A server that runs until it is dropped.
pub struct DemoHome {
    shared: Arc<DemoShared>,
    address: SocketAddr,
    run: CancellationToken,
    listening: DemoListening,
}

/// The task that takes new connections.
struct DemoListening {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl DemoHome {
    /// Starts a server on the loopback address.
    ///
    /// # Errors
    /// The port is taken, or the items can't be read.
    pub async fn start(wants: DemoWants) -> io::Result<Self> {
        let items = if wants.items.is_empty() { serde_json::from_str(FURNITURE)? } else { wants.items };
        let run = CancellationToken::new();
        let state = DemoState {
            house: DemoHouse::new(items),
            token: wants.token,
            phase: DemoPhase::Running,
            is_silent: false,
            commands: Vec::new(),
            run: run.clone(),
        };
        let shared = Arc::new(DemoShared {
            version: wants.version,
            is_open: wants.is_open,
            follows: wants.follows,
            state: Mutex::new(state),
            events: broadcast::channel(EVENTS).0,
            requests: broadcast::channel(1024).0,
        });
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, wants.port)).await?;
        let address = listener.local_addr()?;
        start::begin(&shared, wants.start, run.clone());
        let listening = serve(listener, Arc::clone(&shared), run.clone());
        Ok(Self { shared, address, run, listening })
    }

    /// Returns its address, `http://127.0.0.1:8080`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Subscribes to requests, from now on.
    pub fn requests(&self) -> broadcast::Receiver<DemoRequest> {
        self.shared.requests.subscribe()
    }

    /// Returns the commands taken so far: item and text.
    pub fn commands(&self) -> Vec<(String, String)> {
        self.shared.state().commands.clone()
    }

    /// Sets a state as a device would.
    pub fn set(&self, item: &str, text: &str) {
        self.shared.set(item, text);
    }

    /// Sends bytes down every stream as they are.
    pub fn send_raw(&self, frame: &str) {
        let _ = self.shared.events.send(Arc::new(DemoEvent::raw(frame)));
    }

    /// Answers so from now on.
    pub fn phase(&self, phase: DemoPhase) {
        self.shared.state().phase = phase;
    }

    /// Whether streams stay open without any event.
    pub fn silent(&self, is_silent: bool) {
        self.shared.state().is_silent = is_silent;
    }

    /// Knows this token only.
    pub fn token(&self, token: Option<&str>) {
        self.shared.state().token = token.map(str::to_owned);
    }

    /// Describes an item anew, or adds it.
    pub fn put_item(&self, row: Value) {
        let events = self.shared.state().house.put(row);
        self.shared.send(events);
    }

    /// Cuts every connection; the server goes on.
    pub async fn cut(&mut self) -> io::Result<()> {
        self.run.cancel();
        self.back().await
    }

    /// Goes silent, as a machine whose power is cut: streams stay open and silent, new connections are
    /// refused.
    pub async fn vanish(&mut self) {
        self.silent(true);
        self.listening.stop.cancel();
        // It ends at once; whether it panicked makes no difference.
        let _ = (&mut self.listening.task).await;
    }

    /// Stops as a real server does: every item is removed, then nothing answers.
    pub fn stop(&mut self) {
        let events = self.shared.state().house.removals();
        self.shared.send(events);
        self.shared.state().phase = DemoPhase::NoService;
        let _ = self.shared.events.send(Arc::new(DemoEvent::end()));
        self.run.cancel();
    }

    /// Listens again on the same port, without any state, in `phase`.
    ///
    /// # Errors
    /// The port was taken meanwhile.
    pub async fn start_again(&mut self, phase: DemoPhase) -> io::Result<()> {
        {
            let mut state = self.shared.state();
            state.house.forget();
            state.phase = phase;
        }
        self.back().await
    }

    async fn back(&mut self) -> io::Result<()> {
        let mut listener = TcpListener::bind(self.address).await;
        for _ in 0..50 {
            if listener.is_ok() {
                break;
            }
            tokio::task::yield_now().await;
            listener = TcpListener::bind(self.address).await;
        }
        self.run = CancellationToken::new();
        self.shared.state().run = self.run.clone();
        self.listening = serve(listener?, Arc::clone(&self.shared), self.run.clone());
        Ok(())
    }
}

impl Drop for DemoHome {
    fn drop(&mut self) {
        self.run.cancel();
    }
}

/// Serves until `run` is cancelled, which cuts every connection; the port is free as soon as it listens no more.
fn serve(listener: TcpListener, shared: Arc<DemoShared>, run: CancellationToken) -> DemoListening {
    let stop = run.child_token();
    let routes = routes::routes(shared);
    let listener = CutListener::new(listener, run);
    let stopped = stop.clone();
    let task = tokio::spawn(async move {
        tokio::select! {
            () = stopped.cancelled() => {}
            served = axum::serve(listener, routes) => {
                if let Err(error) = served {
                    tracing::warn!(%error, "the demo house stopped");
                }
            }
        }
    });
    DemoListening { stop, task }
}
