//! What is decided about a request before its prompt is made, and the loop that its answer begins with.
//!
//! Runs in the task of the turn, or of words that may become one. In: the request. Out: its tools, its plan, what is
//! remembered for it, and a [`LoopState`]. Nothing is done or told.

use super::agent::planner::{self, PlanRules, Remembers};
use super::agent::request::TurnRequest;
use super::agent::router::ToolChoice;
use super::agent::setup::{self, Prepared};
use super::agent::tool_loop::state::LoopState;
use super::memory::RecallRules;
use super::memory::extractor::ExtractRules;
use super::model::ChatModel;
use super::output::sink::ReceiverClosed;
use super::path::Path;
use super::prompt::side_query::{SharedPrompt, SideQueries};
use super::{care, memory};
use crate::language::prompts::PromptName;

impl<M: ChatModel> Path<'_, M> {
    /// What is decided about a request before its prompt is made: tools, plan, memory.
    pub(super) async fn prepare(
        &self,
        request: &TurnRequest<'_>,
        side: &SideQueries<'_, M>,
    ) -> Result<Prepared, ReceiverClosed> {
        let (parts, memory) = (&self.engine.parts, &self.engine.memory);
        let coverage = memory::coverage(request);
        let rules = self.plan_rules(request);
        let (choice, plan) = planner::direct(request, rules, self.session, side).await?;
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

    /// The loop of a request at its beginning. Of a doubtful fact the model says that it is not sure, and nothing is called
    /// for it.
    pub(super) fn loop_of(
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
            let doubt = care::doubt_of(language);
            state.asked.limit = state.asked.limit.map(|limit| limit.with_doubt(&doubt));
        }
        state
    }
}
