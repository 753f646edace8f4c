//! Keeps the diary and the memory in order while joi runs.
//!
//! One Tokio task. In: the clock. Out: pages, vectors, and what is too old removed. It looks once a minute, gives way
//! to whoever talks, and a failure of any kind is logged and tried again; the answers never wait for it.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use joi_agent::Engine;
use joi_agent::memory::diary::{Pass, Rounds, Tidying};
use joi_base::clock::Clock;
use joi_llm::Mind;
use joi_store::{Store, StoreConfig};

use super::Brain;
use super::daemon::{Service, ServiceContext};

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// Its parts.
#[derive(Clone)]
struct DiaryKeeper {
    engine: Arc<Engine<Mind>>,
    store: Store,
    clock: Arc<dyn Clock>,
    kept: StoreConfig,
}

/// Keeps the diary until `stop`. Without a database there is nothing to do.
pub fn keep_diary(
    brain: &Brain,
    kept: &StoreConfig,
    stop: CancellationToken,
) -> impl Future<Output = ()> + Send + use<> {
    let keeper = DiaryKeeper::new(brain, kept);
    async move {
        if let Some(keeper) = keeper {
            keeper.keep(stop).await;
        }
    }
}

/// Returns the service that keeps the diary; none without a database.
pub(super) fn diary(brain: &Brain, kept: &StoreConfig) -> Option<Service> {
    let keeper = DiaryKeeper::new(brain, kept)?;
    let run = move |context: ServiceContext| {
        let keeper = keeper.clone();
        async move {
            keeper.keep(context.stop).await;
            Ok(())
        }
    };
    Some(Service::new("diary", "no diary is written and the memory is not tidied", run))
}

impl DiaryKeeper {
    fn new(brain: &Brain, kept: &StoreConfig) -> Option<Self> {
        let store = brain.store.clone()?;
        let (engine, clock) = (Arc::clone(&brain.engine), Arc::clone(&brain.clock));
        Some(Self { engine, store, clock, kept: kept.clone() })
    }

    async fn keep(self, stop: CancellationToken) {
        let mut rounds = Rounds::new(self.clock.now().timestamp(), fastrand::f64());
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            tokio::select! {
                // A page that is dropped on the way is begun anew at the next start.
                () = stop.cancelled() => return,
                () = self.look(&mut rounds) => {}
            }
        }
    }

    async fn look(&self, rounds: &mut Rounds) {
        let now = self.clock.now().timestamp();
        if rounds.may_write(now) {
            match self.engine.write_diary().await {
                Ok(pass) => {
                    if let Pass::Done(pages @ 1..) = pass {
                        tracing::info!(pages, "the diary has new pages");
                    }
                    rounds.passed(pass, self.clock.now().timestamp());
                }
                Err(error) => tracing::warn!(%error, "the diary can't be written"),
            }
        }
        if let Err(error) = self.engine.embed_memories().await {
            tracing::warn!(%error, "memories can't be given vectors");
        }
        if rounds.is_tidying_due(now, fastrand::f64()) {
            let tidying = self.tidy(now).await;
            rounds.tidied(tidying, self.clock.now().timestamp());
        }
    }

    /// Tidies the memory and removes old dialogue; one failure does not stop the rest.
    async fn tidy(&self, now: Timestamp) -> Tidying {
        let consolidated = self.engine.consolidate().await;
        if let Err(error) = &consolidated {
            tracing::warn!(%error, "the memory was not tidied");
        }
        let purged = self.store.purge_older_than(self.kept.cutoff(now)).await;
        if let Err(error) = &purged {
            tracing::warn!(%error, "old dialogue was not removed");
        }
        if consolidated.is_ok() && purged.is_ok() { Tidying::Done } else { Tidying::Failed }
    }
}
