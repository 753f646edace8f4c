//! Stories told through the public interface, one file each under `stories/`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, what was not expected ends it")]

#[path = "stories/mind.rs"]
mod mind;
#[path = "stories/model_server.rs"]
mod model_server;
#[path = "stories/model_server_faults.rs"]
mod model_server_faults;
mod support;
