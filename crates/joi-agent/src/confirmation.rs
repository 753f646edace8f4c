//! Classifies an utterance as an answer to a question that waits for a yes.
//!
//! Runs in the task of the turn. Input: the utterance, and the open question of the session. Output: the answer to it,
//! or the words with which the turn continues. Anything but a yes is a no: then nothing of the question is done, and
//! the same action is not asked about again until the user requests it anew.

use std::sync::Arc;
use std::time::Duration;

use super::intents::{self, Intent};
use super::model::ChatModel;
use super::quick::{self, QuickContext};
use super::session::asked::AskedQuick;
use super::session::open_question::{BegunAnswer, OpenQuestion, open_until};
use super::turn::{Action, Ended, Keep, ReplyEvent, Turn};
use super::turn_context::TurnContext;
use crate::agent::tool_loop::pending::PendingCall;
use crate::sink::{ReceiverClosed, ReplySink};
use joi_tools::Effect;
use joi_tools::gate::Consent;
use joi_understand::wish::{self, Refusal};

/// The risk of an action that was asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IsRisky {
    Yes,
    No,
}

/// A yes in words that the recogniser was not sure of, or, where there is a risk, in words that are said for much else.
fn is_doubtful_yes(turn: &Turn<'_>, risky: IsRisky) -> bool {
    let is_clear = || risky == IsRisky::No || intents::is_clear_yes(&turn.language, turn.asked);
    intents::is_yes(&turn.language, turn.asked) && (turn.is_unsure || !is_clear())
}

/// The outcome of an answer to an open question.
pub(super) enum QuestionOutcome<'a> {
    /// The turn is over.
    Over((Ended, Keep)),
    /// The turn goes on with these words.
    GoesOn(&'a str),
}

