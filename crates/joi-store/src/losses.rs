//! The record of data lost with a damaged database, kept until the owner has acknowledged it.
//!
//! Runs on the database thread, and for `joi status` and `joi doctor` on theirs. In: what the salvage could not read.
//! Out: counts by kind of data, never a word of the content. The records are a remembered setting, so that neither
//! retention nor `forget` removes them.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};
use serde::{Deserialize, Serialize};

use super::{Store, StoreError, settings};

/// Key of the records.
const KEY: &str = "store.losses";

/// How many rows of a table are gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LostRows {
    /// None.
    Nothing,
    /// So many; an index names them.
    Exactly(u64),
    /// So many numbers could not be read; some of them may have been deleted before.
    AtMost(u64),
    /// Whatever was stored since the newest snapshot, or ever.
    Unknown,
}

impl LostRows {
    /// Whether something is gone, or may be.
    pub fn is_loss(self) -> bool {
        !matches!(self, Self::Nothing | Self::Exactly(0) | Self::AtMost(0))
    }
}

/// The loss of one table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableLoss {
    /// The table.
    pub table: String,
    /// Rows that were read from the damaged file.
    pub saved: u64,
    /// Rows that were taken from a snapshot.
    pub from_snapshot: u64,
    /// Rows that are gone.
    pub lost: LostRows,
}

/// One damaged database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// When the damage was found.
    pub at: Timestamp,
    /// Where the damaged file is kept.
    pub kept_as: PathBuf,
    /// The snapshot that was used.
    pub snapshot: Option<String>,
    /// Each table, in the order of its weight.
    pub tables: Vec<TableLoss>,
    /// Whether it was announced.
    #[serde(default, rename = "is_told")]
    pub is_announced: bool,
}

impl Loss {
    /// Returns one sentence on lost and restored rows and on where the damaged file is.
    pub fn summary(&self) -> String {
        let lost: Vec<String> = self.tables.iter().filter_map(lost_rows).collect();
        let lost = if lost.is_empty() {
            "nothing was lost".to_owned()
        } else {
            format!("lost: {}", lost.join(", "))
        };
        let restored: u64 = self.tables.iter().map(|table| table.from_snapshot).sum();
        let restored = match &self.snapshot {
            Some(day) if restored > 0 => format!("; {restored} rows are from the snapshot of {day}"),
            _ => String::new(),
        };
        let day = self.at.strftime("%Y-%m-%d");
        format!(
            "the database was damaged on {day}: {lost}{restored}; the damaged file is {}",
            self.kept_as.display()
        )
    }

    /// Whether anything is gone, or may be.
    pub fn is_loss(&self) -> bool {
        self.tables.iter().any(|table| table.lost.is_loss())
    }
}

fn lost_rows(table: &TableLoss) -> Option<String> {
    let what = name(&table.table);
    match table.lost {
        _ if !table.lost.is_loss() => None,
        LostRows::Nothing => None,
        LostRows::Exactly(count) => Some(format!("{count} {what}")),
        LostRows::AtMost(count) => Some(format!("up to {count} {what}")),
        LostRows::Unknown => Some(format!("perhaps some {what}")),
    }
}

/// Names the rows of a table for people.
fn name(table: &str) -> &str {
    match table {
        "schedule" => "timers, alarms and reminders",
        "watch" => "watches",
        "note" => "notes and entries of lists",
        "setting" => "remembered settings",
        "memory" => "memories",
        "message" => "messages",
        "turn" => "turn records",
        "announcement" => "announcements",
        "outgoing" => "messages to be sent",
        "alert" => "alarms",
        "context_state" => "what was known of the house",
        "impulse" => "decisions to speak unasked",
        "conversation" => "tool histories",
        "work" => "goals and tasks",
        "work_cell" => "messages of goals",
        "work_note" => "notes of goals",
        "work_archive" => "sessions of goals",
        "work_step" => "steps of goals",
        "work_run" => "runs of goals",
        "model_usage" => "records of model calls",
        other => other,
    }
}

