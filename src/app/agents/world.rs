//! What all agents of the program share.
//!
//! Plain handles; nothing runs here.

use std::sync::Arc;

use tokio::sync::{broadcast, watch};

use joi_agent::Engine;
use joi_autonomy::agent::bus::AgentBus;
use joi_autonomy::agent::kept::KeptAgents;
use joi_base::clock::Clock;
use joi_home::{HomeView, ServerEvent};
use joi_schedule::announce::Announcer;

/// Readings that wait for an agent. When full, its sensors wait.
pub(super) const READINGS: usize = 64;

/// The house as sensors follow it.
pub(super) type HouseFeed =
    Arc<dyn Fn() -> (watch::Receiver<HomeView>, broadcast::Receiver<ServerEvent>) + Send + Sync>;

/// What all agents share.
pub(super) struct AgentWorld<M> {
    pub(super) engine: Arc<Engine<M>>,
    pub(super) announcer: Announcer,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) bus: AgentBus,
    pub(super) kept: KeptAgents,
    pub(super) house: Option<HouseFeed>,
}
