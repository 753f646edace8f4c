//! The embedded model server, `joi-model`, as a process of its own.
//!
//! Owned by the task of [`super::mind`]. In: where the program and the model are. Out: a client of the
//! running server, and word when it ends. It listens on a unix socket that only the owner can
//! open. A server ends with the program (`local/child.rs`), or waits for the next command ([`LocalModel::outlives`],
//! `local/lingering.rs`); one that runs already is found (`local/place.rs`).

mod child;
mod launch;
mod lingering;
mod model;
mod place;
mod process;

use std::time::{Duration, Instant};

pub(crate) use self::model::{EMBED_NAME, LocalModel};
pub use self::model::{LOCAL_EMBED_MODEL, served_name};
use self::place::ServerPlace;
pub use self::place::has_lingering_server;
use self::process::ServerProcess;
use super::config::LlmConfig;
use super::error::LlmError;
use super::kinds::ollama::Ollama;

/// Longest time to load the model: minutes from a slow SD card.
const LOADING: Duration = Duration::from_secs(180);

impl LocalModel {
    /// Returns whether a server that may be used runs it already. Blocks for a moment.
    pub(super) fn is_served(&self, config: &LlmConfig) -> bool {
        ServerPlace::of(self, config).is_taken()
    }
}

/// The running server.
#[derive(Debug)]
pub(super) struct Server {
    process: ServerProcess,
    started: Instant,
    /// Speaks to it.
    pub(super) client: Ollama,
}

impl Server {
    /// Uses one that runs already, or starts it, and waits until it can be asked.
    pub(super) async fn start(model: &LocalModel, config: &LlmConfig) -> Result<Self, LlmError> {
        let started = Instant::now();
        let place = ServerPlace::of(model, config);
        let starting = async {
            match place.find_or_start().await {
                Err(LlmError::TooLittleMemory { .. }) if place.free_memory().await => {
                    place.find_or_start().await
                }
                outcome => outcome,
            }
        };
        let late = LlmError::TimedOut { what: "loading the local model", limit: LOADING };
        let (process, client) = tokio::time::timeout(LOADING, starting).await.map_err(|_| late)??;
        Ok(Self { process, started, client })
    }

    /// Waits for its end and returns its last words. Cancel-safe.
    pub(super) async fn ended(&mut self) -> String {
        match &mut self.process {
            ServerProcess::Child(child) => child.ended().await.1,
            ServerProcess::Lingering(server) => server.ended().await,
        }
    }

    /// How long it has been in use.
    pub(super) fn ran(&self) -> Duration {
        self.started.elapsed()
    }

    /// Its process id; nothing once it has ended.
    pub(super) fn pid(&self) -> Option<u32> {
        match &self.process {
            ServerProcess::Child(child) => child.pid(),
            ServerProcess::Lingering(server) => server.pid(),
        }
    }

    /// Ends a child; a server that lingers is left to itself.
    pub(super) async fn stop(&mut self) {
        match &mut self.process {
            ServerProcess::Child(child) => child.stop().await,
            ServerProcess::Lingering(server) => server.leave(),
        }
    }
}
