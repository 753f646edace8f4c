//! What `joi home connect` stores: the address and the token, two files that their owner alone can read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::config::HomeConfig;
use super::fault::HomeFault;
use super::openhab::{HomeToken, ServerAddress, TokenSource};

/// Where both files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredHome(PathBuf);

impl StoredHome {
    /// Below the directory of the data.
    pub fn new(data: &Path) -> Self {
        Self(data.join("openhab"))
    }

    fn address_file(&self) -> PathBuf {
        self.0.join("address")
    }

    /// The file of the token.
    pub fn token_file(&self) -> PathBuf {
        self.0.join("token")
    }

    /// Stores an address, and a token where there is one; without one an older token is removed.
    ///
    /// # Errors
    /// A file can't be written.
    pub fn store(&self, address: &ServerAddress, token: Option<&HomeToken>) -> io::Result<()> {
        match token {
            Some(token) => token.write(&self.token_file())?,
            None => remove(&self.token_file())?,
        }
        // An address may hold a login.
        HomeToken::read(&address.written()).map_err(io::Error::other)?.write(&self.address_file())
    }

    /// Removes both. Out: whether there was anything.
    ///
    /// # Errors
    /// A file can't be removed.
    pub fn remove(&self) -> io::Result<bool> {
        let was_there = self.address_file().exists();
        remove(&self.token_file())?;
        remove(&self.address_file())?;
        Ok(was_there)
    }

    /// The house that is meant: the configured one, else the stored one; nothing when there is neither.
    ///
    /// # Errors
    /// An address that can't be read.
    pub fn meant(
        &self,
        config: &HomeConfig,
        credentials: Option<&Path>,
    ) -> Result<Option<(ServerAddress, TokenSource)>, HomeFault> {
        let text = match config.url.is_empty() {
            false => config.url.clone(),
            true => match fs::read_to_string(self.address_file()) {
                Ok(text) => text,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(self.unreadable(error.to_string())),
            },
        };
        let address = ServerAddress::read(&text).map_err(|why| self.unreadable(why))?;
        let token = TokenSource::find(&config.token_file, credentials, &self.token_file());
        Ok(Some((address, token)))
    }

    fn unreadable(&self, why: String) -> HomeFault {
        HomeFault::TokenFile { file: self.address_file().display().to_string(), why }
    }
}

fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_stored_is_meant_unless_the_configuration_names_another() {
        let folder = tempfile::tempdir().unwrap();
        let stored = StoredHome::new(folder.path());
        let meant = |config: &HomeConfig| stored.meant(config, None).unwrap();
        assert_eq!(meant(&HomeConfig::default()), None);

        let address = ServerAddress::read("http://me:secret@openhab:8080").unwrap();
        let token = HomeToken::read("oh.joi.x").unwrap();
        stored.store(&address, Some(&token)).unwrap();
        let (found, source) = meant(&HomeConfig::default()).unwrap();
        assert_eq!((found, source.token()), (address.clone(), Ok(Some(token))));

        let other = HomeConfig { url: "http://other:8080".into(), ..HomeConfig::default() };
        assert_eq!(meant(&other).unwrap().0.to_string(), "http://other:8080");

        stored.store(&address, None).unwrap();
        assert_eq!(meant(&HomeConfig::default()).unwrap().1.token(), Ok(None));
        assert!(stored.remove().unwrap());
        assert!(!stored.remove().unwrap());
        assert_eq!(meant(&HomeConfig::default()), None);
    }
}
