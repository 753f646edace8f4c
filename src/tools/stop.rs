//! `stop`: the user wants nothing more.
//!
//! It ends the conversation without an answer, and what was carried over from earlier answers.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::{Arguments, Call, Deed, Output, Tool, ToolError, schema};

/// Its name, which is on every turn's allow-list.
pub(super) const NAME: &str = "stop";

/// The tool.
pub(super) struct Stop;

impl Tool for Stop {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "end the conversation when the user says that it is over"
    }

    fn schema(&self) -> Value {
        schema::object(json!({}), &[])
    }

    fn in_words(&self, _: &Arguments) -> String {
        "end our conversation".into()
    }

    fn run<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        async { Ok(Output::own("").doing(Deed::StopTalking)) }.boxed()
    }
}
