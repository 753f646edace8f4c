//! Stories told through the public interface, one file each under `stories/`.

#[path = "stories/mind.rs"]
mod mind;
#[path = "stories/model_server.rs"]
mod model_server;
#[path = "stories/model_server_faults.rs"]
mod model_server_faults;
mod support;
