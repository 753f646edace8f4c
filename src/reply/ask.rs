//! Asks the model and lets its answer out clause by clause; knows what to say when it fails.
//!
//! Runs in the task of one turn, which may drop it at any point: the generation is aborted then and
//! what was let out stands in the outlet. It waits for a model that is still starting and says so
//! at once, and tries a second time when the first went wrong before a word was out. Calls of tools are
//! handed back whole.

use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::timeout;

use super::check::Refusal;
use super::config::ReplyConfig;
use super::gate::Ending;
use super::listener::{Claims, Listener, Purpose};
use super::malformed;
use super::model::{ChatModel, ModelState, Served};
use super::outlet::{Outlet, Unheard};
use super::patience::Patience;
use super::protocol::Made;
use super::{ReplyEvent, words};
use crate::llm::{Ask, ChatEvent, DoneReason, LlmError, ModelSize};

/// Pause before the second attempt after a failure that came at once: a server that is being
/// started again needs a moment.
const BEFORE_RETRY: Duration = Duration::from_secs(1);

/// One question to the model.
#[derive(Debug, Clone)]
pub(crate) struct Question<'a> {
    /// What it is asked.
    pub(crate) ask: Ask,
    /// Tools whose calls count when they are written as text.
    pub(crate) known: &'a [String],
    /// Who hears the answer.
    pub(crate) purpose: Purpose,
    /// Whether it may say that something was done.
    pub(crate) claims: Claims,
}

/// How the model's answer ended.
#[derive(Debug, PartialEq)]
pub(crate) enum Answer {
    /// It is complete.
    Whole,
    /// An apology took its place, or ended it.
    Apology,
    /// It wants tools called.
    Calls(Wanted),
    /// There was not a word in it, but perhaps thinking.
    Nothing {
        /// Never for the user.
        thinking: String,
    },
    /// The model can't be given tools.
    NoTools,
}

