//! What the loop of an agent wants done: a refresh, a question of the gate, a turn, a granted call; and talking with it.
//!
//! Futures of the agent's task; dropping one gives it up. Locks are held for a look alone.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::say::{SAY, SayTool};
use super::sensing;
use super::shared::{AgentShared, WaitingDeed};
use crate::app::granted::granted;
use joi_agent::model::ChatModel;
use joi_autonomy::agent::approval::{AgentApproval, ApprovalAsked};
use joi_autonomy::agent::exchange::{APPROVAL, Notification, TurnBrief};
use joi_autonomy::agent::hot_state::FieldChange;
use joi_autonomy::agent::news::TurnEnding;
use joi_autonomy::agent::observe::{AgentObservation, TurnTask};
use joi_autonomy::agent::precheck::{self, PrecheckVerdict};
use joi_autonomy::agent::set_state::SetState;
use joi_autonomy::agent::turn::{AgentCaller, AgentDesk, AgentTurn, AgentTurnDone};
use joi_autonomy::agent::yielding::{YIELD, YieldTool};
use joi_llm::ModelPurpose;
use joi_redact::redact;
use joi_tools::{Arguments, Source, Tool};

/// Time limit of the question whether a change is worth a turn.
const CHECKED_WITHIN: Duration = Duration::from_secs(20);
/// Tokens of its answer.
const CHECK_TOKENS: u32 = 4;
/// Tokens of a talk with an agent, prompts included, which its budget does not limit: the owner asks.
const TALK_TOKENS: u64 = 50_000;
/// Actions of one talk.
const TALK_ACTIONS: u32 = 5;

/// What came of an effect.
pub(super) enum AgentDone {
    Refreshed,
    Prechecked(PrecheckVerdict, u64),
    Thought(AgentTurnDone),
    Ran(u32, Notification),
    Talked { answer: oneshot::Sender<String>, text: String, tokens: u64 },
}

/// Brings fields anew; one that can't be brought keeps its old value.
pub(super) async fn refresh<M: ChatModel>(shared: Arc<AgentShared<M>>, fields: Vec<String>) -> AgentDone {
    for field in fields {
        let Some(rule) = shared.hot().rule(&field).cloned() else { continue };
        let found = sensing::looked_up(&shared.world, &rule.refresh_tool, &rule.refresh_arguments).await;
        let written = found.and_then(|(text, source)| {
            let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
            let value = match rule.refresh_pointer.as_str() {
                "" => value,
                pointer => value.pointer(pointer).cloned().ok_or_else(|| format!("nothing at {pointer}"))?,
            };
            let now = shared.world.clock.now().timestamp();
            shared.hot().read(&field, &value, source, now).map_err(|refusal| refusal.to_string())
        });
        if let Err(why) = written {
            tracing::warn!(agent = shared.name, field, why, "a field keeps its old value");
        }
    }
    AgentDone::Refreshed
}

/// Asks whether changes are worth a turn.
pub(super) async fn precheck<M: ChatModel>(
    shared: Arc<AgentShared<M>>,
    changes: Vec<FieldChange>,
) -> AgentDone {
    let question = precheck::question(&shared.entry.prompt, &changes);
    let model = &shared.entry.autonomy.precheck_model;
    let asked = shared
        .world
        .engine
        .ask_beside((ModelPurpose::Chat, model), &question, CHECK_TOKENS, CHECKED_WITHIN)
        .await;
    AgentDone::Prechecked(precheck::verdict(asked.0.as_deref()), asked.1.0 + asked.1.1)
}

/// Runs a turn by itself.
pub(super) async fn think<M: ChatModel>(shared: Arc<AgentShared<M>>, brief: TurnBrief) -> AgentDone {
    let is_own = shared.entry.autonomy.enabled;
    let task = if is_own { TurnTask::Observe } else { TurnTask::Beat(&shared.entry.heartbeat.prompt) };
    let (instruction, is_tainted) = observed(&shared, &brief.notifications, &brief.changes, task);
    let gives_up = shared.begin_turn();
    let turn = AgentTurn {
        caller: AgentCaller::Nobody,
        instruction: &instruction,
        tools: &own_tools(&shared, is_own),
        speaks: &[SAY],
        ends: is_own.then_some(YIELD),
        allow: &shared.entry.allow,
        is_tainted,
        tokens_left: brief.tokens_left,
        actions_left: brief.actions_left,
        gives_up,
    };
    let done = shared.world.engine.agent_turn(&turn, &*shared).await;
    // What it has done already must not be done again.
    if done.end != TurnEnding::Interrupted || !done.calls.is_empty() {
        recorded(&shared, &done, None);
    }
    AgentDone::Thought(done)
}

