//! The errors of transcription.

use std::path::{Path, PathBuf};

use whisper_rs::WhisperError;

/// An error of transcription.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SttError {
    /// The file is not a complete whisper model. Shown to the user; fetching it again helps.
    #[error("{} can't be used as a whisper model: {why}; run `joi models fetch {}`", path.display(), model_of(path))]
    BadModel {
        /// The file.
        path: PathBuf,
        /// The fault of the file.
        why: String,
    },
    /// The model does not know the configured language. Shown to the user.
    #[error("the model {} can't transcribe \"{language}\"; {remedy}", path.display())]
    Language {
        /// The model.
        path: PathBuf,
        /// The language asked for.
        language: String,
        /// The setting to change.
        remedy: &'static str,
    },
    /// The abort flag was raised; the result is not needed any more.
    #[error("the transcription was aborted because it was no longer needed")]
    Aborted,
    /// whisper.cpp failed. The utterance is lost, the next one may work.
    #[error("whisper.cpp could not transcribe the utterance: {0}")]
    Failed(String),
    /// The worker thread could not be started, or is gone. Give up.
    #[error("the transcription thread is gone: {0}; start joi again")]
    NoWorker(String),
}

/// Converts an error of whisper.cpp.
pub(super) fn failed(error: WhisperError) -> SttError {
    SttError::Failed(error.to_string())
}

/// Returns the model that `path` belongs to: models are stored in directories of their names.
fn model_of(path: &Path) -> std::path::Display<'_> {
    path.parent().and_then(Path::file_name).map_or(Path::new(""), Path::new).display()
}
