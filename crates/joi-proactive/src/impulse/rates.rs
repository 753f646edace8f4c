//! The hourly limits of proactive messages, by kind. The outbox limits what is sent.
//!
//! In: how many went out within the last 60 minutes. Out: whether one more may. What an event of the house makes critical
//! is never held back and never counted; what a model calls urgent is.
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp};

use super::config::ImpulseConfig;

/// The time over which messages are counted.
pub const WINDOW: SignedDuration = SignedDuration::from_hours(1);

/// The verdict of the hourly limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProactiveRate {
    /// Freely.
    Open,
    /// With half the score.
    Halved,
    /// Not at all.
    Closed,
}

/// Returns whether joi may speak up after `direct` messages within the window.
pub fn proactive(direct: usize, rules: &ImpulseConfig) -> ProactiveRate {
    match direct {
        count if count >= rules.closed_at => ProactiveRate::Closed,
        count if count >= rules.halved_at => ProactiveRate::Halved,
        _ => ProactiveRate::Open,
    }
}

/// Returns whether one more message that a model called urgent goes out, of at most so many.
pub fn escalates(sent: &[Timestamp], now: Timestamp, most: u32) -> bool {
    within(sent, now).count() < most as usize
}

/// Returns those within the window; what lies ahead, after the clock was set back, counts as now.
fn within(sent: &[Timestamp], now: Timestamp) -> impl Iterator<Item = Timestamp> {
    sent.iter().map(move |at| (*at).min(now)).filter(move |at| now.duration_since(*at) < WINDOW)
}