impl<M: ChatModel> TurnContext<'_, M> {
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
                if turn.now.timestamp() <= waiting.until && is_doubtful_yes(turn, IsRisky::Yes) {
                    let is_repeated = waiting.is_repeated;
                    return self.asks_again(turn, OpenQuestion::Forget(waiting), is_repeated, sink).await;
                }
                let store = self.engine.memory.store();
                let answered = quick::memory::answered(turn, waiting, store, self.session, sink).await?;
                return Ok(answered.map_or(goes_on, QuestionOutcome::Over));
            }
            Some(OpenQuestion::House(waiting)) => {
                if turn.now.timestamp() <= waiting.until && is_doubtful_yes(turn, IsRisky::Yes) {
                    let is_repeated = waiting.is_repeated;
                    return self.asks_again(turn, OpenQuestion::House(waiting), is_repeated, sink).await;
                }
                let deeds: Vec<String> = waiting.deeds().collect();
                let answered = quick::house::answered(turn, waiting, &self.quick_context(), sink).await?;
                if let Some(over) = answered {
                    return Ok(QuestionOutcome::Over(over));
                }
                self.refuse(deeds);
                return self.declined(turn, sink).await;
            }
            Some(OpenQuestion::Agent(waiting)) => {
                if turn.now.timestamp() <= waiting.until && is_doubtful_yes(turn, IsRisky::Yes) {
                    let is_repeated = waiting.is_repeated;
                    return self.asks_again(turn, OpenQuestion::Agent(waiting), is_repeated, sink).await;
                }
                return self.agent_answered(turn, waiting, sink).await;
            }
            Some(OpenQuestion::Quick(waiting)) => return self.quick_answered(turn, *waiting, sink).await,
            Some(OpenQuestion::Which(waiting)) => {
                let picked = quick::house::picked::picked(turn, waiting, &self.quick_context(), sink).await?;
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
            return self.too_late(turn, vec![self.deed(&pending)], sink).await;
        }
        if is_doubtful_yes(turn, self.is_risky(&pending)) {
            let is_repeated = pending.is_repeated;
            if is_repeated {
                self.refuse(vec![self.deed(&pending)]);
            }
            return self.asks_again(turn, OpenQuestion::Call(pending), is_repeated, sink).await;
        }
        if intents::is_yes(&turn.language, turn.asked) {
            sink.decided("gate", "yes", "the owner said yes to this call").await?;
            let heads = self.heads();
            let end = self.engine.agent(self.session, &heads).confirmed(turn, *pending, sink).await?;
            return Ok(QuestionOutcome::Over(self.ended(end, sink)));
        }
        self.refuse(vec![self.deed(&pending)]);
        self.declined(turn, sink).await
    }

    /// Drops an open question as a no does, without a word about it: somebody may be in danger.
    pub(super) async fn unanswered<'a>(
        &self,
        turn: &Turn<'a>,
        sink: &mut ReplySink,
    ) -> Result<QuestionOutcome<'a>, ReceiverClosed> {
        let deeds = match self.session.with(|state| state.question.take()) {
            None => return Ok(QuestionOutcome::GoesOn(turn.asked)),
            Some(OpenQuestion::Call(pending)) => vec![self.deed(&pending)],
            Some(OpenQuestion::Quick(waiting)) => waiting.deeds,
            Some(OpenQuestion::House(waiting)) => waiting.deeds().collect(),
            Some(
                OpenQuestion::Forget(_)
                | OpenQuestion::Agent(_)
                | OpenQuestion::Which(_)
                | OpenQuestion::LookUp(_)
                | OpenQuestion::GoOn(_),
            ) => Vec::new(),
        };
        self.refuse(deeds);
        sink.decided("gate", "no", "somebody may be in danger, which comes first").await?;
        Ok(QuestionOutcome::GoesOn(turn.asked))
    }

    /// The answer to a question about a quick command.
    async fn quick_answered<'a>(
        &self,
        turn: &Turn<'a>,
        waiting: AskedQuick,
        sink: &mut ReplySink,
    ) -> Result<QuestionOutcome<'a>, ReceiverClosed> {
        if turn.now.timestamp() > waiting.until {
            return self.too_late(turn, waiting.deeds, sink).await;
        }
        if is_doubtful_yes(turn, IsRisky::No) {
            let is_repeated = waiting.is_repeated;
            return self.asks_again(turn, OpenQuestion::Quick(Box::new(waiting)), is_repeated, sink).await;
        }
        if !intents::is_yes(&turn.language, turn.asked) {
            self.refuse(waiting.deeds);
            return self.declined(turn, sink).await;
        }
        sink.decided("gate", "yes", "the owner said yes to this command").await?;
        let means = QuickContext { consent: Consent::Given, ..self.quick_context() };
        let (now, language, is_quoting) = (turn.now.clone(), Arc::clone(&turn.language), waiting.is_quoting);
        let said = Turn { asked: &waiting.said, now, language, is_quoting, ..*turn };
        let keep = quick::carry_out(&said, &waiting.recognised, &means, sink).await?;
        Ok(QuestionOutcome::Over((Ended::Quick, keep)))
    }

    /// A question that was not answered in time. A no counts all the same.
    async fn too_late<'a>(
        &self,
        turn: &Turn<'a>,
        deeds: Vec<String>,
        sink: &mut ReplySink,
    ) -> Result<QuestionOutcome<'a>, ReceiverClosed> {
        if wish::refusal(&turn.language, turn.asked).is_some() {
            self.refuse(deeds);
            return self.declined(turn, sink).await;
        }
        sink.decided("gate", "no", "the question was not answered in time").await?;
        Ok(QuestionOutcome::GoesOn(turn.asked))
    }

    /// A yes that can't be relied on: it is asked for once more, and after that the action is not done.
    pub(super) async fn asks_again<'a>(
        &self,
        turn: &Turn<'_>,
        question: OpenQuestion,
        is_repeated: bool,
        sink: &mut ReplySink,
    ) -> Result<QuestionOutcome<'a>, ReceiverClosed> {
        let say = &turn.language.sentences().reply;
        if is_repeated {
            sink.decided("gate", "no", "no yes that can be relied on").await?;
            sink.say(&say.left_alone).await?;
        } else {
            sink.decided("gate", "asked", "the yes can't be relied on").await?;
            sink.say(&say.is_that_a_yes).await?;
            let confirm = Duration::from_secs(u64::from(self.engine.parts.tool_rules.confirm_s));
            let until = open_until(turn.now.timestamp(), confirm, turn.channel, &say.is_that_a_yes);
            sink.awaits = Some(confirm);
            self.session.with(|state| state.question = Some(question.again(until)));
        }
        Ok(QuestionOutcome::Over((Ended::Quick, Keep::Yes)))
    }

    fn is_risky(&self, pending: &PendingCall) -> IsRisky {
        let heads = self.heads();
        let effect =
            heads.all_tools().get(&pending.call.name).map(|tool| tool.effect(&pending.call.arguments));
        if effect == Some(Effect::Risks) { IsRisky::Yes } else { IsRisky::No }
    }

    /// Returns what an utterance that is no yes is to the question.
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

    /// Returns what the words are to the question whether an answer is to go on; nothing when they are no answer to it.
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

    /// Returns the action of a call, as its tool names it.
    fn deed(&self, pending: &PendingCall) -> String {
        let heads = self.heads();
        let tool = heads.all_tools().get(&pending.call.name).cloned();
        tool.map_or_else(|| pending.call.name.clone(), |tool| tool.deed(&pending.call.arguments))
    }

    /// Records that actions were refused.
    fn refuse(&self, deeds: Vec<String>) {
        self.session.with(|state| state.history.refused.extend(deeds));
    }
}
