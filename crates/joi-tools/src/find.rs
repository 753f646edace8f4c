//! `toolSearch`: finds tools that are not on offer from the start.
//!
//! In: a few words. Out: names and descriptions; what it finds is on offer from the next turn of the
//! model on. It finds only what is in the toolbox.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::{Arguments, Call, Effect, Output, Tool, ToolError, route, schema};
use joi_language::values::deed::CallValue;

/// Its name, which is on every turn's allow-list.
pub(super) const NAME: &str = "toolSearch";

/// The tool.
pub(super) struct ToolSearch {
    known: Vec<Arc<dyn Tool>>,
}

impl ToolSearch {
    /// Searches as requests are routed, and in names and descriptions.
    pub(super) fn new(known: Vec<Arc<dyn Tool>>) -> Self {
        Self { known }
    }

    fn found(&self, query: &str) -> Vec<&Arc<dyn Tool>> {
        let words: Vec<String> =
            query.to_lowercase().split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect();
        let routed = route::by_own_words(query, &self.known.iter().collect::<Vec<_>>()).names;
        let score = |tool: &Arc<dyn Tool>| {
            let text = format!("{} {}", tool.name(), tool.description()).to_lowercase();
            let told = words.iter().filter(|word| word.len() >= 3 && text.contains(word.as_str())).count();
            (routed.iter().any(|name| name == tool.name()), told)
        };
        let mut scored: Vec<_> = self
            .known
            .iter()
            .map(|tool| (score(tool), tool))
            .filter(|(score, _)| *score > (false, 0))
            .collect();
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        scored.into_iter().take(route::MOST).map(|(_, tool)| tool).collect()
    }
}

impl Tool for ToolSearch {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "find further tools when none of these fits"
    }

    fn schema(&self) -> Value {
        schema::object(json!({ "query": { "type": "string", "maxLength": 100 } }), &["query"])
    }

    fn effect(&self, _: &Arguments) -> Effect {
        Effect::Looks
    }

    fn values(&self, _: &Arguments) -> Vec<CallValue> {
        Vec::new()
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        async move {
            let found = self.found(call.text("query"));
            if found.is_empty() {
                return Ok(Output::own("no further tool fits"));
            }
            let lines: Vec<String> =
                found.iter().map(|tool| format!("{}: {}", tool.name(), tool.description())).collect();
            let mut output = Output::own(format!("These tools are on offer now:\n{}", lines.join("\n")));
            output.offers = found.into_iter().map(|tool| tool.name().to_owned()).collect();
            Ok(output)
        }
        .boxed()
    }
}
