//! What `joi home connect` stores: the address and the token, two files that their owner alone can read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::address::ServerAddress;
use super::config::HomeConfig;
use super::fault::HomeFault;
use super::hub::Hub;
use super::server::HubPlace;
use super::token::{HomeToken, TokenSource};

/// Where both files are: in a folder of the name of the hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredHome(PathBuf);

impl StoredHome {
    /// Below the directory of the data.
    pub fn new(data: &Path) -> Self {
        Self(data.to_owned())
    }

    fn address_file(&self, hub: Hub) -> PathBuf {
        self.0.join(hub.word()).join("address")
    }

    /// The file of the token.
    pub fn token_file(&self, hub: Hub) -> PathBuf {
        self.0.join(hub.word()).join("token")
    }

    /// Stores an address, and a token where there is one; what was stored before is removed.
    ///
    /// # Errors
    /// A file can't be written.
    pub fn store(&self, hub: Hub, address: &ServerAddress, token: Option<&HomeToken>) -> io::Result<()> {
        self.remove()?;
        if let Some(token) = token {
            token.write(&self.token_file(hub))?;
        }
        // An address may hold a login.
        HomeToken::read(&address.written()).map_err(io::Error::other)?.write(&self.address_file(hub))
    }

    /// Removes everything. Out: whether there was anything.
    ///
    /// # Errors
    /// A file can't be removed.
    pub fn remove(&self) -> io::Result<bool> {
        let mut was_there = false;
        for hub in Hub::ALL {
            was_there |= self.address_file(hub).exists();
            remove(&self.token_file(hub))?;
            remove(&self.address_file(hub))?;
        }
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
    ) -> Result<Option<HubPlace>, HomeFault> {
        let found = match config.url.is_empty() {
            false => Some((config.hub, config.url.clone())),
            true => self.stored()?,
        };
        let Some((hub, text)) = found else { return Ok(None) };
        let address = ServerAddress::read_for(&text, hub).map_err(|why| self.unreadable(hub, why))?;
        let token = TokenSource::find(hub, &config.token_file, credentials, &self.token_file(hub));
        Ok(Some(HubPlace { hub, address, token }))
    }

    fn stored(&self) -> Result<Option<(Hub, String)>, HomeFault> {
        for hub in Hub::ALL {
            match fs::read_to_string(self.address_file(hub)) {
                Ok(text) => return Ok(Some((hub, text))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(self.unreadable(hub, error.to_string())),
            }
        }
        Ok(None)
    }

    fn unreadable(&self, hub: Hub, why: String) -> HomeFault {
        HomeFault::TokenFile { file: self.address_file(hub).display().to_string(), why }
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
        stored.store(Hub::OpenHab, &address, Some(&token)).unwrap();
        let found = meant(&HomeConfig::default()).unwrap();
        assert_eq!((found.hub, found.address), (Hub::OpenHab, address.clone()));
        assert_eq!(found.token.token(), Ok(Some(token.clone())));

        let other = HomeConfig { url: "http://other:8080".into(), ..HomeConfig::default() };
        assert_eq!(meant(&other).unwrap().address.to_string(), "http://other:8080");

        // Of two, the later one counts alone.
        stored.store(Hub::HomeAssistant, &address, Some(&token)).unwrap();
        let found = meant(&HomeConfig::default()).unwrap();
        assert_eq!((found.hub, found.token.token()), (Hub::HomeAssistant, Ok(Some(token))));
        assert!(!stored.token_file(Hub::OpenHab).exists());

        stored.store(Hub::OpenHab, &address, None).unwrap();
        assert_eq!(meant(&HomeConfig::default()).unwrap().token.token(), Ok(None));
        assert!(stored.remove().unwrap());
        assert!(!stored.remove().unwrap());
        assert_eq!(meant(&HomeConfig::default()), None);
    }
}
