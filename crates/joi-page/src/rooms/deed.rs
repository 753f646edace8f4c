//! What came of a form, as the rooms report it.
//!
//! Pure: no I/O, no clock.

use crate::PageFault;
use crate::look::Look;
use crate::notice::PageNotice;

/// What came of a form.
pub(crate) struct RoomDeed {
    pub(crate) notice: PageNotice,
    /// The page that is shown next, where it is not the room.
    pub(crate) back: Option<String>,
}

impl From<PageNotice> for RoomDeed {
    fn from(notice: PageNotice) -> Self {
        Self { notice, back: None }
    }
}

/// Returns what came of a form: `done`, or why not.
pub(super) fn outcome(result: Result<(), PageFault>, done: &str, look: &Look) -> RoomDeed {
    match result {
        Ok(()) => PageNotice::done(done).into(),
        Err(fault) => PageNotice::fault(fault, &look.words).into(),
    }
}
