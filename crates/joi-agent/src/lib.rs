//! From words to an answer: redact → a yes to a question → quick intents → two requests? → care → dialogue → coverage →
//! router → planner → memory → prompt → model and tools → check → remember.
//!
//! [`reply`] runs in the task of one turn; [`Engine`] is what all conversations share, [`Session`] what one of them
//! holds. Input: what was heard or typed. Output: [`ReplyEvent`]s while the answer comes in, and a [`ReplyOutcome`].
//! Nothing behind the first line sees unredacted text. A missing store, or one that fails, costs the memory and never
//! the answer; a missing model becomes an apology. Dropping or cancelling a turn aborts the model.
//!
//! The folders follow the path: `quick`, [`prompt`], [`agent`], [`memory`].

use std::sync::Arc;

use jiff::Zoned;
use joi_base::message::Origin;
use joi_language::PromptName;
use joi_llm::Knowledge;
use joi_store::StoreError;

pub mod agent;
mod autonomous;
mod before_model;
pub mod bounds;
mod carried;
mod config;
mod confirmation;
mod deadline;
pub(crate) mod engine;
mod initiative;
mod measured_prompts;
pub mod memory;
pub mod model;
pub(crate) mod outgoing;
pub mod placeholders;
pub mod prompt;
mod quick;
mod read_ahead;
mod reply;
mod safe_answers;
mod session;
pub(crate) mod sink;
#[cfg(test)]
mod tests;
pub(crate) mod turn;
mod turn_context;

pub use config::{Character, ContextConfig, PersonaConfig, Placement, ReplyConfig, TimeKind};
pub use config::{PersonaMode, PlannerConfig, PlannerMode, PlannerOrder};

pub use agent::protocols::Protocols;
pub use engine::{Engine, EngineParts};
pub use initiative::{ComposeFault, ComposedWords, HouseTeller, Initiative, ProactiveBrief};
pub use joi_answer::protocol::Protocol;
pub use joi_tools::HouseKnown;
pub use joi_understand::intents::{QuietWish, VolumeChange};
pub use measured_prompts::{MeasuredPrompts, measured_prompts};
pub use memory::{Everyday, Extractor, MemoryConfig, MemoryDigest, Sources, diary, memory_question};
pub use prompt::head::{Prelude, head};
pub use quick::foresee::foresee;
pub use quick::house::ConnectedHome;
pub use read_ahead::{read_ahead, read_words};
pub use reply::{reply, reply_within};
pub use session::Session;
pub use turn::{Action, ConversationStatus, Ended, ReplyEvent, ReplyOutcome, TurnInput};

use agent::ask;
use agent::prompt_kind::PromptKind;
use agent::request::TurnRequest;
use agent::router::ToolChoice;
use agent::setup::{self, Prepared};
use agent::tool_loop::LoopEnd;
use before_model::{Considered, ForModel};
use confirmation::QuestionOutcome;
use deadline::in_time;
use joi_answer::parts;
use joi_schedule::ScheduleOrder;
use joi_understand::intents::{self, Intent, QuickIntent};
use joi_understand::{question, wish};
use memory::remember;
use model::ChatModel;
use prompt::dialogue::{self, Past};
use prompt::profile;
use quick::Recognised;
use session::open_question::BegunAnswer;
use sink::{ReceiverClosed, ReplySink};
use turn::{Keep, Turn};
use turn_context::TurnContext;

/// Most messages read from the store for one prompt; far more than fit into it.
const READ_BACK: u32 = 1_000;

type TurnResult = Result<(Ended, Keep), ReceiverClosed>;

