//! What an engine knows beside words: which tools a turn may use, what earlier answers called, and questions
//! that wait for a yes.
//!
//! Runs in the task of one turn; sections behind mutexes are short and hold no await. Anything but a yes to a
//! question of hers drops the call it was about.

use std::collections::VecDeque;
use std::sync::Mutex;

use jiff::{SignedDuration, Zoned};

use super::carry::{self, Carry};
use super::deadline::{self, in_time};
use super::head::Heads;
use super::memory::Block;
use super::model::{ChatModel, Room};
use super::outlet::{Outlet, Unheard};
use super::plan::{Course, Plan};
use super::protocol::Made;
use super::router::Routed;
use super::scratch::Scratch;
use super::tool_loop::{self, End, Loop};
use super::{Ended, Engine, Keep, Turn, context, dialogue, intents, planner, prompt, words};
use crate::llm::{Message, ModelSize};
use crate::store::ExchangeId;
use crate::tools::{self, Toolbox};

/// Calls are counted over so long.
const RATE: SignedDuration = SignedDuration::from_secs(60);

/// What was decided about a turn before its prompt is made.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    /// Which tools it may use.
    pub(super) routed: Routed,
    /// What is to be done.
    pub(super) plan: Plan,
    /// What is remembered for it.
    pub(super) memory: Block,
}

impl<M: ChatModel> Engine<M> {
    /// The answer to a question of hers, if this turn is one.
    pub(super) async fn answered(
        &self,
        turn: &Turn<'_>,
        outlet: &mut Outlet,
    ) -> Result<Option<(Ended, Keep)>, Unheard> {
        let pending = self.lock(&self.pending).remove(&turn.channel);
        let Some(pending) = pending else { return Ok(None) };
        if !pending.is_open(turn.now.timestamp()) {
            outlet.decided("gate", "no", "the question was not answered in time").await?;
            return Ok(None);
        }
        if intents::is_consent(turn.asked) {
            outlet.decided("gate", "yes", "the owner said yes to this call").await?;
            let end = self.confirmed(turn, pending, outlet).await?;
            return Ok(Some(self.ended(end, outlet)));
        }
        outlet.decided("gate", "no", "anything but a yes is a no").await?;
        if intents::is_refusal(turn.asked) {
            outlet.say(words::LEFT_ALONE).await?;
            return Ok(Some((Ended::Quick, Keep::Yes)));
        }
        Ok(None)
    }

    /// Drops what belonged to the conversation before, when a new one begins.
    pub(super) fn settle(&self, past: &dialogue::Past) {
        if past.live == 0 {
            self.forget_calls();
        }
    }

    /// What prompts of this conversation begin with.
    pub(super) fn heads(&self) -> &Heads {
        let profile = self.lock(&self.scratch).profile;
        profile.and_then(|profile| self.profiled.get(profile.name.as_str())).unwrap_or(&self.heads)
    }

    /// The tools there are for this conversation.
    pub(super) fn toolbox(&self) -> &Toolbox {
        self.heads().toolbox()
    }

    /// What earlier answers called, as far as prompts show it.
    pub(super) fn carried(&self) -> Vec<(i64, Vec<Message>)> {
        let rules = &self.parts.tool_rules;
        let chars = rules.carryover_per_entry_chars as usize;
        self.lock(&self.carry).rows(rules.carryover_max_turns as usize, chars)
    }

    /// The loop of a turn at its beginning.
    pub(super) fn begin(&self, turn: &Turn<'_>, past: &dialogue::Past, prepared: Prepared) -> Loop {
        let Prepared { routed, plan, memory } = prepared;
        let (is_tainted, grown, failed) = {
            let carry = self.lock(&self.carry);
            (carry.is_tainted, carry.grown.clone(), carry.failed(past.newest()))
        };
        let served = tool_loop::protocol_of(self);
        let head = self.heads().of(served.1, served.2, &grown);
        let newest = prompt::Newest {
            asked: turn.asked,
            context: &context::line(&self.parts.context, &turn.now),
            memory: &memory.text,
            plan: &plan.block(),
            placement: self.parts.context.placement,
        };
        let messages = prompt::build(&head, past.with_calls(&self.carried()), &newest, self.room());
        let mut state = Loop::new(turn, messages, served);
        state.native = head.tools;
        state.known = self.parts.tools.names().into_iter().map(str::to_owned).collect();
        state.taint = tool_loop::taint(is_tainted || memory.is_foreign);
        state.mood = intents::mood(turn.asked);
        state.turns_left = self.parts.tool_rules.max_turns;
        let may_have_parts = plan.course == Course::Open && state.protocol == super::Protocol::Text;
        let parts = if may_have_parts { planner::parts_of(turn.asked) } else { Vec::new() };
        // Where words pick tools, a part that wants none is no request of its own.
        let is_whole = !routed.picks.is_empty() && self.wanting(&parts) < parts.len();
        let parts = if parts.is_empty() || is_whole { vec![turn.asked] } else { parts };
        state.parts = parts.into_iter().map(str::to_owned).collect();
        state.plan = plan;
        self.allow(&mut state, routed, &grown, &failed);
        state
    }

