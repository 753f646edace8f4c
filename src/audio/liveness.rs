//! PURE. When is a device open, alive, missing, tried again? One device, stepped with the time.
//!
//! In: what opening brought, and the counts of the callback. Out: open or close a session, and news for
//! whoever uses the device. Devices die without an error, so the callback's count is what tells.
//!
//! | from | when | to | news |
//! |---|---|---|---|
//! | resting | the back-off is over | opening | |
//! | opening | opened | open | |
//! | opening | refused, or no answer for 10 s | resting | gone, if not told |
//! | opening | refused: stuck | resting | gone, once more |
//! | open | first callback | open | back |
//! | open | error, or no callback for 1 s (3 s at first) | resting | gone, if not told |
//! | open | only zeros for the limit | open | gone, if not told |
//! | open | only zeros again and again | resting | |
//! | open | sound after zeros | open | back |

use std::time::{Duration, Instant};

use super::DeviceFault;

/// How patient the machine is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Limits {
    /// Opening takes at most so long.
    pub(super) opening: Duration,
    /// The first callback comes within.
    pub(super) first: Duration,
    /// Every further callback comes within.
    pub(super) stall: Duration,
    /// Only zeros for so long is a missing device; nothing for speakers.
    pub(super) silent: Option<Duration>,
    /// The pause before the first new attempt; doubled up to `rest_max`.
    pub(super) rest: Duration,
    /// The longest pause between attempts.
    pub(super) rest_max: Duration,
    /// A session that lasted so long makes the next pause short again.
    pub(super) settled: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            opening: Duration::from_secs(10),
            first: Duration::from_secs(3),
            stall: Duration::from_secs(1),
            silent: None,
            rest: Duration::from_millis(500),
            rest_max: Duration::from_secs(5),
            settled: Duration::from_secs(10),
        }
    }
}

/// What the keeper sees of the session.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Seen {
    /// Nothing new.
    Nothing,
    /// The session is open on the device of this name.
    Opened(String),
    /// Opening failed.
    Failed(DeviceFault),
    /// The callback's counts.
    Counts(Counts),
}

/// The callback's counts since the session was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    /// How often it ran.
    pub(super) callbacks: u64,
    /// How much sound since the last sample that was not zero.
    pub(super) zeros: Duration,
    /// The sound system reported the session as dead.
    pub(super) lost: bool,
}

/// What the keeper has to do.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Verdict {
    /// Open a new session, or close the present one.
    pub(super) act: Option<Act>,
    /// Tell whoever uses the device.
    pub(super) news: Option<News>,
}

/// What to do with the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// Begin to open one.
    Open,
    /// Let go of it; it may hang while it closes.
    Close,
}

/// What the device's user wants to know.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum News {
    /// It is missing from here on.
    Gone(DeviceFault),
    /// It delivers, on the device of this name.
    Back(String),
}

/// The machine.
#[derive(Debug)]
pub(super) struct Liveness {
    limits: Limits,
    phase: Phase,
    rest: Duration,
    told: Told,
}

#[derive(Debug)]
enum Phase {
    Resting { until: Instant },
    Opening { since: Instant },
    Open(Session),
}

#[derive(Debug)]
struct Session {
    device: String,
    since: Instant,
    callbacks: u64,
    moved: Instant,
}

/// What the user was told last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    Nothing,
    Back,
    Gone,
    /// Gone because of zeros: only sound that is not zero is a return.
    Silent,
    /// Gone for good: only a new process helps.
    Stuck,
}

impl Liveness {
    /// A device that shall be opened at once.
    pub(super) fn new(limits: Limits, now: Instant) -> Self {
        let rest = limits.rest;
        Self { limits, phase: Phase::Resting { until: now }, rest, told: Told::Nothing }
    }