/// Answers somebody who talks with the agent.
pub(super) async fn talk<M: ChatModel>(
    shared: Arc<AgentShared<M>>,
    text: String,
    mut answer: oneshot::Sender<String>,
) -> AgentDone {
    let asked = redact(&text).into_string();
    let (instruction, is_tainted) = observed(&shared, &[], &[], TurnTask::Answer(&asked));
    let gives_up = CancellationToken::new();
    let turn = AgentTurn {
        caller: AgentCaller::User,
        instruction: &instruction,
        tools: &own_tools(&shared, false),
        speaks: &[SAY],
        ends: None,
        allow: &shared.entry.allow,
        is_tainted,
        tokens_left: TALK_TOKENS,
        actions_left: TALK_ACTIONS,
        gives_up: gives_up.clone(),
    };
    let mut turning = std::pin::pin!(shared.world.engine.agent_turn(&turn, &*shared));
    // What it did until then is recorded, and what it spent is counted.
    let done = tokio::select! {
        biased;
        done = &mut turning => done,
        () = answer.closed() => {
            gives_up.cancel();
            turning.await
        }
    };
    recorded(&shared, &done, Some(&asked));
    let text = match done.text.trim() {
        "" => shared.world.engine.language().sentences().reply.unwell.clone(),
        text => text.to_owned(),
    };
    AgentDone::Talked { answer, text, tokens: done.tokens }
}

/// Runs a call that the owner has granted.
pub(super) async fn run<M: ChatModel>(shared: Arc<AgentShared<M>>, approval: AgentApproval) -> AgentDone {
    let AgentApproval { id, tool: name, arguments, .. } = approval;
    let done = granted(&shared.world.engine, &*shared.world.clock, (&name, &arguments)).await;
    let (text, source) = match done {
        Ok((text, source)) => (format!("{name} (call {id}) was granted and done: {text}"), source),
        Err(why) => (format!("{name} (call {id}) was granted and failed: {why}"), Source::Own),
    };
    AgentDone::Ran(id, Notification { name: APPROVAL.into(), text, source })
}

impl<M: Send + Sync> AgentDesk for AgentShared<M> {
    fn ask(&self, tool: &str, arguments: &Arguments, in_words: String) -> String {
        let now = self.world.clock.now().timestamp();
        let asked = self.state().ask(tool, arguments, in_words.clone(), now);
        match asked {
            ApprovalAsked::Pending(id) => {
                // A full queue is one that the owner does not listen to; the call expires as denied.
                let _ = self.asked.try_send(WaitingDeed { id, tool: tool.to_owned(), in_words });
                format!(
                    "Call {id} is pending: it waits for the owner's yes. A notification named approval will say what became of it. Do not repeat it."
                )
            }
            ApprovalAsked::Same(id) => format!("The same call is pending already, as call {id}."),
            ApprovalAsked::Full => "Too many calls are pending. This one was denied.".to_owned(),
        }
    }
}

fn observed<M>(
    shared: &AgentShared<M>,
    notifications: &[Notification],
    changes: &[FieldChange],
    task: TurnTask<'_>,
) -> (String, bool) {
    let approvals = shared.state().approvals().to_vec();
    let (hot, record) = (shared.hot().clone(), shared.record().clone());
    let observation = AgentObservation {
        name: &shared.name,
        prompt: &shared.entry.prompt,
        hot: &hot,
        notifications,
        changes,
        approvals: &approvals,
        record: &record,
        task,
    };
    (observation.message(&shared.world.clock.now()), observation.is_tainted())
}

fn own_tools<M>(shared: &AgentShared<M>, may_yield: bool) -> Vec<Arc<dyn Tool>> {
    let mut own: Vec<Arc<dyn Tool>> = vec![Arc::new(SayTool(shared.world.announcer.clone()))];
    if !shared.entry.fields.is_empty() {
        own.push(Arc::new(SetState::new(Arc::clone(&shared.hot))));
    }
    if may_yield {
        own.push(Arc::new(YieldTool));
    }
    own
}

/// Adds a turn to the record of the agent. Of one with words of strangers only the names of its calls are kept: their words
/// must not come back in a later turn.
fn recorded<M>(shared: &AgentShared<M>, done: &AgentTurnDone, asked: Option<&str>) {
    let mut parts: Vec<String> = asked.map(|asked| format!("was asked: {asked}")).into_iter().collect();
    let name_of = |call: &String| call.split(':').next().unwrap_or_default().to_owned();
    let is_foreign = done.is_foreign;
    let mut calls: Vec<String> =
        done.calls.iter().map(|call| if is_foreign { name_of(call) } else { call.clone() }).collect();
    calls.dedup();
    parts.extend(calls);
    let order =
        done.ended_by.as_ref().map(|order| format!("yield {}", order.get("mode").unwrap_or(&Value::Null)));
    parts.extend(order);
    parts.extend((!is_foreign && !done.text.is_empty()).then(|| done.text.clone()));
    if parts.is_empty() {
        parts.push("did nothing".to_owned());
    }
    let now = shared.world.clock.now();
    shared.record().add(&now, &parts.join("; "), Source::Own);
}
