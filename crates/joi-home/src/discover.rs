//! Finds home automation servers in the network by mDNS.
//!
//! Any Tokio task; the library has a thread of its own while it looks. In: how long to look. Out: kinds and addresses,
//! each once, those with TLS last. Nothing is connected: the caller checks an address. Answers
//! of the network are not trusted: at most [`MOST`] are kept, and names are shown as addresses only.

use std::time::Duration;

use mdns_sd::{IfKind, ResolvedService, ServiceDaemon, ServiceEvent};
use tokio::time::{Instant, timeout_at};

use super::address::ServerAddress;
use super::hub::{Hub, MdnsService};
use super::hubs::HUBS;

/// More servers than a house has.
const MOST: usize = 16;
const PORT: u16 = 5353;
/// Letters of the longest name of a service.
const LONGEST_NAME: u8 = 30;

/// A server that announces itself; nothing of it is verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundHome {
    /// The announced kind.
    pub hub: Hub,
    /// The announced address.
    pub address: ServerAddress,
}

/// The network or this machine alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchRange {
    /// Every interface, on mDNS's own port.
    Network,
    /// The loopback interface, on another port: for tests.
    Loopback(u16),
}

/// Searches for `within`, or until `is_enough`. Finds nothing where mDNS can't be used.
pub async fn find_servers(
    range: SearchRange,
    within: Duration,
    is_enough: impl Fn(&[FoundHome]) -> bool,
) -> Vec<FoundHome> {
    let Some(daemon) = daemon(range) else { return Vec::new() };
    let until = Instant::now() + within;
    let mut found = Vec::new();
    let services = HUBS.iter().flat_map(|hub| hub.mdns.iter().map(move |service| (hub, service)));
    let listening = services.filter_map(|(hub, service)| {
        let events = daemon.browse(service.kind);
        Some((events.map_err(|error| tracing::debug!(%error, "no search by mDNS")).ok()?, *hub, service))
    });
    let mut listening: Vec<_> = listening.collect();
    while found.len() < MOST && !listening.is_empty() && !is_enough(&found) {
        let next = futures_util::future::select_all(
            listening.iter().map(|(events, ..)| Box::pin(events.recv_async())),
        );
        let Ok((event, at, _)) = timeout_at(until, next).await else { break };
        match event {
            Ok(ServiceEvent::ServiceResolved(service)) => {
                let (_, hub, kind) = &listening[at];
                if let Some(home) = found_home(*hub, kind, &service).filter(|home| !found.contains(home)) {
                    found.push(home);
                }
            }
            Ok(_) => {}
            Err(_) => drop(listening.swap_remove(at)),
        }
    }
    let _ = daemon.shutdown();
    found
}

fn daemon(range: SearchRange) -> Option<ServiceDaemon> {
    let (port, is_loopback) = match range {
        SearchRange::Network => (PORT, false),
        SearchRange::Loopback(port) => (port, true),
    };
    let daemon = ServiceDaemon::new_with_port(port)
        .map_err(|error| tracing::debug!(%error, "no search by mDNS"))
        .ok()?;
    // The name of openHAB's second service is longer than a name should be.
    let _ = daemon.set_service_name_len_max(LONGEST_NAME);
    if is_loopback {
        let _ = daemon.disable_interface(IfKind::All);
        let _ = daemon.enable_interface(IfKind::LoopbackV4);
    }
    Some(daemon)
}

/// Returns the address that the server announces in a text record; else one of its first IPv4 address, else of an IPv6
/// address that is not link-local.
fn found_home(hub: Hub, kind: &MdnsService, service: &ResolvedService) -> Option<FoundHome> {
    let announced = kind
        .url_keys
        .iter()
        .filter_map(|key| service.txt_properties.get_property_val_str(key))
        .find(|url| url.contains("://"));
    if let Some(address) = announced.and_then(|url| hub.address(url).ok()).filter(|found| !found.has_login())
    {
        return Some(FoundHome { hub, address });
    }
    let mut hosts: Vec<_> = service.addresses.iter().map(mdns_sd::ScopedIp::to_ip_addr).collect();
    hosts.sort_unstable();
    let host = hosts.iter().find(|host| host.is_ipv4()).or_else(|| hosts.first())?;
    let host = if host.is_ipv6() { format!("[{host}]") } else { host.to_string() };
    let address = hub.address(&format!("{}://{host}:{}", kind.scheme, service.port)).ok()?;
    Some(FoundHome { hub, address })
}

#[cfg(test)]
mod tests {
    use mdns_sd::ServiceInfo;

    use super::*;

    fn announced(daemon: &ServiceDaemon, kind: &str, name: &str, port: u16, told: &[(&str, &str)]) {
        let host = format!("{name}.local.");
        let info = ServiceInfo::new(kind, name, &host, "127.0.0.1", port, told).unwrap();
        daemon.register(info).unwrap();
    }

    #[tokio::test]
    async fn both_hubs_are_found_where_they_announce_themselves() {
        let port = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let responder = daemon(SearchRange::Loopback(port)).unwrap();
        announced(&responder, "_openhab-server._tcp.local.", "openhab", 8080, &[("uri", "/rest")]);
        announced(&responder, "_openhab-server-ssl._tcp.local.", "openhab", 8443, &[("uri", "/rest")]);
        let told = [("internal_url", "http://192.168.1.9:8123"), ("version", "2026.11.1")];
        announced(&responder, "_home-assistant._tcp.local.", "home", 8123, &told);
        announced(&responder, "_printer._tcp.local.", "printer", 631, &[]);
        let all = |found: &[FoundHome]| found.len() == 3;
        let found = find_servers(SearchRange::Loopback(port), Duration::from_secs(30), all).await;
        let mut shown: Vec<_> = found.iter().map(|home| (home.hub.name, home.address.to_string())).collect();
        shown.sort_unstable();
        let expected = [
            ("Home Assistant", "http://192.168.1.9:8123".to_owned()),
            ("openHAB", "http://127.0.0.1:8080".to_owned()),
            ("openHAB", "https://127.0.0.1:8443".to_owned()),
        ];
        assert_eq!(shown, expected);
        let _ = responder.shutdown();
    }
}
