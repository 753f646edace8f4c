//! The chat models that the embedded server may run: what stands in the list, and what is on the disk of it.
//!
//! Any thread; blocks while the heads of files are read, each once. In: the list, by preference. Out: a
//! [`ModelCandidate`] for each, for `choose/local.rs` to choose from. It reads no weights: that a file is damaged
//! further down shows when it is loaded.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use super::config::LlmConfig;
use super::gguf::{self, GgufHead};
use super::local::LocalModel;
use super::speed::SpeedLog;

/// Memory beside weights and attention cache: working memory of the model server, and what the rest of the program
/// takes after the choice was made (speech to text, voice).
pub const HEADROOM: u64 = 512 << 20;
/// How much of a file identifies it where no checksum of it was published.
const IDENTIFYING: u64 = 1 << 20;

/// A chat model in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalChatModel {
    /// Its name in the list.
    pub name: String,
    /// Its file, there or not.
    pub gguf: PathBuf,
    /// Checksum of the file, as published.
    pub sha256: Option<String>,
    /// Bytes of the file, as published.
    pub bytes: Option<u64>,
    /// A machine with less memory, in bytes, is not for it.
    pub least_memory: Option<u64>,
    /// What brings the file, or mends it: one clause, for example "run `joi models fetch x`".
    pub remedy: String,
}

/// The embedded server and the models it may run.
#[derive(Debug, Clone)]
pub struct LocalModels {
    /// The program `joi-model`.
    pub binary: PathBuf,
    /// The chat models, the best first.
    pub chat: Vec<LocalChatModel>,
    /// The model for vectors; served where the file is there.
    pub embed_gguf: PathBuf,
    /// The folder for its sockets; made when missing, readable by the owner only.
    pub runtime_dir: PathBuf,
    /// How fast they are here.
    pub speeds: SpeedLog,
    /// How long the server stays for the next command when nobody is connected; nothing: it ends with the program.
    pub outlives: Option<Duration>,
}

impl LocalModels {
    /// Returns the server for `chat`; without a model one for vectors alone.
    pub(super) fn server_for(&self, chat: Option<&ModelCandidate>) -> LocalModel {
        LocalModel {
            binary: self.binary.clone(),
            gguf: chat.map(|chat| chat.gguf.clone()),
            embed_gguf: self.embed_gguf.clone(),
            fetch: chat.map(|chat| chat.remedy.clone()).unwrap_or_default(),
            runtime_dir: self.runtime_dir.clone(),
            outlives: self.outlives,
        }
    }
}

/// State of a model's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// The file is missing.
    Missing,
    /// The checksum is not the published one, or the file is truncated.
    Damaged {
        /// How.
        why: String,
    },
    /// The model is not a chat model.
    Unfit {
        /// Why.
        why: String,
    },
    /// Our server could not run it.
    Fails {
        /// Its words.
        why: String,
    },
    /// There was too little memory for it when it was tried.
    TooLarge {
        /// The server's words.
        why: String,
    },
    /// It is whole, as far as its head shows.
    There {
        /// Its size.
        bytes: u64,
        /// Memory it takes with the configured window.
        needs: u64,
        /// Its checksum; where none was published, one of its beginning.
        sha256: String,
    },
}

/// A chat model that may be chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCandidate {
    /// Its name in the list.
    pub name: String,
    /// Its file.
    pub gguf: PathBuf,
    /// State of the file.
    pub state: FileState,
    /// Tokens it writes in a second on this machine, where that was measured.
    pub tokens_per_s: Option<f32>,
    /// A machine with less memory, in bytes, is not for it.
    pub least_memory: Option<u64>,
    /// What brings the file, or mends it.
    pub remedy: String,
}

/// When a file was last written, and its size: what changes with its content.
pub(super) type FileStamp = (u64, Option<SystemTime>);

/// The stamp of the file at `path`; nothing when there is none.
pub(super) fn stamp(path: &Path) -> Option<FileStamp> {
    let about = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some((about.len(), about.modified().ok()))
}

/// Head of a file, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct HeadRead {
    stamp: FileStamp,
    head: Result<GgufHead, String>,
    /// Checksum of its size and beginning.
    mark: String,
}

/// Examines the files of the list. Cloning is cheap, and all clones read a file once.
#[derive(Debug, Clone, Default)]
pub struct FileExaminer(Arc<Mutex<HashMap<PathBuf, HeadRead>>>);

impl FileExaminer {
    /// The models of the list as they are now. Blocks.
    pub fn examine(&self, models: &LocalModels, config: &LlmConfig) -> Vec<ModelCandidate> {
        let candidate = |model: &LocalChatModel| {
            let state = self.state(model, config.num_ctx);
            let tokens_per_s = match &state {
                FileState::There { sha256, .. } => models.speeds.of(sha256, config.threads.count()),
                FileState::Missing
                | FileState::Damaged { .. }
                | FileState::Unfit { .. }
                | FileState::Fails { .. }
                | FileState::TooLarge { .. } => None,
            };
            ModelCandidate {
                name: model.name.clone(),
                gguf: model.gguf.clone(),
                state,
                tokens_per_s,
                least_memory: model.least_memory,
                remedy: model.remedy.clone(),
            }
        };
        models.chat.iter().map(candidate).collect()
    }

    fn state(&self, model: &LocalChatModel, num_ctx: u32) -> FileState {
        let Some(stamp) = stamp(&model.gguf) else { return FileState::Missing };
        let bytes = stamp.0;
        if let Some(published) = model.bytes.filter(|published| *published != bytes) {
            return FileState::Damaged { why: format!("it has {bytes} of {published} bytes") };
        }
        let HeadRead { head, mark, .. } = self.head(&model.gguf, stamp);
        let head = match head {
            Ok(head) => head,
            Err(why) => return FileState::Damaged { why },
        };
        if bytes < head.least_bytes {
            let least = head.least_bytes;
            return FileState::Damaged { why: format!("it has {bytes} bytes and needs at least {least}") };
        }
        if head.pools {
            return FileState::Unfit { why: "it makes vectors and no text".to_owned() };
        }
        if !head.has_template {
            return FileState::Unfit { why: "it has no chat template".to_owned() };
        }
        let cache = head.cache_per_token.saturating_mul(u64::from(num_ctx));
        FileState::There {
            bytes,
            needs: bytes.saturating_add(cache).saturating_add(HEADROOM),
            sha256: model.sha256.clone().unwrap_or(mark),
        }
    }

    fn head(&self, path: &Path, stamp: FileStamp) -> HeadRead {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(read) = seen.get(path).filter(|read| read.stamp == stamp) {
            return read.clone();
        }
        let head = gguf::read(path).map_err(|error| error.to_string());
        let read = HeadRead { stamp, head, mark: mark(path, stamp.0) };
        seen.insert(path.to_path_buf(), read.clone());
        read
    }
}

/// A checksum of the size and the beginning of a file, which holds the head: reading all of it would take a Raspberry
/// Pi a minute.
fn mark(path: &Path, bytes: u64) -> String {
    let mut beginning = Vec::new();
    // What can't be read has no mark of its own; it is not loaded either.
    let _ = File::open(path).and_then(|file| file.take(IDENTIFYING).read_to_end(&mut beginning));
    joi_base::checksum::hex(
        &Sha256::new().chain_update(bytes.to_le_bytes()).chain_update(&beginning).finalize(),
    )
}

#[cfg(test)]
mod tests;
