//! Goals that live for weeks, the tasks that do their research, and the assistant that knows them all.
//!
//! [`Orchestrator`](orchestrator::Orchestrator) claims an agent and runs it once; the turn itself is the engine's; what may be called is decided by the
//! gate. [`GoalsTool`](goals_tool::GoalsTool) is what the user talks with. What decides is pure: [`status`], [`retry`], [`health`], [`archive`],
//! [`modes`], [`next`]. What a type of agent may do stands in [`kind`] as data; nothing asks which type it is.

pub mod archive;
pub mod config;
pub mod desk;
pub mod goals_tool;
pub mod health;
pub mod kind;
pub mod limits;
pub mod modes;
pub mod names;
pub mod next;
pub mod orchestrator;
pub mod owner;
pub mod prompt;
pub mod retry;
pub mod status;
#[cfg(test)]
mod tests;
mod told;
pub mod tools;
pub mod usage;
