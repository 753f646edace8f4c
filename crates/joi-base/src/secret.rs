//! Secrets in files: tokens and keys that systemd hands to the service, or that their owner keeps.
//!
//! Any thread; blocks while a small file is read. In: the path of a configuration, the name of a credential. Out: the secret,
//! or the reason why its file can't be used, which never quotes it. A file that everybody can read is refused.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::durable;
use crate::message::Private;

/// Bytes of the longest file that is read as a secret.
const LONGEST: u64 = 16 * 1024;

/// The folder in which systemd hands credentials to this process; nothing where it hands none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Credentials(Option<PathBuf>);

impl Credentials {
    /// Returns the folder that systemd names to this process.
    pub fn of_process() -> Self {
        Self(std::env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from))
    }

    /// Returns credentials in `folder`.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self(Some(folder.into()))
    }

    /// Returns the file of the credential `name`, if it is there.
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        self.0.as_ref().map(|folder| folder.join(name)).filter(|file| file.exists())
    }

    /// Chooses the file `configured`; else the credential `name`, if it is there.
    pub fn configured_or(&self, configured: &str, name: &str) -> Option<PathBuf> {
        match configured.trim() {
            "" => self.file(name),
            configured => Some(configured.into()),
        }
    }
}

/// Returns the secret in `file`, without the white space around it; nothing where there is no such file.
///
/// # Errors
/// The file can't be used: the reason, for its owner.
pub fn read(file: &Path) -> Result<Option<Private<String>>, String> {
    let about = match fs::metadata(file) {
        Ok(about) => about,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    if about.len() > LONGEST {
        return Err("it is too long for a secret".to_owned());
    }
    if about.permissions().mode() & 0o004 != 0 {
        return Err("everybody can read it; run chmod 600 on it".to_owned());
    }
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    Ok(Some(Private(text.trim().to_owned())))
}

/// Returns the token or key in `file`, which must be there.
///
/// # Errors
/// The file can't be used, or holds no token.
pub fn read_token(file: &Path) -> Result<Private<String>, String> {
    let text = read(file)?.ok_or_else(|| "there is no such file".to_owned())?;
    token(&text.0)
}

/// Returns the token or key in a text as it was pasted.
///
/// # Errors
/// It is empty, or holds a sign that none has.
pub fn token(text: &str) -> Result<Private<String>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("it is empty".to_owned());
    }
    if !text.chars().all(|sign| sign.is_ascii_graphic()) {
        return Err("a token or key is one word of letters, digits and signs".to_owned());
    }
    Ok(Private(text.to_owned()))
}

/// Writes a secret to a file that its owner alone can read.
///
/// # Errors
/// The file or its folder can't be written.
pub fn write(file: &Path, secret: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    durable::write(file, format!("{}\n", secret.trim()).as_bytes(), Some(Permissions::from_mode(0o600)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configured_file_comes_before_the_credential() {
        let folder = tempfile::tempdir().unwrap();
        let credentials = Credentials::in_folder(folder.path());
        assert_eq!(credentials.configured_or("", "key"), None);
        write(&folder.path().join("key"), "sk-credential").unwrap();
        assert_eq!(credentials.configured_or(" ", "key"), Some(folder.path().join("key")));
        assert_eq!(credentials.configured_or("/a/key", "key"), Some("/a/key".into()));
        assert_eq!(Credentials::default().configured_or("", "key"), None);
    }

    #[test]
    fn a_token_is_one_word_in_a_file_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("below/key");
        write(&file, " sk-secret-1 ").unwrap();
        let key = read_token(&file).unwrap();
        assert_eq!((key.0.as_str(), format!("{key:?}")), ("sk-secret-1", "***".to_owned()));
        for (text, mode, why) in [
            ("sk-secret-1", 0o644, "chmod 600"),
            ("", 0o600, "empty"),
            ("sk-secret-1 x", 0o600, "one word"),
            ("sk-sécret-1", 0o600, "one word"),
            (&"x".repeat(20_000), 0o600, "too long"),
        ] {
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            let error = read_token(&file).unwrap_err();
            assert!(error.contains(why) && !error.contains("sk-"), "{error}");
        }
        let missing = folder.path().join("missing");
        assert_eq!(read(&missing), Ok(None));
        assert_eq!(read_token(&missing), Err("there is no such file".to_owned()));
    }
}
