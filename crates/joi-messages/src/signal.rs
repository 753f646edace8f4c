//! Signal, through a signal-cli daemon: messages in and out, and nothing of what they mean.
//!
//! ```text
//!  daemon ◄─ requests ── SignalLink ◄── SignalCarrier (the outbox), `joi signal`
//!     └──── lines ──► SignalFollower ──► envelope ──► gate ──► what the owner wrote ──► channels/signal
//! ```
//!
//! [`link`] holds the connection on one Tokio task; [`rpc`], [`envelope`], [`gate`] and [`sent`] are pure. It speaks to
//! the configured daemon alone. Messages of anybody but the owner end at the gate, and no word of them goes further.
//! Pure: no I/O, no clock.

pub mod account;
pub mod address;
pub mod attachment;
pub mod carrier;
mod config;
pub mod envelope;
pub mod gate;
mod http;
mod lines;
pub mod link;
pub mod rpc;
pub mod sent;

pub use config::{AccountMode, ReceiveMode, SignalConfig};

#[cfg(test)]
pub(crate) mod tests;
