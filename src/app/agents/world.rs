//! What all agents of the program share.
//!
//! Plain handles; nothing runs here.

use std::sync::Arc;

use joi_agent::Engine;
use joi_autonomy::agent::bus::AgentBus;
use joi_autonomy::agent::kept::KeptAgents;
use joi_autonomy::agent::sensor::HouseFeed;
use joi_base::clock::Clock;
use joi_schedule::announce::Announcer;

/// Readings that wait for an agent. When full, its sensors wait.
pub(super) const READINGS: usize = 64;

/// Returns the house as sensors follow it, from here on.
pub(super) type FollowHouse = Arc<dyn Fn() -> HouseFeed + Send + Sync>;

/// What all agents share.
pub(super) struct AgentWorld<M> {
    pub(super) engine: Arc<Engine<M>>,
    pub(super) announcer: Announcer,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) bus: AgentBus,
    pub(super) kept: KeptAgents,
    pub(super) house: Option<FollowHouse>,
}
