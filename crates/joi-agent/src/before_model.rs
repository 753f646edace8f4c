//! Decides how a request is handled before the model is asked.
//!
//! Runs in the task of the turn, or of words that may become one. Input: the request. Output: the decision; if the
//! model is asked, a [`LoopState`] with its tools, its plan and its memories. Nothing is done or said.

use super::agent::planner::{self, PlanRules, Remembers};
use super::agent::request::TurnRequest;
use super::agent::router::ToolChoice;
use super::agent::setup::{self, Prepared};
use super::agent::tool_loop::state::LoopState;
use super::memory::RecallRules;
use super::memory::extractor::ExtractRules;
use super::model::ChatModel;
use super::prompt::side_query::{SharedPrompt, SideQueries};
use super::turn_context::TurnContext;
use super::{memory, safe_answers};
use crate::sink::ReceiverClosed;
use joi_language::PromptName;

/// Decision about a request that no quick command answers.
pub(super) enum Considered {
    /// Only the user can know it, and has not said it.
    Untold,
    /// The model is asked.
    ForModel(Box<ForModel>),
}

/// A request for the model, ready to be asked.
pub(super) struct ForModel {
    pub(super) state: LoopState,
    /// The model is likely to get it wrong.
    pub(super) is_doubtful: bool,
    /// The model is asked only if a look-up finds nothing.
    pub(super) looks_up: bool,
    /// A part of what it is shown goes back to strangers.
    pub(super) is_foreign: bool,
}

impl<M: ChatModel> TurnContext<'_, M> {
    /// Decides what becomes of a request, with the tools, the plan and the memory it gets.
    pub(super) async fn consider(
        &self,
        request: &TurnRequest<'_>,
        side: SideQueries<'_, M>,
    ) -> Result<Considered, ReceiverClosed> {
        let seems_doubtful = self.is_doubtful(request);
        let prepared = self.prepare(request, &side).await?;
        if self.is_unanswerable(request, &prepared.memory.text) {
            return Ok(Considered::Untold);
        }
        let is_doubtful = seems_doubtful && !memory::holds(&prepared.memory, request);
        let looks_up = is_doubtful && self.looks_up_at_once(request.turn);
        let is_foreign = request.past.is_foreign || prepared.memory.is_foreign;
        let state = self.loop_of(request, prepared, &side.prompt, is_doubtful);
        Ok(Considered::ForModel(Box::new(ForModel { state, is_doubtful, looks_up, is_foreign })))
    }

    /// Returns the decisions about a request before its prompt is made: tools, plan, memory.
    async fn prepare(
        &self,
        request: &TurnRequest<'_>,
        side: &SideQueries<'_, M>,
    ) -> Result<Prepared, ReceiverClosed> {
        let (parts, memory) = (&self.engine.parts, &self.engine.memory);
        let coverage = memory::coverage(request);
        let rules = self.plan_rules(request);
        let (mut choice, plan) = planner::direct(request, rules, self.session, side).await?;
        if choice.is_guess {
            let (asked, language) = (request.turn.asked, &request.turn.language);
            let purposes =
                request.tools.purposes(language).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
            let nearness = memory.nearness(asked, &purposes).await;
            choice.picks = request.tools.likeliest(asked, language, nearness.as_deref());
        }
        let models = [&parts.tool_rules.router_model, &parts.reply.planner.model];
        let model = models.into_iter().find(|model| !model.trim().is_empty()).map_or("", String::as_str);
        let extract = ExtractRules { mode: parts.memory.extractor, context: &parts.context, model };
        let rules = RecallRules { coverage, plan: &plan, extract };
        let memory = memory.recall(request, rules, self.session, side).await?;
        Ok(Prepared { choice, plan, memory })
    }

    /// The rules by which the tools of a request are chosen and it is planned.
    pub(super) fn plan_rules(&self, request: &TurnRequest<'_>) -> PlanRules<'_> {
        let parts = &self.engine.parts;
        let memory = match self.engine.memory.can_recall() {
            true => Remembers::Something(memory::coverage(request)),
            false => Remembers::Nothing,
        };
        PlanRules { planner: &parts.reply.planner, tools: &parts.tool_rules, memory }
    }

    /// The loop of a request at its beginning. Of a doubtful fact the model says that it is not sure, and nothing is
    /// called for it.
    fn loop_of(
        &self,
        request: &TurnRequest<'_>,
        mut prepared: Prepared,
        shared: &SharedPrompt,
        is_doubtful: bool,
    ) -> LoopState {
        if is_doubtful {
            prepared.choice = ToolChoice { by: "none", ..ToolChoice::default() };
        }
        let mut state = setup::begin(request, prepared, shared, self.setup_rules(), self.session);
        if is_doubtful {
            let language = &request.turn.language;
            state.prompt.hint(language.prompts().of(PromptName::Unsure));
            let doubt = safe_answers::doubt_of(language);
            state.asked.limit = state.asked.limit.map(|limit| limit.with_doubt(&doubt));
        }
        state
    }
}
