//! The tools of agents: messages, notes, learnings, tasks, earlier sessions, items of the day.
//!
//! Futures of a run. They write rows of the agent itself, so that a call changes nothing outside of it; whose words a row
//! holds stands in it. A message ends the run.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use joi_base::message::Origin;
use joi_language::Language;
use joi_redact::redact;
use joi_schedule::announce::Announcer;
use joi_store::{NewCell, Store, StoreError, WorkRow};
use joi_tools::{Arguments, Call, Effect, Output, Source, Tool, ToolError, schema};
use serde_json::{Value, json};

use crate::kind::OwnTool;
use crate::limits::LONGEST_TEXT;
use joi_autonomy::agent::bus::AgentBus;

mod history;
mod message;
mod notes;
mod task;

pub(crate) use message::deliver;

/// The name of the tool whose call ends a run.
pub const SEND_MESSAGE: &str = "send_message";

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

/// A tool of an agent.
pub struct AgentTool {
    which: OwnTool,
    run: Arc<RunTools>,
}

impl AgentTool {
    /// The tool of this run.
    pub fn new(which: OwnTool, run: Arc<RunTools>) -> Self {
        Self { which, run }
    }
}

fn text(longest: usize) -> Value {
    json!({ "type": "string", "maxLength": longest })
}

impl Tool for AgentTool {
    fn name(&self) -> &str {
        match self.which {
            OwnTool::SendMessage => SEND_MESSAGE,
            OwnTool::CreateNote => "create_note",
            OwnTool::ReadNotes => "read_notes",
            OwnTool::ManageLearning => "manage_learning",
            OwnTool::CreateTask => "create_task",
            OwnTool::SearchHistory => "search_agent_history",
            OwnTool::AddFeedItem => "add_feed_item",
        }
    }

    fn description(&self) -> &str {
        match self.which {
            OwnTool::SendMessage => "tell the owner one to three short sentences; it ends your run",
            OwnTool::CreateNote => "keep a note: text, and the source it comes from",
            OwnTool::ReadNotes => "read your notes; words to look for, or none for the newest",
            OwnTool::ManageLearning => "what the owner likes or wants: add, remove by number, or list",
            OwnTool::CreateTask => "have something researched without you: a name and instructions",
            OwnTool::SearchHistory => "search earlier talks with the owner, within so many days",
            OwnTool::AddFeedItem => "add an item to the news of the day, with its source",
        }
    }

    fn schema(&self) -> Value {
        match self.which {
            OwnTool::SendMessage => schema::object(json!({ "text": text(600) }), &["text"]),
            OwnTool::CreateNote => {
                schema::object(json!({ "text": text(LONGEST_TEXT), "source": text(200) }), &["text"])
            }
            OwnTool::ReadNotes => schema::object(json!({ "words": text(100) }), &[]),
            OwnTool::ManageLearning => {
                let action = json!({ "type": "string", "enum": ["add", "remove", "list"] });
                let rows = json!({ "action": action, "text": text(300), "number": { "type": "integer" } });
                schema::object(rows, &["action"])
            }
            OwnTool::CreateTask => schema::object(
                json!({ "name": text(60), "instructions": text(LONGEST_TEXT) }),
                &["name", "instructions"],
            ),
            OwnTool::SearchHistory => {
                schema::object(json!({ "query": text(200), "days": { "type": "integer" } }), &["query"])
            }
            OwnTool::AddFeedItem => {
                schema::object(json!({ "text": text(300), "source": text(200) }), &["text", "source"])
            }
        }
    }

    fn effect(&self, _: &Arguments) -> Effect {
        Effect::Looks
    }

    fn in_words(&self, _: &Arguments, _: &Language) -> String {
        self.name().to_owned()
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        let run = &self.run;
        async move {
            match self.which {
                OwnTool::SendMessage => message::send(run, call).await,
                OwnTool::CreateNote => notes::create(run, call).await,
                OwnTool::ReadNotes => notes::read(run, call).await,
                OwnTool::ManageLearning => notes::learning(run, call).await,
                OwnTool::CreateTask => task::create(run, call).await,
                OwnTool::SearchHistory => history::search(run, call).await,
                OwnTool::AddFeedItem => notes::feed(run, call).await,
            }
        }
        .boxed()
    }
}

impl RunTools {
    /// Returns the agent that notes belong to: the goal of a task, or the agent itself.
    pub(crate) fn keeper(&self) -> i64 {
        if self.row.parent == 0 { self.row.id } else { self.row.parent }
    }

    /// Adds a cell that shows a call in the thread.
    async fn shows(&self, call: &Call<'_>, text: String) -> Result<(), ToolError> {
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
fn origin(source: Source) -> Origin {
    match source {
        Source::Own => Origin::Ours,
        Source::Foreign => Origin::Stranger,
    }
}

/// Returns whose words rows of this origin are for the model.
fn source_of(origin: Origin) -> Source {
    if origin == Origin::Stranger { Source::Foreign } else { Source::Own }
}

/// Returns an argument without secrets.
fn clean(call: &Call<'_>, name: &str) -> String {
    redact(call.text(name)).into_string()
}

fn lost(error: StoreError) -> ToolError {
    ToolError::TellModel(format!("it could not be stored: {error}"))
}
