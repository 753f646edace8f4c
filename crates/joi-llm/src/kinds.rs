//! The kinds of servers that may listen at `llm.url`.
//!
//! Plain data.

pub(crate) mod anthropic;
mod calls;
pub(crate) mod ollama;
pub(crate) mod openai;

use super::server::ServerKind;
pub use anthropic::ANTHROPIC;
pub use ollama::OLLAMA;
pub use openai::OPEN_AI;

/// All kinds. A new one gets its line here.
pub(super) static KINDS: &[&ServerKind] = &[&OLLAMA, &OPEN_AI, &ANTHROPIC];
