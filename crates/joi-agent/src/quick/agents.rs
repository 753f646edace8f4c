//! What a turn says to an agent by its name, and the answer to an agent's question.
//!
//! Runs in the task of the turn. Input: the words. Output: an order to the running agents, and their answer, which is no
//! part of the dialogue. Quoted words and words of strangers order nothing; a yes that was not heard surely is asked for
//! once more.

use std::time::Duration;

use crate::confirmation::QuestionOutcome;
use crate::model::ChatModel;
use crate::session::asked::AskedByAgent;
use crate::session::open_question::OpenQuestion;
use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::{Ended, Keep, Turn};
use crate::turn_context::TurnContext;
use joi_autonomy::agent::orders::AgentOrder;
use joi_understand::intents;
use joi_understand::wish::{self, Refusal};

impl<M: ChatModel> TurnContext<'_, M> {
    /// Does what the words want of an agent; nothing where they are for none.
    pub(crate) async fn for_agents(
        &self,
        turn: &Turn<'_>,
        sink: &mut ReplySink,
    ) -> Result<Option<(Ended, Keep)>, ReceiverClosed> {
        let Some(agents) = &self.engine.parts.agents else { return Ok(None) };
        if turn.is_quoting || !turn.origin.is_owners() {
            return Ok(None);
        }
        let order = match agents.understood(turn.asked, &turn.language) {
            None => return Ok(None),
            Some(AgentOrder::Decide(agent, true)) if turn.is_unsure => AgentOrder::ShowCalls(Some(agent)),
            Some(order) => order,
        };
        sink.decided("agents", order.name(), "an agent was named").await?;
        let answer = agents.obey(order, &turn.language, &turn.now).await;
        if let Some(question) = answer.question {
            sink.awaits = Some(Duration::from_secs(self.engine.parts.tool_rules.confirm_s.into()));
            self.engine.agent_asked(self.session, question);
        }
        sink.say(&answer.text).await?;
        Ok(Some((Ended::Quick, Keep::No)))
    }

    /// The answer to the question of an agent. Words that are none leave it open for the agent, which waits on.
    pub(crate) async fn agent_answered<'a>(
        &self,
        turn: &Turn<'a>,
        asked: AskedByAgent,
        sink: &mut ReplySink,
    ) -> Result<QuestionOutcome<'a>, ReceiverClosed> {
        let goes_on = Ok(QuestionOutcome::GoesOn(turn.asked));
        let Some(agents) = &self.engine.parts.agents else { return goes_on };
        if turn.now.timestamp() > asked.until || turn.is_quoting || !turn.origin.is_owners() {
            return goes_on;
        }
        let refusal = wish::refusal(&turn.language, turn.asked);
        let by_pronoun = agents.answers(turn.asked, &turn.language);
        let is_yes = match (by_pronoun, &refusal) {
            (Some(true), _) if turn.is_unsure => return self.agent_unsure(turn, asked, sink).await,
            (Some(is_yes), _) => is_yes,
            (None, Some(_)) => false,
            (None, None) if intents::is_yes(&turn.language, turn.asked) => true,
            (None, None) => return goes_on,
        };
        // A name says more: "no, let the garage agent do it".
        if agents.understood(turn.asked, &turn.language).is_some() {
            return goes_on;
        }
        sink.decided("agents", if is_yes { "yes" } else { "no" }, "the owner answered an agent").await?;
        let said = agents.decide(asked.question, is_yes, &turn.language).await;
        if let (None, Some(Refusal::Instead(instead))) = (by_pronoun, refusal) {
            return Ok(QuestionOutcome::GoesOn(instead));
        }
        sink.say(&said).await?;
        Ok(QuestionOutcome::Over((Ended::Quick, Keep::No)))
    }

    async fn agent_unsure<'a>(
        &self,
        turn: &Turn<'_>,
        asked: AskedByAgent,
        sink: &mut ReplySink,
    ) -> Result<QuestionOutcome<'a>, ReceiverClosed> {
        let is_repeated = asked.is_repeated;
        self.asks_again(turn, OpenQuestion::Agent(asked), is_repeated, sink).await
    }
}
