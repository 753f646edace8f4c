//! The token: read from a file or a systemd credential, written to a file for its owner alone, never shown.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::fault::HomeFault;

/// Bytes of the longest file that is read as a token.
const LONGEST: u64 = 4096;

/// A token; shows itself as `***`.
#[derive(Clone, PartialEq, Eq)]
pub struct HomeToken(String);

impl HomeToken {
    /// Of text as it was pasted.
    ///
    /// # Errors
    /// It is empty or holds a sign that no token has; the text says so without quoting it.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("the token is empty".to_owned());
        }
        if !text.chars().all(|sign| sign.is_ascii_graphic()) {
            return Err("a token is one word of letters, digits and dots, as oh.name.secret".to_owned());
        }
        Ok(Self(text.to_owned()))
    }

    pub(super) fn secret(&self) -> &str {
        &self.0
    }

    /// Writes it to a file that its owner alone can read.
    ///
    /// # Errors
    /// The file or its folder can't be written.
    pub fn write(&self, file: &Path) -> std::io::Result<()> {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        let part = file.with_extension("part");
        let _ = fs::remove_file(&part);
        let mut open = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part)?;
        open.write_all(format!("{}\n", self.0).as_bytes())?;
        open.sync_all()?;
        fs::rename(&part, file)
    }
}

impl std::fmt::Debug for HomeToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

/// Where the token is looked for, each time a connection is made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum TokenSource {
    /// There is none.
    #[default]
    None,
    /// In hand already: while it is tried out.
    Given(HomeToken),
    /// In this file; one that others can read is refused. Where it is missing there is no token, unless it was named in
    /// the configuration.
    File {
        /// The file.
        path: PathBuf,
        /// Whether it has to be there.
        is_required: bool,
    },
}

impl TokenSource {
    /// Chooses the configured file; else the systemd credential, if it is there; else `own_file`, which `joi home connect`
    /// writes.
    pub fn find(configured: &str, credential: Option<PathBuf>, own_file: Option<&Path>) -> Self {
        if !configured.is_empty() {
            return Self::File { path: configured.into(), is_required: true };
        }
        let credential = credential.filter(|file| file.exists());
        let file = credential.or_else(|| own_file.map(Path::to_owned));
        file.map_or(Self::None, |path| Self::File { path, is_required: false })
    }

    /// The token now.
    ///
    /// # Errors
    /// [`HomeFault::TokenFile`] when there is a file that can't be used.
    pub fn token(&self) -> Result<Option<HomeToken>, HomeFault> {
        let (path, is_required) = match self {
            Self::None => return Ok(None),
            Self::Given(token) => return Ok(Some(token.clone())),
            Self::File { path, is_required } => (path, *is_required),
        };
        let fault = |why: String| HomeFault::TokenFile { file: path.display().to_string(), why };
        let about = match fs::metadata(path) {
            Ok(about) => about,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !is_required => return Ok(None),
            Err(error) => return Err(fault(error.to_string())),
        };
        if about.len() > LONGEST {
            return Err(fault("too long for a token".to_owned()));
        }
        if about.permissions().mode() & 0o004 != 0 {
            return Err(fault("everybody can read it; run chmod 600 on it".to_owned()));
        }
        let text = fs::read_to_string(path).map_err(|error| fault(error.to_string()))?;
        HomeToken::read(&text).map(Some).map_err(fault)
    }
}
