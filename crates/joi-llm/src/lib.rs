//! The language model: who serves it, how it is asked, what can go wrong.
//!
//! Tokio tasks only; nothing here blocks a thread. [`Mind`] decides which server serves (an Ollama
//! that is running, or our own `joi-model`, which it starts and watches) and hands out replies as a
//! [`ChatStream`]. [`Ollama`] is the client both speak to. In: messages. Out: text, tool calls,
//! counters. It refuses to alter what it was given: redaction comes before, sanitising after.

mod choose;
mod config;
mod control_tokens;
mod embed;
mod error;
mod forecast;
mod gguf;
mod lines;
mod local;
mod local_models;
mod mind;
mod ollama;
mod speed;
mod stream;
mod wire;

pub use choose::{
    BetterModel, Knowledge, LEAST_SPEED, LocalChoice, LocalWish, ModelSize, PREFERRED, PassedOver,
    choose_local, knowledge_of, size_of,
};
pub use config::{Backend, LONGEST_LINGERING, LlmConfig, OwnModel, ThinkRule, Threads};
pub use embed::Embedded;
pub use error::LlmError;
pub use forecast::forecast;
pub use joi_base::restart::RestartPolicy;
pub use local::{LOCAL_EMBED_MODEL, LocalModel, has_lingering_server, served_name};
pub use local_models::{FileExaminer, FileState, HEADROOM, LocalChatModel, LocalModels, ModelCandidate};
pub use mind::{
    Ask, HeadMaker, Length, Mind, MindParts, ModelServer, ReadyServer, ServedBy, ServerHold, Serving,
};
pub use ollama::{Endpoint, Ollama};
pub use speed::SpeedLog;
pub use stream::{ChatStream, PullStream};
pub use wire::{
    ChatEvent, ChatRequest, ChatStats, DoneReason, FunctionCall, InstalledModel, Message, ModelInfo, Options,
    PullProgress, Role, RunningModel, Think, ToolCall,
};
