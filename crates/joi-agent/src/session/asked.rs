//! Requests that wait for a yes or a choice. Plain data, which the session owns and the stages fill.

use jiff::Timestamp;
use joi_schedule::announce::AnnouncedQuestion;
use joi_tools::house_deed;
use joi_understand::house::{NamedThing, PlannedBatch};

use crate::quick::recognised::Recognised;

/// A request that waits for a yes.
pub(crate) struct AskedQuick {
    /// The action to run then.
    pub(crate) recognised: Recognised<'static>,
    /// The words that it was recognised in, and whether they quote somebody.
    pub(crate) said: String,
    pub(crate) is_quoting: bool,
    /// The actions that a no refuses.
    pub(crate) deeds: Vec<String>,
    /// Until when a yes counts.
    pub(crate) until: Timestamp,
    /// It was asked once more, because the first yes could not be relied on.
    pub(crate) is_repeated: bool,
}

/// Commands that wait for a yes.
pub(crate) struct AskedCommands {
    pub(crate) batch: PlannedBatch,
    /// Until when a yes counts.
    pub(crate) until: Timestamp,
    /// It was asked once more, because the first yes could not be relied on.
    pub(crate) is_repeated: bool,
}

impl AskedCommands {
    /// The actions, as the tool names them.
    pub(crate) fn deeds(&self) -> impl Iterator<Item = String> {
        self.batch.commands.iter().map(|planned| house_deed(&planned.command))
    }
}

/// A call of an agent that waits for a yes.
pub(crate) struct AskedByAgent {
    pub(crate) question: AnnouncedQuestion,
    /// Until when a yes counts.
    pub(crate) until: Timestamp,
    /// It was asked once more, because the first yes could not be relied on.
    pub(crate) is_repeated: bool,
}

/// A question to the user: which of several, or in which room.
pub(crate) struct AskedWhich {
    /// The command or question, as the user said it.
    pub(crate) said: String,
    /// Names that were picked before.
    pub(crate) chosen: Vec<String>,
    pub(crate) things: Vec<NamedThing>,
    /// It was asked in which room.
    pub(crate) wants_place: bool,
    /// Until when an answer counts.
    pub(crate) until: Timestamp,
}