    /// What follows from what was seen.
    pub(super) fn step(&mut self, seen: Seen, now: Instant) -> Verdict {
        match (&mut self.phase, seen) {
            (Phase::Resting { until }, _) if now >= *until => {
                self.phase = Phase::Opening { since: now };
                Verdict { act: Some(Act::Open), news: None }
            }
            (Phase::Resting { .. }, _) => Verdict::default(),
            (Phase::Opening { .. }, Seen::Opened(device)) => {
                self.phase = Phase::Open(Session { device, since: now, callbacks: 0, moved: now });
                Verdict::default()
            }
            (Phase::Opening { .. }, Seen::Failed(fault)) => self.lose(fault, now),
            (Phase::Opening { since }, _) if now.duration_since(*since) >= self.limits.opening => {
                self.lose(DeviceFault::Hung, now)
            }
            (Phase::Opening { .. }, _) => Verdict::default(),
            (Phase::Open(_), Seen::Counts(counts)) => self.judge(counts, now),
            (Phase::Open(_), _) => Verdict::default(),
        }
    }

    /// An open session's counts.
    fn judge(&mut self, counts: Counts, now: Instant) -> Verdict {
        let Phase::Open(session) = &mut self.phase else { return Verdict::default() };
        let device = session.device.clone();
        if counts.lost {
            return self.lose(DeviceFault::Lost { device }, now);
        }
        if counts.callbacks != session.callbacks {
            session.callbacks = counts.callbacks;
            session.moved = now;
        }
        let patience = if session.callbacks == 0 { self.limits.first } else { self.limits.stall };
        if now.duration_since(session.moved) >= patience {
            return self.lose(DeviceFault::Stalled { device }, now);
        }
        if session.callbacks == 0 {
            return Verdict::default();
        }
        let open_for = now.duration_since(session.since);
        if open_for >= self.limits.settled && self.told == Told::Back {
            self.rest = self.limits.rest;
        }
        if self.limits.silent.is_some_and(|limit| counts.zeros >= limit) {
            return self.silent(DeviceFault::Silent { device }, open_for, now);
        }
        // After a silence even a fresh session has to prove itself with sound.
        let proven = counts.zeros.is_zero() || !matches!(self.told, Told::Silent);
        match self.told {
            Told::Back => Verdict::default(),
            Told::Nothing | Told::Gone | Told::Silent | Told::Stuck if proven => {
                self.told = Told::Back;
                Verdict { act: None, news: Some(News::Back(device)) }
            }
            Told::Nothing | Told::Gone | Told::Silent | Told::Stuck => Verdict::default(),
        }
    }

    /// Only zeros: keep listening, since a muted microphone may be unmuted; but the sound system may
    /// also have moved a dead device's stream elsewhere, so open it afresh now and then.
    fn silent(&mut self, fault: DeviceFault, open_for: Duration, now: Instant) -> Verdict {
        let news = matches!(self.told, Told::Nothing | Told::Back).then(|| News::Gone(fault));
        if news.is_some() || self.told == Told::Gone {
            self.told = Told::Silent;
        }
        let patience = self.limits.silent.unwrap_or_default() + self.limits.rest_max;
        if open_for < patience || news.is_some() {
            return Verdict { act: None, news };
        }
        self.phase = Phase::Resting { until: now };
        Verdict { act: Some(Act::Close), news }
    }

    fn lose(&mut self, fault: DeviceFault, now: Instant) -> Verdict {
        self.phase = Phase::Resting { until: now + self.rest };
        self.rest = (self.rest * 2).min(self.limits.rest_max);
        let stuck = fault == DeviceFault::Stuck;
        let fresh = match self.told {
            Told::Nothing | Told::Back => true,
            // That a new process is needed must be known even to those who know that it is gone.
            Told::Gone | Told::Silent => stuck,
            Told::Stuck => false,
        };
        self.told = match self.told {
            Told::Stuck => Told::Stuck,
            _ if stuck => Told::Stuck,
            Told::Silent => Told::Silent,
            Told::Nothing | Told::Back | Told::Gone => Told::Gone,
        };
        let news = fresh.then_some(News::Gone(fault));
        Verdict { act: Some(Act::Close), news }
    }
}

#[cfg(test)]
mod tests;
