//! The model works ahead: it reads what is known before the question, and begins to answer the question while it is not
//! certain yet that it is over.
//!
//! A task of its own that is dropped once other words need the model. Input: the conversation, and words that may be
//! the question. Output: a model that has read its prompt, and of a small one the beginning of the answer, which the
//! turn of these very words takes over ([`joi_llm::early_answer`]); nothing is done, said or kept. Whoever has asked
//! already comes first.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::agent::planner;
use super::agent::prompt_kind::PromptKind;
use super::agent::request::TurnRequest;
use super::agent::setup::{self, Prepared};
use super::agent::tool_loop::state::prompt::LoopPrompt;
use super::before_model::Considered;
use super::engine::Engine;
use super::model::ChatModel;
use super::quick;
use super::session::Session;
use super::turn::Turn;
use super::turn_context::TurnContext;
use crate::sink::ReplySink;
use joi_answer::form;
use joi_language::Language;
use joi_llm::early_answer;
use joi_llm::{Ask, ChatEvent, Length, LlmError};
use joi_llm::{ModelPriority, Permit};

/// Most decisions about words that may be the question: nobody reads them.
const NOTES: usize = 64;

/// Has the model read everything that is known before the question: the head and the dialogue of the conversation, of
/// each prompt that the question may get. To be called once the model is loaded, at a wake word, and when an answer is
/// complete; then only the question is left to read. Dropping it aborts it. A server outside of the home is not asked.
///
/// # Errors
/// The model's; a warm-up that failed costs time, nothing else.
pub async fn read_ahead<M: ChatModel>(engine: &Engine<M>, session: &Session) -> Result<(), LlmError> {
    if engine.parts.model.is_outside() {
        return Ok(());
    }
    let _running = engine.arbiter.begin_turn();
    let (now, language) = (engine.parts.clock.now(), engine.language_of(session, "", None));
    let context = TurnContext { engine, session, language: Arc::clone(&language) };
    let turn = Turn::of(session.id(), "", now, language);
    session.restore(engine.parts.store.as_ref()).await;
    // Without the dialogue it would be read in vain.
    let Ok(past) = context.past(&turn.now).await else { return Ok(()) };
    context.settle(&past);
    let mut request = context.request(&turn, &past);
    for prompt in context.prompts_ahead(&request) {
        request.prompt = prompt;
        context.read(&request).await?;
    }
    Ok(())
}

/// Has the model read the prompt of `text`, in the language that was `heard`, which may be the whole question, and
/// begin to answer it, where the words alone show what it will be asked: what comes behind them, or other words, cost
/// as much as without this. `on_words` gets the words of that answer as they come, and their language. Dropping it
/// aborts it. Words with something private in them are left alone, and all words where the server is outside of the
/// home: they may not be meant for joi.
///
/// # Errors
/// The model's; a prompt that was not read in advance costs time, nothing else.
pub async fn read_words<M: ChatModel>(
    engine: &Engine<M>,
    session: &Session,
    (text, heard): (&str, Option<&str>),
    mut on_words: impl FnMut(&str, &Arc<Language>),
) -> Result<(), LlmError> {
    let _running = engine.arbiter.begin_turn();
    let _same_model = engine.parts.model.hold();
    let (now, language) = (engine.parts.clock.now(), engine.language_of(session, text, heard));
    let asked = joi_redact::redact_in(text, &language).fluent(&language);
    if !asked.labels().is_empty() || engine.parts.model.is_outside() {
        return Ok(());
    }
    let context = TurnContext { engine, session, language: Arc::clone(&language) };
    let turn = Turn::of(session.id(), asked.as_str(), now, Arc::clone(&language));
    session.restore(engine.parts.store.as_ref()).await;
    let Ok(past) = context.past(&turn.now).await else { return Ok(()) };
    let request = context.request(&turn, &past);
    if !context.is_foreseeable(&request) {
        return context.read(&request).await;
    }
    let (mut source, head) = early_answer();
    session.with(|state| state.early_answer = Some(head));
    let asking = async {
        match context.foreseen(&request).await {
            None => context.read(&request).await.map(|()| None),
            Some(ask) => context.asked(ask).await.map(Some),
        }
    };
    let asked = tokio::select! {
        // The turn needs no answer of the model, or one to another question.
        () = source.closed() => return Ok(()),
        asked = asking => asked?,
    };
    let Some((ask, answer, _permit)) = asked else { return Ok(()) };
    let look = |event: &ChatEvent| {
        if let ChatEvent::Text(words) = event {
            on_words(words, &language);
        }
    };
    source.pass_on(ask, answer, look).await;
    Ok(())
}

