//! Stores an exchange in the dialogue once it is over.
//!
//! Runs in the task of the turn. Input: the request, redacted, and the answer. Output: its row id in the store. A
//! failure of the store is reported once, until it works again.

use crate::deadline::{self, in_time};
use crate::session::Session;
use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::{ReplyEvent, Turn};
use joi_base::message::{Origin, Private};
use joi_store::{Exchange, ExchangeId, Store, StoreError, WordedBy};

/// Keeps what was asked and answered by `answered_at`. A failure costs the memory, not the answer.
pub(crate) async fn remember(
    turn: &Turn<'_>,
    answered_at: jiff::Timestamp,
    store: Option<&Store>,
    session: &Session,
    sink: &ReplySink,
) -> Option<ExchangeId> {
    let said = sink.said.trim();
    session.with(|state| state.last_reply = Some(said.to_owned()));
    let store = store?;
    let exchange = Exchange {
        conversation: session.id().clone(),
        asked_at: turn.now.timestamp(),
        asked: Private(turn.asked.to_owned()),
        answered_at,
        answer: Private(said.to_owned()),
        // Quoted words are somebody else's.
        asked_origin: if turn.is_quoting { Origin::Stranger } else { turn.origin },
        wording: if sink.is_worded { WordedBy::Model } else { WordedBy::Fixed },
        answer_origin: if sink.is_foreign { Origin::Stranger } else { Origin::Ours },
    };
    match in_time(deadline::WRITE, store.add_exchange(exchange)).await {
        Ok(id) => {
            session.with(|state| state.is_store_failing = false);
            Some(id)
        }
        Err(error) => {
            // A receiver that is gone gets no report; the log has it.
            let _ = report_failure(&error, session, sink).await;
            None
        }
    }
}

/// Reports a failure of the store: once, until it works again.
pub(crate) async fn report_failure(
    error: &StoreError,
    session: &Session,
    sink: &ReplySink,
) -> Result<(), ReceiverClosed> {
    if !session.with(|state| std::mem::replace(&mut state.is_store_failing, true)) {
        tracing::warn!(%error, "the dialogue can't be remembered");
        sink.send(ReplyEvent::Notice(error.to_string())).await?;
    }
    sink.decided("memory", "failed", error.to_string()).await
}
