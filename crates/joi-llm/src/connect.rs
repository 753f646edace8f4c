//! Creates the client of the server at `llm.url`, by the kind that the configuration names.
//!
//! Any thread; reads the API key's file. Nothing is contacted.

use std::sync::Arc;

use super::config::{Backend, LlmConfig};
use super::error::LlmError;
use super::http::Endpoint;
use super::key::api_key;
use super::ollama::Ollama;
use super::openai::OpenAi;
use super::server::ChatServer;

/// Creates the client of the server at `llm.url`.
///
/// # Errors
/// The address or the file with the API key can't be used.
pub(super) fn connect(config: &LlmConfig) -> Result<Arc<dyn ChatServer>, LlmError> {
    match config.backend {
        Backend::OpenAi => Ok(Arc::new(OpenAi::new(&config.url, api_key(&config.key_file)?)?)),
        Backend::Auto | Backend::Ollama | Backend::Local => {
            Ok(Arc::new(Ollama::new(&Endpoint::Http { url: config.url.clone() }, None)?))
        }
    }
}
