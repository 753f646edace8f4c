//! A turn of an agent: nobody has asked, or somebody talks with the agent by its name.
//!
//! Runs in the task of the agent. In: an instruction, the agent's own tools, what it may still spend. Out: what it wrote,
//! called and spent. A turn by itself waits until nobody talks with joi, and gives the model up at once when somebody does.
//! Every call goes through the gate as one that nobody asked for; one that needs a yes is left to the desk of the agent, and
//! the turn goes on. The limits are held here whatever the model does.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::{Instant, sleep, timeout};

use crate::Engine;
use crate::agent::patience::Patience;
use crate::agent::protocols::Answering;
use crate::model::{ChatModel, ModelState};
use crate::outgoing::Withheld;
use crate::prompt::head::{HeadSet, Speaking};
use crate::prompt::{self, context};
use joi_answer::protocol::{self, WrittenCall};
use joi_autonomy::agent::news::TurnEnding;
use joi_autonomy::agent::turn::{
    AgentCaller, AgentDesk, AgentTurn, AgentTurnDone, CallEnd, TurnCalls, TurnFailure, TurnStep,
};
use joi_llm::{Ask, ChatEvent, ChatStats, Length, LlmError, Message, ModelPriority, ModelPurpose};
use joi_tools::{ToolSnapshot, Toolbox};

/// Bytes of a token, estimated so that a prompt is rather too long than too short.
const BYTES_PER_TOKEN: usize = 3;

/// One reply of the model.
struct AgentReply {
    text: String,
    calls: Vec<WrittenCall>,
    stats: ChatStats,
}

/// Why there is no reply.
enum NoReply {
    Interrupted,
    NoTools,
    Failed(TurnFailure),
}

impl<M: ChatModel> Engine<M> {
    /// Runs a turn of an agent. Dropping it gives the model up.
    pub async fn agent_turn(&self, turn: &AgentTurn<'_>, desk: &dyn AgentDesk) -> AgentTurnDone {
        let language = self.language();
        let purpose = ModelPurpose::called(desk.purpose());
        let withheld = Withheld::from(self.serving(purpose));
        let all = self.parts.tools.snapshot_with(turn.tools);
        let toolbox = withheld.shown(desk.chosen(all.toolbox.clone()));
        let snapshot = Arc::new(ToolSnapshot { revision: all.revision, toolbox });
        let mut calls = TurnCalls::new(
            turn,
            (&self.parts.tool_rules, &*self.parts.clock),
            (snapshot.toolbox.clone(), Arc::clone(&language)),
        );
        let _running = match turn.caller {
            AgentCaller::User => Some(self.arbiter.begin_turn()),
            AgentCaller::Nobody => {
                self.arbiter.nobody_waits().await;
                None
            }
        };
        // A server outside of the home gets no words that nobody asked it for, unless it is named for this use.
        if withheld.is_any() && self.parts.model.beside(purpose).is_none() {
            tracing::warn!(
                "agents rest: the model server is outside of the home; llm.outside_may must list memory and house"
            );
            desk.step(TurnStep::Failed(TurnFailure::Other)).await;
            return calls.done(TurnEnding::Failed);
        }
        let end = timeout(desk.limits().lasts, self.converse_with(turn, desk, snapshot, &mut calls)).await;
        let end = end.unwrap_or(TurnEnding::Failed);
        calls.done(end)
    }

