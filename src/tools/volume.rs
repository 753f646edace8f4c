//! `setVolume`: louder, quieter, or so many percent.
//!
//! It changes nothing itself: the channel does, as its [`Deed`] says.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::{Arguments, Call, Deed, Output, Tool, ToolError, language, schema};

/// The tool.
pub(super) struct SetVolume;

impl Tool for SetVolume {
    fn name(&self) -> &str {
        "setVolume"
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

    fn cues(&self) -> &[&str] {
        language::cues(self.name())
    }

    fn in_words(&self, arguments: &Arguments) -> String {
        let percent = arguments.get("percent").and_then(Value::as_u64);
        match (arguments.get("change").and_then(Value::as_str), percent) {
            (Some("up"), _) => "make the sound louder".into(),
            (Some("down"), _) => "make the sound quieter".into(),
            (_, Some(percent)) => format!("set the volume to {percent} percent"),
            (_, None) => "change the volume".into(),
        }
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        let percent =
            call.arguments.get("percent").and_then(Value::as_u64).and_then(|p| u8::try_from(p).ok());
        let done = match (call.text("change"), percent) {
            ("up", _) => Ok((Deed::Louder, "Louder.".to_owned())),
            ("down", _) => Ok((Deed::Quieter, "Quieter.".to_owned())),
            (_, Some(percent)) => Ok((Deed::Volume(percent), format!("Volume at {percent} percent."))),
            (_, None) => Err(ToolError::TellModel("percent is missing: a whole number from 0 to 100".into())),
        };
        let done = done.map(|(deed, told)| Output::own(format!("done: {told}")).saying(told).doing(deed));
        async move { done }.boxed()
    }
}
