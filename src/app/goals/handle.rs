//! The goals as parts of the program know them, and the tool by which the user talks about them.
//!
//! Any task; clones share it. In: what the user says. Out: a nudge for the task that works on goals, here or in the running program.

use std::sync::Arc;

use tokio::sync::Notify;

use crate::app::timers;
use crate::config::Config;
use joi_base::clock::Clock;
use joi_base::paths::Paths;
use joi_goals::goals_tool::{GoalsTool, GoalsWakeUp, KnownGoals};
use joi_store::Store;
use joi_tools::ToolRegistry;

/// The name of the assistant among the agents.
pub(in crate::app) const ASSISTANT: &str = "goals";
/// The owner of the tool in the registry.
const OWNER: &str = "goals";

/// The goals as parts of the program know them.
#[derive(Debug, Clone, Default)]
pub(in crate::app) struct GoalsHandle {
    /// Those there are, as the tool knows them.
    pub(super) known: KnownGoals,
    /// Notified when they have changed.
    pub(super) nudge: Arc<Notify>,
}

impl GoalsHandle {
    /// Has the goals read again, as they have changed.
    pub(in crate::app) fn look_again(&self) {
        self.nudge.notify_one();
    }
}

/// Puts the tool into the registry, where goals are not switched off; a program that does not work on goals itself notifies the one
/// that does, by way of `paths`.
pub(in crate::app) async fn tool(
    config: &Config,
    store: &Store,
    clock: &Arc<dyn Clock>,
    (tools, elsewhere): (&ToolRegistry, Option<&Paths>),
) -> GoalsHandle {
    let handle = GoalsHandle::default();
    if !config.goals.enabled {
        return handle;
    }
    if let Err(error) = handle.known.read(store).await {
        tracing::warn!(%error, "the goals are not known");
    }
    let wake_up: GoalsWakeUp = match elsewhere.map(timers::wake_up) {
        None => {
            let handle = handle.clone();
            Arc::new(move || handle.look_again())
        }
        Some(wake_up) => Arc::new(move || {
            let wake_up = Arc::clone(&wake_up);
            // Where nothing runs, the goals are worked on when it does.
            tokio::task::spawn_blocking(move || wake_up());
        }),
    };
    let tool =
        GoalsTool::new(store.clone(), Arc::clone(clock), handle.known.clone(), wake_up).recalled().await;
    tools.add(OWNER, vec![Arc::new(tool)]);
    handle
}
