//! `say`: what an agent wants to say goes into the queue of announcements.
//!
//! In: words of the model. Out: an announcement, which is said when the moment is right. Words that no answer might hold are
//! refused.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use joi_answer::check::{check, estimated_tokens};
use joi_language::Language;
use joi_schedule::announce::{Announcement, AnnouncementOrigin, AnnouncementPriority, Announcer};
use joi_tools::{Arguments, Call, Effect, Output, Tool, ToolError, schema};

/// The name of the tool.
pub(super) const SAY: &str = "say";
/// Words that found no moment within this time are dropped.
const COUNTS_FOR: Duration = Duration::from_secs(30 * 60);

/// The tool.
pub(super) struct SayTool(pub(super) Announcer);

impl Tool for SayTool {
    fn name(&self) -> &str {
        SAY
    }

    fn description(&self) -> &str {
        "say one short sentence to the people at home, when the moment is right"
    }

    fn schema(&self) -> Value {
        schema::object(json!({ "text": { "type": "string", "maxLength": 300 } }), &["text"])
    }

    fn effect(&self, _: &Arguments) -> Effect {
        Effect::Looks
    }

    fn in_words(&self, arguments: &Arguments, _: &Language) -> String {
        arguments.get("text").and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        async move {
            let text = call.text("text");
            check(text, estimated_tokens(text))
                .map_err(|refusal| ToolError::TellModel(refusal.to_string()))?;
            let (origin, priority) = (AnnouncementOrigin::Agent, AnnouncementPriority::Notice);
            let expires = self.0.moment_after(COUNTS_FOR);
            self.0.announce(Announcement { expires, ..Announcement::new(origin, priority, text) }).await;
            Ok(Output::own("It will be said. Do not say it again."))
        }
        .boxed()
    }
}
