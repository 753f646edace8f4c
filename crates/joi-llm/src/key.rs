//! Reads the API key of an OpenAI-compatible server from a file or a systemd credential. It is never shown.
//!
//! Any thread; reads one small file each time a client is made, so that a new key needs no restart.

use super::error::LlmError;
use joi_base::message::Private;
use joi_base::secret::{self, Credentials};

/// Name of the systemd credential with the key.
pub const KEY_CREDENTIAL: &str = "llm-key";

/// Returns the API key in the file `configured`, else the systemd credential; nothing where neither is there.
///
/// # Errors
/// [`LlmError::KeyFile`] where the file can't be used; its text never quotes the key.
pub(super) fn api_key(configured: &str) -> Result<Option<Private<String>>, LlmError> {
    let Some(file) = Credentials::of_process().configured_or(configured, KEY_CREDENTIAL) else {
        return Ok(None);
    };
    let key = secret::read_token(&file);
    key.map(Some).map_err(|why| LlmError::KeyFile { file: file.display().to_string(), why })
}
