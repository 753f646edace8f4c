//! The embedded server for vectors alone, beside a server at `llm.url` that has no model for them.
//!
//! Part of the keeper's task. It is started at the first request for vectors, and ended when the server at `llm.url`
//! serves no more: the embedded chat server makes vectors itself.

use tokio::time::Instant;
use tracing::warn;

use super::ServerKeeper;
use crate::local::Server;
use crate::mind::shared::VectorsBeside;

#[derive(Default)]
pub(super) struct VectorsServer {
    server: Option<Server>,
}

impl VectorsServer {
    /// Ends it. It stays in `self` until it has ended: this may be dropped and called again.
    pub(super) async fn stop(&mut self) {
        if let Some(server) = &mut self.server {
            server.stop().await;
            self.server = None;
        }
    }
}

impl ServerKeeper {
    /// Starts what is wanted, and ends what is not.
    pub(super) async fn tend_vectors(&mut self) {
        let state = self.shared.vectors.borrow().clone();
        if !self.shared.is_served_from_url() {
            if !matches!(state, VectorsBeside::Unasked) {
                self.shared.vectors.send_replace(VectorsBeside::Unasked);
            }
            return self.vectors.stop().await;
        }
        if !matches!(state, VectorsBeside::Wanted) {
            return;
        }
        if let Some(server) = &self.vectors.server {
            match server.client.version().await {
                Ok(_) => return self.publish_vectors(VectorsBeside::Ready(server.client.clone())),
                Err(error) => warn!(%error, "the embedded model for vectors is started anew"),
            }
            self.vectors.stop().await;
        }
        let model = self.own.models.server_for(None);
        let started = match model.check() {
            Ok(()) => Server::start(&model, &self.shared.config).await,
            Err(error) => Err(error),
        };
        match started {
            Ok(server) => {
                let client = server.client.clone();
                self.vectors.server = Some(server);
                self.publish_vectors(VectorsBeside::Ready(client));
            }
            Err(error) => {
                warn!(%error, "the embedded model for vectors can't be started");
                self.publish_vectors(VectorsBeside::Failed { error, at: Instant::now() });
            }
        }
    }

    fn publish_vectors(&self, now: VectorsBeside) {
        self.shared.vectors.send_replace(now);
    }
}
