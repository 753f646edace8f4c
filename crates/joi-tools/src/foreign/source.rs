//! All programs that bring tools by one protocol: what the program does with them, whatever the protocol is.
//!
//! Any thread. In: the configuration of the source. Out: tools in a registry, and a row for each program.

use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

/// A program that brings tools, as `joi status` and `joi doctor` show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolServerRow {
    /// Its name.
    pub name: String,
    /// Whether its tools can be called, or it is switched off.
    pub is_well: bool,
    /// Its state in words.
    pub told: String,
    /// Number of its tools.
    pub tools: usize,
}

/// The programs of one protocol, whose tools come into a registry and go out of it.
pub trait ToolSource: Send + Sync {
    /// Returns whether there is no program to look after.
    fn is_empty(&self) -> bool;

    /// Looks after the programs until `stop`; then ends them.
    fn run(&self, stop: CancellationToken) -> BoxFuture<'static, ()>;

    /// Waits until each program has its tools, or is known to be down; `limit` at most, or as long as the slowest may take to
    /// start. Cancel-safe.
    fn settled(&self, limit: Option<Duration>) -> BoxFuture<'_, ()>;

    /// Returns a row for each program, in the order of their names.
    fn rows(&self) -> Vec<ToolServerRow>;

    /// Returns what shows why the program `name` does not work.
    fn remedy(&self, name: &str) -> String;

    /// Reads again which programs there are. Blocks while files are read.
    fn read_again(&self);
}
