//! Downloads a URL to a file, resuming an earlier attempt. Async; times out after 10 s without an answer and
//! 30 s without data.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::BinaryBytes;
use reqwest::header::{CONTENT_RANGE, RANGE};
use reqwest::{Client, Response, StatusCode, Url};
use tokio::io::AsyncWriteExt;

use super::fetch::FetchFault;
use super::progress::FetchProgress;
use joi_base::machine::DiskRoom;
use joi_base::root_cause;

const CONNECT: Duration = Duration::from_secs(10);
const SILENCE: Duration = Duration::from_secs(30);

/// Why a download failed. The partial file is kept for the next attempt.
#[derive(Debug, thiserror::Error)]
pub(super) enum DownloadError {
    #[error("{0}")]
    Http(String),
    #[error("the server answered {0}")]
    Status(StatusCode),
    #[error("{host} can't be reached ({why})")]
    Unreachable { host: String, why: String },
    #[error("it sent more than the {0} bytes that were expected")]
    TooLong(u64),
    #[error("it ended after {got} of {expected} bytes")]
    TooShort { got: u64, expected: u64 },
    #[error("{} has {} free and {} are still to come; free some space, or set JOI_MODELS to another disk",
        dir.display(), BinaryBytes(*free), BinaryBytes(*rest))]
    NoRoom { dir: PathBuf, free: u64, rest: u64 },
    #[error("{path}: {source}", path = path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl DownloadError {
    pub(super) fn fault(&self) -> FetchFault {
        match self {
            Self::Http(_) | Self::Unreachable { .. } | Self::TooShort { .. } => FetchFault::Network,
            Self::Status(status) if can_not_now(*status) => FetchFault::Network,
            Self::Status(_) | Self::TooLong(_) => FetchFault::Source,
            Self::NoRoom { .. } | Self::Io { .. } => FetchFault::Here,
        }
    }
}

/// Whether a server that answers so may answer otherwise soon.
fn can_not_now(status: StatusCode) -> bool {
    let busy = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS];
    status.is_server_error() || busy.contains(&status)
}

/// A client that remembers which hosts it couldn't connect to, so that a closed network costs one timeout per
/// host and not one per file.
pub(super) struct Downloader {
    client: Client,
    /// Why, by host and port.
    unreachable: Mutex<HashMap<String, String>>,
}

impl Downloader {
    pub(super) fn new() -> Result<Self, DownloadError> {
        joi_base::tls::provide_crypto();
        let client = Client::builder()
            .connect_timeout(CONNECT)
            .read_timeout(SILENCE)
            .user_agent(concat!("joi/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|e| http(&e))?;
        Ok(Self { client, unreachable: Mutex::default() })
    }

    /// Makes `part` hold the whole of `url`. With `expected` bytes known, anything longer is refused while it
    /// arrives.
    pub(super) async fn fetch(
        &self,
        url: &str,
        part: &Path,
        expected: Option<u64>,
        progress: &dyn FetchProgress,
    ) -> Result<(), DownloadError> {
        let have = tokio::fs::metadata(part).await.map_or(0, |meta| meta.len());
        if expected == Some(have) {
            return Ok(());
        }
        let mut response = self.ask(url, have).await?;
        let resumed =
            have > 0 && response.status() == StatusCode::PARTIAL_CONTENT && resumes_at(&response, have);
        if have > 0 && !resumed {
            // The partial file is too long, or the server can't resume: start from the beginning.
            if response.status() != StatusCode::OK {
                response = self.ask(url, 0).await?;
            }
        }
        if !response.status().is_success() {
            return Err(DownloadError::Status(response.status()));
        }
        let start = if resumed { have } else { 0 };
        let total = response.content_length().map(|rest| start + rest).or(expected);
        if let (None, Some(total), Some(dir)) = (expected, total, part.parent()) {
            check_room(dir, total.saturating_sub(start))?;
        }
        progress.begin(file_name(url), total);
        progress.at(start);
        let outcome = save(response, part, start, expected, progress).await;
        progress.end();
        let got = outcome?;
        match total {
            Some(expected) if got < expected => Err(DownloadError::TooShort { got, expected }),
            _ => Ok(()),
        }
    }

    async fn ask(&self, url: &str, from: u64) -> Result<Response, DownloadError> {
        let host = Url::parse(url).map(|url| url.authority().to_owned()).unwrap_or_default();
        let known = || self.unreachable.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(why) = known().get(&host).cloned() {
            return Err(DownloadError::Unreachable { host, why });
        }
        let mut request = self.client.get(url);
        if from > 0 {
            request = request.header(RANGE, format!("bytes={from}-"));
        }
        request.send().await.map_err(|e| {
            if !e.is_connect() {
                return http(&e);
            }
            let why = root_cause::of(&e);
            known().insert(host.clone(), why.clone());
            DownloadError::Unreachable { host, why }
        })
    }
}

/// Whether `rest` bytes fit into `dir`: nobody has looked for a file of unknown size.
fn check_room(dir: &Path, rest: u64) -> Result<(), DownloadError> {
    match DiskRoom::of(dir) {
        Ok(DiskRoom { free, .. }) if free < rest => {
            Err(DownloadError::NoRoom { dir: dir.to_owned(), free, rest })
        }
        // Where the system does not know, writing shows it.
        Ok(_) | Err(_) => Ok(()),
    }
}

async fn save(
    mut response: Response,
    part: &Path,
    start: u64,
    expected: Option<u64>,
    progress: &dyn FetchProgress,
) -> Result<u64, DownloadError> {
    let io = |source| DownloadError::Io { path: part.to_owned(), source };
    let mut options = tokio::fs::OpenOptions::new();
    options.create(true).write(true);
    if start > 0 {
        options.append(true)
    } else {
        options.truncate(true)
    };
    let mut file = options.open(part).await.map_err(io)?;
    let mut done = start;
    let outcome = loop {
        match response.chunk().await {
            Ok(Some(bytes)) => {
                done += bytes.len() as u64;
                if let Some(expected) = expected.filter(|expected| done > *expected) {
                    break Err(DownloadError::TooLong(expected));
                }
                file.write_all(&bytes).await.map_err(io)?;
                progress.at(done);
            }
            Ok(None) => break Ok(done),
            Err(e) => break Err(http(&e)),
        }
    };
    file.flush().await.map_err(io)?;
    outcome
}

/// Whether the response continues where the partial file ends.
fn resumes_at(response: &Response, have: u64) -> bool {
    let range = response.headers().get(CONTENT_RANGE).and_then(|value| value.to_str().ok());
    range.is_some_and(|range| range.starts_with(&format!("bytes {have}-")))
}

fn file_name(url: &str) -> &str {
    url.rsplit('/').next().unwrap_or(url)
}

fn http(error: &reqwest::Error) -> DownloadError {
    DownloadError::Http(root_cause::of(error))
}
