//! A server of the Model Context Protocol: what joi offers to other programs.
//!
//! [`ToolDesk`] carries out calls inside the running program, and decides with [`McpServeConfig`] and the gate what another
//! program may do. [`serve_stdio`] and [`http_routes`] speak the protocol over whatever implements [`HouseTools`]: the desk
//! itself, or the control socket of the program that has it.
//!
//! The library rmcp speaks both eras, from `initialize` on and without it. Not used of it: its macros for tools (the tools
//! are rows of a table), sessions over HTTP (each request stands alone, as from 2026-07-28 on), events that can be resumed,
//! prompts, resources, tasks, sampling, elicitation, and notices of changed lists, since what is served is decided once, at
//! the start.

mod catalog;
pub(crate) mod config;
mod desk;
mod protocol;
#[cfg(test)]
mod tests;

use std::future::Future;

use joi_tools::Arguments;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use config::McpServeConfig;
pub use desk::{AskedAnswer, DeskParts, OutsideQuestion, ToolDesk};
pub use protocol::{ServeFault, http_routes, serve_stdio};

/// A tool as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedTool {
    /// Its name.
    pub name: String,
    /// A name for people.
    pub title: String,
    /// What it does.
    pub description: String,
    /// The JSON schema of its arguments.
    pub schema: Value,
    /// Whether it changes nothing.
    pub is_reading: bool,
}

/// The served tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedList {
    /// Tools that may be called.
    pub tools: Vec<ServedTool>,
    /// Names of those that the owner has not switched on.
    pub off: Vec<String>,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallAnswer {
    /// The result.
    Done(String),
    /// Why there is none, with what helps.
    Failed(String),
    /// No tool has this name.
    Unknown(String),
}

/// Tools of the house, here or in the running program.
pub trait HouseTools: Send + Sync + 'static {
    /// Returns what is served; or why that is not known.
    fn listed(&self) -> impl Future<Output = Result<ServedList, String>> + Send;

    /// Calls a tool. Dropping the future cancels the call.
    fn call(&self, name: &str, arguments: Arguments) -> impl Future<Output = CallAnswer> + Send;
}