impl<M: ChatModel> TurnContext<'_, M> {
    async fn respond(
        &self,
        turn: &Turn<'_>,
        hidden: &[joi_redact::Label],
        sink: &mut ReplySink,
    ) -> TurnResult {
        if !hidden.is_empty() {
            let kinds: Vec<&str> = hidden.iter().map(|label| label.token()).collect();
            sink.decided("redact", "hidden", kinds.join(" ")).await?;
        }
        self.session.restore(self.engine.parts.store.as_ref()).await;
        if turn.asked.is_empty() {
            sink.decided("intents", "nothing", "no words").await?;
            sink.say(&turn.language.sentences().reply.nothing_heard).await?;
            return Ok((Ended::Quick, Keep::No));
        }
        let outcome = match safe_answers::is_emergency(turn) {
            true => self.unanswered(turn, sink).await?,
            false => self.answered(turn, sink).await?,
        };
        match outcome {
            QuestionOutcome::Over(ended) => Ok(ended),
            QuestionOutcome::GoesOn(asked) => {
                let carried = self.carried_on(asked, turn);
                let asked = carried.as_deref().unwrap_or(asked);
                let (now, language) = (turn.now.clone(), Arc::clone(&turn.language));
                self.one(&Turn { asked, now, language, ..*turn }, sink).await
            }
        }
    }

    /// One request: an emergency, a quick command, several requests, or one for the model.
    async fn one(&self, turn: &Turn<'_>, sink: &mut ReplySink) -> TurnResult {
        let is_emergency = safe_answers::is_emergency(turn);
        if !is_emergency && let Some(ended) = self.for_agents(turn, sink).await? {
            return Ok(ended);
        }
        let resumes = || {
            let quick = intents::match_intent(&turn.language, turn.asked);
            quick.is_some_and(|quick| matches!(quick.what, Intent::Schedule(ScheduleOrder::Resume(_))))
        };
        if !is_emergency && wish::stays(&turn.language, turn.asked) && !resumes() {
            sink.decided("gate", "no", "something is to stay as it is").await?;
            sink.say(&turn.language.sentences().reply.left_alone).await?;
            return Ok((Ended::Quick, Keep::Yes));
        }
        let (heads, quick_context) = (self.heads(), self.quick_context());
        if let Some(home) = quick_context.home.filter(|_| !is_emergency) {
            home.ready(turn).await;
        }
        quick::take_back(turn, &quick_context, sink).await?;
        if let Some(both) = intents::both(&turn.language, turn.asked).filter(|_| !is_emergency) {
            return self.both(turn, both, sink).await;
        }
        let is_house = |half: &str| quick::is_for_house(turn, half, &quick_context, heads.all_tools());
        let size = self.engine.answering().size;
        let beside = parts::beside_matter(turn.asked, &turn.language, &self.tools(), size, &is_house);
        if let Some(parts) = beside {
            return Box::pin(self.each(turn, parts, sink)).await;
        }
        if let Some(ended) = self.urgent(turn, sink).await? {
            return Ok(ended);
        }
        if let Some(quick) = quick::recognise(turn, &quick_context, heads.all_tools()) {
            if let Recognised::Requests(parts) = quick {
                return Box::pin(self.each(turn, parts, sink)).await;
            }
            let keep = quick::carry_out(turn, &quick, &quick_context, sink).await?;
            return Ok((Ended::Quick, keep));
        }
        let parts = parts::requests(turn.asked, &turn.language, &self.tools(), size);
        // "Yesterday we waited, forty minutes for the bus": what has been asks for nothing.
        let sets = |part: &str| {
            let quick = intents::match_intent(&turn.language, part);
            quick.is_some_and(|quick| matches!(quick.what, Intent::Schedule(ScheduleOrder::Set(_))))
        };
        let is_told = |parts: &Vec<&str>| {
            parts.len() == 1 && sets(parts[0]) && question::is_past(turn.asked, &turn.now)
        };
        if let Some(parts) = parts.filter(|parts| !is_told(parts)) {
            return Box::pin(self.each(turn, parts, sink)).await;
        }
        if let Some(quick) = parts::on_day_before(turn.asked, &turn.language) {
            let keep = quick::carry_out(turn, &Recognised::Quick(quick), &quick_context, sink).await?;
            return Ok((Ended::Quick, keep));
        }
        self.think(turn, sink).await
    }

    /// Sets two entries, one behind the other.
    async fn both(&self, turn: &Turn<'_>, both: [QuickIntent; 2], sink: &mut ReplySink) -> TurnResult {
        let mut all = Keep::No;
        for quick in both {
            sink.begin_another();
            let keep = quick::carry_out(turn, &Recognised::Quick(quick), &self.quick_context(), sink).await?;
            if keep == Keep::Yes {
                all = Keep::Yes;
            }
            if sink.awaits.is_some() {
                break;
            }
        }
        Ok((Ended::Quick, all))
    }

    /// Answers several requests, one behind the other. An open question waits for its answer: then the rest is not
    /// begun.
    async fn each(&self, turn: &Turn<'_>, parts: Vec<&str>, sink: &mut ReplySink) -> TurnResult {
        let (verdict, why) = match parts.len() {
            1 => ("one", "what stands before it asks for nothing"),
            2 => ("two", "a request that needs no model, and another one or a matter of harm"),
            _ => ("several", "requests that need no model"),
        };
        sink.decided("parts", verdict, why).await?;
        let mut all = (Ended::Quick, Keep::No);
        for (at, &asked) in parts.iter().enumerate() {
            sink.begin_another();
            let (language, is_followed) = (Arc::clone(&turn.language), at + 1 < parts.len());
            let beside = if parts.len() == 1 { turn.asked } else { asked };
            let turn = Turn { asked, beside, is_followed, now: turn.now.clone(), language, ..*turn };
            let (ended, keep) = self.one(&turn, sink).await?;
            if ended != Ended::Quick {
                all.0 = ended;
            }
            if keep == Keep::Yes {
                all.1 = Keep::Yes;
            }
            if sink.awaits.is_some() || sink.is_over {
                break;
            }
        }
        Ok(all)
    }

    /// The path of a request that no quick command answers.
    async fn think(&self, turn: &Turn<'_>, sink: &mut ReplySink) -> TurnResult {
        let (engine, session) = (self.engine, self.session);
        if let Some(ended) = self.careful(turn, sink).await? {
            return Ok(ended);
        }
        if let Some(ended) = self.out_of_reach(turn, sink).await? {
            return Ok(ended);
        }
        // A larger model words the answer itself.
        if engine.answering().knowledge != Knowledge::Fair
            && let Some(ended) = quick::memory::known(turn, engine.memory.store(), sink).await?
        {
            return Ok(ended);
        }
        let past = match self.past(&turn.now).await {
            Ok(past) => {
                self.settle(&past);
                past
            }
            Err(error) => {
                remember::report_failure(&error, session, sink).await?;
                Past::default()
            }
        };
        if ask::awaited(&*engine.parts.model, &engine.parts.reply, sink).await?.is_some() {
            return Ok((Ended::Apologised, Keep::Yes));
        }
        self.pick_profile(turn, &past, sink).await?;
        let request = self.request(turn, &past);
        let ForModel { state, is_doubtful, looks_up, is_foreign } =
            match self.consider(&request, self.side_queries(&request, sink)).await? {
                Considered::Untold => return self.say_unanswerable(sink).await,
                Considered::ForModel(asked) => *asked,
            };
        if looks_up && self.looked_up(turn, sink).await? {
            return Ok((Ended::Quick, Keep::Yes));
        }
        sink.is_foreign |= is_foreign || session.with(|state| state.history.is_tainted);
        sink.decided("dialogue", past.verdict(), format!("{} messages", state.prompt.messages.len())).await?;
        if request.prompt == PromptKind::Talk {
            sink.decided("tools", "talk", "nothing in it is for a tool").await?;
        } else if !request.tools.toolbox.is_empty() {
            let told = format!("{}, as {}", state.scope.allowed.join(" "), state.prompt.protocol().name());
            sink.decided("tools", state.scope.strategy.as_str(), told).await?;
        }
        let heads = self.heads();
        let end = engine.agent(session, &heads).converse(state, sink).await?;
        if is_doubtful && end == LoopEnd::Answered {
            self.doubt(turn, sink).await?;
        }
        Ok(self.ended(end, sink))
    }

    /// Goes on with an answer, through the prompt it was begun with.
    async fn go_on(&self, turn: &Turn<'_>, begun: BegunAnswer, sink: &mut ReplySink) -> TurnResult {
        let past = self.past(&turn.now).await.unwrap_or_default();
        let language = Arc::clone(&turn.language);
        let more = turn.language.prompts().of(PromptName::Continue);
        let asked = Turn { asked: more, now: turn.now.clone(), language, ..*turn };
        let request = TurnRequest { prompt: begun.prompt, ..self.request(&asked, &past) };
        let choice = ToolChoice { by: "go on", ..ToolChoice::default() };
        let memory = self.engine.memory.warm(&request, self.session).await;
        let prepared = Prepared { choice, memory, ..Prepared::default() };
        let shared = self.shared_prompt(&request);
        let mut state = setup::begin(&request, prepared, &shared, self.setup_rules(), self.session);
        state.asked.earlier = begun.said;
        state.asked.limit = begun.limit;
        sink.is_foreign |= past.is_foreign || self.session.with(|state| state.history.is_tainted);
        let heads = self.heads();
        let end = self.engine.agent(self.session, &heads).converse(state, sink).await?;
        Ok(self.ended(end, sink))
    }

    /// Picks the profile of a conversation that has none yet, where the configuration wants profiles.
    async fn pick_profile(
        &self,
        turn: &Turn<'_>,
        past: &Past,
        sink: &ReplySink,
    ) -> Result<(), ReceiverClosed> {
        let Some(fallback) = self.engine.parts.persona.fallback_profile() else { return Ok(()) };
        if self.session.with(|state| state.caches.profile.is_some()) {
            return Ok(());
        }
        let request = self.request(turn, past);
        let side = self.side_queries(&request, sink);
        let model = &self.engine.parts.tool_rules.router_model;
        let picked = profile::pick(turn.asked, fallback, model, &side).await?;
        self.session.with(|state| state.caches.profile = Some(picked));
        Ok(())
    }

    /// The ending of a turn, and whether it is kept.
    fn ended(&self, end: LoopEnd, sink: &mut ReplySink) -> (Ended, Keep) {
        match end {
            LoopEnd::Answered => (Ended::Answered, Keep::Yes),
            LoopEnd::Apologised => (Ended::Apologised, Keep::Yes),
            // The rows come with the answer to the question.
            LoopEnd::Asked => {
                sink.rows.clear();
                (Ended::Answered, Keep::Yes)
            }
            LoopEnd::Stopped => {
                self.session.forget_conversation();
                sink.rows.clear();
                (Ended::Quick, Keep::No)
            }
        }
    }

    /// Drops what belonged to the conversation before, when a new one begins.
    fn settle(&self, past: &Past) {
        if past.own == 0 {
            self.session.forget_conversation();
        }
    }

    async fn past(&self, now: &Zoned) -> Result<Past, StoreError> {
        // The dialogue of the household is nothing for another program.
        if Origin::of_user(self.session.id().channel) == Origin::Stranger {
            return Ok(Past::default());
        }
        let Some(store) = &self.engine.parts.store else { return Ok(Past::default()) };
        let (now, rules) = (now.timestamp(), &self.engine.parts.reply);
        let (since, conversation) = (dialogue::horizon(rules, now), self.session.id());
        let rows = async {
            match conversation.channel.is_of_user() {
                true => store.dialogue_since(since, READ_BACK).await,
                false => store.dialogue_within(conversation.clone(), since, READ_BACK).await,
            }
        };
        let rows = in_time(deadline::DIALOGUE, rows).await?;
        Ok(dialogue::past(&rows, self.session.id(), now, rules))
    }
}
