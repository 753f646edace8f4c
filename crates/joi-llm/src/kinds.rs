//! The kinds of servers that may listen at `llm.url`.
//!
//! Plain data.

use super::server::ServerKind;

pub use super::ollama::OLLAMA;
pub use super::openai::OPEN_AI;

/// All kinds. A new one gets its line here.
pub(super) static KINDS: &[&ServerKind] = &[&OLLAMA, &OPEN_AI];
