//! What the tools of one run work with, and how they store what a call brings.
//!
//! Plain handles; futures of a call.

use joi_base::message::Origin;
use joi_redact::redact;
use joi_schedule::announce::Announcer;
use joi_store::{NewCell, Store, StoreError, WorkRow};
use joi_tools::{Call, Source, ToolError};

use joi_autonomy::agent::bus::AgentBus;

/// What the tools of one run work with.
pub struct RunTools {
    /// The database.
    pub store: Store,
    /// Takes what is to be said aloud.
    pub announcer: Announcer,
    /// Takes events.
    pub bus: AgentBus,
    /// The agent.
    pub row: WorkRow,
    /// The run.
    pub run: i64,
    /// Whether a message is also said aloud.
    pub is_spoken: bool,
    /// The states of what `create_task` opens.
    pub task: Option<&'static crate::kind::AgentType>,
}

impl RunTools {
    /// Returns the agent that notes belong to: the goal of a task, or the agent itself.
    pub(super) fn keeper(&self) -> i64 {
        if self.row.parent == 0 { self.row.id } else { self.row.parent }
    }

    /// Adds a cell that shows a call in the thread.
    pub(super) async fn shows(&self, call: &Call<'_>, text: String) -> Result<(), ToolError> {
        let origin = origin(call.source);
        let cell = NewCell {
            author: "agent",
            kind: "tool",
            text,
            origin,
            channel: String::new(),
            run: Some(self.run),
        };
        self.store.add_cell(self.row.id, cell, call.now.timestamp()).await.map_err(lost)?;
        Ok(())
    }
}

/// Returns whose words a text is that a call brings.
pub(super) fn origin(source: Source) -> Origin {
    match source {
        Source::Own => Origin::Ours,
        Source::Foreign => Origin::Stranger,
    }
}

/// Returns whose words rows of this origin are for the model.
pub(super) fn source_of(origin: Origin) -> Source {
    if origin == Origin::Stranger { Source::Foreign } else { Source::Own }
}

/// Returns an argument without secrets.
pub(super) fn clean(call: &Call<'_>, name: &str) -> String {
    redact(call.text(name)).into_string()
}

pub(super) fn lost(error: StoreError) -> ToolError {
    ToolError::TellModel(format!("it could not be stored: {error}"))
}
