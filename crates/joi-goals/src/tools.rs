//! The tools of agents: messages, notes, learnings, tasks, earlier sessions, items of the day.
//!
//! Futures of a run. They write rows of the agent itself, so that a call changes nothing outside of it; whose words a row
//! holds stands in it. A message ends the run.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use joi_language::Language;
use joi_tools::{Arguments, Call, Effect, Output, Tool, ToolError, schema};
use serde_json::{Value, json};

use crate::kind::OwnTool;
use crate::limits::LONGEST_TEXT;

mod history;
mod message;
mod notes;
mod scope;
mod task;

pub(crate) use message::deliver;
pub use scope::RunTools;

/// The name of the tool whose call ends a run.
pub const SEND_MESSAGE: &str = "send_message";

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
