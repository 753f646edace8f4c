//! Automatic backups while the program runs: of what, when, and how they are on the status board.
//!
//! One Tokio task; the backup itself is made on a thread that may block. In: the clock and `[backup]`. Out: an archive in
//! the owner's folder, and one line in the log when that fails. Without a folder there is no service.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::daemon::{Service, ServiceContext};
use crate::backup::{AutomaticBackups, BackupSecrets, BackupSource, BackupState, BackupTurn};
use crate::config::Config;
use crate::control::{BackupStatus, StatusBoard};
use joi_base::clock::{Clock, SystemClock};
use joi_base::paths::Paths;

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(300);
/// The first look: the start comes first.
const FIRST_LOOK: Duration = Duration::from_secs(120);

/// This machine without its secrets.
pub(crate) fn source(paths: &Paths) -> BackupSource {
    let (home, secrets) = (std::env::home_dir(), BackupSecrets::LeftOut);
    BackupSource { paths: paths.clone(), home, secrets, stop: CancellationToken::new() }
}

/// Returns the service; none where no folder is named.
pub(super) fn backups(config: &Config, paths: &Paths, board: &StatusBoard) -> Option<Service> {
    let automatic = AutomaticBackups::new(&config.backup, source(paths))?;
    let shown = Arc::new(Mutex::new(status(&config.backup.folder, automatic.state())));
    board.backups({
        let shown = Arc::clone(&shown);
        move || shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    });
    let automatic = Arc::new(Mutex::new(automatic));
    let folder = config.backup.folder.clone();
    let run = move |context: ServiceContext| {
        let (automatic, shown, folder) = (Arc::clone(&automatic), Arc::clone(&shown), folder.clone());
        async move {
            let mut wait = FIRST_LOOK;
            loop {
                // Both arms are cancel-safe.
                tokio::select! {
                    () = context.stop.cancelled() => return Ok(()),
                    () = tokio::time::sleep(wait) => {}
                }
                wait = LOOK_EVERY;
                let automatic = Arc::clone(&automatic);
                let turn = tokio::task::spawn_blocking(move || {
                    let mut automatic = automatic.lock().unwrap_or_else(PoisonError::into_inner);
                    let turn = automatic.turn(SystemClock.now().timestamp());
                    (turn, automatic.state().clone())
                });
                let (turn, state) = turn.await?;
                match turn {
                    BackupTurn::Nothing => {}
                    BackupTurn::Made(file) => tracing::info!(file = %file.display(), "a backup was made"),
                    BackupTurn::Failed(fault) => tracing::warn!(%fault, "automatic backups fail"),
                }
                *shown.lock().unwrap_or_else(PoisonError::into_inner) = status(&folder, &state);
            }
        }
    };
    Some(Service::new("backups", "no automatic backups are made", run).end_within(Duration::from_secs(20)))
}

/// Returns the state in words.
fn status(folder: &std::path::Path, state: &BackupState) -> BackupStatus {
    let (is_well, told, newest) = match state {
        BackupState::Well { newest: None, .. } => (true, "none yet".to_owned(), None),
        BackupState::Well { newest, same_disk: false } => {
            (true, "kept on a disk of their own".to_owned(), *newest)
        }
        BackupState::Well { newest, same_disk: true } => {
            (true, "on the disk of the data, and lost with it".to_owned(), *newest)
        }
        BackupState::Failing { why, newest } => (false, why.clone(), *newest),
    };
    let newest = newest.map(|at| at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
    BackupStatus { folder: folder.to_owned(), is_well, told, newest }
}
