//! Why a model could not be fetched, and whether another attempt is worth it.
//!
//! Pure: no I/O, no clock.

use std::fmt;
use std::io;
use std::path::PathBuf;

use indicatif::BinaryBytes;

use crate::ModelError;

/// A source that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchAttempt {
    /// Where it was tried.
    pub place: String,
    /// What happened.
    pub why: String,
    /// By whose fault.
    pub fault: FetchFault,
}

/// Whose fault it is that a source failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchFault {
    /// That of the network, or of a server that can't answer now: it passes by itself.
    Network,
    /// That of this machine: its disk is full, or can't be written.
    Here,
    /// That of the source: it has something else, or nothing, or can't be used here.
    Source,
}

/// Some model could not be fetched. Models fetched before stay.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// There is no model of that name. Report it.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The disk is too full; nothing was fetched. Report it.
    #[error(
        "{} has {} free and the models need {}; free some space, or set JOI_MODELS to another disk",
        dir.display(), BinaryBytes(*free), BinaryBytes(*need)
    )]
    NoSpace {
        /// The models' directory.
        dir: PathBuf,
        /// Bytes it may still take.
        free: u64,
        /// Bytes that are needed, scratch space included.
        need: u64,
    },
    /// Another process is fetching. Wait for it.
    #[error("another joi is fetching models into {}; wait for it, or stop it", .0.display())]
    Busy(PathBuf),
    /// The directory can't be used. Report it.
    #[error("{} can't be written: {source}; set JOI_MODELS to a directory that can", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// Why it didn't work.
        source: io::Error,
    },
    /// No source had the file. Worth another attempt when the network is back.
    #[error(
        "{name} could not be fetched from any source ({}); check the network and run `joi models fetch {name}` again",
        AttemptList(tried)
    )]
    AllSources {
        /// The model.
        name: String,
        /// All that was tried, in order.
        tried: Vec<FetchAttempt>,
    },
    /// The HTTP client can't be made. Give up.
    #[error("the network can't be used: {0}")]
    Network(String),
}

impl FetchError {
    /// What kept a model from being fetched and may be over soon, as one clause: the network, with where it was tried, or
    /// another joi. Nothing where the next attempt would fail as well.
    pub fn passes(&self) -> Option<String> {
        let (name, tried) = match self {
            Self::Busy(_) => return Some(self.to_string()),
            Self::AllSources { name, tried } => (name, tried),
            _ => return None,
        };
        let by = |fault: FetchFault| tried.iter().filter(move |attempt| attempt.fault == fault);
        let away: Vec<FetchAttempt> = by(FetchFault::Network).cloned().collect();
        if away.is_empty() || by(FetchFault::Here).next().is_some() {
            return None;
        }
        Some(format!("{name} could not be fetched now ({})", AttemptList(&away)))
    }
}

/// Formats attempts for an error.
struct AttemptList<'a>(&'a [FetchAttempt]);

impl fmt::Display for AttemptList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, FetchAttempt { place, why, .. }) in self.0.iter().enumerate() {
            let comma = if n == 0 { "" } else { "; " };
            write!(f, "{comma}{place}: {why}")?;
        }
        Ok(())
    }
}
