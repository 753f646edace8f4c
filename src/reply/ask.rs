//! Asks the model and lets its answer out clause by clause; knows what to say when it fails.
//!
//! Runs in the task of one turn, which may drop it at any point: the generation is aborted then and
//! what was let out stands in the outlet. It waits for a model that is still starting and says so
//! at once, is patient as long as `[reply]` allows, and tries a second time when the first went
//! wrong before a word was out.

use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::{Instant, timeout, timeout_at};

use super::check::Refusal;
use super::config::Patience;
use super::gate::{Ending, Gate};
use super::malformed;
use super::model::{ChatModel, Delta, Fault, Length, Message, ModelSize, ModelState};
use super::outlet::{Outlet, Unheard};
use super::{ReplyEvent, words};

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
    Fault(Fault),
    /// It was not heard of for too long.
    Late(&'static str),
    /// What it wrote must not go out.
    Refused(Refusal),
    /// Nobody listens any more.
    Unheard,
}

impl From<Unheard> for Setback {
    fn from(Unheard: Unheard) -> Self {
        Self::Unheard
    }
}

/// Asks for one whole answer to `messages`.
///
/// # Errors
/// Nobody listens any more.
pub(crate) async fn answer<M: ChatModel>(
    model: &M,
    patience: Patience,
    messages: Vec<Message>,
    outlet: &mut Outlet,
) -> Result<Answer, Unheard> {
    if model.state() == ModelState::Starting {
        outlet.decided("model", "waiting", "the model is still starting").await?;
        outlet.aside(words::WAKING).await?;
    }
    let mut tries = 0;
    loop {
        tries += 1;
        let setback = match attempt(model, patience, messages.clone(), outlet).await {
            Ok(()) => return Ok(Answer::Whole),
            Err(setback) => setback,
        };
        let (reason, again) = match &setback {
            Setback::Unheard => return Err(Unheard),
            Setback::Refused(refusal @ Refusal::TooLong { .. }) if !outlet.said.is_empty() => {
                outlet.decided("check", "cut", refusal.to_string()).await?;
                return Ok(Answer::Whole);
            }
            Setback::Refused(refusal) => {
                outlet.decided("check", "refused", refusal.to_string()).await?;
                outlet.say_last(apology(model.state())).await?;
                return Ok(Answer::Apology);
            }
            Setback::Late(what) => (format!("no {what} in time"), true),
            Setback::Fault(Fault::Passing(why)) => (why.clone(), true),
            Setback::Fault(Fault::Lasting(why)) => (why.clone(), false),
        };
        tracing::warn!(%reason, tries, "the model gave no whole answer");
        outlet.decided("model", "failed", reason.as_str()).await?;
        if !outlet.said.is_empty() {
            outlet.say_last(words::LOST_THREAD).await?;
            return Ok(Answer::Apology);
        }
        if !again || tries == 2 {
            outlet.send(ReplyEvent::Notice(reason)).await?;
            outlet.say_last(words::UNWELL).await?;
            return Ok(Answer::Apology);
        }
        outlet.aside(words::TROUBLE).await?;
        if matches!(setback, Setback::Fault(_)) {
            tokio::time::sleep(BEFORE_RETRY).await;
        }
    }
}

fn apology(state: ModelState) -> &'static str {
    match state {
        ModelState::Ready(ModelSize::Large) => malformed::APOLOGY_LARGE,
        ModelState::Ready(ModelSize::Small) | ModelState::Starting | ModelState::Down { .. } => {
            malformed::APOLOGY_SMALL
        }
    }
}

async fn attempt<M: ChatModel>(
    model: &M,
    patience: Patience,
    messages: Vec<Message>,
    outlet: &mut Outlet,
) -> Result<(), Setback> {
    until_ready(model, patience.wake_up).await.map_err(Setback::Fault)?;
    let first = Instant::now() + patience.first_token.min(patience.whole);
    let mut words = timeout_at(first, model.ask(messages, Length::Reply))
        .await
        .map_err(|_| Setback::Late("first word"))?
        .map_err(Setback::Fault)?;
    let mut gate = Gate::default();
    let mut waiting_for = "first word";
    let mut due = first;
    // Only the model's own time counts: a slow voice makes us wait as well.
    let mut left = patience.whole;
    loop {
        let asked = Instant::now();
        let delta = timeout_at(due, words.next()).await.map_err(|_| Setback::Late(waiting_for))?;
        left = left.saturating_sub(asked.elapsed());
        let delta = delta.unwrap_or_else(|| Err(Fault::Passing("the answer broke off".into())));
        match delta.map_err(Setback::Fault)? {
            Delta::Text(text) if text.is_empty() => continue,
            Delta::Text(text) => {
                if waiting_for == "first word" {
                    outlet.first_token().await?;
                    waiting_for = "next word";
                }
                let clause = gate.push(&text).map_err(Setback::Refused)?;
                outlet.say(&clause).await?;
            }
            Delta::Done { cut, used } => {
                outlet.used(used).await?;
                let ending = if cut { Ending::Cut } else { Ending::Whole };
                let rest = gate.finish(ending).map_err(Setback::Refused)?;
                return Ok(outlet.say(&rest).await?);
            }
        }
        due = Instant::now() + patience.between_tokens.min(left);
    }
}

/// Returns when the model answers.
async fn until_ready<M: ChatModel>(model: &M, wake_up: Duration) -> Result<(), Fault> {
    match timeout(wake_up, model.settled()).await.unwrap_or(ModelState::Starting) {
        ModelState::Ready(_) => Ok(()),
        ModelState::Starting => {
            Err(Fault::Lasting("the model did not start in time; `joi doctor` tells why".into()))
        }
        ModelState::Down { why, remedy } => Err(Fault::Lasting(format!("{why}; {remedy}"))),
    }
}
