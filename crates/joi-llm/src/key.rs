//! Reads the API key of a model server from a file or a systemd credential. It is never shown.
//!
//! Any thread; reads one small file each time a client is made, so that a new key needs no restart.

use super::config::ModelPurpose;
use super::error::LlmError;
use joi_base::message::Private;
use joi_base::secret::{self, Credentials};

/// Returns the name of the systemd credential with the key of the server that serves `purpose`.
pub fn key_credential(purpose: ModelPurpose) -> &'static str {
    match purpose {
        ModelPurpose::Chat => "llm-key",
        ModelPurpose::Goals => "llm-key-goals",
        ModelPurpose::Tasks => "llm-key-tasks",
        ModelPurpose::Summaries => "llm-key-summaries",
    }
}

/// Returns the API key in the file `configured`, else the systemd credential of `purpose`; nothing where neither is there.
/// The key of one server is never that of another.
///
/// # Errors
/// [`LlmError::KeyFile`] where the file can't be used; its text never quotes the key.
pub(super) fn api_key(configured: &str, purpose: ModelPurpose) -> Result<Option<Private<String>>, LlmError> {
    let credential = key_credential(purpose);
    let Some(file) = Credentials::of_process().configured_or(configured, credential) else {
        return Ok(None);
    };
    let key = secret::read_token(&file);
    key.map(Some).map_err(|why| LlmError::KeyFile { file: file.display().to_string(), why })
}
