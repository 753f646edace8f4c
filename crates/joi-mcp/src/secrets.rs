//! Secrets by name, for `${NAME}` in the entry of a server.
//!
//! Any thread; blocks while a file is read. A secret is the systemd credential of that name, else a file of that name in
//! the folder of secrets, which its owner alone may read. Nothing else is looked at, the environment least of all. A
//! value is never logged.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use joi_base::message::Private;
use joi_base::secret::{self, Credentials};

/// The reason why a secret can't be used; none shows its value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SecretFault {
    /// There is none of that name. Store it.
    #[error("there is no secret {0}; `joi mcp secret {0}` stores one")]
    Missing(String),
    /// Its file can't be used. Correct the file.
    #[error("the secret {name} can't be used: {why}")]
    File {
        /// Its name.
        name: String,
        /// The fault of its file.
        why: String,
    },
    /// `${` without a name behind it, or one with other signs than letters, digits, `_`, `-` and `.`. Correct the entry.
    #[error("\"{0}\" names no secret; write ${{NAME}}")]
    Malformed(String),
}

/// Where secrets are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Secrets {
    credentials: Credentials,
    folder: PathBuf,
}

impl Secrets {
    /// Secrets in systemd's folder of credentials, and in `folder`.
    pub fn new(credentials: Credentials, folder: PathBuf) -> Self {
        Self { credentials, folder }
    }

    /// Secrets of this process, with its files in the folder `secrets` below `data`.
    pub fn of_process(data: &Path) -> Self {
        Self::new(Credentials::of_process(), data.join("secrets"))
    }

    /// Returns `text` with every `${NAME}` replaced.
    ///
    /// # Errors
    /// A secret is missing or can't be read.
    pub fn filled(&self, text: &str) -> Result<String, SecretFault> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once("${") {
            let (name, after) =
                behind.split_once('}').ok_or_else(|| SecretFault::Malformed(format!("${{{behind}")))?;
            filled.push_str(before);
            filled.push_str(&self.get(name)?);
            rest = after;
        }
        Ok(filled + rest)
    }

    /// Stores a secret in a file that its owner alone may read.
    ///
    /// # Errors
    /// The name is malformed, or the file can't be written.
    pub fn store(&self, name: &str, value: &str) -> Result<(), SecretFault> {
        check(name)?;
        let fault =
            |error: std::io::Error| SecretFault::File { name: name.to_owned(), why: error.to_string() };
        fs::create_dir_all(&self.folder).map_err(fault)?;
        fs::set_permissions(&self.folder, Permissions::from_mode(0o700)).map_err(fault)?;
        secret::write(&self.folder.join(name), value).map_err(fault)
    }

    fn get(&self, name: &str) -> Result<String, SecretFault> {
        check(name)?;
        let file = self.credentials.file(name).unwrap_or_else(|| self.folder.join(name));
        match secret::read(&file) {
            Ok(Some(Private(value))) => Ok(value),
            Ok(None) => Err(SecretFault::Missing(name.to_owned())),
            Err(why) => {
                Err(SecretFault::File { name: name.to_owned(), why: format!("{}: {why}", file.display()) })
            }
        }
    }
}

fn check(name: &str) -> Result<(), SecretFault> {
    let fits = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-' | '.');
    let is_name = !name.is_empty() && !name.starts_with('.') && name.len() <= 64 && name.chars().all(fits);
    if is_name { Ok(()) } else { Err(SecretFault::Malformed(format!("${{{name}}}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_come_from_credentials_and_own_files_alone() {
        let folder = tempfile::tempdir().unwrap();
        let credentials = folder.path().join("credentials");
        fs::create_dir(&credentials).unwrap();
        let secrets = Secrets::new(Credentials::in_folder(&credentials), folder.path().join("secrets"));
        secrets.store("TOKEN", " abc \n").unwrap();
        secrets.store("OTHER", "xyz").unwrap();
        assert_eq!(secrets.filled("Bearer ${TOKEN}/${OTHER}!").unwrap(), "Bearer abc/xyz!");
        let credential = credentials.join("TOKEN");
        fs::write(&credential, "def").unwrap();
        fs::set_permissions(&credential, Permissions::from_mode(0o400)).unwrap();
        assert_eq!(secrets.filled("${TOKEN}").unwrap(), "def");
        assert_eq!(secrets.filled("${HOME}"), Err(SecretFault::Missing("HOME".into())));
        for odd in ["${", "${}", "${../x}", "${a b}", "${.}"] {
            assert!(matches!(secrets.filled(odd), Err(SecretFault::Malformed(_))), "{odd}");
        }
        fs::set_permissions(folder.path().join("secrets/OTHER"), Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(secrets.filled("${OTHER}"), Err(SecretFault::File { .. })));
        assert_eq!(secrets.filled("no secret, $5").unwrap(), "no secret, $5");
    }
}
