//! Events of a server that is followed, whatever its kind.
//! Pure: no I/O, no clock.

/// An event of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerEvent {
    /// A sign of life.
    Alive,
    /// An item has this state now.
    State {
        /// The item, or the group whose member changed.
        item: String,
        /// The state as text.
        text: String,
    },
    /// A command went to an item, whose state does not follow from it.
    Commanded {
        /// The item.
        item: String,
        /// The command.
        text: String,
    },
    /// Items were added, removed or described anew: the house has to be read again.
    Layout,
    /// Progress of the server's start, up to 100.
    StartLevel(u32),
    /// Any other event.
    Other,
}
