//! What the steps of a turn are handed: narrow parts of the engine and of the conversation.
//!
//! Runs in the task of the turn. It decides nothing.

use std::sync::Arc;

use super::agent::request::TurnRequest;
use super::agent::setup::SetupRules;
use super::agent::tool_list::ToolList;
use super::arbiter::ModelPriority;
use super::engine::Engine;
use super::model::ChatModel;
use super::output::sink::ReplySink;
use super::prompt::dialogue::Past;
use super::prompt::head::HeadSet;
use super::prompt::side_query::{SharedPrompt, SideQueries};
use super::quick::QuickMeans;
use super::session::Session;
use super::turn::Turn;

/// The path of a turn: what is shared, and the conversation it belongs to.
pub(super) struct Path<'a, M> {
    pub(super) engine: &'a Engine<M>,
    pub(super) session: &'a Session,
}

/// What the steps of a turn are handed.
impl<'a, M: ChatModel> Path<'a, M> {
    pub(super) fn heads(&self) -> Arc<HeadSet> {
        let parts = &self.engine.parts;
        self.session.heads(&parts.tools, &parts.persona, &self.engine.name)
    }

    pub(super) fn tools(&self) -> ToolList {
        let parts = &self.engine.parts;
        self.session.tools(&parts.tools, &parts.persona, &self.engine.name)
    }

    pub(super) fn request<'t>(&self, turn: &'t Turn<'t>, past: &'t Past) -> TurnRequest<'t> {
        let mut called = self.session.called(&self.engine.parts.tool_rules);
        called.retain(|(answer, _)| past.holds(*answer));
        TurnRequest {
            turn,
            past,
            called,
            tools: self.tools(),
            known: self.heads().all_tools().names().into_iter().map(str::to_owned).collect(),
            answering: self.engine.answering(),
        }
    }

    pub(super) fn shared_prompt(&self, request: &TurnRequest<'_>) -> SharedPrompt {
        let profile = self.session.with(|state| state.caches.profile);
        let answering = &request.answering;
        let grown = &request.tools.grown;
        SharedPrompt {
            head: self.heads().of_profile(profile).of(answering.size, answering.protocol, grown),
            dialogue: request.past.with_calls(&request.called),
            room: self.engine.parts.room,
        }
    }

    pub(super) fn side_queries<'s>(
        &self,
        request: &TurnRequest<'_>,
        sink: &'s ReplySink,
    ) -> SideQueries<'s, M>
    where
        'a: 's,
    {
        let access = self.engine.access(ModelPriority::of(request.turn.channel));
        SideQueries { access, prompt: self.shared_prompt(request), sink }
    }

    pub(super) fn setup_rules(&self) -> SetupRules<'a> {
        SetupRules { tools: &self.engine.parts.tool_rules, context: &self.engine.parts.context }
    }

    pub(super) fn quick_means(&self) -> QuickMeans<'a> {
        QuickMeans {
            schedule: self.engine.parts.schedule.as_ref(),
            memory: self.engine.memory.store(),
            confirm_s: self.engine.parts.tool_rules.confirm_s,
            session: self.session,
        }
    }
}
