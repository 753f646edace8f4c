//! Asks the model and lets its answer out clause by clause; knows what to say when it fails.
//!
//! Runs in the task of one turn, which may drop it at any point: the generation is aborted then and
//! what was let out stands in the outlet. It waits for a model that is still starting and says so
//! at once, and tries a second time when the first went wrong, or was empty, before a word was out.

use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::timeout;

use super::check::Refusal;
use super::config::ReplyConfig;
use super::gate::{Ending, Gate};
use super::malformed;
use super::model::{ChatModel, ModelState, Served};
use super::outlet::{Outlet, Unheard};
use super::patience::Patience;
use super::{ReplyEvent, words};
use crate::llm::{ChatEvent, DoneReason, Length, LlmError, Message, ModelSize};

/// Pause before the second attempt after a failure that came at once: a server that is being
/// started again needs a moment.
const BEFORE_RETRY: Duration = Duration::from_secs(1);

/// How the model's answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It is complete.
    Whole,
    /// An apology took its place, or ended it.
    Apology,
}

/// Why an attempt gave no whole answer.
enum Setback {
    /// The model did not do its part.
    Failed(LlmError),
    /// What it wrote must not go out.
    Refused(Refusal, ModelSize),
    /// It was still starting when patience ended.
    Asleep,
    /// Nobody listens any more.
    Unheard,
}

impl From<Unheard> for Setback {
    fn from(Unheard: Unheard) -> Self {
        Self::Unheard
    }
}

impl From<LlmError> for Setback {
    fn from(error: LlmError) -> Self {
        Self::Failed(error)
    }
}

/// Asks for one whole answer to `messages`, with the patience of `config`.
///
/// # Errors
/// Nobody listens any more.
pub(crate) async fn answer<M: ChatModel>(
    model: &M,
    config: &ReplyConfig,
    messages: Vec<Message>,
    outlet: &mut Outlet,
) -> Result<Answer, Unheard> {
    if model.state() == ModelState::Starting {
        outlet.decided("model", "waiting", "the model is still starting").await?;
        outlet.aside(words::WAKING).await?;
    }
    let setback = match attempt(model, config, messages.clone(), outlet).await {
        Ok(()) => return Ok(Answer::Whole),
        Err(setback) => setback,
    };
    let Some(pause) = before_retry(&setback).filter(|_| outlet.said.is_empty()) else {
        return give_up(setback, outlet).await;
    };
    note(&setback, outlet).await?;
    if matches!(setback, Setback::Failed(_)) {
        outlet.aside(words::TROUBLE).await?;
    }
    tokio::time::sleep(pause).await;
    match attempt(model, config, messages, outlet).await {
        Ok(()) => Ok(Answer::Whole),
        Err(setback) => give_up(setback, outlet).await,
    }
}

/// How long to wait before a second attempt; nothing when it makes no sense.
fn before_retry(setback: &Setback) -> Option<Duration> {
    match setback {
        Setback::Failed(LlmError::TimedOut { .. }) => Some(Duration::ZERO),
        Setback::Failed(error) => error.is_passing().then_some(BEFORE_RETRY),
        Setback::Refused(Refusal::Empty, _) => Some(Duration::ZERO),
        Setback::Refused(..) | Setback::Asleep | Setback::Unheard => None,
    }
}

/// Ends an answer that did not come to its own end.
async fn give_up(setback: Setback, outlet: &mut Outlet) -> Result<Answer, Unheard> {
    let reason = note(&setback, outlet).await?;
    let begun = !outlet.said.is_empty();
    let last = match setback {
        Setback::Unheard => return Err(Unheard),
        Setback::Refused(Refusal::TooLong { .. }, _) if begun => return Ok(Answer::Whole),
        Setback::Refused(_, ModelSize::Small) => malformed::APOLOGY_SMALL,
        Setback::Refused(_, ModelSize::Large) => malformed::APOLOGY_LARGE,
        Setback::Failed(_) | Setback::Asleep if begun => words::LOST_THREAD,
        Setback::Failed(_) | Setback::Asleep => {
            outlet.send(ReplyEvent::Notice(reason)).await?;
            words::UNWELL
        }
    };
    outlet.say_last(last).await?;
    Ok(Answer::Apology)
}

/// Puts a setback on record and gives it in words.
async fn note(setback: &Setback, outlet: &Outlet) -> Result<String, Unheard> {
    let (stage, verdict, reason) = match setback {
        Setback::Unheard => return Err(Unheard),
        Setback::Failed(error) => ("model", "failed", error.to_string()),
        Setback::Asleep => {
            ("model", "failed", "the model did not start in time; `joi doctor` tells why".to_owned())
        }
        Setback::Refused(refusal, _) => ("check", "refused", refusal.to_string()),
    };
    tracing::warn!(stage, %reason, "no whole answer");
    outlet.decided(stage, verdict, reason.as_str()).await?;
    Ok(reason)
}

async fn attempt<M: ChatModel>(
    model: &M,
    config: &ReplyConfig,
    messages: Vec<Message>,
    outlet: &mut Outlet,
) -> Result<(), Setback> {
    let served = until_ready(model, Duration::from_secs(u64::from(config.wake_up_s))).await?;
    let mut patience = Patience::new(config);
    let refused = |refusal| Setback::Refused(refusal, served.size);
    let mut words = patience.wait(model.ask(messages, Length::Whole)).await??;
    let mut gate = Gate::default();
    let mut is_first = true;
    loop {
        match patience.wait(words.next()).await?.unwrap_or(Err(LlmError::Broken))? {
            ChatEvent::Text(text) => {
                if std::mem::take(&mut is_first) {
                    patience.first_word_came();
                    outlet.first_token().await?;
                }
                outlet.say(&gate.push(&text).map_err(refused)?).await?;
            }
            // No tool was on offer, and thinking is nobody's business.
            ChatEvent::Thinking(_) | ChatEvent::ToolCall(_) => {}
            ChatEvent::Done(stats) => {
                outlet.used(served.used(&stats)).await?;
                let ending = match stats.done_reason {
                    DoneReason::Length => Ending::Cut,
                    _ => Ending::Whole,
                };
                let rest = gate.finish(ending).map_err(refused)?;
                return Ok(outlet.say(&rest).await?);
            }
        }
    }
}

/// Returns when the model answers.
async fn until_ready<M: ChatModel>(model: &M, wake_up: Duration) -> Result<Served, Setback> {
    match timeout(wake_up, model.settled()).await {
        Ok(ModelState::Ready(served)) => Ok(served),
        Ok(ModelState::Down(error)) => Err(Setback::Failed(error)),
        Ok(ModelState::Starting) | Err(_) => Err(Setback::Asleep),
    }
}
