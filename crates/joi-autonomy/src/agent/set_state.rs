//! `set_state`: the model writes a field of its own hot state.
//!
//! The state is in memory alone, so that a call changes nothing outside of the agent. In: field and value. Out: what stands
//! there now. Unknown fields and values of another type are refused.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use joi_language::Language;
use serde_json::{Value, json};

use super::hot_state::{HotState, shown};
use joi_tools::{Arguments, Call, Effect, Output, Tool, ToolError, schema};

/// The name of the tool.
pub const SET_STATE: &str = "set_state";

/// The hot state of an agent, shared by its loop, its sensors and its tools. The lock is held for a read or a write alone.
pub type SharedHotState = Arc<Mutex<HotState>>;

/// The tool.
pub struct SetState {
    state: SharedHotState,
}

impl SetState {
    /// Writes into `state`.
    pub fn new(state: SharedHotState) -> Self {
        Self { state }
    }
}

impl Tool for SetState {
    fn name(&self) -> &str {
        SET_STATE
    }

    fn description(&self) -> &str {
        "write a field of your own state, to have it in your next turn"
    }

    fn schema(&self) -> Value {
        schema::object(
            json!({ "field": { "type": "string", "maxLength": 60 }, "value": {} }),
            &["field", "value"],
        )
    }

    fn effect(&self, _: &Arguments) -> Effect {
        Effect::Looks
    }

    fn in_words(&self, _: &Arguments, _: &Language) -> String {
        "set_state".to_owned()
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        let (name, value) = (call.text("field"), call.arguments.get("value").cloned().unwrap_or_default());
        let written = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let written = state.set(name, value, call.source, call.now.timestamp());
            written.map(|_| format!("{name} is {}.", state.value(name).map(shown).unwrap_or_default()))
        };
        let done = written.map(Output::own).map_err(|refusal| ToolError::TellModel(refusal.to_string()));
        async { done }.boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::agent::field::{FieldKind, FieldRule};
    use joi_language::testing::english;
    use joi_tools::Source;

    #[tokio::test]
    async fn a_field_is_written_and_anything_else_refused_in_words() {
        let rule = FieldRule { kind: FieldKind::Number, ..FieldRule::default() };
        let fields = BTreeMap::from([("seen".to_owned(), rule)]);
        let state: SharedHotState = Arc::new(Mutex::new(HotState::new(&fields)));
        let tool = SetState::new(Arc::clone(&state));
        let now = "2026-03-04T12:00[UTC]".parse().unwrap();
        let run = async |field: &str, value: Value| {
            let given = json!({ "field": field, "value": value });
            let arguments = schema::checked(&tool.schema(), given.as_object().unwrap()).unwrap();
            let (effect, language) = (Effect::Looks, english());
            let call = Call {
                arguments: &arguments,
                effect,
                now: &now,
                source: Source::Own,
                language,
                conversation: "",
            };
            tool.run(call).await.map(|done| done.text).map_err(|error| error.to_string())
        };
        assert_eq!(run("seen", json!(3)).await, Ok("seen is 3.".to_owned()));
        assert_eq!(run("sen", json!(3)).await, Err("there is no field sen; the fields are: seen".to_owned()));
        assert_eq!(run("seen", json!("three")).await, Err("the value is string; allowed: number".to_owned()));
        assert_eq!(state.lock().unwrap().value("seen"), Some(&json!(3)), "a refused value changes nothing");
    }
}
