//! Work on files that Ctrl-C and SIGTERM end in good order, so that nothing unfinished is left.
//!
//! The work runs on a thread that may block, and looks at a token between two pieces. From the first signal on, the program
//! waits for it for [`PATIENCE`]. Afterwards signals are caught for good: what follows is short, and not to be cut.

use std::time::Duration;

use anyhow::Context as _;
use tokio_util::sync::CancellationToken;

use super::show;
use crate::app;

/// Time limit of the work after a signal.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs `work`, whose token is cancelled by a signal.
///
/// # Errors
/// Those of `work`; a signal came and it did not end.
pub(super) fn run<T, E>(
    work: impl FnOnce(CancellationToken) -> Result<T, E> + Send + 'static,
) -> anyhow::Result<T>
where
    T: Send + 'static,
    E: Into<anyhow::Error> + Send + 'static,
{
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().context("can't start the async runtime")?;
    let done = runtime.block_on(until_stopped(work));
    runtime.shutdown_background();
    done
}

async fn until_stopped<T, E>(
    work: impl FnOnce(CancellationToken) -> Result<T, E> + Send + 'static,
) -> anyhow::Result<T>
where
    T: Send + 'static,
    E: Into<anyhow::Error> + Send + 'static,
{
    let stop = CancellationToken::new();
    app::end_on_signal(stop.clone());
    let given = stop.clone();
    let mut working = tokio::task::spawn_blocking(move || work(given));
    // Both arms are cancel-safe.
    tokio::select! {
        done = &mut working => return done?.map_err(Into::into),
        () = stop.cancelled() => show::remark("stopping"),
    }
    match tokio::time::timeout(PATIENCE, working).await {
        Ok(done) => done?.map_err(Into::into),
        Err(_) => anyhow::bail!(
            "stopped while the disk or the sender of the archive kept it waiting; repeat the command: that also takes away \
             what is left of this one"
        ),
    }
}
