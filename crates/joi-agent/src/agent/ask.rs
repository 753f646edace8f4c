//! Asks the model and lets its answer out clause by clause; knows what to say when it fails.
//!
//! Runs in the task of one turn, which may drop it at any point: the generation is aborted then and
//! what was let out stands in the sink. It waits for a model that is still starting and says so
//! after two seconds, and tries a second time when the first went wrong before a word was out. Calls of tools are
//! handed back whole.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::future::Either;
use tokio::time::timeout;

use crate::agent::patience::{Patience, UnsaidWords};
use crate::config::ReplyConfig;
use crate::model::{ChatModel, ModelAccess, ModelState, Served};
use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::ReplyEvent;
use joi_answer::AnswerEnding;
use joi_answer::OfferRule;
use joi_answer::check::ReplyRefusal;
use joi_answer::protocol::WrittenCall;
use joi_answer::truth::ClaimEvidence;
use joi_answer::vacant::VacancyRule;
use joi_answer::{AnswerLength, AnswerStop, LengthLimit};
use joi_answer::{FilterRules, FilteredReply, Purpose, ReplyFilter};
use joi_llm::BegunWords;
use joi_llm::{Ask, ChatEvent, ChatStats, DoneReason, LlmError, ModelSize};

/// Pause before the second attempt after a failure that came at once: a server that is being
/// started again needs a moment.
const BEFORE_RETRY: Duration = Duration::from_secs(1);
/// A model server that runs already is found and ready within this time; only a longer start is spoken of.
const SHORT_START: Duration = Duration::from_secs(2);

/// One question to the model.
#[derive(Debug, Clone)]
pub(crate) struct ModelQuestion<'a> {
    /// The request to it.
    pub(crate) ask: Ask,
    /// Tools whose calls count when they are written as text.
    pub(crate) known: &'a [String],
    /// The receiver of the answer.
    pub(crate) purpose: Purpose,
    /// The evidence for its claims about actions.
    pub(crate) evidence: ClaimEvidence<'a>,
    /// The rule for its offers.
    pub(crate) offers: OfferRule<'a>,
    /// Texts that do not count as its answer; `None` where that is not checked.
    pub(crate) vacancy: Option<VacancyRule<'a>>,
    /// How long the answer may be, and what it goes on with.
    pub(crate) limit: Option<LengthLimit>,
    pub(crate) earlier: &'a str,
}

impl<'a> ModelQuestion<'a> {
    fn filter_rules(&self) -> FilterRules<'a> {
        let Self { known, purpose, evidence, offers, vacancy, .. } = *self;
        FilterRules { known, purpose, evidence, offers, vacancy }
    }
}

/// The ending of the model's answer.
#[derive(Debug, PartialEq)]
pub(crate) enum ModelAnswer {
    /// The answer is complete.
    Whole,
    /// An apology took its place, or ended it.
    Apology,
    /// The model calls tools.
    Calls(WrittenCalls),
    /// There was not a word in it, but perhaps thinking.
    Nothing {
        /// Never for the user.
        thinking: String,
    },
    /// The model can't be given tools.
    NoTools,
    /// The answer ends before the model was done.
    Stopped(AnswerStop),
    /// The answer repeats the user's words or is empty; nothing of it went out.
    Empty(ReplyRefusal),
}

/// Calls and what came with them.
#[derive(Debug, PartialEq)]
pub(crate) struct WrittenCalls {
    /// The calls, in order.
    pub(crate) calls: Vec<WrittenCall>,
    /// Words beside them.
    pub(crate) words: String,
    /// Never for the user.
    pub(crate) thinking: String,
}

/// The reason why an attempt gave no complete answer.
enum Setback {
    /// The model did not do its part.
    Failed(LlmError),
    /// The text must not go out.
    Refused(ReplyRefusal, ModelSize),
    /// The model was still starting when the time was over.
    Asleep,
    /// Nobody listens any more.
    ReceiverClosed,
}

impl From<ReceiverClosed> for Setback {
    fn from(ReceiverClosed: ReceiverClosed) -> Self {
        Self::ReceiverClosed
    }
}

impl From<LlmError> for Setback {
    fn from(error: LlmError) -> Self {
        Self::Failed(error)
    }
}

