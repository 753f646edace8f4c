//! Whose words a call brings, and what the channel does afterwards.
//!
//! Any thread. Pure: no I/O, no clock.

/// The author of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The owner, or a computation.
    Own,
    /// A stranger: from here on the turn is tainted.
    Foreign,
}

/// The part of a call that the channel carries out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Raises the volume by a step.
    Louder,
    /// Lowers the volume by a step.
    Quieter,
    /// Sets the volume, in percent, 0 to 100.
    Volume(u8),
    /// Stops speech and ends the conversation.
    StopTalking,
}
