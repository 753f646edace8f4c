//! Which addresses belong to the public internet.
//!
//! Everything that is reserved for homes, machines, neighbours or documentation is private, also when
//! it is wrapped into an IPv6 address. What is not known to be public is private.
//! Pure: no I/O, no clock.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Returns whether `address` is one of the public internet.
pub(super) fn is_public(address: &SocketAddr) -> bool {
    match address.ip() {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let is_reserved = match a {
        0 | 10 | 127 => true,
        100 => (64..128).contains(&b),
        169 => b == 254,
        172 => (16..32).contains(&b),
        192 => matches!((b, c), (168, _) | (0, 0 | 2) | (88, 99)),
        198 => matches!(b, 18 | 19) || (b, c) == (51, 100),
        203 => (b, c) == (0, 113),
        224.. => true,
        _ => false,
    };
    !is_reserved
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let parts = ip.segments();
    let inner = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match parts {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => inner(high, low),
        [0x2002, high, low, ..] => inner(high, low),
        [0x2001, 0, ..] | [0x2001, 0xdb8, ..] => false,
        // Global unicast, and nothing else.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(ip: &str) -> bool {
        is_public(&SocketAddr::new(ip.parse().expect("an address"), 80))
    }

    #[test]
    fn homes_machines_and_neighbours_are_private_however_they_are_written() {
        let private = [
            "127.0.0.1",
            "127.8.8.8",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "192.0.0.8",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fe80::1",
            "fc00::1",
            "fd12::5",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:192.168.1.1",
            "::127.0.0.1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001:0:1::",
        ];
        let public = [
            "8.8.8.8",
            "1.1.1.1",
            "172.32.0.1",
            "100.128.0.1",
            "93.184.216.34",
            "2606:2800:220:1::1",
            "::ffff:8.8.8.8",
        ];
        for ip in private {
            assert!(!verdict(ip), "{ip}");
        }
        for ip in public {
            assert!(verdict(ip), "{ip}");
        }
    }
}
