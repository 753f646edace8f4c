//! Replaces a damaged database by a new one that holds what could be read.
//!
//! Runs on the thread that found the damage. In: the path. Out: the new database in its place, the damaged file beside
//! it under another name. The new one is written in full under the name `….rescue` before the damaged one is renamed,
//! so that an interruption at any point costs nothing: the next start begins anew, or finishes the renaming.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::Connection;

use super::beside::{RESCUE, SIDES, remove, rename, rename_if_there, with_end};
use super::in_use::InUse;
use super::losses::{self, Loss};
use super::{StoreError, file, salvage};

/// Salvages the file at `path` into a new one and puts that in its place; returns where the damaged one is, unless
/// another program has done the same meanwhile.
pub(super) fn replace(
    path: &Path,
    why: &rusqlite::Error,
    in_use: &InUse,
) -> Result<(Connection, Option<PathBuf>), StoreError> {
    let damaged = identity(path);
    let replaced = in_use.alone(|| {
        if identity(path) != damaged {
            return Ok(None);
        }
        let stamp = Timestamp::now().strftime("%Y%m%dT%H%M%S%.3f").to_string();
        let moved = with_end(path, &format!(".damaged-{stamp}"));
        let loss = rescue(path, &moved)?;
        set_aside(path, &moved)?;
        rename(&with_end(path, RESCUE), path)?;
        tracing::warn!(%why, "{}", loss.summary());
        Ok(Some(moved))
    });
    let moved = replaced.unwrap_or_else(|| Err(StoreError::InUse { path: path.into() }))?;
    Ok((file::open_sound(path)?, moved))
}

/// Which file it is, whatever it is called.
fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|about| (about.dev(), about.ino()))
}

/// Finishes a replacement that was interrupted between the two renamings, or drops one that was not complete.
pub(super) fn finish_interrupted(path: &Path, in_use: &InUse) -> Result<(), StoreError> {
    let rescue = with_end(path, RESCUE);
    if !rescue.exists() {
        return Ok(());
    }
    // Somebody else who has it open is at it, or would have been; the next start looks again.
    let finished = in_use.alone(|| match (rescue.exists(), path.exists()) {
        (false, _) => Ok(()),
        (true, true) => remove_rescue(path),
        (true, false) => {
            let stamp = Timestamp::now().strftime("%Y%m%dT%H%M%S%.3f").to_string();
            for side in SIDES {
                rename_if_there(&with_end(path, side), &with_end(path, &format!(".damaged-{stamp}{side}")))?;
            }
            rename(&rescue, path)
        }
    });
    // Without the file in its place a new, empty one would be begun.
    finished
        .unwrap_or_else(|| if path.exists() { Ok(()) } else { Err(StoreError::InUse { path: path.into() }) })
}

/// Writes the new database beside the damaged one.
fn rescue(path: &Path, moved: &Path) -> Result<Loss, StoreError> {
    remove_rescue(path)?;
    let rescue = with_end(path, RESCUE);
    let mut fresh = file::open_sound(&rescue)?;
    let salvaged = salvage::fill(&mut fresh, path)?;
    let loss = Loss {
        at: Timestamp::now(),
        kept_as: moved.to_owned(),
        snapshot: salvaged.snapshot,
        tables: salvaged.tables,
        is_announced: false,
    };
    losses::add(&fresh, loss.clone())?;
    fresh.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
    fresh.close().map_err(|(_, error)| error)?;
    Ok(loss)
}

fn remove_rescue(path: &Path) -> Result<(), StoreError> {
    for end in ["", "-wal", "-shm"] {
        remove(&with_end(path, &format!("{RESCUE}{end}")))?;
    }
    Ok(())
}

/// Renames a damaged file with its side files, which belong to it.
fn set_aside(path: &Path, moved: &Path) -> Result<(), StoreError> {
    rename(path, moved)?;
    for side in SIDES {
        let (from, to) = (with_end(path, side), with_end(moved, side));
        let is_empty = fs::metadata(&from).is_ok_and(|about| about.len() == 0);
        // Left by whoever read the file; a log that holds something is kept with it.
        if is_empty || side == "-shm" {
            remove(&from)?;
        } else {
            rename_if_there(&from, &to)?;
        }
    }
    Ok(())
}
