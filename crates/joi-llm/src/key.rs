//! Reads the API key of an OpenAI-compatible server from a file or a systemd credential. It is never shown.
//!
//! Any thread; reads one small file each time a client is made, so that a new key needs no restart. It refuses a file that
//! everybody can read.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::error::LlmError;
use joi_base::message::Private;

/// Name of the systemd credential with the key.
pub const KEY_CREDENTIAL: &str = "llm-key";
/// Bytes of the longest file that is read as a key.
const LONGEST: u64 = 8192;

/// Returns the API key in `configured`, else the one in the folder of systemd's credentials of this process; nothing where
/// neither is there.
///
/// # Errors
/// [`LlmError::KeyFile`] where the file can't be used; its text never quotes the key.
pub(super) fn api_key(configured: &str) -> Result<Option<Private<String>>, LlmError> {
    let credentials = std::env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from);
    match place(configured.trim(), credentials.as_deref()) {
        Some(file) => read(&file).map(Some),
        None => Ok(None),
    }
}

fn place(configured: &str, credentials: Option<&Path>) -> Option<PathBuf> {
    if !configured.is_empty() {
        return Some(configured.into());
    }
    credentials.map(|folder| folder.join(KEY_CREDENTIAL)).filter(|file| file.exists())
}

fn read(file: &Path) -> Result<Private<String>, LlmError> {
    let unusable = |why: String| LlmError::KeyFile { file: file.display().to_string(), why };
    let about = fs::metadata(file).map_err(|error| unusable(error.to_string()))?;
    if about.len() > LONGEST {
        return Err(unusable("too long for a key".to_owned()));
    }
    if about.permissions().mode() & 0o004 != 0 {
        return Err(unusable("everybody can read it; run chmod 600 on it".to_owned()));
    }
    let text = fs::read_to_string(file).map_err(|error| unusable(error.to_string()))?;
    let key = text.trim();
    if key.is_empty() {
        return Err(unusable("the file is empty".to_owned()));
    }
    if !key.chars().all(|sign| sign.is_ascii_graphic()) {
        return Err(unusable("a key is one word of letters, digits and signs".to_owned()));
    }
    Ok(Private(key.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(file: &Path, text: &str, mode: u32) {
        fs::write(file, text).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn the_configured_file_comes_before_the_credential() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(place("", Some(folder.path())), None);
        put(&folder.path().join(KEY_CREDENTIAL), "sk-credential\n", 0o400);
        assert_eq!(place("", Some(folder.path())), Some(folder.path().join(KEY_CREDENTIAL)));
        assert_eq!(place("/a/key", Some(folder.path())), Some("/a/key".into()));
        assert_eq!(place("", None), None);
    }

    #[test]
    fn a_key_is_one_word_in_a_file_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        put(&file, " sk-secret-1\n", 0o600);
        let key = read(&file).unwrap();
        assert_eq!((key.0.as_str(), format!("{key:?}")), ("sk-secret-1", "***".to_owned()));
        for (text, mode) in
            [("sk-secret-1", 0o644), ("", 0o600), ("sk-secret-1 x", 0o600), ("sk-sécret-1", 0o600)]
        {
            put(&file, text, mode);
            let error = read(&file).unwrap_err().to_string();
            assert!(error.contains("llm.key_file") && !error.contains("sk-"), "{error}");
        }
        assert!(read(&folder.path().join("missing")).is_err());
    }
}
