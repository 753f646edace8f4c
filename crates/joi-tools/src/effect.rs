//! What a call does, whose words it brings, and what the channel does afterwards: the plain values of the gate.
//!
//! Any thread. Pure: no I/O, no clock.

/// The effect of a call on anything outside the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Only reads the owner's own data.
    Looks,
    /// Brings in words of strangers.
    Fetches,
    /// Writes into the memory.
    Remembers,
    /// Changes something in the world.
    Changes,
    /// Changes something that always needs a yes, and is forbidden after words of strangers: opens a door.
    Risks,
    /// Ends the conversation, and does nothing else.
    Ends,
}

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
