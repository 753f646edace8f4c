//! The house to try: small servers on the loopback address that answer as openHAB and as Home Assistant do, with furniture
//! and devices that follow commands.
//!
//! `joi home demo` runs them ([`KINDS`]), and the tests of the clients hold them to recorded answers of real servers.
//! This crate knows nothing of the clients.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! use joi_house_demo::{DemoHome, DemoWants};
//!
//! let house = DemoHome::start(DemoWants::default()).await?;
//! assert!(house.url().starts_with("http://127.0.0.1:"));
//! # Ok::<(), std::io::Error>(())
//! # })?;
//! # Ok::<(), std::io::Error>(())
//! ```

mod connection;
mod hass;
mod openhab;
mod run;

pub use hass::{DemoHass, HassCall, HassPhase, HassWants, TOKEN as HASS_TOKEN};
pub use openhab::{DemoHome, DemoPhase, DemoRequest, DemoStart, DemoWants};
pub use run::{DemoCommand, DemoKind, DemoOptions, KINDS, RunningDemo};