    async fn converse_with(
        &self,
        turn: &AgentTurn<'_>,
        desk: &dyn AgentDesk,
        snapshot: Arc<joi_tools::ToolSnapshot>,
        calls: &mut TurnCalls<'_>,
    ) -> TurnEnding {
        let purpose = ModelPurpose::called(desk.purpose());
        let (model, other) = (self.serving(purpose), self.parts.model.other_model(purpose));
        if !matches!(model.settled().await, ModelState::Ready(_)) {
            desk.step(TurnStep::Failed(TurnFailure::Network)).await;
            return TurnEnding::Failed;
        }
        let language = self.language();
        let who = Speaking { withheld: Withheld::from(model), ..self.speaking(&language) };
        let heads = HeadSet::new(snapshot, &who);
        let toolbox = heads.of_profile(None).toolbox().clone();
        let line = context::line(&self.parts.context, &self.parts.clock.now(), &language);
        let newest = prompt::Newest {
            context: &line,
            placement: self.parts.context.placement,
            ..prompt::Newest::auxiliary(turn.instruction)
        };
        let begun = |answering: &Answering| {
            let head = heads.of_profile(None).of(answering.size, answering.protocol, &[]);
            (prompt::build(&head, Vec::new(), &newest, self.parts.room), head.tools)
        };
        let mut answering = Answering::of(model, &self.parts.protocols);
        let (mut messages, mut tools) = begun(&answering);
        let (limits, mut replies, mut retries) = (desk.limits(), 0, 0);
        while replies < limits.replies {
            let left = turn.tokens_left.saturating_sub(calls.tokens);
            let prompt = estimated(&messages, &tools);
            if prompt >= left {
                return TurnEnding::OutOfTokens;
            }
            let length = u32::try_from(left - prompt).unwrap_or(u32::MAX).min(self.parts.room.reply_tokens);
            let ask = Ask {
                messages: messages.clone(),
                tools: tools.clone(),
                length: Length::AtMost(length),
                model: other.clone(),
                ..Ask::default()
            };
            let began = Instant::now();
            let reply = match self.reply_to_agent((ask, purpose), turn, &toolbox).await {
                Ok(reply) => reply,
                Err(NoReply::Interrupted) => return TurnEnding::Interrupted,
                Err(NoReply::NoTools) => {
                    self.parts.protocols.learn(&answering.model, self.parts.store.as_ref()).await;
                    answering = Answering::of(model, &self.parts.protocols);
                    (messages, tools) = begun(&answering);
                    replies += 1;
                    continue;
                }
                Err(NoReply::Failed(TurnFailure::RateLimit)) if retries < limits.immediate_retries => {
                    retries += 1;
                    sleep(limits.immediate_pause).await;
                    continue;
                }
                Err(NoReply::Failed(failure)) => {
                    desk.step(TurnStep::Failed(failure)).await;
                    return TurnEnding::Failed;
                }
            };
            let tokens = (reply.stats.prompt_eval_count, reply.stats.eval_count);
            calls.tokens += tokens.0 + tokens.1;
            calls.text = reply.text.trim().to_owned();
            let (server, name) = self.named(purpose);
            let step = TurnStep::Replied {
                text: &calls.text,
                calls: reply.calls.len(),
                tokens,
                took: began.elapsed(),
                by: (&server, &name),
            };
            desk.step(step).await;
            replies += 1;
            if reply.calls.is_empty() {
                return TurnEnding::Finished;
            }
            messages.push(protocol::assistant(answering.protocol, &reply.text, "", &reply.calls));
            for made in &reply.calls {
                match calls.call(&made.name, &made.arguments, desk).await {
                    CallEnd::Said(Ok(text) | Err(text)) => {
                        messages.push(protocol::result(answering.protocol, made, &text));
                    }
                    CallEnd::Ends(end) => return end,
                }
            }
        }
        TurnEnding::Finished
    }

    /// Asks the model once; whoever talks with joi is asked first.
    async fn reply_to_agent(
        &self,
        (ask, purpose): (Ask, ModelPurpose),
        turn: &AgentTurn<'_>,
        toolbox: &Toolbox,
    ) -> Result<AgentReply, NoReply> {
        let priority = match turn.caller {
            AgentCaller::Nobody => ModelPriority::Background,
            AgentCaller::User => ModelPriority::Typing,
        };
        let (access, has_tools) = (self.access(priority), !ask.tools.is_empty());
        let is_apart = self.is_apart(purpose);
        let reading = async {
            let _permit = if is_apart { None } else { Some(access.permit().await) };
            self.read_reply(ask, purpose).await
        };
        let read = match turn.caller {
            AgentCaller::User => unless(turn.gives_up.cancelled(), reading).await,
            AgentCaller::Nobody if is_apart => unless(turn.gives_up.cancelled(), reading).await,
            AgentCaller::Nobody => {
                let reading = unless(self.arbiter.somebody_waits(), reading);
                unless(turn.gives_up.cancelled(), reading).await.flatten()
            }
        };
        match read.ok_or(NoReply::Interrupted)? {
            Ok((text, native, stats)) => {
                let known: Vec<String> = toolbox.names().into_iter().map(str::to_owned).collect();
                let parsed = protocol::parse(&text, &known);
                let mut calls = native;
                calls.extend(parsed.calls);
                protocol::settle(&mut calls, toolbox);
                Ok(AgentReply { text: parsed.words, calls, stats })
            }
            Err(LlmError::NoTools { .. } | LlmError::Server { status: 400, .. }) if has_tools => {
                Err(NoReply::NoTools)
            }
            Err(error) => {
                tracing::warn!(error = error.for_the_log(), "an agent has no answer of the model");
                Err(NoReply::Failed(failure_of(&error)))
            }
        }
    }

