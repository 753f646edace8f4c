//! The Model Context Protocol: tools of other programs, and joi's own for other programs ([`serve`]).
//!
//! [`McpService`] holds the servers that the configuration names: one task for each starts it, lists its tools, restarts
//! it, and puts the tools into the registry under the server's id, or takes them out. [`lifecycle`] decides all of that
//! without doing it. A server that hangs, lies or dies costs its own tools and delays nobody. Everything that one says
//! is a stranger's: `joi_tools::foreign` makes tools of it, the gate of the tools decides.
//!
//! The library rmcp is used for the wire alone ([`connection`]). Not used of it: its environment and process handling
//! (an own environment and process group), its endless paging, its cache of lists, OAuth, sampling, roots, elicitation.

mod approval;
mod arguments;
mod config;
mod connection;
#[cfg(test)]
mod doubles;
mod entry;
pub mod lifecycle;
mod listing;
mod process;
mod result;
mod secrets;
pub mod serve;
mod server;
mod service;
mod status;
mod tool;

pub use approval::{ApprovalFault, Approvals};
pub use config::file::{self, FileFault};
pub use config::{Lifecycle, McpConfig, ServerEntry};
pub use connection::{CallFault, InputAnswers, McpConnection};
pub use entry::{LoadFault, McpServer, McpServers};
pub use lifecycle::{Beginning, StartFault};
pub use listing::ListedTool;
pub use secrets::{SecretFault, Secrets};
pub use serve::McpServeConfig;
pub use service::McpService;
pub use status::{ServerStatus, ToolStatus};
