//! The service that works on goals.
//!
//! One task. In: rows of the database, nudges that they have changed, requests to the assistant, time. Out: runs of agents, one at a
//! time beside talks, announcements, events on the bus of agents. Without a database there are no goals. A stop drops what runs; the
//! next start gives it back.

mod feed;
pub(super) mod handle;
mod task;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex as StdMutex};
use std::time::Duration;

use tokio::sync::{Mutex, mpsc};

use super::brain::Brain;
use super::daemon::{Service, ServiceContext};
use crate::config::Config;
use handle::ASSISTANT;
use joi_goals::desk::DeskWorld;
use joi_goals::kind::TYPES;
use joi_goals::orchestrator::Orchestrator;
use task::GoalTask;

/// Calls whose question waits to be announced.
const QUESTIONS: usize = 8;

/// Returns the service, which the assistant is reached by from then on; nothing where goals are switched off or there is no
/// database.
pub(super) fn goals(brain: &Brain, config: &Config) -> Option<Service> {
    let store = brain.store.clone().filter(|_| config.goals.enabled)?;
    // An agent of the configuration keeps its name: then nobody talks with the assistant.
    let is_named = !config.agents.contains_key(ASSISTANT);
    let requests = is_named.then(|| brain.agents.requests(ASSISTANT)).flatten();
    let (asked, calls) = mpsc::channel(QUESTIONS);
    let world = DeskWorld {
        store,
        clock: Arc::clone(&brain.clock),
        bus: brain.agents.bus().clone(),
        config: config.goals.clone(),
        approvals: StdMutex::default(),
        asked: Some(asked),
    };
    let orchestrator = Orchestrator::new(Arc::clone(&brain.engine), brain.announcer.clone(), world, TYPES);
    let task = GoalTask::new(
        Arc::new(orchestrator),
        (Arc::clone(&brain.engine), brain.announcer.clone()),
        brain.goals.clone(),
        (requests, calls),
        feed::to_impulse(brain.awareness.clone()),
    );
    if is_named {
        brain.agents.shows(ASSISTANT, task.row());
    }
    let task = Arc::new(Mutex::new(task));
    let run = move |context: ServiceContext| {
        let task = Arc::clone(&task);
        async move {
            task.lock().await.run(context.stop).await;
            Ok(())
        }
    };
    let service = Service::new("goals", "nobody works on goals, and what is said to them waits", run);
    Some(service.end_within(Duration::from_secs(5)))
}
