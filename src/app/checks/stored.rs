//! Checks the stored data: what a damaged database has cost, and which snapshots there are.
//!
//! Reads the database and its folder.

use super::row::Row;
use joi_base::paths::Paths;
use joi_store as store;

/// Returns each loss that is not acknowledged, and the snapshots.
pub(crate) fn checks(paths: &Paths) -> Vec<Row> {
    let database = paths.database();
    let remedy = "`joi doctor --acknowledge` when you know; the damaged file stays where it is";
    let mut rows: Vec<Row> = store::unacknowledged(&database)
        .iter()
        .map(|loss| match loss.is_loss() {
            true => Row::bad("stored data", loss.summary(), remedy),
            false => Row::fair("stored data", loss.summary(), remedy),
        })
        .collect();
    let snapshots = store::snapshots(&database);
    rows.push(match snapshots.first() {
        Some(newest) => {
            let told = format!("{} kept, the newest of {}", snapshots.len(), store::snapshot_day(newest));
            Row::good("snapshots", told)
        }
        None => Row::good("snapshots", "none yet; `joi run` takes one a day"),
    });
    rows
}
