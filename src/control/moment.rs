//! Formats moments for status, events and journal.
//!
//! Any thread. Reads the clock it is given and keeps nothing.

use jiff::Timestamp;

use joi_base::clock::Clock;

/// Returns the current time as RFC 3339 in UTC, to the millisecond.
pub(super) fn moment(clock: &dyn Clock) -> String {
    let now = clock.now().timestamp();
    Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now).to_string()
}
