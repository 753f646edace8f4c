//! Fetches models: checks the disk, tries every source of a file until one yields the right bytes, and only
//! then gives the file its name. Async, one file after the other; dropping the future stops it, and the next
//! attempt resumes.

mod run;

use std::collections::HashSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use indicatif::BinaryBytes;

use super::keep_trying::keep_trying;
use super::manifest::{Conversion, FileSource, ManifestModel, ModelFile};
use super::progress::FetchProgress;
use super::{AllowedSources, InstallState, ModelError, ModelLibrary, files_here};
use joi_base::checksum;
use joi_base::machine::DiskRoom;
use run::{FetchRun, allowed, wheel_of};

/// Left free on the disk beyond what the models need.
const SPARE: u64 = 100 * 1024 * 1024;

/// What `fetch` may do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FetchOptions {
    /// Which sources may be used.
    pub sources: AllowedSources,
    /// How thoroughly existing files are checked.
    pub check: Check,
    /// Whether to wait and try again, without end, while the network is what fails.
    pub keep_trying: bool,
}

/// How to check whether a model is already there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Check {
    /// By its checksums, which reads all of it.
    #[default]
    Checksum,
    /// By the sizes of its files, without reading them.
    Size,
}

/// The result for one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchOutcome {
    /// It was there.
    AlreadyThere,
    /// It was brought now.
    Now,
}

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
    /// There is no model of that name. Tell the user.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The disk is too full; nothing was fetched. Tell the user.
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
    /// The directory can't be used. Tell the user.
    #[error("{} can't be written: {source}; set JOI_MODELS to a directory that can", path.display())]
    Io {
        /// What was touched.
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

impl ModelLibrary {
    /// The models that are needed where `spoken` is spoken; without one, in every language.
    pub fn needed(&self, spoken: Option<&str>) -> Vec<&str> {
        self.manifest.needed(spoken).map(|model| model.name.as_str()).collect()
    }

    /// What does the work of the model `name` where it is missing, if anything does.
    pub fn stand_in(&self, name: &str) -> Option<&str> {
        self.manifest.model(name)?.stand_in.as_deref()
    }

    /// Fetches those of the models `names` that aren't there; the result is in their order.
    /// A cancelled or failed fetch leaves complete models and unfinished downloads, never a partial file
    /// under a model's name.
    pub async fn fetch(
        &self,
        names: &[&str],
        options: FetchOptions,
        progress: &dyn FetchProgress,
    ) -> Result<Vec<FetchOutcome>, FetchError> {
        if !options.keep_trying {
            return self.attempt(names, options, progress).await;
        }
        // The last attempt finds there what an earlier one has brought.
        let missing = |name: &&str| self.state(name) != Ok(InstallState::Present);
        let missing: Vec<bool> = names.iter().map(missing).collect();
        let fetched = keep_trying(|| self.attempt(names, options, progress), progress).await?;
        let brought = |(outcome, missing)| if missing { FetchOutcome::Now } else { outcome };
        Ok(fetched.into_iter().zip(missing).map(brought).collect())
    }

    async fn attempt(
        &self,
        names: &[&str],
        options: FetchOptions,
        progress: &dyn FetchProgress,
    ) -> Result<Vec<FetchOutcome>, FetchError> {
        let models = names.iter().map(|name| self.model(name)).collect::<Result<Vec<_>, _>>()?;
        let mut missing = Vec::new();
        for model in &models {
            missing.push(self.missing(model, options.check).await?);
        }
        let wanted: Vec<&ModelFile> = missing.iter().flatten().copied().collect();
        if wanted.is_empty() {
            return Ok(vec![FetchOutcome::AlreadyThere; models.len()]);
        }
        self.check_space(&wanted, options.sources)?;
        let mut run = FetchRun::start(self, options.sources, progress)?;
        let mut fetched = Vec::new();
        for (n, (model, files)) in models.iter().zip(&missing).enumerate() {
            for file in files {
                run.fetch_file(model, file).await?;
            }
            let later = missing[n + 1..].iter().flatten().copied();
            run.drop_wheels_except(later);
            fetched.push(if files.is_empty() { FetchOutcome::AlreadyThere } else { FetchOutcome::Now });
        }
        Ok(fetched)
    }

    async fn missing<'a>(
        &self,
        model: &'a ManifestModel,
        check: Check,
    ) -> Result<Vec<&'a ModelFile>, FetchError> {
        let mut missing = Vec::new();
        for file in files_here(model) {
            let path = self.place(model, file);
            let whole = super::look(model, file, &path).is_ok()
                && (check == Check::Size || sum(&path).await.is_ok_and(|sum| sum == file.sha256));
            if !whole {
                missing.push(file);
            }
        }
        Ok(missing)
    }

    fn check_space(&self, wanted: &[&ModelFile], sources: AllowedSources) -> Result<(), FetchError> {
        let scratch = |file: &&ModelFile| {
            allowed(file, sources).map(|source| self.scratch_bytes(source)).max().unwrap_or(0)
        };
        // The room for a file of unknown size is looked for when its server tells it.
        let files: u64 = wanted.iter().filter_map(|file| file.size).sum();
        let need = files + wanted.iter().map(scratch).max().unwrap_or(0) + SPARE;
        let dir = self.root.clone();
        let room = DiskRoom::of(&dir).map_err(|source| FetchError::Io { path: dir.clone(), source })?;
        let free = room.free;
        if free < need { Err(FetchError::NoSpace { dir, free, need }) } else { Ok(()) }
    }

    /// Bytes that `source` needs besides the file itself.
    fn scratch_bytes(&self, source: &FileSource) -> u64 {
        let wheels: HashSet<&str> = source.places().filter_map(wheel_of).collect();
        let wheels: u64 =
            wheels.iter().filter_map(|key| self.manifest.wheels.get(*key)).map(|w| w.size).sum();
        wheels + if let FileSource::Convert(Conversion { input, .. }) = source { *input } else { 0 }
    }
}

async fn sum(path: &Path) -> io::Result<String> {
    let path = path.to_owned();
    tokio::task::spawn_blocking(move || checksum::of(&path)).await.map_err(io::Error::other)?
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
