//! The token: read from a file or a systemd credential, written to a file for its owner alone, never shown.

use std::path::{Path, PathBuf};

use super::fault::HomeFault;
use joi_base::message::Private;
use joi_base::secret;

/// The systemd credential that holds the token, whatever kind of server it is for.
pub const TOKEN_CREDENTIAL: &str = "home-token";

/// A token; shows itself as `***`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeToken(Private<String>);

impl HomeToken {
    /// Of text as it was pasted.
    ///
    /// # Errors
    /// It is empty or holds a sign that no token has; the text says so without quoting it.
    pub fn read(text: &str) -> Result<Self, String> {
        secret::token(text).map(Self)
    }

    pub(super) fn secret(&self) -> &str {
        &self.0.0
    }

    /// Writes it to a file that its owner alone can read.
    ///
    /// # Errors
    /// The file or its folder can't be written.
    pub fn write(&self, file: &Path) -> std::io::Result<()> {
        secret::write(file, &self.0.0)
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
    /// Chooses the configured file; else that of a systemd credential; else `own_file`, which `joi home connect` writes.
    pub fn find(configured: &str, credential: Option<PathBuf>, own_file: Option<&Path>) -> Self {
        if !configured.is_empty() {
            return Self::File { path: configured.into(), is_required: true };
        }
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
        match secret::read(path).map_err(fault)? {
            None if is_required => Err(fault("there is no such file".to_owned())),
            None => Ok(None),
            Some(Private(text)) => HomeToken::read(&text).map(Some).map_err(fault),
        }
    }
}
