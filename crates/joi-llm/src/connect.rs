//! Creates the client of the server at `llm.url`, by the kind that the configuration names.
//!
//! Any thread; reads the API key's file. Nothing is contacted.

use super::config::LlmConfig;
use super::error::LlmError;
use super::server::AnyChatServer;

/// Creates the client of the server at `llm.url`.
///
/// # Errors
/// The address or the file with the API key can't be used.
pub(super) fn connect(config: &LlmConfig) -> Result<AnyChatServer, LlmError> {
    (config.backend.kind().connect)(&config.url, &config.key_file)
}
