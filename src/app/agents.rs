//! The service that runs the agents of the configuration, and the handle through which others reach them.
//!
//! One task for each agent, and one for each of its sensors. In: `[agents]`, the engine, the house. Out: announcements, calls
//! through the gate, events on one bus. A stop ends the loops and their sensors. A sensor that can't be used is skipped.

mod beside;
mod effects;
mod keeping;
mod say;
mod sensing;
mod shared;
mod task;
#[cfg(test)]
mod tests;
mod world;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::task::JoinSet;

use super::brain::Brain;
use super::daemon::{Service, ServiceContext};
use crate::config::Config;
pub(super) use beside::AgentsBeside;
use joi_agent::model::ChatModel;
use joi_autonomy::agent::entry::{AgentEntries, AgentEntry};
use joi_autonomy::agent::kept::KeptAgents;
use joi_autonomy::agent::lines::Agents;
use joi_home::{Home as _, HomeServer};
use task::AgentTask;
use world::{AgentWorld, FollowHouse};

/// Returns the service; none where none is configured.
pub(super) fn agents(brain: &Brain, config: &Config, house: Option<&HomeServer>) -> Option<Service> {
    if config.agents.is_empty() {
        return None;
    }
    let house =
        house.cloned().map(|house| -> FollowHouse { Arc::new(move || (house.watch(), house.events())) });
    let world = Arc::new(AgentWorld {
        engine: Arc::clone(&brain.engine),
        announcer: brain.announcer.clone(),
        clock: Arc::clone(&brain.clock),
        bus: brain.agents.bus().clone(),
        kept: KeptAgents::new(brain.store.clone()),
        house,
    });
    let tasks = made(&world, &config.agents, &brain.agents);
    let tasks = Arc::new(Mutex::new(tasks));
    let run = move |context: ServiceContext| {
        let tasks = Arc::clone(&tasks);
        async move {
            let mut tasks = tasks.lock().await;
            let mut running = JoinSet::new();
            for task in tasks.drain(..) {
                running.spawn(task.run(context.stop.clone()));
            }
            while let Some(ended) = running.join_next().await {
                if let Err(error) = ended {
                    tracing::error!(%error, "an agent has broken down; it begins anew when joi starts");
                }
            }
            context.stop.cancelled().await;
            Ok(())
        }
    };
    let service = Service::new("agents", "the agents of the configuration neither look nor answer", run);
    Some(service.end_within(Duration::from_secs(5)))
}

/// Makes the tasks of all agents, which `agents` reaches from then on. Nothing runs yet.
fn made<M: ChatModel + 'static>(
    world: &Arc<AgentWorld<M>>,
    entries: &AgentEntries,
    agents: &Agents,
) -> Vec<AgentTask<M>> {
    let mut tasks = Vec::new();
    for (name, entry) in entries {
        let Some(requests) = agents.requests(name) else { continue };
        let task = AgentTask::new(Arc::clone(world), name, entry.clone(), requests);
        report_problems(name, entry);
        agents.shows(name, task.row());
        tasks.push(task);
    }
    tasks
}

/// Logs each sensor that is skipped, and each field that is updated and does not exist.
fn report_problems(name: &str, entry: &AgentEntry) {
    let key = format!("agents.{name}");
    for problem in entry.sensors(&key).1 {
        tracing::error!(%problem, "a sensor is skipped");
    }
    for warning in entry.unknown_updates(&key) {
        tracing::warn!(%warning, "a sensor updates a field that does not exist");
    }
}
