//! [`llm::Mind`](crate::llm::Mind) as the engine's [`ChatModel`], and the head it reads while it warms up.
//!
//! Runs in the task of one turn. In: messages. Out: words. It drops what a model thinks aloud.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::{Stream, StreamExt};

use super::config::PersonaConfig;
use super::model::{ChatModel, Delta, Fault, Length, Message, ModelSize, ModelState, Room, Speaker};
use super::prompt;
use crate::llm::{self, Ask, ChatEvent, ChatStats, ChatStream, DoneReason, LlmError, Mind, Ready, Serving};
use crate::trace::ModelUse;

/// What every conversation begins with, for [`llm::Parts`]. `wake_phrase` names her where the
/// configuration does not.
pub fn head(persona: &PersonaConfig, wake_phrase: Option<&str>) -> llm::Head {
    let head = prompt::head(persona.character, &prompt::name(persona, wake_phrase));
    Arc::new(move |_, _| {
        // Some chat templates want somebody to speak; what differs from the first question is little.
        let messages = vec![llm::Message::system(head.as_str()), llm::Message::user("Hello.")];
        Ask { messages, ..Ask::default() }
    })
}

impl ChatModel for Mind {
    type Words = Words;

    fn state(&self) -> ModelState {
        match &*self.serving().borrow() {
            Serving::Starting { .. } | Serving::Warming { .. } => ModelState::Starting,
            Serving::Ready(ready) => ModelState::Ready(size(ready)),
            Serving::Down(error) => down(error),
        }
    }

    async fn settled(&self) -> ModelState {
        match self.ready().await {
            Ok(ready) => ModelState::Ready(size(&ready)),
            Err(error) => down(&error),
        }
    }

    fn room(&self) -> Room {
        let options = self.options();
        Room { context_tokens: options.num_ctx, reply_tokens: options.num_predict }
    }

    async fn ask(&self, messages: Vec<Message>, length: Length) -> Result<Words, Fault> {
        let length = match length {
            Length::Reply => llm::Length::Whole,
            Length::ReadAhead => llm::Length::OneToken,
        };
        let messages = messages.into_iter().map(said).collect();
        let ask = Ask { messages, length, ..Ask::default() };
        let ready = self.ready().await.map_err(fault)?;
        let reply = self.chat(ask).await.map_err(fault)?;
        Ok(Words { reply, model: ready.model, backend: ready.by.name() })
    }
}

/// The words of one answer.
#[derive(Debug)]
pub struct Words {
    reply: ChatStream,
    model: String,
    backend: &'static str,
}

impl Stream for Words {
    type Item = Result<Delta, Fault>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            let Some(event) = ready!(this.reply.poll_next_unpin(cx)) else { return Poll::Ready(None) };
            let delta = match event {
                Ok(ChatEvent::Text(text)) => Ok(Delta::Text(text)),
                // No tools are offered, so that a call can only be a mistake.
                Ok(ChatEvent::Thinking(_) | ChatEvent::ToolCall(_)) => continue,
                Ok(ChatEvent::Done(stats)) => {
                    Ok(Delta::Done { cut: stats.done_reason == DoneReason::Length, used: this.used(&stats) })
                }
                Err(error) => Err(fault(error)),
            };
            return Poll::Ready(Some(delta));
        }
    }
}

impl Words {
    fn used(&self, stats: &ChatStats) -> ModelUse {
        ModelUse {
            model: self.model.clone(),
            backend: self.backend.to_owned(),
            prompt_tokens: stats.prompt_eval_count,
            prompt_ms: stats.prompt_eval_duration.as_secs_f64() * 1e3,
            reply_tokens: stats.eval_count,
            reply_ms: stats.eval_duration.as_secs_f64() * 1e3,
        }
    }
}

fn said(message: Message) -> llm::Message {
    let role = match message.from {
        Speaker::System => llm::Role::System,
        Speaker::User => llm::Role::User,
        Speaker::Assistant => llm::Role::Assistant,
    };
    llm::Message::new(role, message.text)
}

fn size(ready: &Ready) -> ModelSize {
    match ready.size {
        llm::ModelSize::Small => ModelSize::Small,
        llm::ModelSize::Large => ModelSize::Large,
    }
}

fn down(error: &LlmError) -> ModelState {
    if let LlmError::Down { why, remedy } = error {
        return ModelState::Down { why: why.clone(), remedy: remedy.clone() };
    }
    // Every text of an error ends in its remedy.
    let text = error.to_string();
    let (why, remedy) = text.rsplit_once("; ").unwrap_or((&text, "see `joi doctor`"));
    ModelState::Down { why: why.to_owned(), remedy: remedy.to_owned() }
}

fn fault(error: LlmError) -> Fault {
    if error.is_passing() { Fault::Passing(error.to_string()) } else { Fault::Lasting(error.to_string()) }
}
