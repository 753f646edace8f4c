//! Checks the server for rooms beyond this machine: it is asked what it serves, as Home Assistant asks.
//!
//! Connects to the configured address; sends nothing else.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use crate::app::checks::Row;
use crate::cli::context::CliContext;
use crate::control::Client;
use joi_satellites::describe_wyoming;

const WHAT: &str = "satellites";
/// Home Assistant waits for a second.
const WITHIN: Duration = Duration::from_secs(1);

/// Returns the row of the server; none is not a fault.
pub(super) fn checks(context: &CliContext) -> anyhow::Result<Vec<Row>> {
    let wyoming = &context.config().satellites.wyoming;
    let Some(address) = wyoming.address() else {
        return Ok(vec![Row::good(WHAT, "other rooms are not served; docs/user/rooms.md tells how")]);
    };
    let is_running = Client::connect(&context.paths.runtime).ok().flatten().is_some();
    if !is_running {
        return Ok(vec![Row::good(WHAT, format!("{address} is served while joi runs"))]);
    }
    let served = context.block_on(async { Ok(describe_wyoming(reachable(address), WITHIN).await) })?;
    Ok(vec![match served {
        Ok(served) => Row::good(WHAT, format!("{address} serves {served}")),
        Err(why) => {
            Row::bad(WHAT, format!("{address}: {why}"), "`joi status` says why the service does not run")
        }
    }])
}

/// Returns where this machine reaches a server that listens on `address`.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_all_addresses_is_reached_on_this_machine() {
        for (listen, reached) in [
            ("0.0.0.0:10300", "127.0.0.1:10300"),
            ("[::]:10300", "[::1]:10300"),
            ("192.168.1.5:10300", "192.168.1.5:10300"),
        ] {
            assert_eq!(reachable(listen.parse().unwrap()).to_string(), reached);
        }
    }
}
