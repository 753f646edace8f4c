//! The service that works on goals, and the tool by which the user talks about them.
//!
//! One task. In: rows of the database, nudges that they have changed, requests to the assistant, time. Out: runs of agents, one at a
//! time beside talks, announcements, events on the bus of agents. Without a database there are no goals. A stop drops what runs; the
//! next start gives it back.

mod task;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex as StdMutex};
use std::time::Duration;

use tokio::sync::{Mutex, Notify, mpsc};

use super::brain::Brain;
use super::daemon::{Service, ServiceContext};
use super::timers;
use crate::config::Config;
use crate::control::AgentLine;
use joi_autonomy::agent::bus::AgentBus;
use joi_base::clock::Clock;
use joi_base::paths::Paths;
use joi_goals::desk::DeskWorld;
use joi_goals::goals_tool::{GoalsTool, GoalsWakeUp, KnownGoals};
use joi_goals::kind::TYPES;
use joi_goals::orchestrator::Orchestrator;
use joi_store::Store;
use joi_tools::ToolRegistry;
use task::GoalTask;

/// The name of the assistant among the agents.
pub(super) const ASSISTANT: &str = "goals";
/// The owner of the tool in the registry.
const OWNER: &str = "goals";
/// Requests to the assistant that wait. When full, further ones are refused.
const REQUESTS: usize = 4;
/// Calls whose question waits to be announced.
const QUESTIONS: usize = 8;

/// The goals as parts of the program know them.
#[derive(Debug, Clone, Default)]
pub struct GoalsHandle {
    known: KnownGoals,
    nudge: Arc<Notify>,
}

impl GoalsHandle {
    /// Has the goals read again, as they have changed.
    pub fn look_again(&self) {
        self.nudge.notify_one();
    }
}

/// Puts the tool into the registry, where goals are not switched off; a program that does not work on goals itself notifies the one
/// that does, by way of `paths`.
pub(super) async fn tool(
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
    let tool = GoalsTool::new(store.clone(), Arc::clone(clock), handle.known.clone(), wake_up);
    tools.add(OWNER, vec![Arc::new(tool)]);
    handle
}

/// Returns the service and the line to the assistant; nothing where goals are switched off or there is no database.
pub(super) fn goals(brain: &Brain, config: &Config, bus: &AgentBus) -> Option<(Service, AgentLine)> {
    let store = brain.store.clone().filter(|_| config.goals.enabled)?;
    let (requests, asked_for) = mpsc::channel(REQUESTS);
    let (asked, calls) = mpsc::channel(QUESTIONS);
    let world = DeskWorld {
        store,
        clock: Arc::clone(&brain.clock),
        bus: bus.clone(),
        config: config.goals.clone(),
        approvals: StdMutex::default(),
        asked: Some(asked),
    };
    let orchestrator = Orchestrator::new(Arc::clone(&brain.engine), brain.announcer.clone(), world, TYPES);
    let task = GoalTask::new(
        Arc::new(orchestrator),
        (Arc::clone(&brain.engine), brain.announcer.clone()),
        brain.goals.clone(),
        (asked_for, calls),
    );
    let line = AgentLine { name: ASSISTANT.to_owned(), requests, row: task.row() };
    let task = Arc::new(Mutex::new(task));
    let run = move |context: ServiceContext| {
        let task = Arc::clone(&task);
        async move {
            task.lock().await.run(context.stop).await;
            Ok(())
        }
    };
    let service = Service::new("goals", "nobody works on goals, and what is said to them waits", run);
    Some((service.end_within(Duration::from_secs(5)), line))
}
