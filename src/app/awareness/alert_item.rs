//! Reads the item through which rules of the house send alerts, and decides whether its text is new.
//!
//! Pure: no I/O, no clock.

use joi_base::checksum;
use joi_home::house::{House, StateValue};
use joi_proactive::awareness::ReceivedNotice;

/// Returns what the item says; nothing where it says nothing yet, as after a start of the house.
pub(super) fn text(house: &House, item: &str) -> Option<String> {
    let item = house.item(item).filter(|_| !item.is_empty())?;
    match &item.state.value {
        StateValue::Text(text) => Some(text.clone()),
        StateValue::Undefined => Some(String::new()),
        _ => None,
    }
}

/// Returns the alert in a text that was not there before, also not before the last end of the program. `last` is the
/// checksum of the last one. The very first text that is ever seen may be years old.
pub(super) fn new_alert(last: &mut Option<String>, text: &str) -> Option<ReceivedNotice> {
    let new = checksum::of_bytes(text.as_bytes());
    let before = last.replace(new.clone())?;
    if before == new || text.trim().is_empty() {
        return None;
    }
    let notice = ReceivedNotice::read(text);
    if notice.is_none() {
        tracing::warn!(
            "the item for alerts holds a text that can't be read: JSON, or words with priority=high"
        );
    }
    notice
}
