//! The model reads ahead: what is known before the question, and the question while it is not certain yet that it is over.
//!
//! A task of its own that is dropped once somebody needs the model. In: the conversation, and words that may be the
//! question. Out: nothing but a model that has read its prompt; nothing is done, told or kept. Whoever has asked already
//! comes first.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::timeout;

use super::agent::request::TurnRequest;
use super::agent::setup::{self, Prepared};
use super::agent::tool_loop::state::prompt::LoopPrompt;
use super::arbiter::ModelPriority;
use super::engine::Engine;
use super::model::ChatModel;
use super::path::Path;
use super::session::Session;
use super::turn::Turn;
use super::understand::redact;
use crate::llm::{Ask, Length, LlmError};

/// Has the model read everything that is known before the question: the head and the dialogue of the conversation, of
/// each prompt that the question may get. To be called once the model is loaded, at a wake word, and when an answer is
/// complete; then only the question is left to read. Dropping it aborts it.
///
/// # Errors
/// The model's; a warm-up that failed costs time, nothing else.
pub async fn read_ahead<M: ChatModel>(engine: &Engine<M>, session: &Session) -> Result<(), LlmError> {
    let _running = engine.arbiter.begin_turn();
    let (now, language) = (engine.parts.clock.now(), engine.language_of(session, "", None));
    let path = Path { engine, session, language: Arc::clone(&language) };
    let turn = Turn::of(session.id(), "", now, language);
    session.restore(engine.parts.store.as_ref()).await;
    // Without the dialogue it would be read in vain.
    let Ok(past) = path.past(&turn.now).await else { return Ok(()) };
    path.settle(&past);
    let mut request = path.request(&turn, &past);
    for prompt in path.prompts_ahead(&request) {
        request.prompt = prompt;
        path.read(&request).await?;
    }
    Ok(())
}

/// Has the model read the prompt of `text`, in the language that was `heard`, which may be the whole question: what comes
/// behind it, or other words, cost as much as without this. Dropping it aborts it. Words with something private in them
/// are left alone.
///
/// # Errors
/// The model's; a prompt that was not read in advance costs time, nothing else.
pub async fn read_words<M: ChatModel>(
    engine: &Engine<M>,
    session: &Session,
    text: &str,
    heard: Option<&str>,
) -> Result<(), LlmError> {
    let _running = engine.arbiter.begin_turn();
    let (now, language) = (engine.parts.clock.now(), engine.language_of(session, text, heard));
    let asked = redact::redact_in(text, &language);
    if !asked.labels().is_empty() {
        return Ok(());
    }
    let path = Path { engine, session, language: Arc::clone(&language) };
    let turn = Turn::of(session.id(), asked.as_str(), now, language);
    session.restore(engine.parts.store.as_ref()).await;
    let Ok(past) = path.past(&turn.now).await else { return Ok(()) };
    let request = path.request(&turn, &past);
    path.read(&request).await
}

impl<M: ChatModel> Path<'_, M> {
    /// Has the model read the prompt of `request`, with what it holds whatever is recalled.
    async fn read(&self, request: &TurnRequest<'_>) -> Result<(), LlmError> {
        let engine = self.engine;
        let memory = engine.memory.warm(request, self.session).await;
        let prepared = Prepared { memory, ..Prepared::default() };
        let shared = self.shared_prompt(request);
        let state = setup::begin(request, prepared, &shared, self.setup_rules(), self.session);
        let LoopPrompt { messages, native, .. } = state.prompt;
        let ask = Ask { length: Length::OneToken, messages, tools: native, ..Ask::default() };
        // Whoever has asked already comes first; a server that hangs does not keep the model from others.
        let _permit = engine.access(ModelPriority::Background).permit().await;
        let reading = async {
            let mut words = engine.parts.model.ask(ask).await?;
            while let Some(event) = words.next().await {
                event?;
            }
            Ok(())
        };
        let limit = Duration::from_secs(u64::from(engine.parts.reply.first_word_s));
        let late = LlmError::TimedOut { what: "reading ahead", limit };
        timeout(limit, reading).await.unwrap_or(Err(late))
    }
}
