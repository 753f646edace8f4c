//! `search_agent_history`: earlier sessions of the agent, by the words in them.

use jiff::{SignedDuration, Timestamp};
use joi_base::message::Origin;
use joi_tools::{Call, Output, ToolError, fence};
use serde_json::Value;

use super::scope::{RunTools, lost};
use crate::limits::{LONGEST_BLOCK, SESSIONS_FOUND};

/// Days that are searched where none are named.
const DAYS: i64 = 3_650;

pub(super) async fn search(run: &RunTools, call: Call<'_>) -> Result<Output, ToolError> {
    let days = call.arguments.get("days").and_then(Value::as_i64).unwrap_or(DAYS).clamp(1, DAYS);
    let since = call.now.timestamp().checked_sub(SignedDuration::from_hours(24 * days));
    let since = since.unwrap_or(Timestamp::MIN);
    let found = run.store.search_sessions(run.row.id, call.text("query"), since, SESSIONS_FOUND).await;
    let found = found.map_err(lost)?;
    let line = |one: &joi_store::ArchivedSession| format!("{}: {}", one.ended.strftime("%F"), one.summary);
    let text = found.iter().map(line).collect::<Vec<_>>().join("\n");
    let is_foreign = found.iter().any(|one| one.origin == Origin::Stranger);
    Ok(match () {
        () if text.is_empty() => Output::own("Nothing of that was spoken of."),
        () if is_foreign => Output::foreign(fence::wrap(&text, LONGEST_BLOCK)),
        () => Output::own(fence::shortened(&text, LONGEST_BLOCK)),
    })
}
