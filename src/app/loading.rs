//! Collects the results of models that are loaded while joi listens already, each on the thread that owns it.
//!
//! Any thread. In: what became of each. Out: one result for all of them, the first error where there is one. Nothing here
//! loads anything: whoever loads has a [`LoadReport`].

use std::time::Duration;

use anyhow::Context as _;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::daemon::{Service, ServiceContext};

/// The pending results of all models.
#[derive(Debug, Default)]
pub struct Loading(Vec<oneshot::Receiver<anyhow::Result<()>>>);

/// Reports the result of one of them; dropped, it reports that loading was given up.
#[derive(Debug)]
pub(super) struct LoadReport(oneshot::Sender<anyhow::Result<()>>);

impl Loading {
    /// Adds a model, and returns what reports its result.
    pub(super) fn one(&mut self) -> LoadReport {
        let (report, comes) = oneshot::channel();
        self.0.push(comes);
        LoadReport(report)
    }

    /// Waits for all of them.
    ///
    /// # Errors
    /// One can't be loaded.
    pub async fn done(self) -> anyhow::Result<()> {
        let mut all = Ok(());
        for one in self.0 {
            let loaded = match one.await {
                Ok(loaded) => loaded,
                Err(gone) => Err(gone).context(GIVEN_UP),
            };
            all = all.and(loaded);
        }
        all
    }

    /// The same on a thread that may block, outside of tasks.
    ///
    /// # Errors
    /// One can't be loaded.
    pub(super) fn wait(self) -> anyhow::Result<()> {
        self.0.into_iter().try_for_each(|one| one.blocking_recv().context(GIVEN_UP)?)
    }
}

/// A program that is ended while it loads waits so long for that.
const LOADED_WITHIN: Duration = Duration::from_secs(15);

const GIVEN_UP: &str = "loading a model was given up";

impl LoadReport {
    /// Passes on what was loaded, and the error to whoever waits.
    pub(super) fn on<T>(self, loaded: anyhow::Result<T>) -> Option<T> {
        let (report, loaded) = match loaded {
            Ok(loaded) => (Ok(()), Some(loaded)),
            Err(error) => (Err(error), None),
        };
        // Fails only when nobody waits.
        let _ = self.0.send(report);
        loaded
    }
}

/// Returns the service that ends the program where a speech model can't be loaded, and cancels `loaded` once all are
/// there.
pub(super) fn loading(loading: Loading, loaded: CancellationToken) -> Service {
    let run = |context: ServiceContext| attend(loading, loaded, context.stop);
    Service::essential("speech models", "nobody is understood", run).end_within(LOADED_WITHIN)
}

async fn attend(loading: Loading, loaded: CancellationToken, stop: CancellationToken) -> anyhow::Result<()> {
    let mut done = std::pin::pin!(loading.done());
    tokio::select! {
        () = stop.cancelled() => {
            // A process that ends while a library is loaded may crash. What became of it matters no more.
            let _ = done.await;
            return Ok(());
        }
        done = &mut done => done?,
    }
    tracing::info!("speech models and voice are loaded");
    loaded.cancel();
    stop.cancelled().await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_is_done_when_all_are_and_the_first_error_is_that_of_all() {
        let mut all = Loading::default();
        let (ears, voice) = (all.one(), all.one());
        let waiting = tokio::spawn(all.done());
        assert_eq!(voice.on(Ok(2)), Some(2));
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        assert_eq!(ears.on(Ok(1)), Some(1));
        waiting.await.unwrap().unwrap();

        let mut all = Loading::default();
        let (ears, voice) = (all.one(), all.one());
        assert_eq!(ears.on::<()>(Err(anyhow::anyhow!("fetch it"))), None);
        drop(voice);
        assert_eq!(all.done().await.unwrap_err().to_string(), "fetch it");
    }

    #[tokio::test]
    async fn what_comes_behind_the_models_begins_when_all_are_loaded_and_a_failure_ends_the_service() {
        let (mut all, loaded, stop) =
            (Loading::default(), CancellationToken::new(), CancellationToken::new());
        let (ears, voice) = (all.one(), all.one());
        let attending = tokio::spawn(attend(all, loaded.clone(), stop.clone()));
        assert_eq!(ears.on(Ok(())), Some(()));
        tokio::task::yield_now().await;
        assert!(!loaded.is_cancelled());
        assert_eq!(voice.on(Ok(())), Some(()));
        loaded.cancelled().await;
        stop.cancel();
        attending.await.unwrap().unwrap();

        let (mut all, loaded) = (Loading::default(), CancellationToken::new());
        let ears = all.one();
        let attending = tokio::spawn(attend(all, loaded.clone(), CancellationToken::new()));
        assert_eq!(ears.on::<()>(Err(anyhow::anyhow!("fetch it"))), None);
        assert_eq!(attending.await.unwrap().unwrap_err().to_string(), "fetch it");
        assert!(!loaded.is_cancelled());
    }

    #[tokio::test]
    async fn whoever_ends_the_program_waits_until_nothing_is_loaded_any_more() {
        let mut all = Loading::default();
        let (ears, voice) = (all.one(), all.one());
        let loaded = CancellationToken::new();
        let stop = CancellationToken::new();
        let ending = tokio::spawn(attend(all, loaded.clone(), stop.clone()));
        stop.cancel();
        assert_eq!(ears.on::<()>(Err(anyhow::anyhow!("fetch it"))), None);
        tokio::task::yield_now().await;
        assert!(!ending.is_finished(), "the voice is still being loaded");
        assert_eq!(voice.on(Ok(())), Some(()));
        ending.await.unwrap().unwrap();
        assert!(!loaded.is_cancelled(), "nobody needs it any more");
    }

    #[tokio::test]
    async fn a_load_that_is_given_up_is_reported_and_nothing_to_load_is_loaded() {
        let mut all = Loading::default();
        drop(all.one());
        assert_eq!(all.done().await.unwrap_err().to_string(), GIVEN_UP);
        Loading::default().done().await.unwrap();
        Loading::default().wait().unwrap();
    }
}