    /// Returns whether a server that computes elsewhere serves `purpose` alone: nobody who talks waits for it.
    fn is_apart(&self, purpose: ModelPurpose) -> bool {
        self.parts.model.beside(purpose).is_some_and(ChatModel::is_outside)
    }

    async fn read_reply(
        &self,
        ask: Ask,
        purpose: ModelPurpose,
    ) -> Result<(String, Vec<WrittenCall>, ChatStats), LlmError> {
        let mut patience = Patience::new(&self.parts.reply);
        let mut words = patience.wait(self.serving(purpose).ask(ask)).await??;
        let (mut text, mut calls) = (String::new(), Vec::new());
        loop {
            // A model that writes without a pause must not keep the turn from being ended.
            tokio::task::consume_budget().await;
            let event = patience.wait(words.next()).await?.unwrap_or(Err(LlmError::Broken))?;
            patience.first_word_came();
            match event {
                ChatEvent::Text(piece) => text.push_str(&piece),
                ChatEvent::Thinking(_) => {}
                ChatEvent::ToolCall(call) => calls.push(WrittenCall::native(call)),
                ChatEvent::Done(stats) => {
                    return Ok((text, calls, stats));
                }
            }
        }
    }

    /// Asks the model of `purpose` one question of a background job within `limit`, without tools: its words, and the tokens
    /// that it read and wrote. `model` names another one of its server. It gives way to whoever talks, and then there are none.
    pub async fn ask_beside(
        &self,
        (purpose, model): (ModelPurpose, &str),
        question: &str,
        tokens: u32,
        limit: Duration,
    ) -> (Option<String>, (u64, u64)) {
        let named = Some(model).filter(|model| !matches!(*model, "" | "auto")).map(str::to_owned);
        let model = named.or_else(|| self.parts.model.other_model(purpose));
        let length = Length::AtMost(tokens);
        let ask = Ask { messages: vec![Message::user(question)], length, model, ..Ask::default() };
        let serving = self.serving(purpose);
        let is_withheld = self.parts.model.beside(purpose).is_none() && Withheld::from(serving).is_any();
        if is_withheld || !matches!(serving.state(), ModelState::Ready(_)) {
            return (None, (0, 0));
        }
        let access = self.access(ModelPriority::Background);
        let is_apart = self.is_apart(purpose);
        let reading = async {
            let _permit = if is_apart { None } else { Some(access.permit().await) };
            timeout(limit, self.read_reply(ask, purpose)).await.ok()?.ok()
        };
        let read = match is_apart {
            true => reading.await,
            false => unless(self.arbiter.somebody_waits(), reading).await.flatten(),
        };
        match read {
            Some((text, _, stats)) => (Some(text), (stats.prompt_eval_count, stats.eval_count)),
            None => (None, (0, 0)),
        }
    }
}

/// Waits for `work`, unless `other` is over first.
async fn unless<T>(other: impl Future<Output = ()>, work: impl Future<Output = T>) -> Option<T> {
    // Both are dropped for good.
    tokio::select! {
        biased;
        () = other => None,
        done = work => Some(done),
    }
}

fn failure_of(error: &LlmError) -> TurnFailure {
    match error {
        LlmError::TooManyRequests | LlmError::Busy => TurnFailure::RateLimit,
        LlmError::Unreachable { .. }
        | LlmError::Down { .. }
        | LlmError::Broken
        | LlmError::MidStream(_)
        | LlmError::Loading
        | LlmError::TimedOut { .. } => TurnFailure::Network,
        _ => TurnFailure::Other,
    }
}

fn estimated(messages: &[Message], tools: &[serde_json::Value]) -> u64 {
    let words: usize = messages.iter().map(|message| message.content.len()).sum();
    let tools: usize = tools.iter().map(|tool| tool.to_string().len()).sum();
    ((words + tools) / BYTES_PER_TOKEN) as u64
}
