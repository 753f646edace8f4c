//! A small server that answers as Home Assistant does, on the loopback address.
//!
//! It is made after the published
//! descriptions of the REST and WebSocket interfaces: login, states, registries, what is exposed to assistants, services,
//! events. It has no devices: states follow services. It has no history, no templates, no user interface.

mod house;
mod rest;
mod socket;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use super::connection::CutListener;
use house::HassHouse;

/// The token it knows when none is wanted.
pub const TOKEN: &str = "demo-token";
/// Events that are kept for a socket that is slow.
const EVENTS: usize = 16_384;
/// How long a state takes to follow a service.
const FOLLOWS: Duration = Duration::from_millis(8);

/// How the server is set up.
#[derive(Debug, Clone)]
pub struct HassWants {
    /// As which version it behaves.
    pub version: String,
    /// The only token it knows.
    pub token: String,
    /// Whether the token's user is an administrator.
    pub is_admin: bool,
    /// 0: any free port.
    pub port: u16,
    /// How long a state takes to follow a service.
    pub follows: Duration,
}

impl Default for HassWants {
    fn default() -> Self {
        Self {
            version: "2026.11.1".to_owned(),
            token: TOKEN.to_owned(),
            is_admin: true,
            port: 0,
            follows: FOLLOWS,
        }
    }
}

/// How the server answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HassPhase {
    /// As it should.
    #[default]
    Running,
    /// It answers, and says that it is starting; entities are missing.
    Starting,
    /// A proxy's 502.
    BadGateway,
    /// Services are called and obeyed, but the answer never comes.
    Mute,
}

/// A service that was called, with what came with it.
#[derive(Debug, Clone, PartialEq)]
pub struct HassCall {
    /// `light.turn_on`.
    pub service: String,
    /// The entity and the values.
    pub data: Value,
}

/// The state that all connections share.
struct HassShared {
    version: String,
    is_admin: bool,
    follows: Duration,
    state: Mutex<HassState>,
    events: broadcast::Sender<Arc<Value>>,
    calls: broadcast::Sender<HassCall>,
}

struct HassState {
    house: HassHouse,
    token: String,
    phase: HassPhase,
    /// No event and no answer to a ping goes out.
    is_silent: bool,
    calls: Vec<HassCall>,
    run: CancellationToken,
}

impl HassShared {
    fn state(&self) -> MutexGuard<'_, HassState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, event: Value) {
        let _ = self.events.send(Arc::new(event));
    }
}

/// A server that runs until it is dropped.
pub struct DemoHass {
    shared: Arc<HassShared>,
    address: SocketAddr,
    run: CancellationToken,
}

impl DemoHass {
    /// Starts a server on the loopback address.
    ///
    /// # Errors
    /// The port is taken.
    pub async fn start(wants: HassWants) -> io::Result<Self> {
        let run = CancellationToken::new();
        let state = HassState {
            house: HassHouse::furnished()?,
            token: wants.token,
            phase: HassPhase::Running,
            is_silent: false,
            calls: Vec::new(),
            run: run.clone(),
        };
        let shared = Arc::new(HassShared {
            version: wants.version,
            is_admin: wants.is_admin,
            follows: wants.follows,
            state: Mutex::new(state),
            events: broadcast::channel(EVENTS).0,
            calls: broadcast::channel(1024).0,
        });
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, wants.port)).await?;
        let address = listener.local_addr()?;
        serve(listener, Arc::clone(&shared), run.clone());
        Ok(Self { shared, address, run })
    }

    /// Returns its address.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Services from now on.
    pub fn services(&self) -> broadcast::Receiver<HassCall> {
        self.shared.calls.subscribe()
    }

    /// The services that were called so far.
    pub fn calls(&self) -> Vec<HassCall> {
        self.shared.state().calls.clone()
    }

    /// Sets the state of an entity as a device would, and some of its attributes.
    pub fn set(&self, entity: &str, state: &str, attributes: &Value) {
        let event = self.shared.state().house.set(entity, Some(state), attributes);
        event.into_iter().for_each(|event| self.shared.send(event));
    }

    /// Shows an entity to assistants, or hides it. Clients see it when they read the registry again.
    pub fn expose(&self, entity: &str, is_exposed: bool) {
        let event = self.shared.state().house.expose(entity, is_exposed);
        self.shared.send(event);
    }

    /// Sends a message down every socket as it is.
    pub fn send_raw(&self, text: &str) {
        self.shared.send(Value::String(text.to_owned()));
    }

    /// Answers so from now on.
    pub fn phase(&self, phase: HassPhase) {
        self.shared.state().phase = phase;
        if phase == HassPhase::Running {
            self.shared.send(house::event("homeassistant_started", &Value::Null));
        }
    }

    /// Whether sockets stay open without any message.
    pub fn silent(&self, is_silent: bool) {
        self.shared.state().is_silent = is_silent;
    }

    /// Knows this token only.
    pub fn token(&self, token: &str) {
        token.clone_into(&mut self.shared.state().token);
    }

    /// Cuts every connection; the server goes on.
    ///
    /// # Errors
    /// The port was taken meanwhile.
    pub async fn cut(&mut self) -> io::Result<()> {
        self.run.cancel();
        let phase = self.shared.state().phase;
        self.start_again(phase).await
    }

    /// Stops: every connection ends, nothing answers.
    pub fn stop(&mut self) {
        self.run.cancel();
    }

    /// Listens again on the same port, in `phase`.
    ///
    /// # Errors
    /// The port was taken meanwhile.
    pub async fn start_again(&mut self, phase: HassPhase) -> io::Result<()> {
        let mut listener = TcpListener::bind(self.address).await;
        for _ in 0..50 {
            if listener.is_ok() {
                break;
            }
            tokio::task::yield_now().await;
            listener = TcpListener::bind(self.address).await;
        }
        self.run = CancellationToken::new();
        {
            let mut state = self.shared.state();
            (state.phase, state.run) = (phase, self.run.clone());
        }
        serve(listener?, Arc::clone(&self.shared), self.run.clone());
        Ok(())
    }
}

impl Drop for DemoHass {
    fn drop(&mut self) {
        self.run.cancel();
    }
}

fn serve(listener: TcpListener, shared: Arc<HassShared>, run: CancellationToken) {
    let routes = rest::routes(shared);
    let listener = CutListener::new(listener, run.clone());
    tokio::spawn(async move {
        tokio::select! {
            () = run.cancelled() => {}
            served = axum::serve(listener, routes) => {
                if let Err(error) = served {
                    tracing::warn!(%error, "the demo house stopped");
                }
            }
        }
    });
}
