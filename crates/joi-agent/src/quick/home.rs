//! Handles orders to the house, within a turn.
//!
//! Runs in the task of the turn. Input: an order a quick intent understood. Output: as long as no home is connected,
//! one sentence that says so; no model is asked, since it could only pretend. Where a tool names the thing, the model
//! and its tools are asked as before.

use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::{Keep, Turn};
use joi_language::words;
use joi_tools::{Arguments, Effect, Toolbox};
use joi_understand::intents::{self, HomeOrder};

/// Returns whether a tool that changes something names the thing, so that it may be able to do it.
pub(crate) fn has_tool_for(order: &HomeOrder, tools: &Toolbox) -> bool {
    let thing = words::words(&order.thing);
    tools.all().iter().any(|tool| {
        let named = words::words(&format!("{} {}", tool.name(), tool.description()));
        let is_named = named.iter().any(|word| thing.iter().any(|other| words::is_same(word, other)));
        is_named && tool.effect(&Arguments::new()) == Effect::Changes
    })
}

/// Carries out an order, or says why not.
pub(crate) async fn carry_out(
    order: &HomeOrder,
    turn: &Turn<'_>,
    sink: &mut ReplySink,
) -> Result<Keep, ReceiverClosed> {
    sink.decided("home", "not connected", "nothing was done").await?;
    sink.say(&intents::not_connected(&turn.language, order)).await?;
    Ok(Keep::Yes)
}
