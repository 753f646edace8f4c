//! The embedded model server and its models: which files they are, and under which names they are served.
//!
//! Any thread; looks whether files are there. It starts nothing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::LlmError;

/// The model for vectors that `joi models fetch` brings.
pub const LOCAL_EMBED_MODEL: &str = "embed-all-minilm-l6-v2";
/// The name of the model for vectors on the embedded server.
pub(crate) const EMBED_NAME: &str = "all-minilm";

/// Where the embedded model server and its model are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocalModel {
    /// The program `joi-model`.
    pub(crate) binary: PathBuf,
    /// The chat model, a GGUF file; nothing where only vectors are wanted.
    pub(crate) gguf: Option<PathBuf>,
    /// The model for vectors, a GGUF file; served where the file is there.
    pub(crate) embed_gguf: PathBuf,
    /// What to do when the chat model is missing, for example: run `joi models fetch chat-…`.
    pub(crate) fetch: String,
    /// The folder for its socket; made when missing, readable by the owner only.
    pub(crate) runtime_dir: PathBuf,
    /// How long the server stays for the next command when nobody is connected; nothing: it ends with the program.
    pub(crate) outlives: Option<Duration>,
}

impl LocalModel {
    /// The name of the model it is started for.
    pub(crate) fn name(&self) -> String {
        self.gguf.as_deref().map_or_else(|| EMBED_NAME.to_owned(), served_name)
    }

    /// Returns whether program and model are there. What is missing will not come by trying again.
    pub(crate) fn check(&self) -> Result<(), LlmError> {
        let missing = |what: &str, path: &Path| format!("{what} {} is missing", path.display());
        if !self.binary.is_file() {
            return Err(LlmError::down(missing("the program", &self.binary), "build it with `make`"));
        }
        match &self.gguf {
            Some(gguf) if !gguf.is_file() => {
                Err(LlmError::down(missing("the model", gguf), self.fetch.clone()))
            }
            None if !self.embed_gguf.is_file() => {
                let remedy = format!("run `joi models fetch {LOCAL_EMBED_MODEL}`");
                Err(LlmError::down(missing("the model", &self.embed_gguf), remedy))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// How the embedded server calls a chat model: as its file, without the ending and without what names may not hold.
pub fn served_name(gguf: &Path) -> String {
    let stem = gguf.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    stem.chars()
        .take(80)
        .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' })
        .collect()
}
