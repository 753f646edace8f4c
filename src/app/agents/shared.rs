//! What the task of an agent and its futures share: its state, its record, the way to the bus.
//!
//! Each lock is held for a look or a change alone.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::world::AgentWorld;
use joi_autonomy::agent::entry::AgentEntry;
use joi_autonomy::agent::hot_state::HotState;
use joi_autonomy::agent::news::{AgentEvent, AgentNews};
use joi_autonomy::agent::observe::Record;
use joi_autonomy::agent::pace::AgentLoop;
use joi_autonomy::agent::set_state::SharedHotState;

/// A call that has begun to wait for a yes.
pub(super) struct WaitingDeed {
    pub(super) id: u32,
    pub(super) tool: String,
    pub(super) in_words: String,
}

/// What the futures of an agent share.
pub(super) struct AgentShared<M> {
    pub(super) world: Arc<AgentWorld<M>>,
    pub(super) name: String,
    pub(super) entry: AgentEntry,
    pub(super) hot: SharedHotState,
    state: Mutex<AgentLoop>,
    record: Mutex<Record>,
    /// Ends the turn that runs.
    turn: Mutex<CancellationToken>,
    pub(super) asked: mpsc::Sender<WaitingDeed>,
}

impl<M> AgentShared<M> {
    /// The state of an agent that begins now.
    pub(super) fn new(
        world: Arc<AgentWorld<M>>,
        name: &str,
        entry: AgentEntry,
        asked: mpsc::Sender<WaitingDeed>,
    ) -> Self {
        let hot: SharedHotState = Arc::new(Mutex::new(HotState::new(&entry.fields)));
        let state = Mutex::new(AgentLoop::new(&entry, world.clock.now().timestamp()));
        Self {
            world,
            name: name.to_owned(),
            entry,
            hot,
            state,
            record: Mutex::default(),
            turn: Mutex::default(),
            asked,
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, AgentLoop> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn hot(&self) -> MutexGuard<'_, HotState> {
        self.hot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A turn by itself begins; what ends it early.
    pub(super) fn begin_turn(&self) -> CancellationToken {
        let token = CancellationToken::new();
        *self.turn.lock().unwrap_or_else(PoisonError::into_inner) = token.clone();
        token
    }

    /// Ends the turn that runs.
    pub(super) fn end_turn(&self) {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    /// Sends an event to the bus; `words` stand apart.
    pub(super) fn report(&self, news: AgentNews, words: Option<String>) {
        let (agent, at) = (self.name.clone(), self.world.clock.now().timestamp());
        self.world.bus.send(AgentEvent { news, agent, at, words });
    }
}
