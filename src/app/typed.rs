//! Turns that are typed, wherever: at a terminal, or on the page.
//!
//! In: a text, whoever shows the answer. Out: the stored record.

use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::Brain;
use joi_agent::{Ended, Engine, Session, TurnInput};
use joi_base::clock::Clock;
use joi_base::message::{ConversationId, Private, TurnId};
use joi_base::trace::{Stage, Trace, TurnRecord};
use joi_channels::turn::{self, Reporter};
use joi_llm::Mind;
use joi_store::{Store, StoreError};

/// Answers typed questions one after the other, in one conversation.
pub struct TypedTurns {
    /// The session of the conversation.
    pub session: Session,
    engine: Arc<Engine<Mind>>,
    store: Option<Store>,
    clock: Arc<dyn Clock>,
    last: TurnId,
}

/// What became of a typed question.
pub struct TypedTurn {
    /// The record.
    pub record: TurnRecord,
    /// How it ended.
    pub ended: Ended,
    /// Why the record is not stored.
    pub unsaved: Option<StoreError>,
}

impl TypedTurns {
    /// A conversation that has not begun; turn ids continue after the last one of the database.
    pub async fn new(brain: &Brain, conversation: ConversationId) -> Self {
        Self {
            session: Session::new(conversation),
            engine: Arc::clone(&brain.engine),
            store: brain.store.clone(),
            clock: Arc::clone(&brain.clock),
            last: brain.last_turn().await,
        }
    }

    /// Answers `text` through `reporter`, until `cancel`.
    pub async fn answer(
        &mut self,
        text: Private<String>,
        reporter: &mut impl Reporter,
        cancel: CancellationToken,
    ) -> TypedTurn {
        self.last = TurnId(self.last.0 + 1);
        let input = TurnInput { id: self.last, text, language: None, is_unsure: false };
        let trace = Trace::starting(Instant::now());
        let mut end = turn::run((&*self.engine, &self.session), input, trace, reporter, cancel).await;
        end.trace.mark(Stage::End, Instant::now());
        let ended = end.outcome.ended;
        let record = end.record(self.last, self.session.id().channel, &*self.clock);
        let unsaved = match &self.store {
            Some(store) => store.save_turn(&record).await.err(),
            None => None,
        };
        TypedTurn { record, ended, unsaved }
    }
}
