//! PURE. What a server tells of itself while it is followed, whichever kind of server it is.

/// What an event of the server means for us.
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
    /// A command went to an item; nothing is known of its state by it.
    Commanded {
        /// The item.
        item: String,
        /// The command.
        text: String,
    },
    /// Items were added, removed or described anew: the house has to be read again.
    Layout,
    /// How far the server's start is, up to 100.
    StartLevel(u32),
    /// Nothing that matters here.
    Other,
}
