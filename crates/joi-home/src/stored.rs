//! What `joi home connect` stores: the address and the token, two files that their owner alone can read. The token is for
//! the server at that address, and is given to no other. They belong to whom the data belong, also when root stores them
//! for a service.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, chown};
use std::path::{Path, PathBuf};

use super::address::ServerAddress;
use super::config::HomeConfig;
use super::fault::HomeFault;
use super::hub::Hub;
use super::hubs::HUBS;
use super::server::HubPlace;
use super::token::{HomeToken, TOKEN_CREDENTIAL, TokenSource};
use joi_base::secret::Credentials;

/// Where both files are: in a folder of the name of the hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredHome(PathBuf);

impl StoredHome {
    /// Below the directory of the data.
    pub fn new(data: &Path) -> Self {
        Self(data.to_owned())
    }

    /// Lists the files that may be there, relative to the directory of the data.
    pub fn files() -> impl Iterator<Item = String> {
        HUBS.into_iter().flat_map(|hub| ["address", "token"].map(|file| format!("{}/{file}", hub.word)))
    }

    fn folder(&self, hub: Hub) -> PathBuf {
        self.0.join(hub.word)
    }

    fn address_file(&self, hub: Hub) -> PathBuf {
        self.folder(hub).join("address")
    }

    /// The file of the token.
    pub fn token_file(&self, hub: Hub) -> PathBuf {
        self.folder(hub).join("token")
    }

    /// Stores an address, and a token where there is one; what was stored before is removed.
    ///
    /// # Errors
    /// A file can't be written.
    pub fn store(&self, hub: Hub, address: &ServerAddress, token: Option<&HomeToken>) -> io::Result<()> {
        self.remove()?;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(self.folder(hub))?;
        if let Some(token) = token {
            token.write(&self.token_file(hub))?;
        }
        // An address may hold a login.
        HomeToken::read(&address.written()).map_err(io::Error::other)?.write(&self.address_file(hub))?;
        self.hand_over(hub)
    }

    /// What root has written for a service belongs to that service, which could not read it otherwise.
    fn hand_over(&self, hub: Hub) -> io::Result<()> {
        let owner = fs::metadata(&self.0)?;
        for path in [self.folder(hub), self.token_file(hub), self.address_file(hub)] {
            if fs::metadata(&path).is_ok_and(|about| about.uid() != owner.uid()) {
                chown(&path, Some(owner.uid()), Some(owner.gid()))?;
            }
        }
        Ok(())
    }

