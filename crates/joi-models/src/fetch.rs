//! Fetches models: checks the disk, tries every source of a file until one yields the right bytes, and only
//! then gives the file its name. Async, one file after the other; dropping the future stops it, and the next
//! attempt resumes.

mod error;
mod run;

use std::collections::HashSet;

use super::keep_trying::keep_trying;
use super::manifest::{Conversion, FileSource, ManifestModel, ModelFile};
use super::progress::FetchProgress;
use super::{AllowedSources, InstallState, ModelLibrary, files_here};
use joi_base::machine::DiskRoom;
use run::{FetchRun, allowed, sum, wheel_of};

pub use error::{FetchAttempt, FetchError, FetchFault};

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
        // The room for a file of unknown size is checked when its server has sent the size.
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