/// Waits for a model that is still starting: which one it is decides how it is asked. A start that takes longer than
/// [`SHORT_START`] is announced. Returns an apology if it does not start in time; other errors show when it is asked.
///
/// # Errors
/// Nobody listens any more.
pub(crate) async fn awaited<M: ChatModel>(
    model: &M,
    config: &ReplyConfig,
    sink: &mut ReplySink,
) -> Result<Option<ModelAnswer>, ReceiverClosed> {
    let _pause = sink.clock.pause();
    if model.state() != ModelState::Starting || timeout(SHORT_START, model.settled()).await.is_ok() {
        return Ok(None);
    }
    sink.decided("model", "waiting", "the model is still starting").await?;
    sink.aside(&sink.sentence(|say| &say.waking)).await?;
    match until_ready(model, wake_up(config).saturating_sub(SHORT_START)).await {
        Err(Setback::Asleep) => give_up(Setback::Asleep, sink.said.len(), sink).await.map(Some),
        Ok(_) | Err(_) => Ok(None),
    }
}

/// Asks, with the patience of `config`, or takes up what it has begun to answer already.
///
/// # Errors
/// Nobody listens any more.
pub(crate) async fn answer<M: ChatModel>(
    access: ModelAccess<'_, M>,
    config: &ReplyConfig,
    (question, begun): (&ModelQuestion<'_>, Option<BegunWords>),
    sink: &mut ReplySink,
) -> Result<ModelAnswer, ReceiverClosed> {
    if let Some(apology) = awaited(access.model, config, sink).await? {
        return Ok(apology);
    }
    let before = sink.said.len();
    let setback = match attempt(access, config, (question, begun), sink).await {
        Ok(answer) => return Ok(answer),
        Err(setback) => setback,
    };
    // In talk a claim is a slip of the model's tongue: nobody has asked for an action.
    let is_talk = question.ask.tools.is_empty() && question.purpose == Purpose::Answer;
    if let Setback::Refused(refusal @ ReplyRefusal::Claim, ModelSize::Small) = setback
        && is_talk
        && sink.said.len() == before
    {
        return Ok(ModelAnswer::Empty(refusal));
    }
    if let Setback::Failed(LlmError::NoTools { .. } | LlmError::Server { status: 400, .. }) = &setback
        && !question.ask.tools.is_empty()
    {
        note(&setback, sink).await?;
        return Ok(ModelAnswer::NoTools);
    }
    let Some(pause) = before_retry(&setback).filter(|_| sink.said.len() == before) else {
        return give_up(setback, before, sink).await;
    };
    note(&setback, sink).await?;
    sink.aside(&sink.sentence(|say| &say.trouble)).await?;
    tokio::time::sleep(pause).await;
    match attempt(access, config, (question, None), sink).await {
        Ok(answer) => Ok(answer),
        Err(setback) => give_up(setback, before, sink).await,
    }
}

/// Returns how long to wait before a second attempt; nothing when it makes no sense.
fn before_retry(setback: &Setback) -> Option<Duration> {
    match setback {
        Setback::Failed(LlmError::TimedOut { .. }) => Some(Duration::ZERO),
        Setback::Failed(error) => error.is_passing().then_some(BEFORE_RETRY),
        Setback::Refused(..) | Setback::Asleep | Setback::ReceiverClosed => None,
    }
}

/// Says an apology instead of an empty answer and returns it.
pub(crate) async fn apologise(size: ModelSize, sink: &mut ReplySink) -> Result<ModelAnswer, ReceiverClosed> {
    let before = sink.said.len();
    give_up(Setback::Refused(ReplyRefusal::Empty, size), before, sink).await
}

/// Ends a turn whose time is over with a sentence.
pub(crate) async fn out_of_time(limit: Duration, sink: &mut ReplySink) -> Result<(), ReceiverClosed> {
    let before = if sink.is_worded { 0 } else { sink.said.len() };
    give_up(Setback::Failed(LlmError::TimedOut { what: "the whole turn", limit }), before, sink).await?;
    Ok(())
}

/// Ends an answer that did not come to its own end; what was said from `before` on is a part of it.
async fn give_up(
    setback: Setback,
    before: usize,
    sink: &mut ReplySink,
) -> Result<ModelAnswer, ReceiverClosed> {
    let reason = note(&setback, sink).await?;
    let begun = sink.said.len() > before;
    let last = match setback {
        Setback::ReceiverClosed => return Err(ReceiverClosed),
        Setback::Refused(ReplyRefusal::TooLong { .. }, _) if begun => return Ok(ModelAnswer::Whole),
        Setback::Refused(ReplyRefusal::Claim | ReplyRefusal::Offer, _) => sink.sentence(|say| &say.not_done),
        Setback::Refused(ReplyRefusal::FurtherClaim, _) => sink.sentence(|say| &say.not_all_done),
        Setback::Refused(_, ModelSize::Small) => sink.sentence(|say| &say.muddled),
        Setback::Refused(_, ModelSize::Large) => sink.sentence(|say| &say.came_out_wrong),
        Setback::Failed(_) | Setback::Asleep if begun => sink.sentence(|say| &say.lost_thread),
        Setback::Failed(_) | Setback::Asleep => {
            sink.send(ReplyEvent::Notice(reason)).await?;
            match setback {
                Setback::Asleep => sink.sentence(|say| &say.still_starting),
                Setback::Failed(LlmError::Down { .. } | LlmError::ModelMissing { .. }) => {
                    sink.sentence(|say| &say.no_model)
                }
                _ => sink.sentence(|say| &say.unwell),
            }
        }
    };
    sink.say_last(&last).await?;
    Ok(ModelAnswer::Apology)
}

/// Puts a setback on record and gives it in words.
async fn note(setback: &Setback, sink: &ReplySink) -> Result<String, ReceiverClosed> {
    let (stage, verdict, reason) = match setback {
        Setback::ReceiverClosed => return Err(ReceiverClosed),
        Setback::Failed(error) => ("model", "failed", error.to_string()),
        Setback::Asleep => {
            ("model", "failed", "the model did not start in time; `joi doctor` tells why".to_owned())
        }
        Setback::Refused(refusal, _) => ("check", "refused", refusal.to_string()),
    };
    let logged = match setback {
        Setback::Failed(error) => error.for_the_log(),
        Setback::ReceiverClosed | Setback::Asleep | Setback::Refused(..) => reason.clone(),
    };
    tracing::warn!(stage, reason = logged, "no whole answer");
    sink.decided(stage, verdict, reason.as_str()).await?;
    Ok(reason)
}

async fn attempt<M: ChatModel>(
    access: ModelAccess<'_, M>,
    config: &ReplyConfig,
    (question, begun): (&ModelQuestion<'_>, Option<BegunWords>),
    sink: &mut ReplySink,
) -> Result<ModelAnswer, Setback> {
    let pause = sink.clock.pause();
    let served = until_ready(access.model, wake_up(config)).await?;
    drop(pause);
    // A begun answer already holds the model.
    let _permit = if begun.is_none() { Some(access.permit().await) } else { None };
    let mut patience = Patience::new(config);
    let refused = |refusal| Setback::Refused(refusal, served.size);
    let mut words = match begun {
        Some(begun) => Either::Left(begun),
        None => Either::Right(patience.wait(access.model.ask(question.ask.clone())).await??),
    };
    let language = Arc::clone(&sink.language);
    let mut listener = ReplyFilter::new(question.filter_rules(), &language);
    let mut length = AnswerLength::new(&language, question.limit, question.earlier);
    let who = if question.purpose == Purpose::Choice { "choice" } else { "answer" };
    let (mut thinking, mut calls, mut is_first) = (String::new(), Vec::new(), true);
    let (mut pieces, mut began) = (0, Instant::now());
    let (mut unsaid, before) = (UnsaidWords::default(), sink.said.len());
    loop {
        // A model that writes without a pause must not keep the turn from being ended.
        tokio::task::consume_budget().await;
        let event = patience.wait(words.next()).await?.unwrap_or(Err(LlmError::Broken))?;
        if !matches!(event, ChatEvent::Done(_)) && std::mem::take(&mut is_first) {
            patience.first_word_came();
            began = Instant::now();
            sink.first_token().await?;
        }
        match event {
            ChatEvent::Text(text) => {
                pieces += 1;
                let clauses = match listener.push(&text) {
                    Err(refusal @ ReplyRefusal::Vacant(_)) => return Ok(ModelAnswer::Empty(refusal)),
                    clauses => clauses.map_err(refused)?,
                };
                sink.say_worded(&length.push(&clauses)).await?;
                if let Some(stop) = length.stop() {
                    sink.used(served.used(&so_far(pieces, began), who)).await?;
                    return Ok(ModelAnswer::Stopped(stop));
                }
                let now = tokio::time::Instant::now();
                let mut is_silent = || unsaid.are_too_many(&clauses, listener.most_unsaid(), now);
                if served.size == ModelSize::Small && is_silent() {
                    sink.used(served.used(&so_far(pieces, began), who)).await?;
                    let cut = (sink.said.len() > before).then(|| listener.finish(AnswerEnding::Cut));
                    let heard = cut.unwrap_or(Err(ReplyRefusal::Unsaid));
                    let wrote = WrittenCalls { calls, words: String::new(), thinking };
                    return ended(heard, wrote, &mut length, sink).await?.map_err(refused);
                }
            }
            ChatEvent::Thinking(thought) => thinking.push_str(&thought),
            ChatEvent::ToolCall(call) => calls.push(WrittenCall::native(call)),
            ChatEvent::Done(stats) => {
                sink.used(served.used(&stats, who)).await?;
                let ending = match stats.done_reason {
                    DoneReason::Length => AnswerEnding::Cut,
                    _ => AnswerEnding::Whole,
                };
                let wrote = WrittenCalls { calls, words: String::new(), thinking };
                return ended(listener.finish(ending), wrote, &mut length, sink).await?.map_err(refused);
            }
        }
    }
}

/// Returns the estimated cost of an answer that was aborted before the server reported it.
fn so_far(pieces: u64, began: Instant) -> ChatStats {
    ChatStats { eval_count: pieces, eval_duration: began.elapsed(), ..ChatStats::default() }
}

/// Returns the outcome of a complete reply.
async fn ended(
    heard: Result<FilteredReply, ReplyRefusal>,
    wrote: WrittenCalls,
    length: &mut AnswerLength<'_>,
    sink: &mut ReplySink,
) -> Result<Result<ModelAnswer, ReplyRefusal>, ReceiverClosed> {
    let WrittenCalls { mut calls, thinking, .. } = wrote;
    let heard = match heard {
        Ok(heard) => heard,
        Err(refusal @ (ReplyRefusal::Repeats | ReplyRefusal::Vacant(_))) if calls.is_empty() => {
            return Ok(Ok(ModelAnswer::Empty(refusal)));
        }
        Err(ReplyRefusal::Empty) if !calls.is_empty() => {
            return Ok(Ok(ModelAnswer::Calls(WrittenCalls { calls, words: String::new(), thinking })));
        }
        Err(ReplyRefusal::Empty) => return Ok(Ok(ModelAnswer::Nothing { thinking })),
        Err(refusal) => return Ok(Err(refusal)),
    };
    if let Some(refusal) = heard.left_out {
        sink.decided("check", "left out", refusal.to_string()).await?;
    }
    let last = length.push(&heard.rest) + &length.finish();
    sink.say_worded(&last).await?;
    let is_broken = sink.said.trim_end().ends_with(|end: char| end == ',' || end.is_alphanumeric());
    if matches!(heard.left_out, Some(ReplyRefusal::Vacant(_))) && is_broken && length.stop().is_none() {
        sink.say_last(&sink.sentence(|say| &say.lost_thread)).await?;
    }
    calls.extend(heard.calls);
    if let (Some(stop), true) = (length.stop(), calls.is_empty()) {
        return Ok(Ok(ModelAnswer::Stopped(stop)));
    }
    Ok(Ok(match (calls.is_empty(), heard.rest.is_empty() && heard.words.trim().is_empty()) {
        (false, _) => ModelAnswer::Calls(WrittenCalls { calls, words: heard.words, thinking }),
        (true, true) => ModelAnswer::Nothing { thinking },
        (true, false) => ModelAnswer::Whole,
    }))
}

/// Returns how long a model may take to start.
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