/// Calls and what came with them.
#[derive(Debug, PartialEq)]
pub(crate) struct Wanted {
    /// The calls, in order.
    pub(crate) calls: Vec<Made>,
    /// Words beside them.
    pub(crate) words: String,
    /// Never for the user.
    pub(crate) thinking: String,
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

/// Waits for a model that is still starting: which one it is decides how it is asked. An apology when it does not
/// wake up in time; what else is wrong shows when it is asked.
///
/// # Errors
/// Nobody listens any more.
pub(crate) async fn awaited<M: ChatModel>(
    model: &M,
    config: &ReplyConfig,
    outlet: &mut Outlet,
) -> Result<Option<Answer>, Unheard> {
    if model.state() != ModelState::Starting {
        return Ok(None);
    }
    outlet.decided("model", "waiting", "the model is still starting").await?;
    outlet.aside(words::WAKING).await?;
    match until_ready(model, wake_up(config)).await {
        Err(Setback::Asleep) => give_up(Setback::Asleep, outlet.said.len(), outlet).await.map(Some),
        Ok(_) | Err(_) => Ok(None),
    }
}

/// Asks, with the patience of `config`.
///
/// # Errors
/// Nobody listens any more.
pub(crate) async fn answer<M: ChatModel>(
    model: &M,
    config: &ReplyConfig,
    question: &Question<'_>,
    outlet: &mut Outlet,
) -> Result<Answer, Unheard> {
    if let Some(apology) = awaited(model, config, outlet).await? {
        return Ok(apology);
    }
    let before = outlet.said.len();
    let setback = match attempt(model, config, question, outlet).await {
        Ok(answer) => return Ok(answer),
        Err(setback) => setback,
    };
    if let Setback::Failed(LlmError::NoTools { .. } | LlmError::Server { status: 400, .. }) = &setback
        && !question.ask.tools.is_empty()
    {
        note(&setback, outlet).await?;
        return Ok(Answer::NoTools);
    }
    let Some(pause) = before_retry(&setback).filter(|_| outlet.said.len() == before) else {
        return give_up(setback, before, outlet).await;
    };
    note(&setback, outlet).await?;
    outlet.aside(words::TROUBLE).await?;
    tokio::time::sleep(pause).await;
    match attempt(model, config, question, outlet).await {
        Ok(answer) => Ok(answer),
        Err(setback) => give_up(setback, before, outlet).await,
    }
}

/// How long to wait before a second attempt; nothing when it makes no sense.
fn before_retry(setback: &Setback) -> Option<Duration> {
    match setback {
        Setback::Failed(LlmError::TimedOut { .. }) => Some(Duration::ZERO),
        Setback::Failed(error) => error.is_passing().then_some(BEFORE_RETRY),
        Setback::Refused(..) | Setback::Asleep | Setback::Unheard => None,
    }
}

/// What takes the place of an answer of nothing.
pub(crate) async fn apologise(size: ModelSize, outlet: &mut Outlet) -> Result<Answer, Unheard> {
    let before = outlet.said.len();
    give_up(Setback::Refused(Refusal::Empty, size), before, outlet).await
}

/// Ends an answer that did not come to its own end; what was said from `before` on is a part of it.
async fn give_up(setback: Setback, before: usize, outlet: &mut Outlet) -> Result<Answer, Unheard> {
    let reason = note(&setback, outlet).await?;
    let begun = outlet.said.len() > before;
    let last = match setback {
        Setback::Unheard => return Err(Unheard),
        Setback::Refused(Refusal::TooLong { .. }, _) if begun => return Ok(Answer::Whole),
        Setback::Refused(Refusal::Claim, _) => words::NOT_DONE,
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
    let logged = match setback {
        Setback::Failed(error) => error.for_the_log(),
        Setback::Unheard | Setback::Asleep | Setback::Refused(..) => reason.clone(),
    };
    tracing::warn!(stage, reason = logged, "no whole answer");
    outlet.decided(stage, verdict, reason.as_str()).await?;
    Ok(reason)
}

async fn attempt<M: ChatModel>(
    model: &M,
    config: &ReplyConfig,
    question: &Question<'_>,
    outlet: &mut Outlet,
) -> Result<Answer, Setback> {
    let served = until_ready(model, wake_up(config)).await?;
    let mut patience = Patience::new(config);
    let refused = |refusal| Setback::Refused(refusal, served.size);
    let mut words = patience.wait(model.ask(question.ask.clone())).await??;
    let mut listener = Listener::new(question.known, question.purpose, question.claims);
    let (mut thinking, mut calls, mut is_first) = (String::new(), Vec::new(), true);
    loop {
        let event = patience.wait(words.next()).await?.unwrap_or(Err(LlmError::Broken))?;
        if !matches!(event, ChatEvent::Done(_)) && std::mem::take(&mut is_first) {
            patience.first_word_came();
            outlet.first_token().await?;
        }
        match event {
            ChatEvent::Text(text) => outlet.say(&listener.push(&text).map_err(refused)?).await?,
            ChatEvent::Thinking(thought) => thinking.push_str(&thought),
            ChatEvent::ToolCall(call) => calls.push(Made::native(call)),
            ChatEvent::Done(stats) => {
                let who = if question.purpose == Purpose::Choice { "choice" } else { "answer" };
                outlet.used(served.used(&stats, who)).await?;
                let ending = match stats.done_reason {
                    DoneReason::Length => Ending::Cut,
                    _ => Ending::Whole,
                };
                return ended(listener.finish(ending), calls, thinking, outlet).await?.map_err(refused);
            }
        }
    }
}

/// What a reply that is complete came to.
async fn ended(
    heard: Result<super::listener::Heard, Refusal>,
    mut calls: Vec<Made>,
    thinking: String,
    outlet: &mut Outlet,
) -> Result<Result<Answer, Refusal>, Unheard> {
    let heard = match heard {
        Ok(heard) => heard,
        Err(Refusal::Empty) if !calls.is_empty() => {
            return Ok(Ok(Answer::Calls(Wanted { calls, words: String::new(), thinking })));
        }
        Err(Refusal::Empty) => return Ok(Ok(Answer::Nothing { thinking })),
        Err(refusal) => return Ok(Err(refusal)),
    };
    outlet.say(&heard.rest).await?;
    calls.extend(heard.calls);
    Ok(Ok(match (calls.is_empty(), heard.rest.is_empty() && heard.words.trim().is_empty()) {
        (false, _) => Answer::Calls(Wanted { calls, words: heard.words, thinking }),
        (true, true) => Answer::Nothing { thinking },
        (true, false) => Answer::Whole,
    }))
}

/// How long a model may take to start.
fn wake_up(config: &ReplyConfig) -> Duration {
    Duration::from_secs(u64::from(config.wake_up_s))
}

/// Returns when the model answers.
async fn until_ready<M: ChatModel>(model: &M, wake_up: Duration) -> Result<Served, Setback> {
    match timeout(wake_up, model.settled()).await {
        Ok(ModelState::Ready(served)) => Ok(served),
        Ok(ModelState::Down(error)) => Err(Setback::Failed(error)),
        Ok(ModelState::Starting) | Err(_) => Err(Setback::Asleep),
    }
}

/// What is asked beside the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Beside {
    /// Who asks, for the record.
    pub(crate) purpose: &'static str,
    /// How long it may take.
    pub(crate) limit: Duration,
}

/// The words of an answer that is read by the program alone; nothing when there are none in time.
pub(crate) async fn aside<M: ChatModel>(
    model: &M,
    ask: Ask,
    Beside { purpose, limit }: Beside,
    outlet: &Outlet,
) -> Option<String> {
    let ModelState::Ready(served) = model.state() else { return None };
    let served = Served { model: ask.model.clone().unwrap_or(served.model), ..served };
    let reading = async {
        let mut words = model.ask(ask).await.ok()?;
        let mut text = String::new();
        loop {
            match words.next().await? {
                Ok(ChatEvent::Text(piece)) => text.push_str(&piece),
                Ok(ChatEvent::Thinking(_) | ChatEvent::ToolCall(_)) => {}
                Ok(ChatEvent::Done(stats)) => {
                    outlet.used(served.used(&stats, purpose)).await.ok()?;
                    return Some(text);
                }
                Err(error) => {
                    tracing::warn!(error = error.for_the_log(), "a question beside the answer failed");
                    return None;
                }
            }
        }
    };
    timeout(limit, reading).await.ok().flatten()
}
