//! `memory`: remembers something for the user, or looks for it.
//!
//! In: what to remember, or what to look for. Out: that it is stored, or what was found. It erases nothing: for
//! that the user says so themselves. Words of documents are a stranger's, and so is a result with any in it.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use crate::form::FormSource;
use crate::{Arguments, Call, Effect, Output, Source, Tool, ToolError, schema};
use joi_base::clock::Clock;
use joi_base::message::Private;
use joi_language::values::deed::{self, CallValue, ValueKind};
use joi_language::words;
use joi_language::{Language, fill};
use joi_store::{MemoryHit, MemoryKind, MemoryQuery, NewMemory, STRANGER, Store};

/// The name of the tool.
pub(crate) const NAME: &str = "memory";
/// Most entries that are found.
const MOST_FOUND: usize = 5;
/// Most words of a fact that stands in a request.
const FACT_WORDS: usize = 12;
/// The least letters of a word that is looked for.
const SHORTEST: usize = 3;

/// The tool.
pub(super) struct MemoryTool {
    store: Option<Store>,
    clock: Arc<dyn Clock>,
}

impl MemoryTool {
    /// The memory in `store`; without one every call fails honestly.
    pub(super) fn new(store: Option<Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    async fn perform(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let store = self.store.as_ref().ok_or_else(|| lost(call.language, "there is no database"))?;
        let text = call.text("text");
        if text.is_empty() {
            return Err(ToolError::TellModel("text is missing: what to remember or look for".into()));
        }
        match call.text("action") {
            "remember" => {
                let (kind, at) = (kind(call.text("about")), self.clock.now().timestamp());
                let source = if call.source == Source::Foreign { STRANGER } else { "tool" }.to_owned();
                let new = NewMemory { kind, at, text: Private(text.to_owned()), source };
                store.remember(vec![new]).await.map_err(|error| lost(call.language, &error.to_string()))?;
                Ok(Output::own(format!("remembered: {text}"))
                    .saying(&call.language.sentences().tools.remembered))
            }
            _ => {
                let words = words::words(text);
                let words = words.into_iter().filter(|word| word.chars().count() >= SHORTEST).collect();
                let now = self.clock.now().timestamp();
                let search = MemoryQuery { words, now, limit: MOST_FOUND, ..MemoryQuery::default() };
                let hits =
                    store.search(search).await.map_err(|error| lost(call.language, &error.to_string()))?;
                Ok(listed(&hits))
            }
        }
    }
}

fn lost(language: &Language, why: &str) -> ToolError {
    tracing::warn!(%why, "the memory can't be used");
    ToolError::EndTurn(language.sentences().tools.no_memory.clone())
}

fn listed(hits: &[MemoryHit]) -> Output {
    if hits.is_empty() {
        return Output::own("nothing is remembered about that");
    }
    let line = |hit: &MemoryHit| {
        let day = hit.at.strftime("%Y-%m-%d");
        format!("[{day}] {}", hit.text.0)
    };
    let lines: Vec<String> = hits.iter().map(line).collect();
    let is_foreign = hits.iter().any(MemoryHit::is_foreign);
    if is_foreign { Output::foreign(lines.join("\n")) } else { Output::own(lines.join("\n")) }
}

fn kind(about: &str) -> MemoryKind {
    match about {
        "wish" => MemoryKind::Wish,
        "world" => MemoryKind::World,
        _ => MemoryKind::User,
    }
}

impl Tool for MemoryTool {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "what the user once told: remember a fact or wish of his, or search"
    }

    fn schema(&self) -> Value {
        let properties = json!({
            "action": { "type": "string", "enum": ["remember", "search"] },
            "text": { "type": "string", "maxLength": 300 },
            "about": { "type": "string", "enum": ["user", "wish", "world"] },
        });
        schema::object(properties, &["action", "text"])
    }

    fn forms(&self, said: &FormSource<'_>) -> Vec<Value> {
        let Some(text) = said.text(FACT_WORDS).filter(|_| said.time().is_none()) else { return Vec::new() };
        let call = |action: &str| {
            let properties = json!({ "action": { "const": action }, "text": text });
            schema::object(properties, &["action", "text"])
        };
        vec![call("remember"), call("search")]
    }

    fn effect(&self, arguments: &Arguments) -> Effect {
        match arguments.get("action").and_then(Value::as_str) {
            Some("search") => Effect::Looks,
            _ => Effect::Remembers,
        }
    }

    fn deed(&self, arguments: &Arguments) -> String {
        deed::named(self.name(), arguments, "action")
    }

    fn values(&self, arguments: &Arguments) -> Vec<CallValue> {
        deed::values_of(arguments, &[("text", ValueKind::Gist)])
    }

    fn in_words(&self, arguments: &Arguments, language: &Language) -> String {
        let text = arguments.get("text").and_then(Value::as_str).unwrap_or_default().trim();
        let say = &language.sentences().tools;
        let is_search = arguments.get("action").and_then(Value::as_str) == Some("search");
        fill(if is_search { &say.ask_search } else { &say.ask_remember }, &[("text", text)])
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        self.perform(call).boxed()
    }
}
