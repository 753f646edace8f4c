//! Borrowed context passed to each step of a turn: narrow parts of the engine and of the conversation.
//!
//! Runs in the task of the turn. It decides nothing.

use std::sync::Arc;

use joi_llm::{ModelSize, ServedBy};

use super::agent::prompt_kind::PromptKind;
use super::agent::request::TurnRequest;
use super::agent::setup::SetupRules;
use super::agent::talk;
use super::engine::{Engine, EngineParts};
use super::model::{ChatModel, ModelState, Served};
use super::outgoing::Withheld;
use super::prompt::dialogue::{DoneReader, Past};
use super::prompt::head::{HeadSet, Speaking};
use super::prompt::side_query::{SharedPrompt, SideQueries};
use super::quick::QuickContext;
use super::session::Session;
use super::turn::Turn;
use crate::sink::ReplySink;
use joi_answer::tool_list::ToolList;
use joi_base::message::Origin;
use joi_language::Language;
use joi_llm::ModelPriority;
use joi_tools::gate::Consent;

/// Context of a turn: what is shared, the conversation it belongs to, and its language.
pub(super) struct TurnContext<'a, M> {
    pub(super) engine: &'a Engine<M>,
    pub(super) session: &'a Session,
    pub(super) language: Arc<Language>,
}

/// Borrowed context passed to each step of a turn.
impl<'a, M: ChatModel> TurnContext<'a, M> {
    pub(super) fn heads(&self) -> Arc<HeadSet> {
        self.session.heads(&self.engine.parts.tools, &self.speaking())
    }

    pub(super) fn tools(&self) -> ToolList {
        self.session.tools(&self.engine.parts.tools, &self.speaking())
    }

    /// Returns the persona of the turn; another program gets none of the memory.
    fn speaking(&self) -> Speaking<'_> {
        let who = self.engine.speaking(&self.language);
        let is_program = Origin::of_user(self.session.id().channel) == Origin::Stranger;
        let withheld = Withheld { memory: who.withheld.memory || is_program, ..who.withheld };
        Speaking { withheld, ..who }
    }

    pub(super) fn request<'t>(&self, turn: &'t Turn<'t>, past: &'t Past) -> TurnRequest<'t> {
        let mut called = self.session.called(&self.engine.parts.tool_rules, self.engine.withheld());
        called.retain(|(answer, _)| past.holds(*answer));
        self.find_tools(turn);
        let mut request = TurnRequest {
            turn,
            past,
            called,
            tools: self.tools(),
            known: self.heads().all_tools().names().into_iter().map(str::to_owned).collect(),
            answering: self.engine.answering(),
            is_guess: false,
            prompt: PromptKind::Tools,
        };
        let parts = &self.engine.parts;
        request.prompt = talk::prompt_kind(&request, &parts.tool_rules, &parts.reply.planner);
        if talk::is_guess(&request, &parts.tool_rules, &parts.reply.planner) {
            (request.is_guess, request.prompt) = (true, PromptKind::Tools);
        }
        request
    }

    /// Offers the tools of other programs that the words of the request point at, where there are too many for all of them.
    fn find_tools(&self, turn: &Turn<'_>) {
        let found = self.tools().outside_by_words(turn.asked, &turn.language);
        self.session.with(|state| found.iter().for_each(|name| state.history.grow(name)));
    }

    /// The prompts that a question may get, the likelier first. A server that keeps only one of them reads only that.
    pub(super) fn prompts_ahead(&self, request: &TurnRequest<'_>) -> Vec<PromptKind> {
        let parts = &self.engine.parts;
        let keeps_both = matches!(parts.model.state(), ModelState::Ready(Served { by: ServedBy::Local, .. }));
        let has_both = talk::may_be_short(request, &parts.tool_rules, &parts.reply.planner);
        match (request.prompt, keeps_both && has_both) {
            (first, false) => vec![first],
            (PromptKind::Talk, true) => vec![PromptKind::Talk, PromptKind::Tools],
            (PromptKind::Tools, true) => vec![PromptKind::Tools, PromptKind::Talk],
        }
    }

    pub(super) fn shared_prompt(&self, request: &TurnRequest<'_>) -> SharedPrompt {
        let profile = self.session.with(|state| state.caches.profile);
        let answering = &request.answering;
        let heads = self.heads();
        let heads = heads.of_profile(profile);
        let (head, called) = match request.prompt {
            PromptKind::Talk => (heads.talk(answering.size), &[][..]),
            PromptKind::Tools => {
                let grown = &request.tools.grown;
                (heads.of(answering.size, answering.protocol, grown), request.called.as_slice())
            }
        };
        let TurnRequest { turn, past, .. } = request;
        let reader =
            DoneReader { language: &turn.language, size: answering.size, withheld: self.engine.withheld() };
        let dialogue = past.shown(called, turn.asked, reader);
        let is_for_tools = request.prompt == PromptKind::Tools && answering.size == ModelSize::Small;
        let talk = is_for_tools.then(|| (heads.talk(answering.size), past.shown(&[], turn.asked, reader)));
        let form = if is_for_tools { heads.form() } else { Vec::new() };
        SharedPrompt { head, dialogue, talk, form, room: self.engine.parts.room }
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
        let EngineParts { tool_rules, context, reply, clock, .. } = &self.engine.parts;
        let house = self.engine.house_line(&self.language, &clock.now());
        SetupRules { tools: tool_rules, context, reply, house }
    }

    pub(super) fn quick_context(&self) -> QuickContext<'a> {
        QuickContext {
            schedule: self.engine.parts.schedule.as_ref(),
            memory: self.engine.memory.store(),
            notes: self.engine.parts.store.as_ref(),
            home: self.engine.parts.home.as_ref(),
            rules: &self.engine.parts.tool_rules,
            consent: Consent::NotAsked,
            session: self.session,
            initiative: &self.engine.parts.initiative,
        }
    }
}
