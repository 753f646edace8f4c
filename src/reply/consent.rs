//! What an utterance is to a question that waits for a yes.
//!
//! Runs in the task of the turn. In: the utterance, and the open question of the session. Out: the answer to it, or the
//! words that the turn goes on with. A question is answered by a yes, or it is a no: then nothing of what was asked about is
//! done, and the same deed is not even asked about until the user asks for it anew.

use super::intents::{self, Intent};
use super::model::ChatModel;
use super::output::sink::{ReceiverClosed, ReplySink};
use super::path::Path;
use super::quick;
use super::session::open_question::{BegunAnswer, OpenQuestion};
use super::turn::{Action, Ended, Keep, ReplyEvent, Turn};
use super::understand::wish::{self, Refusal};
use crate::reply::agent::tool_loop::pending::PendingCall;

/// What came of the answer to an open question.
pub(super) enum QuestionOutcome<'a> {
    /// The turn is over.
    Over((Ended, Keep)),
    /// It goes on with these words.
    GoesOn(&'a str),
}

impl<M: ChatModel> Path<'_, M> {
    /// The answer to an open question, if there is one. Anything but a yes drops what was asked about.
    pub(super) async fn answered<'a>(
        &self,
        turn: &Turn<'a>,
        sink: &mut ReplySink,
    ) -> Result<QuestionOutcome<'a>, ReceiverClosed> {
        let goes_on = QuestionOutcome::GoesOn(turn.asked);
        let pending = match self.session.with(|state| state.question.take()) {
            None => return Ok(goes_on),
            Some(OpenQuestion::Forget(waiting)) => {
                let store = self.engine.memory.store();
                let answered = quick::memory::answered(turn, waiting, store, self.session, sink).await?;
                return Ok(answered.map_or(goes_on, QuestionOutcome::Over));
            }
            Some(OpenQuestion::House(waiting)) => {
                let answered = quick::house::answered(turn, waiting, &self.quick_means(), sink).await?;
                return match answered {
                    Some(over) => Ok(QuestionOutcome::Over(over)),
                    None => self.declined(turn, sink).await,
                };
            }
            Some(OpenQuestion::Which(waiting)) => {
                let picked = quick::house::picked(turn, waiting, &self.quick_means(), sink).await?;
                return match picked {
                    Some(over) => Ok(QuestionOutcome::Over(over)),
                    None => self.declined(turn, sink).await,
                };
            }
            Some(OpenQuestion::LookUp(offer)) => return self.offer_answered(turn, offer, sink).await,
            Some(OpenQuestion::GoOn(begun)) => {
                let more = self.more(turn, begun, sink).await?;
                return Ok(more.map_or(goes_on, QuestionOutcome::Over));
            }
            Some(OpenQuestion::Call(pending)) => pending,
        };
        if !pending.is_open(turn.now.timestamp()) {
            sink.decided("gate", "no", "the question was not answered in time").await?;
            return Ok(goes_on);
        }
        if intents::is_consent(&turn.language, turn.asked) {
            sink.decided("gate", "yes", "the owner said yes to this call").await?;
            let heads = self.heads();
            let end = self.engine.agent(self.session, &heads).confirmed(turn, *pending, sink).await?;
            return Ok(QuestionOutcome::Over(self.ended(end, sink)));
        }
        self.refuse(&pending);
        self.declined(turn, sink).await
    }

    /// What an utterance that is no yes is to the question.
    pub(super) async fn declined<'a>(
        &self,
        turn: &Turn<'a>,
        sink: &mut ReplySink,
    ) -> Result<QuestionOutcome<'a>, ReceiverClosed> {
        // "Stop" ends the conversation, whatever was asked.
        if matches!(intents::match_intent(&turn.language, turn.asked), Some(quick) if quick.what == Intent::Stop)
        {
            return Ok(QuestionOutcome::GoesOn(turn.asked));
        }
        match wish::refusal(&turn.language, turn.asked) {
            Some(Refusal::Plain) => {
                sink.decided("gate", "no", "the owner refused").await?;
                sink.say(&turn.language.sentences().reply.left_alone).await?;
                Ok(QuestionOutcome::Over((Ended::Quick, Keep::Yes)))
            }
            Some(Refusal::Instead(asked)) => {
                sink.decided("gate", "no", "the owner refused, and wants something else").await?;
                Ok(QuestionOutcome::GoesOn(asked))
            }
            None => {
                sink.decided("gate", "no", "anything but a yes is a no").await?;
                Ok(QuestionOutcome::GoesOn(turn.asked))
            }
        }
    }

    /// What the words are to the question whether an answer is to go on; nothing when they are no answer to it.
    async fn more(
        &self,
        turn: &Turn<'_>,
        begun: BegunAnswer,
        sink: &mut ReplySink,
    ) -> Result<Option<(Ended, Keep)>, ReceiverClosed> {
        if begun.until < turn.now.timestamp() {
            return Ok(None);
        }
        if intents::wants_more(&turn.language, turn.asked) {
            sink.decided("go on", "yes", "the owner wants to hear more").await?;
            return self.go_on(turn, begun, sink).await.map(Some);
        }
        if !intents::is_refusal(&turn.language, turn.asked) {
            return Ok(None);
        }
        sink.decided("go on", "no", "the owner has heard enough").await?;
        sink.is_over = true;
        sink.send(ReplyEvent::Act(Action::EndConversation)).await?;
        sink.say(&turn.language.sentences().reply.all_right).await?;
        Ok(Some((Ended::Quick, Keep::No)))
    }

    /// Notes that the deed was refused.
    fn refuse(&self, pending: &PendingCall) {
        let heads = self.heads();
        let tool = heads.all_tools().get(&pending.call.name).cloned();
        let deed = tool.map_or_else(|| pending.call.name.clone(), |tool| tool.deed(&pending.call.arguments));
        self.session.with(|state| state.refused.insert(deed));
    }
}
