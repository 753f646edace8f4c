//! The number of erasures of a database, which is stored in it.
//!
//! Runs on the thread of the connection. It shows another program, and whoever copies, that something was erased.

use rusqlite::Connection;

use super::{StoreError, settings};

/// Key of the number of erasures.
const TIMES: &str = "store.erasures";
/// Returns how often something was erased.
pub(super) fn times(db: &Connection) -> Result<u64, StoreError> {
    Ok(settings::get(db, TIMES)?.and_then(|times| times.parse().ok()).unwrap_or(0))
}

/// Counts one more erasure.
pub(super) fn note(db: &Connection) -> Result<(), StoreError> {
    settings::set(db, TIMES, &times(db)?.wrapping_add(1).to_string())
}
