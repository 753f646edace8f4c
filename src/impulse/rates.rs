//! PURE. How much may go out within an hour, by kind.
//!
//! In: how many went out within the last 60 minutes. Out: whether one more may. What an event of the house makes critical
//! is never held back and never counted; what a model calls urgent is.

use jiff::{SignedDuration, Timestamp};

use super::config::ImpulseConfig;

/// The time over which messages are counted.
pub const WINDOW: SignedDuration = SignedDuration::from_hours(1);
/// Direct messages within the window: from here on answers wait.
pub const DIRECT: usize = 60;
/// Messages that a model called urgent, within the window.
pub const ESCALATED: usize = 120;

/// Whether she may speak up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProactiveRate {
    /// Freely.
    Open,
    /// With half the score.
    Halved,
    /// Not at all.
    Closed,
}

/// Whether an answer goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyRate {
    /// Now.
    Now,
    /// It is queued until this moment, and the user is told once.
    QueuedUntil(Timestamp),
}

/// Whether she may speak up after `direct` messages within the window.
pub fn proactive(direct: usize, rules: &ImpulseConfig) -> ProactiveRate {
    match direct {
        count if count >= rules.closed_at => ProactiveRate::Closed,
        count if count >= rules.halved_at => ProactiveRate::Halved,
        _ => ProactiveRate::Open,
    }
}

/// When an answer goes out: `sent` are the moments of all direct messages, in any order.
pub fn reply(sent: &[Timestamp], now: Timestamp) -> ReplyRate {
    let mut recent: Vec<Timestamp> = within(sent, now).collect();
    if recent.len() < DIRECT {
        return ReplyRate::Now;
    }
    recent.sort_unstable();
    let opens = recent[recent.len() - DIRECT].checked_add(WINDOW).unwrap_or(now);
    ReplyRate::QueuedUntil(opens)
}

/// Whether one more message that a model called urgent goes out.
pub fn escalates(sent: &[Timestamp], now: Timestamp) -> bool {
    within(sent, now).count() < ESCALATED
}

/// Those within the window; what lies ahead, after the clock was set back, counts as now.
fn within(sent: &[Timestamp], now: Timestamp) -> impl Iterator<Item = Timestamp> {
    sent.iter().map(move |at| (*at).min(now)).filter(move |at| now.duration_since(*at) < WINDOW)
}
