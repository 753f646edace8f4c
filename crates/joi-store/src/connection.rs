//! Connections beside that of the database thread.
//!
//! Any thread; a connection blocks while another program writes, for [`BUSY`] at most.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::StoreError;

/// How long a job waits for another program's write.
pub(super) const BUSY: Duration = Duration::from_secs(5);

/// Opens a database that is there, for reading.
pub(super) fn read_only(database: &Path) -> Result<Connection, StoreError> {
    let db = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    db.busy_timeout(BUSY)?;
    Ok(db)
}
