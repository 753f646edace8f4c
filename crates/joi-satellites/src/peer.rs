//! Which peers are served: those of private networks.
//!
//! In: the address of a peer. Out: whether it may speak to this machine without a password.
//! Pure: no I/O, no clock.

use std::net::IpAddr;

/// Returns whether the address is of this machine or of a private network: RFC 1918, link-local, unique local.
pub(crate) fn is_private(peer: IpAddr) -> bool {
    match peer.to_canonical() {
        IpAddr::V4(ip) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_private_networks_are_served() {
        let is_served = |address: &str| is_private(address.parse().unwrap());
        for private in [
            "127.0.0.1",
            "::1",
            "10.0.0.9",
            "172.31.0.1",
            "192.168.1.5",
            "169.254.1.1",
            "fd00::5",
            "fe80::1",
            "::ffff:192.168.1.5",
        ] {
            assert!(is_served(private), "{private}");
        }
        for public in [
            "8.8.8.8",
            "172.32.0.1",
            "100.64.0.1",
            "0.0.0.0",
            "2001:db8::1",
            "::ffff:8.8.8.8",
            "::",
            "224.0.0.251",
            "192.169.0.1",
        ] {
            assert!(!is_served(public), "{public}");
        }
    }
}
