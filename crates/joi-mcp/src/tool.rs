//! One tool of a server, as the agent sees it.
//!
//! Any thread; calls run as Tokio tasks. In: what the server lists of it, and what the owner allows. Out: an
//! [`Output`] in a stranger's words, or a failure that the model may correct. A server that is gone is a failure at once:
//! nothing waits for it. It asks the gate nothing itself; it only says what it is.

use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use joi_language::{Language, fill};
use joi_tools::gate::ToolPermission;
use joi_tools::{Arguments, Call, Effect, Output, Tool, ToolError, fence};
use serde_json::Value;
use tokio::sync::{mpsc, watch};

use crate::arguments::ArgumentCheck;
use crate::config::ServerEntry;
use crate::connection::{CallFault, McpConnection};
use crate::listing::ListedTool;
use crate::policy::{self, Approval};
use crate::result::{self, Outcome};
use crate::status::{ToolStatus, permission_name};
use crate::words::{self, ToolCues};
use crate::{name, schema};

/// Longest text of an error for the model, in characters.
const LONGEST_ERROR: usize = 600;
/// Longest value in a question, in characters.
const LONGEST_VALUE: usize = 80;
/// Time beyond the server's own limit, so that its own answer comes first.
const SPARE: Duration = Duration::from_secs(2);

/// The way to a server, as far as there is one.
#[derive(Clone)]
pub(crate) struct Line {
    /// The connection of the moment.
    pub(crate) connection: watch::Receiver<Option<McpConnection>>,
    /// Takes word that it may be gone.
    pub(crate) doubts: mpsc::Sender<()>,
}

/// A tool of a server.
pub struct McpTool {
    name: String,
    server: String,
    listed: ListedTool,
    description: String,
    schema: Value,
    permission: ToolPermission,
    seen: Approval,
    words: ToolCues,
    check: ArgumentCheck,
    limits: (Duration, Duration),
    line: Line,
}

/// A server, as its tools see it.
pub(crate) struct Owner<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) entry: &'a ServerEntry,
    pub(crate) line: &'a Line,
}

impl McpTool {
    /// Makes the tools of a server. Of two with the same name the second is left out.
    pub(crate) fn all(owner: &Owner<'_>, listed: &[ListedTool], seen: &[Approval]) -> Vec<Self> {
        let originals: Vec<String> = listed.iter().map(|tool| tool.name.clone()).collect();
        let names = name::of_tools(owner.id, &originals);
        let known = listed.iter().zip(seen).zip(names);
        known.filter_map(|((tool, seen), name)| Some(Self::new(owner, tool, *seen, name?))).collect()
    }

    fn new(owner: &Owner<'_>, listed: &ListedTool, seen: Approval, name: String) -> Self {
        let description = match schema::first_sentence(&listed.description) {
            none if none.is_empty() => schema::first_sentence(&listed.title),
            first => first,
        };
        let entry = owner.entry;
        let seconds = |s: u32| Duration::from_secs(u64::from(s));
        Self {
            server: owner.name.to_owned(),
            permission: policy::permission(entry, &listed.name, listed.annotations, seen),
            words: words::of(owner.name, &listed.name, &listed.description, &entry.cues),
            check: ArgumentCheck::new(&listed.schema),
            schema: schema::reduced(&listed.schema),
            limits: (seconds(entry.timeout_s), seconds(entry.longest_s.max(entry.timeout_s))),
            listed: listed.clone(),
            line: owner.line.clone(),
            description,
            name,
            seen,
        }
    }

    /// Returns its row in a status.
    pub fn status(&self) -> ToolStatus {
        let sent =
            self.listed.schema.to_string().len() + self.listed.description.len() + self.listed.name.len();
        ToolStatus {
            tool: self.listed.name.clone(),
            name: self.name.clone(),
            permission: permission_name(self.permission).to_owned(),
            fingerprint: self.listed.fingerprint(),
            has_changed: self.seen == Approval::Changed,
            description: self.description.clone(),
            bytes: sent,
            reduced_bytes: self.schema.to_string().len() + self.description.len() + self.name.len(),
        }
    }

    /// Returns whether a model may see it.
    pub(crate) fn is_offered(&self) -> bool {
        self.permission != ToolPermission::Deny
    }

    /// Calls it with arguments that are checked here.
    ///
    /// # Errors
    /// Why there is no result, in words for the model; a server's own words are fenced.
    pub async fn ask(&self, arguments: &Arguments) -> Result<String, String> {
        let checked = self.check.checked(arguments).map_err(|fault| {
            let fault = fence::shortened(&fault, LONGEST_ERROR);
            format!("{} was not called: {fault}. Correct the arguments.", self.name)
        })?;
        let connection = self.line.connection.borrow().clone();
        let Some(connection) = connection else {
            return Err(format!("{} is not there at the moment: its server does not answer.", self.name));
        };
        match connection.call(&self.listed.name, checked, self.limits).await {
            Ok(result) => match result::read(&result, self.listed.shape()) {
                Outcome::Done(text) => Ok(text),
                Outcome::Failed(why) => {
                    Err(format!("{} failed:\n{}", self.name, fence::wrap(&why, LONGEST_ERROR)))
                }
            },
            Err(CallFault::Refused(why)) => {
                Err(format!("{} refused the call:\n{}", self.name, fence::wrap(&why, LONGEST_ERROR)))
            }
            Err(fault) => {
                if matches!(fault, CallFault::Lost(_)) {
                    let _ = self.line.doubts.try_send(());
                }
                Err(format!("{}: {fault}.", self.name))
            }
        }
    }
}

impl Tool for McpTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn schema(&self) -> Value {
        self.schema.clone()
    }

    fn effect(&self, _: &Arguments) -> Effect {
        policy::effect(self.listed.annotations)
    }

    fn permission(&self) -> ToolPermission {
        self.permission
    }

    fn hands_out(&self) -> bool {
        true
    }

    fn owned_cues(&self) -> &[String] {
        &self.words.strong
    }

    fn weak_cues(&self) -> &[String] {
        &self.words.weak
    }

    fn in_words(&self, arguments: &Arguments, language: &Language) -> String {
        let plain = |name: &str| name.replace(['_', '-', '.'], " ");
        let value = |value: &Value| match value {
            Value::String(text) => fence::shortened(text, LONGEST_VALUE),
            other => fence::shortened(&other.to_string(), LONGEST_VALUE),
        };
        let values: Vec<String> = arguments.values().filter(|value| !value.is_null()).map(value).collect();
        let (tool, values) = (fence::shortened(&plain(&self.listed.name), 60), values.join(", "));
        let say = &language.sentences().tools;
        let sentence = if values.is_empty() { &say.ask_outside } else { &say.ask_outside_with };
        fill(sentence, &[("tool", &tool), ("server", &plain(&self.server)), ("values", &values)])
    }

    fn is_brief(&self) -> bool {
        false
    }

    fn time_limit(&self) -> Duration {
        self.limits.1 + SPARE
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        async move { self.ask(call.arguments).await.map(Output::foreign).map_err(ToolError::TellModel) }
            .boxed()
    }
}