    /// Removes everything. Out: whether there was anything.
    ///
    /// # Errors
    /// A file can't be removed.
    pub fn remove(&self) -> io::Result<bool> {
        let mut was_there = false;
        for hub in HUBS {
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
        credentials: &Credentials,
    ) -> Result<Option<HubPlace>, HomeFault> {
        let found = match config.url.is_empty() {
            false => Some((config.hub, config.url.clone())),
            true => self.stored()?,
        };
        let Some((hub, text)) = found else { return Ok(None) };
        let address = hub.address(&text).map_err(|why| self.unreadable(hub, why))?;
        let own = self.token_file(hub);
        let is_own = config.url.is_empty() || self.is_checked_at(hub, &address);
        let own = is_own.then_some(own.as_path());
        // Units that were installed earlier offer it under a name of the kind of server.
        let credential = [TOKEN_CREDENTIAL, &format!("{}-token", hub.word)]
            .into_iter()
            .find_map(|name| credentials.file(name));
        let token = TokenSource::find(&config.token_file, credential, own);
        Ok(Some(HubPlace { hub, address, token }))
    }

    /// Whether the stored token was checked with the server at `address`: it goes to no other.
    fn is_checked_at(&self, hub: Hub, address: &ServerAddress) -> bool {
        let stored = fs::read_to_string(self.address_file(hub)).ok();
        let stored = stored.and_then(|text| hub.address(&text).ok());
        stored.is_some_and(|stored| stored.is_server_of(address))
    }

    fn stored(&self) -> Result<Option<(Hub, String)>, HomeFault> {
        for hub in HUBS {
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
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::hubs::hass::HUB as HASS;
    use crate::hubs::openhab::HUB as OPENHAB;

    #[test]
    fn what_root_stores_for_a_service_belongs_to_the_service_alone() {
        const SERVICE: u32 = 61_234;
        let folder = tempfile::tempdir().unwrap();
        if chown(folder.path(), Some(SERVICE), Some(SERVICE)).is_err() {
            println!("skipped: only root can store for others");
            return;
        }
        let stored = StoredHome::new(folder.path());
        let address = ServerAddress::read("http://openhab:8080").unwrap();
        let token = HomeToken::read("oh.joi.x").unwrap();
        stored.store(OPENHAB, &address, Some(&token)).unwrap();
        let found = [("openhab", 0o700), ("openhab/token", 0o600), ("openhab/address", 0o600)];
        for (path, mode) in found {
            let about = fs::metadata(folder.path().join(path)).unwrap();
            assert_eq!((about.uid(), about.gid(), about.mode() & 0o777), (SERVICE, SERVICE, mode), "{path}");
        }
        // Again over what is there, and over a folder that root made before.
        chown(folder.path().join("openhab"), Some(0), Some(0)).unwrap();
        fs::set_permissions(folder.path().join("openhab"), fs::Permissions::from_mode(0o755)).unwrap();
        stored.store(OPENHAB, &address, None).unwrap();
        let about = fs::metadata(folder.path().join("openhab")).unwrap();
        assert_eq!(about.uid(), SERVICE);
        assert!(!folder.path().join("openhab/token").exists());
    }

    #[test]
    fn a_credential_is_read_by_its_name_or_that_of_earlier_units() {
        for name in [TOKEN_CREDENTIAL, "openhab-token"] {
            let (data, given) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            HomeToken::read(name).unwrap().write(&given.path().join(name)).unwrap();
            let config = HomeConfig { url: "http://openhab:8080".into(), ..HomeConfig::default() };
            let credentials = Credentials::in_folder(given.path());
            let place = StoredHome::new(data.path()).meant(&config, &credentials).unwrap().unwrap();
            assert_eq!(place.token.token().unwrap().unwrap().secret(), name);
        }
    }

    #[test]
    fn what_was_stored_is_meant_unless_the_configuration_names_another() {
        let folder = tempfile::tempdir().unwrap();
        let stored = StoredHome::new(folder.path());
        let meant = |config: &HomeConfig| stored.meant(config, &Credentials::default()).unwrap();
        assert_eq!(meant(&HomeConfig::default()), None);

        let address = ServerAddress::read("http://me:secret@openhab:8080").unwrap();
        let token = HomeToken::read("oh.joi.x").unwrap();
        stored.store(OPENHAB, &address, Some(&token)).unwrap();
        let found = meant(&HomeConfig::default()).unwrap();
        assert_eq!((found.hub, found.address), (OPENHAB, address.clone()));
        assert_eq!(found.token.token(), Ok(Some(token.clone())));

        let other = HomeConfig { url: "http://other:8080".into(), ..HomeConfig::default() };
        assert_eq!(meant(&other).unwrap().address.to_string(), "http://other:8080");
        // The token goes to the server it was checked with, and to no other.
        for (url, has_token) in [
            ("http://openhab:8080", true),
            ("http://openhab:8080/proxy", true),
            ("https://openhab:8080", false),
            ("http://openhab:8081", false),
            ("http://openhab.example:8080", false),
        ] {
            let config = HomeConfig { url: url.into(), ..HomeConfig::default() };
            let found = meant(&config).unwrap().token.token().unwrap();
            assert_eq!(found.is_some(), has_token, "{url}");
        }
        let file = folder.path().join("token");
        token.write(&file).unwrap();
        let named = HomeConfig { token_file: file.display().to_string(), ..other };
        assert_eq!(meant(&named).unwrap().token.token(), Ok(Some(token.clone())));

        // Of two, the later one counts alone.
        stored.store(HASS, &address, Some(&token)).unwrap();
        let found = meant(&HomeConfig::default()).unwrap();
        assert_eq!((found.hub, found.token.token()), (HASS, Ok(Some(token))));
        assert!(!stored.token_file(OPENHAB).exists());

        stored.store(OPENHAB, &address, None).unwrap();
        assert_eq!(meant(&HomeConfig::default()).unwrap().token.token(), Ok(None));
        assert!(stored.remove().unwrap());
        assert!(!stored.remove().unwrap());
        assert_eq!(meant(&HomeConfig::default()), None);
    }
}
