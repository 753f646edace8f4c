//! What the handle of the model and its keeper share: who serves, who is being served, who is wanted.
//!
//! Any Tokio task. No lock is held across a wait; every change goes through a `watch`.

use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::ask::{Ask, Length};
use super::serving::{ReadyServer, ServedBy, Serving};
use crate::choose::{BetterModel, think_of};
use crate::config::LlmConfig;
use crate::error::LlmError;
use crate::kinds::ollama::Ollama;
use crate::wire::{ChatRequest, Think};

/// The embedded model for vectors beside an Ollama that has none.
#[derive(Debug, Clone)]
pub(super) enum VectorsBeside {
    /// Nobody has asked for it.
    Unasked,
    /// It is to be started.
    Wanted,
    /// It serves.
    Ready(Ollama),
    /// It could not be started.
    Failed {
        /// Why.
        error: LlmError,
        /// When.
        at: Instant,
    },
}

pub(super) struct MindShared {
    pub(super) config: LlmConfig,
    pub(super) serving: watch::Sender<Serving>,
    pub(super) holds: watch::Sender<usize>,
    pub(super) vectors: watch::Sender<VectorsBeside>,
    pub(super) nudge: Notify,
    pub(super) stop: CancellationToken,
}

impl MindShared {
    pub(super) fn new(config: LlmConfig) -> Self {
        Self {
            config,
            serving: watch::Sender::new(Serving::Starting { since: Instant::now() }),
            holds: watch::Sender::new(0),
            vectors: watch::Sender::new(VectorsBeside::Unasked),
            nudge: Notify::new(),
            stop: CancellationToken::new(),
        }
    }

    /// The request that asks `ask` of `model`; what the server would load the model anew for is the same
    /// in every one.
    pub(super) fn request(&self, model: &str, by: ServedBy, ask: Ask) -> ChatRequest {
        let mut options = self.config.options();
        options.num_predict = match ask.length {
            Length::Whole => options.num_predict,
            Length::OneToken => 1,
            Length::AtMost(tokens) => options.num_predict.min(tokens),
        };
        if ask.format.is_some() {
            // Only the program reads it: the likeliest counts, and its words repeat those of the request.
            (options.temperature, options.repeat_penalty) = (0.0, 1.0);
        }
        ChatRequest {
            model: model.to_owned(),
            messages: ask.messages,
            tools: ask.tools,
            format: ask.format,
            options,
            keep_alive: self.config.keep_alive,
            think: match by {
                ServedBy::Server(_) => think_of(&self.config.think, model),
                ServedBy::Local => Think::Off,
            },
        }
    }

    /// Decides whether the server at `address` is gone after a failed call.
    pub(super) fn doubt(&self, address: &str, error: &LlmError) {
        let looks_gone = match error {
            LlmError::Unreachable { .. }
            | LlmError::Broken
            | LlmError::Garbage(_)
            | LlmError::NotOpenAi { .. }
            | LlmError::NotAnthropic { .. }
            | LlmError::ModelUnknown { .. }
            | LlmError::ModelMissing { .. } => true,
            LlmError::TimedOut { .. } | LlmError::Refused { .. } | LlmError::KeyRefused { .. } => false,
            LlmError::NoTools { .. }
            | LlmError::NoChat { .. }
            | LlmError::NoVectors { .. }
            | LlmError::Busy
            | LlmError::Loading
            | LlmError::KeyFile { .. }
            | LlmError::NoKey { .. }
            | LlmError::ContextTooLong(_)
            | LlmError::TooManyRequests
            | LlmError::Server { .. }
            | LlmError::MidStream(_)
            | LlmError::Down { .. }
            | LlmError::CannotRun { .. }
            | LlmError::TooLittleMemory { .. }
            | LlmError::ShutDown => return,
        };
        if looks_gone {
            // The next question waits for whoever serves then, instead of failing like this one.
            self.unpublish_if(|ready| ready.client.address() == address);
        }
        self.nudge.notify_one();
    }

    /// Publishes that no server serves, and why.
    pub(super) fn publish_down(&self, error: LlmError) {
        self.serving.send_if_modified(|now| {
            let is_new = !matches!(now, Serving::Down(before) if *before == error);
            if is_new {
                *now = Serving::Down(error);
            }
            is_new
        });
    }

    /// Who serves and `is_it` does not serve any more: the next question waits for whoever will.
    pub(super) fn unpublish_if(&self, is_it: impl Fn(&ReadyServer) -> bool) {
        self.serving.send_if_modified(|now| {
            let was_it = matches!(now, Serving::Ready(ready) if is_it(ready));
            if was_it {
                *now = Serving::Starting { since: Instant::now() };
            }
            was_it
        });
    }

    pub(super) fn publish_unless_ready(&self, next: Serving) {
        self.serving.send_if_modified(|now| {
            let may = !matches!(now, Serving::Ready(_));
            if may {
                *now = next;
            }
            may
        });
    }

    /// Replaces the notes for the owner about the server that serves: how to have Ollama serve, and why no better model
    /// of the embedded models does.
    pub(super) fn renote(&self, note: Option<String>, better: Option<BetterModel>) {
        self.serving.send_if_modified(|now| match now {
            Serving::Ready(ready) if ready.note != note || ready.why_not_better != better => {
                (ready.note, ready.why_not_better) = (note, better);
                true
            }
            Serving::Ready(_) | Serving::Starting { .. } | Serving::Warming { .. } | Serving::Down(_) => {
                false
            }
        });
    }

    pub(super) fn is_serving(&self) -> bool {
        matches!(&*self.serving.borrow(), Serving::Ready(_))
    }

    pub(super) fn serves(&self, by: ServedBy, model: &str) -> bool {
        matches!(&*self.serving.borrow(), Serving::Ready(ready) if ready.by == by && ready.model == model)
    }

    /// Returns whether the server at `llm.url` serves.
    pub(super) fn is_served_from_url(&self) -> bool {
        matches!(&*self.serving.borrow(), Serving::Ready(ready) if ready.by != ServedBy::Local)
    }

    pub(super) fn is_held(&self) -> bool {
        *self.holds.borrow() > 0
    }

    /// Waits until a turn begins. Cancel-safe.
    pub(super) async fn until_held(&self) {
        // The sender lives in `self`, so that this ends with a value.
        let _ = self.holds.subscribe().wait_for(|holds| *holds > 0).await;
    }

    /// Waits until no turn runs, or until nobody serves: then a turn that runs waits for whoever will. Cancel-safe.
    pub(super) async fn until_released(&self) {
        let (mut holds, mut serving) = (self.holds.subscribe(), self.serving.subscribe());
        tokio::select! {
            _ = holds.wait_for(|holds| *holds == 0) => {}
            _ = serving.wait_for(|now| !matches!(now, Serving::Ready(_))) => {}
        }
    }
}
