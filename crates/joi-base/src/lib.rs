//! The base that every crate of Joi may use: messages between stages, traces of turns, the clock, the places of files,
//! durable writes, secrets in files, restarts with back-off, and the health of the machine. Nothing here knows about conversations.

pub mod checksum;
pub mod clock;
pub mod confined;
pub mod durable;
pub mod machine;
pub mod message;
pub mod paths;
pub mod problem;
pub mod pulse;
pub mod restart;
pub mod root_cause;
pub mod secret;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(feature = "tls")]
pub mod tls;
pub mod trace;
