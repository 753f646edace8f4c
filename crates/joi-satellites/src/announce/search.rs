//! Looks for Wyoming services in the network by mDNS.
//!
//! Blocks; the library has a thread of its own meanwhile. In: how long to look. Out: names and addresses, each address once.
//! Nothing is connected: whoever asks describes them. Answers of the network are not trusted: at most [`MOST`] are kept.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use mdns_sd::{ResolvedService, ServiceDaemon, ServiceEvent};

use super::{KIND, PORT};
use crate::peer::is_private;

/// More services than a house has.
const MOST: usize = 32;

/// A service that announces itself; nothing of it is verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundService {
    /// The name under which it does, without what mDNS adds.
    pub name: String,
    /// Its address, in a private network.
    pub address: SocketAddr,
}

/// Looks for `within`. Finds nothing where mDNS can't be used.
pub fn find_wyoming(within: Duration) -> Vec<FoundService> {
    match ServiceDaemon::new_with_port(PORT) {
        Ok(daemon) => find(&daemon, within, MOST),
        Err(error) => {
            tracing::debug!(%error, "no search by mDNS");
            Vec::new()
        }
    }
}

/// Looks for `within`, or until there are `most`.
fn find(daemon: &ServiceDaemon, within: Duration, most: usize) -> Vec<FoundService> {
    let (until, mut found) = (Instant::now() + within, Vec::new());
    let Ok(events) = daemon.browse(KIND) else { return found };
    while found.len() < most {
        let left = until.saturating_duration_since(Instant::now());
        let Ok(event) = events.recv_timeout(left) else { break };
        let ServiceEvent::ServiceResolved(service) = event else { continue };
        let service = service_of(&service);
        found.extend(service.filter(|new| found.iter().all(|old: &FoundService| old.address != new.address)));
    }
    let _ = daemon.shutdown();
    found
}

/// Returns the service at its first IPv4 address, else at another one that is not link-local.
fn service_of(service: &ResolvedService) -> Option<FoundService> {
    let mut hosts: Vec<IpAddr> = service.addresses.iter().map(mdns_sd::ScopedIp::to_ip_addr).collect();
    hosts.retain(|host| is_private(*host));
    hosts.sort_unstable();
    let host = hosts.iter().find(|host| host.is_ipv4()).or_else(|| hosts.first())?;
    let name = service.fullname.strip_suffix(KIND).unwrap_or(&service.fullname).trim_end_matches('.');
    let name = name.chars().filter(|c| !c.is_control()).collect();
    Some(FoundService { name, address: SocketAddr::new(*host, service.port) })
}

#[cfg(test)]
mod tests {
    use mdns_sd::{IfKind, ServiceInfo};

    use super::*;

    #[test]
    fn services_are_found_with_their_names_and_addresses() {
        let port = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let daemon = || {
            let daemon = ServiceDaemon::new_with_port(port).unwrap();
            daemon.disable_interface(IfKind::All).unwrap();
            daemon.enable_interface(IfKind::LoopbackV4).unwrap();
            daemon
        };
        let responder = daemon();
        for (name, port) in [("kitchen", 10_700), ("bath", 10_701)] {
            let nothing: &[(&str, &str)] = &[];
            let host = format!("{name}.local.");
            let info = ServiceInfo::new(KIND, name, &host, "127.0.0.1", port, nothing).unwrap();
            responder.register(info).unwrap();
        }
        let mut found = find(&daemon(), Duration::from_secs(30), 2);
        found.sort_unstable_by_key(|service| service.address.port());
        let found: Vec<_> = found.iter().map(|it| (it.name.as_str(), it.address.to_string())).collect();
        assert_eq!(found, [("kitchen", "127.0.0.1:10700".into()), ("bath", "127.0.0.1:10701".into())]);
        let _ = responder.shutdown();
    }
}