impl<'a, M: ChatModel> TurnContext<'a, M> {
    /// Has the model read the prompt of `request`, with what it holds whatever is recalled.
    async fn read(&self, request: &TurnRequest<'_>) -> Result<(), LlmError> {
        let engine = self.engine;
        let memory = engine.memory.warm(request, self.session).await;
        let prepared = Prepared { memory, ..Prepared::default() };
        let shared = self.shared_prompt(request);
        let state = setup::begin(request, prepared, &shared, self.setup_rules(), self.session);
        let LoopPrompt { mut messages, native, .. } = state.prompt;
        if request.is_guess {
            // The first that it is asked.
            messages = shared.form.into_iter().chain([form::request(request.turn.asked, &[], "")]).collect();
        }
        let ask = Ask { length: Length::OneToken, messages, tools: native, ..Ask::default() };
        // A request that was made already comes first.
        let _permit = engine.access(ModelPriority::Background).permit().await;
        let reading = async {
            let mut words = engine.parts.model.ask(ask).await?;
            while let Some(event) = words.next().await {
                event?;
            }
            Ok(())
        };
        in_time(engine.parts.reply.first_word_s, reading).await
    }

    /// Returns whether the words of `request` show what the model will be asked: they are talk, for which nothing is
    /// planned, and not for something else: the house, a matter of harm, what was asked back.
    fn is_foreseeable(&self, request: &TurnRequest<'_>) -> bool {
        let (turn, persona) = (request.turn, &self.engine.parts.persona);
        let is_for_others = || {
            quick::foresee::goes_on(turn, self.session)
                || self.is_careful(turn)
                || quick::is_for_house(turn, turn.asked, &self.quick_context(), self.heads().all_tools())
        };
        request.prompt == PromptKind::Talk
            && persona.fallback_profile().is_none()
            && !planner::asks_model(request, self.plan_rules(request))
            && !is_for_others()
    }

    /// Returns what the model will be asked for `request`; nothing where it is most likely not asked at all.
    async fn foreseen(&self, request: &TurnRequest<'_>) -> Option<Ask> {
        let (events, _nobody_looks) = mpsc::channel(NOTES);
        let sink = ReplySink::new(events, Arc::clone(&self.language));
        match self.consider(request, self.side_queries(request, &sink)).await.ok()? {
            Considered::ForModel(asked) if !asked.looks_up => {
                Some(asked.state.question(self.heads().all_tools()).ask)
            }
            Considered::ForModel(_) | Considered::Untold => None,
        }
    }

    /// Asks the model in the place of the turn to come.
    async fn asked(&self, ask: Ask) -> Result<(Ask, M::Words, Permit<'a>), LlmError> {
        let parts = &self.engine.parts;
        let permit = self.engine.access(ModelPriority::of(self.session.id().channel)).permit().await;
        let answer = in_time(parts.reply.first_word_s, parts.model.ask(ask.clone())).await?;
        Ok((ask, answer, permit))
    }
}

/// Returns what `work` comes to, within so many seconds: a server that hangs does not keep the model from others.
async fn in_time<T>(seconds: u32, work: impl Future<Output = Result<T, LlmError>>) -> Result<T, LlmError> {
    let limit = Duration::from_secs(u64::from(seconds));
    let late = LlmError::TimedOut { what: "reading ahead", limit };
    timeout(limit, work).await.unwrap_or(Err(late))
}
