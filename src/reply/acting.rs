//! What an engine knows beside words: which tools a turn may use, what earlier answers called, and questions
//! that wait for a yes.
//!
//! Runs in the task of one turn; sections behind mutexes are short and hold no await. Anything but a yes to a
//! question of hers drops the call it was about.

use std::sync::Mutex;

use jiff::{SignedDuration, Zoned};

use super::carry::{self, Carry};
use super::memory::Block;
use super::model::{ChatModel, Room};
use super::outlet::{Outlet, Unheard};
use super::plan::Plan;
use super::protocol::Made;
use super::tool_loop::{self, End, Loop};
use super::{Ended, Engine, Keep, Turn, compound, context, dialogue, intents, prompt, words};
use crate::llm::ModelSize;
use crate::store::ExchangeId;
use crate::tools::{self, Router, route};

/// Calls are counted over so long.
const RATE: SignedDuration = SignedDuration::from_secs(60);

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

    /// The loop of a turn at its beginning.
    pub(super) fn begin(&self, turn: &Turn<'_>, past: &dialogue::Past, memory: &Block) -> Loop {
        if past.live == 0 {
            *self.lock(&self.carry) = Carry::default();
        }
        let rules = &self.parts.tool_rules;
        let (carried, is_tainted, grown, failed) = {
            let carry = self.lock(&self.carry);
            let chars = rules.carryover_per_entry_chars as usize;
            let rows = carry.rows(rules.carryover_max_turns as usize, chars);
            (rows, carry.is_tainted, carry.grown.clone(), carry.failed(past.newest()))
        };
        let served = tool_loop::protocol_of(self);
        let head = self.heads.of(served.1, served.2, &grown);
        let line = context::line(&self.parts.context, &turn.now);
        let placement = self.parts.context.placement;
        let newest = prompt::Newest { asked: turn.asked, context: &line, memory: &memory.text, placement };
        let messages = prompt::build(&head, past.with_calls(&carried), &newest, self.room());
        let mut state = Loop::new(turn, messages, served);
        state.native = head.tools;
        state.known = self.parts.tools.names().into_iter().map(str::to_owned).collect();
        state.taint = tool_loop::taint(is_tainted || memory.is_foreign);
        state.mood = intents::mood(turn.asked);
        state.turns_left = rules.max_turns;
        state.plan = Plan::new(turn.plan.clone());
        state.parts = match state.plan.is_empty() && state.protocol == super::Protocol::Text {
            true => compound::parts(turn.asked, None).into_iter().map(str::to_owned).collect(),
            false => vec![turn.asked.to_owned()],
        };
        self.route(&mut state, &grown, &failed);
        state
    }

    /// Which tools the turn may call.
    fn route(&self, state: &mut Loop, grown: &[String], failed: &[String]) {
        let offered = self.parts.tools.offered(grown);
        let by_words = match self.parts.tool_rules.router {
            Router::Auto => state.size == ModelSize::Small,
            Router::Keyword => true,
            Router::All => false,
        };
        if by_words {
            state.picks = route::by_words(&state.asked, &offered).names;
        }
        let all = || offered.iter().map(|tool| tool.name().to_owned()).collect();
        state.allowed = if state.picks.is_empty() { all() } else { state.picks.clone() };
        let planned = state.plan.tools(&self.parts.tools);
        let always = [tools::STOP, tools::TOOL_SEARCH].map(str::to_owned);
        for name in planned.iter().chain(failed).chain(&always) {
            if self.parts.tools.get(name).is_some() && !state.allowed.contains(name) {
                state.allowed.push(name.clone());
            }
        }
        state.strategy = [
            if by_words { "keyword" } else { "all" },
            if planned.is_empty() { "" } else { "+plan" },
            if failed.is_empty() { "" } else { "+carryover" },
        ]
        .concat();
        if state.size == ModelSize::Small && state.plan.is_empty() {
            state.ready = state.picks.iter().find_map(|name| {
                let arguments = self.parts.tools.get(name)?.ready(&state.asked)?;
                Some(Made { id: None, name: name.clone(), arguments })
            });
        }
        if !self.parts.tool_rules.constrain {
            state.picks.clear();
        }
        state.chooses = state.size == ModelSize::Small && !state.picks.is_empty();
    }

    /// Puts on record which tools the turn may call.
    pub(super) async fn note_choice(&self, state: &Loop, outlet: &Outlet) -> Result<(), Unheard> {
        if self.parts.tools.is_empty() {
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
            let (carry, kept) = match store.setting(carry::KEY).await {
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
        match store.set_setting(carry::KEY, written.clone()).await {
            Ok(()) => *self.lock(kept) = written,
            Err(error) => tracing::warn!(%error, "what was called is not kept over a restart"),
        }
    }

    /// Forgets what earlier answers called and what waits for a yes: the conversation is over.
    pub(super) fn forget_calls(&self) {
        *self.lock(&self.carry) = Carry::default();
        self.forget_recalled();
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
        let offered = self.parts.tools.offered(&grown);
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
