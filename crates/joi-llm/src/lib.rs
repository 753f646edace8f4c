//! The language model: which server answers, how it is asked, what can go wrong.
//!
//! Tokio tasks only; nothing here blocks a thread. [`Mind`] decides which server serves and hands out replies as a
//! [`ChatStream`]. A server is a [`ChatServer`]: [`Ollama`], which the embedded `joi-model` speaks as well, [`OpenAi`], any
//! OpenAI-compatible one, or [`Anthropic`]. In: messages. Out: text, tool calls, counters. To a server
//! outside of the home no secret is sent; else nothing is altered, as redaction comes before and sanitising after.

mod address;
mod arbiter;
mod choose;
mod config;
mod connect;
mod control_tokens;
mod early_answer;
mod embed;
mod embedding_names;
mod error;
mod forecast;
mod gguf;
mod http;
mod json_lines;
mod key;
mod kinds;
mod lines;
mod local;
mod local_models;
mod mind;
mod model_size;
mod only_english;
mod outgoing;
mod server;
mod speed;
mod sse;
mod stream;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod wire;

pub use arbiter::{Arbiter, ModelPriority, Permit, RunningTurn};
pub use choose::{BetterModel, LocalChoice, LocalWish, PassedOver, choose_local};
pub use config::{Backend, HomeData, LONGEST_LINGERING, LlmConfig, OwnModel, ThinkRule, Threads};
pub use config::{LlmUseConfig, LlmUsesConfig, ModelPurpose, UseBackend, keys_of};
pub use early_answer::{BegunWords, EarlyAnswer, EarlyAnswerSource, early_answer};
pub use embed::Embedded;
pub use error::LlmError;
pub use forecast::forecast;
pub use http::Endpoint;
pub use joi_base::restart::RestartPolicy;
pub use json_lines::PullStream;
pub use key::key_credential;
pub use kinds::anthropic::Anthropic;
pub use kinds::ollama::{Ollama, PREFERRED};
pub use kinds::openai::OpenAi;
pub use kinds::{ANTHROPIC, OLLAMA, OPEN_AI};
pub use local::{LOCAL_EMBED_MODEL, has_lingering_server, served_name};
pub use local_models::{FileExaminer, FileState, HEADROOM, LocalChatModel, LocalModels, ModelCandidate};
pub use mind::{
    Ask, HeadMaker, Length, Mind, MindParts, ModelServer, ReadyServer, ServedBy, ServerHold, Serving,
};
pub use model_size::{Knowledge, ModelSize, size_of};
pub use only_english::{LittleUse, little_use};
pub use outgoing::{ask_for, redacted};
pub use server::{ChatServer, ServerAnswer, ServerKind};
pub use speed::SpeedLog;
pub use stream::ChatStream;
pub use wire::{
    ChatEvent, ChatRequest, ChatStats, DoneReason, FunctionCall, InstalledModel, Message, ModelInfo, Options,
    PullProgress, Role, RunningModel, Think, ToolCall,
};
