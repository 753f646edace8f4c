//! One step of a condition: from what was known and what is so now to what is known, and whether it has just become so.
//!
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp};

use super::WatchPhase;
use super::level::Level;

/// A moment that is this near is waited for, though its item names another one already.
const NEAR: SignedDuration = SignedDuration::from_secs(60);

/// The result of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stepped {
    pub(super) phase: WatchPhase,
    /// It has just become so, and at this moment.
    pub(super) fired: Option<Timestamp>,
    /// When it changes by itself.
    pub(super) due: Option<Timestamp>,
}

/// Takes one step. A state that is unknown changes nothing; a moment that was known comes all the same.
pub(super) fn step(phase: &WatchPhase, level: Option<&Level>, for_s: u32, now: Timestamp) -> Stepped {
    let stay = |phase: WatchPhase| Stepped { phase, fired: None, due: None };
    match level {
        Some(Level::Is(false)) => stay(WatchPhase::Not),
        Some(Level::Is(true)) => is_so(phase, for_s, now),
        Some(Level::Wrote(new)) => {
            let is_news = matches!(phase, WatchPhase::Wrote(old) if old != new);
            Stepped { phase: WatchPhase::Wrote(new.clone()), fired: is_news.then_some(now), due: None }
        }
        Some(Level::Then(at)) => awaits(phase, Some(*at), now),
        None if matches!(phase, WatchPhase::Awaits(_)) => awaits(phase, None, now),
        None => stay(phase.clone()),
    }
}

fn is_so(phase: &WatchPhase, for_s: u32, now: Timestamp) -> Stepped {
    let so = |fired| Stepped { phase: WatchPhase::So, fired, due: None };
    let since = match phase {
        WatchPhase::So => return so(None),
        // A state from before the watch is not what is waited for, unless it has to last.
        WatchPhase::Unseen | WatchPhase::Wrote(_) | WatchPhase::Awaits(_) if for_s == 0 => return so(None),
        // A clock that was put back may show less than it did.
        WatchPhase::Since(since) => (*since).min(now),
        WatchPhase::Unseen | WatchPhase::Not | WatchPhase::Wrote(_) | WatchPhase::Awaits(_) => now,
    };
    let due = since.saturating_add(SignedDuration::from_secs(i64::from(for_s)));
    match due {
        Ok(due) if due > now => Stepped { phase: WatchPhase::Since(since), fired: None, due: Some(due) },
        _ => so(Some(now)),
    }
}

/// Waits for a moment; the one that an item names next is waited for once the former has come.
fn awaits(phase: &WatchPhase, named: Option<Timestamp>, now: Timestamp) -> Stepped {
    let next = |named: Option<Timestamp>| match named.filter(|at| *at > now) {
        Some(at) => (WatchPhase::Awaits(at), Some(at)),
        None => (WatchPhase::Not, None),
    };
    let (fired, (phase, due)) = match phase {
        WatchPhase::Awaits(at) if *at <= now => (Some(*at), next(named)),
        WatchPhase::Awaits(at) if named.is_none() || at.duration_since(now) <= NEAR => {
            (None, (WatchPhase::Awaits(*at), Some(*at)))
        }
        _ => (None, next(named)),
    };
    Stepped { phase, fired, due }
}