    /// Which tools the turn may call: those that were picked, those of the plan, those that failed in the answer
    /// before, and the few that are always there.
    fn allow(&self, state: &mut Loop, routed: Routed, grown: &[String], failed: &[String]) {
        let toolbox = self.toolbox();
        state.allowed = routed.names(&toolbox.offered(grown));
        let planned = state.plan.tools(toolbox);
        let always = [tools::STOP, tools::TOOL_SEARCH].map(str::to_owned);
        for name in planned.iter().chain(failed).chain(&always) {
            if toolbox.get(name).is_some() && !state.allowed.contains(name) {
                state.allowed.push(name.clone());
            }
        }
        state.strategy = [
            routed.by,
            if planned.is_empty() { "" } else { "+plan" },
            if failed.is_empty() { "" } else { "+carryover" },
        ]
        .concat();
        if state.size == ModelSize::Small && state.plan.course == Course::Open {
            let parts: Vec<&str> = state.parts.iter().map(String::as_str).collect();
            let stand = self.stand(&[&state.asked]).or_else(|| self.stand(&parts));
            let may_all =
                |calls: &VecDeque<Made>| calls.iter().all(|made| state.allowed.contains(&made.name));
            state.ready = stand.filter(may_all).unwrap_or_default();
            state.stand = state.ready.len();
            state.picks = if self.parts.tool_rules.constrain { routed.picks } else { Vec::new() };
            state.chooses = !state.picks.is_empty();
        }
    }

    /// Puts on record which tools the turn may call.
    pub(super) async fn note_choice(&self, state: &Loop, outlet: &Outlet) -> Result<(), Unheard> {
        if self.toolbox().is_empty() {
            return Ok(());
        }
        let told = format!("{}, as {}", state.allowed.join(" "), state.protocol.name());
        outlet.decided("tools", state.strategy.as_str(), told).await
    }

    /// How a turn ended, and whether it is kept.
    pub(super) fn ended(&self, end: End, outlet: &mut Outlet) -> (Ended, Keep) {
        match end {
            End::Answered => (Ended::Answered, Keep::Yes),
            End::Apologised => (Ended::Apologised, Keep::Yes),
            // The rows come with the answer to the question.
            End::Asked => {
                outlet.rows.clear();
                (Ended::Answered, Keep::Yes)
            }
            End::Stopped => {
                self.forget_calls();
                outlet.rows.clear();
                (Ended::Quick, Keep::No)
            }
        }
    }

    /// Keeps what the turn called, for the prompts of the same conversation.
    pub(super) fn carry_over(&self, exchange: Option<ExchangeId>, outlet: &mut Outlet) {
        let rows = tool_loop::kept(&mut outlet.rows);
        if let Some(exchange) = exchange {
            self.lock(&self.carry).add(exchange, rows);
        } else if rows.iter().any(|row| tools::fence::is_fenced(&row.message.content)) {
            self.lock(&self.carry).is_tainted = true;
        }
    }

    /// Takes up, once, what an earlier run of the program carried over. What can't be known counts as tainted.
    pub(super) async fn recall_calls(&self) {
        let recall = || async {
            let Some(store) = &self.parts.store else { return Mutex::default() };
            let (carry, kept) = match in_time(deadline::CALLS, store.setting(carry::KEY)).await {
                Ok(kept) => (Carry::read(kept.as_deref().unwrap_or_default()), kept.unwrap_or_default()),
                Err(error) => {
                    tracing::warn!(%error, "what was called earlier is not known");
                    (Carry::tainted(), String::new())
                }
            };
            *self.lock(&self.carry) = carry;
            Mutex::new(kept)
        };
        self.kept.get_or_init(recall).await;
    }

    /// Keeps what was called beside the dialogue, where it has changed.
    pub(super) async fn keep_calls(&self) {
        let (Some(store), Some(kept)) = (&self.parts.store, self.kept.get()) else { return };
        let written = self.lock(&self.carry).written();
        if *self.lock(kept) == written {
            return;
        }
        match in_time(deadline::WRITE, store.set_setting(carry::KEY, written.clone())).await {
            Ok(()) => *self.lock(kept) = written,
            Err(error) => tracing::warn!(%error, "what was called is not kept over a restart"),
        }
    }

    /// Forgets what earlier answers called and what was worked out for them: the conversation is over.
    pub(super) fn forget_calls(&self) {
        *self.lock(&self.carry) = Carry::default();
        *self.lock(&self.scratch) = Scratch::default();
    }

    /// Tools found in this conversation.
    pub(super) fn grown(&self) -> Vec<String> {
        self.lock(&self.carry).grown.clone()
    }

    /// How many calls did more than look within the last minute.
    pub(super) fn lately(&self, now: &Zoned) -> u32 {
        let now = now.timestamp();
        let mut lately = self.lock(&self.lately);
        // A clock that was set back must not make old calls count for ever, nor forget new ones.
        lately.retain(|at| now.duration_since(*at).abs() < RATE);
        u32::try_from(lately.len()).unwrap_or(u32::MAX)
    }

    /// Counts a call.
    pub(super) fn note_call(&self, now: &Zoned) {
        self.lock(&self.lately).push_back(now.timestamp());
    }

    fn room(&self) -> Room {
        self.parts.room
    }

    /// The tools there are: name, description, and whether they are on offer in this conversation.
    pub fn tools(&self) -> Vec<(String, String)> {
        let grown = self.grown();
        let offered = self.toolbox().offered(&grown);
        offered.iter().map(|tool| (tool.name().to_owned(), tool.description().to_owned())).collect()
    }

    /// Which model answers, how much may be asked of it, and how it calls tools.
    pub fn model(&self) -> String {
        let (model, size, protocol) = tool_loop::protocol_of(self);
        let model = if model.is_empty() { "no model yet".to_owned() } else { model };
        let size = match size {
            ModelSize::Small => "small",
            ModelSize::Large => "large",
        };
        format!("{model}, {size}, calls tools through {}", protocol.name())
    }
}