impl Store {
    /// Returns the losses that were not acknowledged, oldest first.
    ///
    /// # Errors
    /// The database's.
    pub async fn losses(&self) -> Result<Vec<Loss>, StoreError> {
        self.run(|db| all(db)).await
    }

    /// Returns the losses that were not announced yet, and marks them as announced.
    ///
    /// # Errors
    /// The database's.
    pub async fn take_unannounced_losses(&self) -> Result<Vec<Loss>, StoreError> {
        self.run(|db| {
            let mut losses = all(db)?;
            let unannounced: Vec<Loss> = losses.iter().filter(|loss| !loss.is_announced).cloned().collect();
            if !unannounced.is_empty() {
                losses.iter_mut().for_each(|loss| loss.is_announced = true);
                put(db, &losses)?;
            }
            Ok(unannounced)
        })
        .await
    }

    /// The owner knows of them; returns how many there were. The damaged files stay.
    ///
    /// # Errors
    /// The database's.
    pub async fn acknowledge_losses(&self) -> Result<usize, StoreError> {
        self.run(|db| {
            let count = all(db)?.len();
            put(db, &[])?;
            Ok(count)
        })
        .await
    }
}

/// What the database at `path` lost, read without opening a store: nothing when there is none or it can't be read.
pub fn unacknowledged(path: &Path) -> Vec<Loss> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let Ok(db) = Connection::open_with_flags(path, flags) else { return Vec::new() };
    all(&db).unwrap_or_default()
}

/// Adds a record.
pub(super) fn add(db: &Connection, loss: Loss) -> Result<(), StoreError> {
    let mut losses = all(db)?;
    losses.push(loss);
    put(db, &losses)
}

fn all(db: &Connection) -> Result<Vec<Loss>, StoreError> {
    let kept = settings::get(db, KEY)?;
    Ok(kept.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default())
}

fn put(db: &Connection, losses: &[Loss]) -> Result<(), StoreError> {
    let json = serde_json::to_string(losses).map_err(|e| StoreError::Record(e.to_string()))?;
    settings::set(db, KEY, &json)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss() -> Loss {
        let table = |table: &str, from_snapshot, lost| TableLoss {
            table: table.into(),
            saved: 7,
            from_snapshot,
            lost,
        };
        Loss {
            at: Timestamp::UNIX_EPOCH,
            kept_as: "/data/joi.db.damaged-1".into(),
            snapshot: Some("2026-11-22".into()),
            tables: vec![
                table("schedule", 1, LostRows::AtMost(2)),
                table("note", 0, LostRows::Nothing),
                table("message", 3, LostRows::Exactly(5)),
            ],
            is_announced: false,
        }
    }

    #[test]
    fn a_loss_is_summed_up_by_kind_with_its_counts_and_where_the_file_is() {
        assert_eq!(
            loss().summary(),
            "the database was damaged on 1970-01-01: lost: up to 2 timers, alarms and reminders, 5 messages; \
             4 rows are from the snapshot of 2026-11-22; the damaged file is /data/joi.db.damaged-1"
        );
    }

    #[tokio::test]
    async fn a_loss_is_announced_once_and_shown_until_it_is_acknowledged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("joi.db");
        let store = Store::open(&path).unwrap();
        store.run(|db| add(db, loss())).await.unwrap();
        assert_eq!(unacknowledged(&path), [loss()]);
        assert_eq!(store.take_unannounced_losses().await.unwrap(), [loss()]);
        assert_eq!(store.take_unannounced_losses().await.unwrap(), []);
        assert_eq!(store.losses().await.unwrap(), [Loss { is_announced: true, ..loss() }]);
        assert_eq!(store.acknowledge_losses().await.unwrap(), 1);
        assert_eq!((store.losses().await.unwrap(), unacknowledged(&path)), (vec![], vec![]));
    }
}
