//! What of the agents outlasts the program: tokens of the hour, calls that wait for a yes or run, a rest.
//!
//! One row of the database holds all agents, written when one of them changes. In: the state of an agent. Out: the same
//! after a restart. A row that can't be read counts as none, and is reported. Fields, readings and the record of turns are
//! not in it: they are brought anew, or break no promise when they are gone.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use joi_store::{AGENTS, Store, StoreError};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use super::approval::AgentApproval;

/// The state of one agent that outlasts the program.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptAgent {
    /// Tokens spent within the last hour, each with its moment.
    pub tokens: Vec<(Timestamp, u64)>,
    /// The number of its last call that needed a yes.
    pub last: u32,
    /// Calls that wait for a yes.
    pub waiting: Vec<AgentApproval>,
    /// Calls that were granted, and of which the outcome is not known yet.
    pub running: Vec<AgentApproval>,
    /// The owner has it rest.
    pub is_paused: bool,
}

/// The same of all agents; clones share it.
#[derive(Clone)]
pub struct KeptAgents {
    store: Option<Store>,
    /// Nothing before it was read.
    all: Arc<Mutex<Option<BTreeMap<String, KeptAgent>>>>,
}

impl KeptAgents {
    /// Keeps them in `store`; without one nothing outlasts the program.
    pub fn new(store: Option<Store>) -> Self {
        Self { store, all: Arc::default() }
    }

    /// Returns what an earlier run has kept of an agent.
    pub async fn of(&self, agent: &str) -> KeptAgent {
        let mut all = self.all.lock().await;
        self.known(&mut all).await.get(agent).cloned().unwrap_or_default()
    }

    /// Keeps the state of an agent; when this returns, it is on the disk.
    ///
    /// # Errors
    /// The database's; what was kept before is still there.
    pub async fn keep(&self, agent: &str, kept: KeptAgent) -> Result<(), StoreError> {
        let mut all = self.all.lock().await;
        let known = self.known(&mut all).await;
        if known.get(agent) == Some(&kept) {
            return Ok(());
        }
        let mut changed = known.clone();
        changed.insert(agent.to_owned(), kept);
        if let Some(store) = &self.store {
            let written = serde_json::to_string(&changed);
            let written = written.map_err(|error| StoreError::Record(error.to_string()))?;
            store.set_setting(AGENTS, written).await?;
        }
        *known = changed;
        Ok(())
    }

    async fn known<'a>(
        &self,
        all: &'a mut Option<BTreeMap<String, KeptAgent>>,
    ) -> &'a mut BTreeMap<String, KeptAgent> {
        if all.is_none() {
            *all = Some(self.read().await);
        }
        all.get_or_insert_default()
    }

    async fn read(&self) -> BTreeMap<String, KeptAgent> {
        let Some(store) = &self.store else { return BTreeMap::new() };
        let read = match store.setting(AGENTS).await {
            Ok(text) => {
                serde_json::from_str(text.as_deref().unwrap_or("{}")).map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        read.unwrap_or_else(|error| {
            tracing::error!(error, "what was kept of the agents can't be read; their limits begin anew");
            BTreeMap::new()
        })
    }
}
