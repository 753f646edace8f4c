//! The process of the embedded model server: a child, or a server that outlives the program.
//!
//! Plain data, owned by the task that keeps the model server.

use super::child::ChildServer;
use super::lingering::LingeringServer;

/// The process of a running server.
#[derive(Debug)]
pub(super) enum ServerProcess {
    /// Ends with this program.
    Child(ChildServer),
    /// May outlive this program.
    Lingering(LingeringServer),
}
