//! `setVolume`: louder, quieter, or so many percent.
//!
//! It changes nothing itself: the channel does, as its [`Deed`] says.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use crate::form::FormSource;
use crate::{Arguments, Call, Deed, Output, Tool, ToolError, schema};
use joi_language::values::deed::{self, CallValue, ValueKind};
use joi_language::{Language, fill};

/// The name of the tool.
pub(super) const NAME: &str = "setVolume";

/// The tool.
pub(super) struct SetVolume;

impl Tool for SetVolume {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "make your voice louder or quieter, or set it to a percentage"
    }

    fn schema(&self) -> Value {
        let properties = json!({
            "change": { "type": "string", "enum": ["up", "down", "set"] },
            "percent": { "type": "integer", "minimum": 0, "maximum": 100 },
        });
        schema::object(properties, &["change"])
    }

    fn forms(&self, said: &FormSource<'_>) -> Vec<Value> {
        if said.time().is_some() {
            return Vec::new();
        }
        let step = schema::object(json!({ "change": { "enum": ["up", "down"] } }), &["change"]);
        let percent = json!({ "type": "integer", "minimum": 0, "maximum": 100 });
        let level = json!({ "change": { "const": "set" }, "percent": percent });
        let level = said.has_number().then(|| schema::object(level, &["change", "percent"]));
        [Some(step), level].into_iter().flatten().collect()
    }

    fn deed(&self, arguments: &Arguments) -> String {
        deed::named(self.name(), arguments, "change")
    }

    fn values(&self, arguments: &Arguments) -> Vec<CallValue> {
        deed::values_of(arguments, &[("percent", ValueKind::Percent)])
    }

    fn in_words(&self, arguments: &Arguments, language: &Language) -> String {
        let percent = arguments.get("percent").and_then(Value::as_u64);
        let say = &language.sentences().tools;
        match (arguments.get("change").and_then(Value::as_str), percent) {
            (Some("up"), _) => say.ask_louder.clone(),
            (Some("down"), _) => say.ask_quieter.clone(),
            (_, Some(percent)) => fill(&say.ask_volume, &[("percent", &percent.to_string())]),
            (_, None) => say.ask_some_volume.clone(),
        }
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        let percent =
            call.arguments.get("percent").and_then(Value::as_u64).and_then(|p| u8::try_from(p).ok());
        let language = call.language;
        let say = &language.sentences().reply;
        let done = match (call.text("change"), percent) {
            ("up", _) => Ok((Deed::Louder, say.louder.clone())),
            ("down", _) => Ok((Deed::Quieter, say.quieter.clone())),
            (_, Some(percent)) => {
                Ok((Deed::Volume(percent), fill(&say.volume, &[("percent", &percent.to_string())])))
            }
            (_, None) => Err(ToolError::TellModel("percent is missing: a whole number from 0 to 100".into())),
        };
        let done = done.map(|(deed, told)| Output::own(format!("done: {told}")).saying(told).doing(deed));
        async move { done }.boxed()
    }
}
