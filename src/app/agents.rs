//! The service that runs the agents of the configuration, and the handle through which others reach them.
//!
//! One task for each agent, and one for each of its sensors. In: `[agents]`, the engine, the house. Out: announcements, calls
//! through the gate, events on one bus. A stop ends the loops and their sensors. A sensor that can't be used is skipped.

mod effects;
mod say;
mod sensing;
mod shared;
mod task;
#[cfg(test)]
mod tests;
mod world;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;

use super::brain::Brain;
use super::daemon::{Service, ServiceContext};
use crate::config::Config;
use crate::control::{AgentLine, Agents, StatusBoard};
use joi_agent::model::ChatModel;
use joi_autonomy::agent::bus::AgentBus;
use joi_autonomy::agent::entry::{AgentEntries, AgentEntry};
use joi_home::{Home as _, HomeServer};
use task::AgentTask;
use world::{AgentWorld, HouseFeed};

/// Requests to an agent that wait. When full, further ones are refused.
const REQUESTS: usize = 4;

/// Returns the service, and shows the agents on `board`, the assistant above the goals among them; none where none is
/// configured.
pub(super) fn agents(
    brain: &Brain,
    config: &Config,
    house: Option<&HomeServer>,
    board: &StatusBoard,
    (bus, assistant): (AgentBus, Option<AgentLine>),
) -> Option<Service> {
    // An agent of the configuration keeps its name.
    let assistant = assistant.filter(|line| !config.agents.contains_key(&line.name));
    if config.agents.is_empty() {
        if let Some(assistant) = assistant {
            board.has_agents(Agents::new(bus, vec![assistant]));
        }
        return None;
    }
    let house =
        house.cloned().map(|house| -> HouseFeed { Arc::new(move || (house.watch(), house.events())) });
    let world = Arc::new(AgentWorld {
        engine: Arc::clone(&brain.engine),
        announcer: brain.announcer.clone(),
        clock: Arc::clone(&brain.clock),
        bus,
        house,
    });
    let (mut lines, tasks) = made(&world, &config.agents);
    lines.extend(assistant);
    board.has_agents(Agents::new(world.bus.clone(), lines));
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

/// Makes the tasks of all agents, and the lines to them. Nothing runs yet.
fn made<M: ChatModel + 'static>(
    world: &Arc<AgentWorld<M>>,
    entries: &AgentEntries,
) -> (Vec<AgentLine>, Vec<AgentTask<M>>) {
    let (mut lines, mut tasks) = (Vec::new(), Vec::new());
    for (name, entry) in entries {
        let (requests, asked) = mpsc::channel(REQUESTS);
        let task = AgentTask::new(Arc::clone(world), name, entry.clone(), asked);
        report_problems(name, entry);
        lines.push(AgentLine { name: name.clone(), requests, row: task.row() });
        tasks.push(task);
    }
    (lines, tasks)
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
