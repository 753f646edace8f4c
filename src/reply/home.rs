//! What is to be done in the house, within a turn.
//!
//! Runs in the task of the turn. In: an order a quick intent understood. Out: as long as no home is connected, one
//! sentence that says so; no model is asked, since it could only pretend. Where a tool names the thing, the model and
//! its tools are asked as before.

use super::intents::{self, HomeOrder, Tongue};
use super::model::ChatModel;
use super::outlet::{Outlet, Unheard};
use super::{Engine, Keep};
use crate::store::words;
use crate::tools::{Arguments, Effect};

impl<M: ChatModel> Engine<M> {
    /// Whether a tool that changes something names the thing, so that it may be able to do it.
    pub(super) fn has_tool_for(&self, order: &HomeOrder) -> bool {
        let thing = words::words(&order.thing);
        self.parts.tools.all().iter().any(|tool| {
            let named = words::words(&format!("{} {}", tool.name(), tool.description()));
            let is_named = named.iter().any(|word| thing.iter().any(|other| words::is_same(word, other)));
            is_named && tool.effect(&Arguments::new()) == Effect::Changes
        })
    }

    /// Carries out an order, or says why not.
    pub(super) async fn home(&self, order: &HomeOrder, outlet: &mut Outlet) -> Result<Keep, Unheard> {
        outlet.decided("home", "not connected", "nothing was done").await?;
        outlet.say(&intents::not_connected(Tongue::English, order)).await?;
        Ok(Keep::Yes)
    }
}
