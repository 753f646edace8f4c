//! What the owner allows of one tool.
//!
//! Plain data. Pure: no I/O, no clock.

/// What the owner allows of a tool that another program brings, beside the configuration of all tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolPermission {
    /// Calls, as far as the other rules go.
    Allow,
    /// Calls after a yes.
    Confirm,
    /// No calls.
    Deny,
}
