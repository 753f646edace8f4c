//! Cells of the thread that the program writes itself.
//!
//! Pure: no I/O, no clock.

use joi_base::message::Origin;
use joi_store::NewCell;

/// Returns a cell of text by `author`.
pub(crate) fn cell(author: &'static str, text: &str, origin: Origin, run: i64) -> NewCell {
    NewCell { author, kind: "text", text: text.to_owned(), origin, channel: String::new(), run: Some(run) }
}
