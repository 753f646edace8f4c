//! The house while the program runs: the connection as a service, and how it is on the status board.
//!
//! One Tokio task. In: configuration, stored address and token. Out: the handle for everything that asks and commands.
//! Without an address there is no service. A lost connection does not fail the service, which goes on trying.

use std::sync::Arc;

use super::daemon::{Service, ServiceContext};
use crate::config::Config;
use crate::control::{HomeStatus, StatusBoard};
use joi_agent::ConnectedHome;
use joi_base::paths::Paths;
use joi_base::secret::Credentials;
use joi_home::{Follower, Home as _, HomeFault, HomeLink, HomeServer, StoredHome};

/// Returns the house of the configuration, or the stored one; nothing when there is neither. Nothing is connected
/// yet.
///
/// # Errors
/// Its address can't be used.
pub fn home(config: &Config, paths: &Paths) -> Result<Option<(HomeServer, Follower)>, HomeFault> {
    let stored = StoredHome::new(&paths.data);
    let Some(place) = stored.meant(&config.home, &Credentials::of_process())? else { return Ok(None) };
    HomeServer::new(place, config.home.rules()).map(Some)
}

/// Returns the house for everything that is spoken, with the rooms in which microphones stand.
pub(super) fn spoken_to(house: &HomeServer, config: &Config) -> ConnectedHome {
    let rooms = config.satellites.house_rooms();
    ConnectedHome::new(Arc::new(house.clone()), &config.home).with_rooms(rooms)
}

/// Keeps the house connected, and shows on `board` how it is.
pub(super) fn follow(house: &HomeServer, follower: Follower, board: &StatusBoard) -> Service {
    let (view, address, hub) = (house.watch(), house.address(), house.hub().name);
    board.home(move || {
        let view = view.borrow();
        let told = match &view.link {
            HomeLink::Connecting => format!("connecting to {address}"),
            HomeLink::Starting => format!("{address} is starting"),
            HomeLink::Up { version } => format!("{hub} {version} at {address}"),
            HomeLink::Lost { fault } => format!("{fault}. {}", fault.remedy()),
        };
        HomeStatus { is_up: view.link.is_up(), told, items: view.house.items().len() }
    });
    let run = move |context: ServiceContext| {
        let follower = follower.clone();
        async move {
            follower.run(context.stop).await;
            Ok(())
        }
    };
    Service::new("home", "the house is not connected", run)
}

#[cfg(test)]
mod tests {
    use joi_home::TOKEN_CREDENTIAL;
    use joi_llm::{ModelPurpose, key_credential};
    use joi_messages::outbound::ntfy;

    #[test]
    fn the_units_offer_every_credential_that_is_read() {
        let keys = [ModelPurpose::Chat].into_iter().chain(ModelPurpose::BESIDE).map(key_credential);
        let read: Vec<&str> = [TOKEN_CREDENTIAL, ntfy::CREDENTIAL].into_iter().chain(keys).collect();
        for unit in
            [include_str!("../../systemd/joi.service"), include_str!("../../systemd/user/joi.service")]
        {
            let offered =
                unit.lines().filter_map(|line| line.strip_prefix("#LoadCredential=")?.split(':').next());
            assert_eq!(offered.collect::<Vec<_>>(), read);
        }
    }
}
