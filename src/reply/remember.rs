//! An exchange, kept in the dialogue once it is over.
//!
//! Runs in the task of the turn. In: what was asked, redacted, and what was said. Out: its number in the store. A
//! store that fails is told once, until it works again.

use super::deadline::{self, in_time};
use super::model::ChatModel;
use super::outlet::{Outlet, Unheard};
use super::{Engine, ReplyEvent, Turn, dialogue};
use crate::message::Private;
use crate::store::{Exchange, ExchangeId, StoreError};

impl<M: ChatModel> Engine<M> {
    /// Keeps what was asked and what was answered. A failure costs the memory, not the answer.
    pub(super) async fn remember(&self, turn: &Turn<'_>, said: &str, outlet: &Outlet) -> Option<ExchangeId> {
        self.lock(&self.last).insert(turn.channel, said.to_owned());
        let store = self.parts.store.as_ref()?;
        let exchange = Exchange {
            channel: turn.channel,
            asked_at: turn.now.timestamp(),
            asked: Private(turn.asked.to_owned()),
            answered_at: self.parts.clock.now().timestamp(),
            answer: Private(said.to_owned()),
        };
        match in_time(deadline::WRITE, store.add_exchange(exchange)).await {
            Ok(id) => {
                *self.lock(&self.store_failed) = false;
                Some(id)
            }
            Err(error) => {
                // A receiver that is gone can't be told; the log was.
                let _ = self.without_memory(&error, outlet).await;
                None
            }
        }
    }

    /// Tells a failure of the store: once, until it works again.
    pub(super) async fn without_memory(
        &self,
        error: &StoreError,
        outlet: &Outlet,
    ) -> Result<dialogue::Past, Unheard> {
        let told = std::mem::replace(&mut *self.lock(&self.store_failed), true);
        if !told {
            tracing::warn!(%error, "the dialogue can't be remembered");
            outlet.send(ReplyEvent::Notice(error.to_string())).await?;
        }
        outlet.decided("memory", "failed", error.to_string()).await?;
        Ok(dialogue::Past::default())
    }
}
