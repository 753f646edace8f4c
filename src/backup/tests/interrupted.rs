//! Backups and restores that were killed or stopped: nothing of theirs is left, and nothing of a running one is touched.

use std::path::Path;

use super::*;
use joi_store::unfinished::{BACKUP, DATABASE_PART, RESTORE, UnfinishedCopy};

/// What a killed restore leaves beside the data and beside the configuration, and a killed backup in `folder`.
fn killed(home: &Path, folder: &Path) {
    let there = paths(home);
    let beside = |name: &str| there.config.with_file_name(name);
    put(&there.data.join(".restore-00000000000000aa/data/joi.db"), "marmalade");
    put(&there.data.join(".restore-00000000000000aa.lock"), "");
    put(&beside(".restore-00000000000000ab.0.part"), "tk_secret");
    put(&beside("languages/fr/.restore-00000000000000ab.1.part"), "marmalade");
    put(&beside("languages/fr/prompts/.restore-00000000000000ab.2.part"), "marmalade");
    put(&beside(".restore-00000000000000ab.lock"), "");
    put(&folder.join(".joi-backup-00000000000000ac.db.part"), "marmalade");
    put(&folder.join(".joi-backup-00000000000000ac.part"), "marmalade");
    put(&folder.join(".joi-backup-00000000000000ac.lock"), "");
}

/// Files whose names begin with a dot, wherever they are, and what is in such folders.
fn hidden(folder: &Path) -> Vec<PathBuf> {
    let is_hidden = |file: &PathBuf| {
        let mut names = file.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
        names.any(|name| name.starts_with(BACKUP) || name.starts_with(RESTORE))
    };
    files(folder).into_iter().filter(is_hidden).collect()
}

#[tokio::test]
async fn each_backup_and_restore_removes_what_killed_ones_have_left_and_nothing_of_running_ones() {
    let (ada, stick) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    drop(machine(ada.path(), "ada").await);
    let file = stick.path().join(file_name(now()));
    let running = UnfinishedCopy::begin(stick.path(), BACKUP).unwrap();
    put(&running.path(DATABASE_PART), "in work");
    let mut of_running = vec![PathBuf::from(running.name(DATABASE_PART)), running.name(".lock").into()];
    of_running.sort();

    killed(ada.path(), stick.path());
    write(&source(ada.path(), BackupSecrets::LeftOut), &file, now()).unwrap();
    assert_eq!(hidden(ada.path()), Vec::<PathBuf>::new());
    assert_eq!(hidden(stick.path()), of_running);

    killed(ada.path(), stick.path());
    drop(verify(&file, target(ada.path())).unwrap());
    assert_eq!(hidden(ada.path()), Vec::<PathBuf>::new());

    // Nothing is due: the look alone does it.
    let config = BackupConfig { folder: stick.path().to_owned(), every_h: 24, keep: 2 };
    let mut automatic = AutomaticBackups::new(&config, source(ada.path(), BackupSecrets::LeftOut)).unwrap();
    assert_eq!(automatic.turn(now()), BackupTurn::Nothing);
    assert_eq!(hidden(stick.path()), of_running);
    // One that is made leaves the running one alone, too.
    let later = now() + jiff::SignedDuration::from_hours(24);
    assert_eq!(automatic.turn(later), BackupTurn::Made(stick.path().join(file_name(later))));
    assert_eq!(hidden(stick.path()), of_running);
}

#[tokio::test]
async fn what_a_running_restore_has_unpacked_outlives_other_restores_backups_and_starts() {
    let (ada, stick) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    drop(machine(ada.path(), "ada").await);
    let file = stick.path().join("a.tar.gz");
    write(&source(ada.path(), BackupSecrets::LeftOut), &file, now()).unwrap();
    let running = verify(&file, target(ada.path())).unwrap();
    let unpacked = files(running.stage_for_tests());
    drop(verify(&file, target(ada.path())).unwrap());
    write(&source(ada.path(), BackupSecrets::LeftOut), &stick.path().join("b.tar.gz"), now()).unwrap();
    assert_eq!(word(ada.path()).await.as_deref(), Some("ada"));
    assert_eq!(files(running.stage_for_tests()), unpacked);
    drop(running);
    assert_eq!(hidden(ada.path()), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn what_is_stopped_changes_nothing_and_leaves_nothing() {
    let (ada, stick) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    machine(ada.path(), "ada").await.close().await.unwrap();
    let file = stick.path().join("a.tar.gz");
    let stopped = source(ada.path(), BackupSecrets::LeftOut);
    stopped.stop.cancel();
    let error = write(&stopped, &file, now()).unwrap_err();
    assert!(matches!(error, BackupError::Stopped), "{error}");
    assert_eq!(files(stick.path()), Vec::<PathBuf>::new());

    write(&source(ada.path(), BackupSecrets::LeftOut), &file, now()).unwrap();
    let before = files(ada.path());
    let stopped = target(ada.path());
    stopped.stop.cancel();
    let error = verify(&file, stopped).unwrap_err();
    assert!(matches!(error, BackupError::Stopped), "{error}");
    assert_eq!(files(ada.path()), before);
}
