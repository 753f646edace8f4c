//! Announces the Wyoming server by mDNS, so that Home Assistant finds it.
//!
//! Any task; the library has a thread of its own as long as the announcement lasts. In: a name and an address. Out: the
//! service `_wyoming._tcp`. Where mDNS cannot be used, that is logged: the address can be entered by hand.

mod search;

use std::net::SocketAddr;

use mdns_sd::{ServiceDaemon, ServiceInfo};

pub use search::{FoundService, find_wyoming};

const KIND: &str = "_wyoming._tcp.local.";
/// The port of mDNS.
const PORT: u16 = 5353;

/// An announcement, withdrawn when it is dropped.
pub struct WyomingAnnouncement {
    daemon: ServiceDaemon,
    full_name: String,
}

impl WyomingAnnouncement {
    /// Announces the service as `name` on the machine `host`; nothing where that is not possible, or where no other machine
    /// reaches `address`.
    pub fn new(name: &str, host: &str, address: SocketAddr) -> Option<Self> {
        if address.ip().is_loopback() {
            return None;
        }
        let refused = |error| tracing::warn!(%error, "the Wyoming server is not announced by mDNS; enter its address by hand");
        Self::announced(ServiceDaemon::new_with_port(PORT), name, host, address).map_err(refused).ok()
    }

    fn announced(
        daemon: mdns_sd::Result<ServiceDaemon>,
        name: &str,
        host: &str,
        address: SocketAddr,
    ) -> mdns_sd::Result<Self> {
        let (daemon, host) = (daemon?, format!("{host}.local."));
        let nothing: &[(&str, &str)] = &[];
        let info = match address.ip() {
            // The addresses of all interfaces, as they come and go.
            ip if ip.is_unspecified() => {
                ServiceInfo::new(KIND, name, &host, "", address.port(), nothing)?.enable_addr_auto()
            }
            ip => ServiceInfo::new(KIND, name, &host, ip, address.port(), nothing)?,
        };
        let full_name = info.get_fullname().to_owned();
        daemon.register(info)?;
        Ok(Self { daemon, full_name })
    }
}

impl Drop for WyomingAnnouncement {
    fn drop(&mut self) {
        // Where the daemon has ended, there is nothing to withdraw.
        if let Ok(withdrawn) = self.daemon.unregister(&self.full_name) {
            let _ = withdrawn.recv_timeout(std::time::Duration::from_millis(200));
        }
        let _ = self.daemon.shutdown();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mdns_sd::{IfKind, ServiceEvent};

    use super::*;

    fn loopback(port: u16) -> ServiceDaemon {
        let daemon = ServiceDaemon::new_with_port(port).unwrap();
        daemon.disable_interface(IfKind::All).unwrap();
        daemon.enable_interface(IfKind::LoopbackV4).unwrap();
        daemon
    }

    #[test]
    fn a_client_finds_the_name_and_the_port_and_sees_that_it_ends() {
        let port = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = SocketAddr::from(([127, 0, 0, 1], 10_300));
        let announced = WyomingAnnouncement::announced(Ok(loopback(port)), "joi-pi", "pi", address).unwrap();
        let client = loopback(port);
        let events = client.browse(KIND).unwrap();
        let next = |wanted: &dyn Fn(&ServiceEvent) -> bool| loop {
            let event = events.recv_timeout(Duration::from_secs(60)).unwrap();
            if wanted(&event) {
                break event;
            }
        };
        let found = next(&|event| matches!(event, ServiceEvent::ServiceResolved(_)));
        let ServiceEvent::ServiceResolved(found) = found else { panic!("{found:?}") };
        assert_eq!((found.fullname.as_str(), found.port), ("joi-pi._wyoming._tcp.local.", 10_300));
        drop(announced);
        next(&|event| matches!(event, ServiceEvent::ServiceRemoved(..)));
        client.shutdown().unwrap();
    }

    #[test]
    fn what_only_this_machine_reaches_is_not_announced() {
        assert!(WyomingAnnouncement::new("joi", "pi", SocketAddr::from(([127, 0, 0, 1], 10_300))).is_none());
    }
}
