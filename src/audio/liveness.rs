//! PURE. When is a device open, alive, missing, tried again? One device, stepped with the time.
//!
//! In: what opening brought, and the counts of the callback. Out: open or close a session, and news for
//! whoever uses the device. Devices die without an error, so the callback's count is what tells. What
//! takes long is told early and given up late: a slow start is not made to fail.
//!
//! | from | when | to | news |
//! |---|---|---|---|
//! | resting | the back-off is over | opening | |
//! | opening | opened | open | |
//! | opening | refused | resting | gone, if not told |
//! | opening | no answer for 1.8 s | opening | gone, if not told |
//! | opening | no answer for 10 s | resting | |
//! | opening | refused: stuck | resting | gone, once more |
//! | open | first callback | open | back |
//! | open | no first callback for 1.8 s | open | gone, if not told |
//! | open | no first callback for 5 s | resting | |
//! | open | error, errors by the hundred, or no further callback for 1 s | resting | gone, if not told |
//! | open | only zeros for 1.5 s after seconds of restless sound | resting | gone, if not told |
//! | open | only zeros for the limit | open | gone, if not told |
//! | open | only zeros again and again | resting | |
//! | open | sound after zeros | open | back |
//! | open | it is not among the devices any more | resting | gone, if not told |
//! | open | a preferred device is there again | opening | back, when it delivers |

use std::time::{Duration, Instant};

use super::DeviceFault;

mod story;

pub(super) use story::{Act, Counts, Limits, News, Seen, Verdict};

/// The machine.
#[derive(Debug)]
pub(super) struct Liveness {
    limits: Limits,
    phase: Phase,
    rest: Duration,
    told: Told,
    /// Place in the order of preference of the device that was opened last.
    rank: usize,
    /// The pause between two looks at the system's devices.
    look: Duration,
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
    looked: Instant,
    /// Errors counted up to the beginning of a second, and when that was.
    errors: (u64, Instant),
}

/// What the user was told last.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Told {
    Nothing,
    /// This device delivers.
    Back(String),
    Gone,
    /// Gone because of zeros: only sound that is not zero is a return.
    Silent,
    /// Gone for good: only a new process helps.
    Stuck,
}

impl Liveness {
    /// A device that shall be opened at once.
    pub(super) fn new(limits: Limits, now: Instant) -> Self {
        let (rest, look) = (limits.rest, limits.look);
        Self { limits, phase: Phase::Resting { until: now }, rest, told: Told::Nothing, rank: 0, look }
    }

    /// What follows from what was seen.
    pub(super) fn step(&mut self, seen: Seen, now: Instant) -> Verdict {
        match (&mut self.phase, seen) {
            (Phase::Resting { until }, _) if now >= *until => {
                self.phase = Phase::Opening { since: now };
                Verdict { act: Some(Act::Open), news: None }
            }
            (Phase::Resting { .. }, _) => Verdict::default(),
            (Phase::Opening { .. }, Seen::Opened { device, rank }) => self.opened(device, rank, now),
            (Phase::Opening { .. }, Seen::Failed(fault)) => self.lose(fault, now),
            (Phase::Opening { since }, _) => match now.duration_since(*since) {
                long if long >= self.limits.opening => self.lose(DeviceFault::Hung, now),
                long if long >= self.limits.told => self.miss(DeviceFault::Hung),
                _ => Verdict::default(),
            },
            (Phase::Open(_), Seen::Counts(counts)) => self.judge(counts, now),
            (Phase::Open(_), Seen::Better) => {
                self.phase = Phase::Opening { since: now };
                Verdict { act: Some(Act::Reopen), news: None }
            }
            (Phase::Open(session), Seen::Missing) => {
                let device = session.device.clone();
                self.lose(DeviceFault::Lost { device }, now)
            }
            (Phase::Open(_), _) => Verdict::default(),
        }
    }

    fn opened(&mut self, device: String, rank: usize, now: Instant) -> Verdict {
        // A preferred device that is there and will not open must not be asked for ever.
        let was_in_vain = rank > 0 && rank >= self.rank && matches!(self.told, Told::Back(_));
        let longer = (self.look * 2).min(self.limits.look_max);
        self.look = if was_in_vain { longer } else { self.limits.look };
        self.rank = rank;
        let errors = (0, now);
        let session = Session { device, since: now, callbacks: 0, moved: now, looked: now, errors };
        self.phase = Phase::Open(session);
        Verdict::default()
    }

    /// An open session's counts.
    fn judge(&mut self, counts: Counts, now: Instant) -> Verdict {
        let Phase::Open(session) = &mut self.phase else { return Verdict::default() };
        let device = session.device.clone();
        let storms = session.storms(counts.errors, self.limits.storm, now);
        if counts.lost || storms {
            return self.lose(DeviceFault::Lost { device }, now);
        }
        if counts.callbacks != session.callbacks {
            session.callbacks = counts.callbacks;
            session.moved = now;
        }
        let still_for = now.duration_since(session.moved);
        if session.callbacks == 0 {
            return match still_for {
                long if long >= self.limits.first => self.lose(DeviceFault::Stalled { device }, now),
                long if long >= self.limits.told => self.miss(DeviceFault::Stalled { device }),
                _ => Verdict::default(),
            };
        }
        if still_for >= self.limits.stall {
            return self.lose(DeviceFault::Stalled { device }, now);
        }
        let open_for = now.duration_since(session.since);
        if open_for >= self.limits.settled && matches!(self.told, Told::Back(_)) {
            self.rest = self.limits.rest;
        }
        if let Some(limit) = self.limits.silent {
            if counts.restless && counts.zeros >= self.limits.dead.min(limit) {
                return self.go_dead(DeviceFault::Silent { device }, now);
            }
            if counts.zeros >= limit {
                return self.silent(DeviceFault::Silent { device }, open_for, now);
            }
        }
        self.deliver(device, counts, now)
    }

    /// It delivers something.
    fn deliver(&mut self, device: String, counts: Counts, now: Instant) -> Verdict {
        // After a silence even a fresh session has to prove itself with sound.
        let proven = counts.zeros.is_zero() || !matches!(self.told, Told::Silent);
        if self.told == Told::Back(device.clone()) || !proven {
            return self.look_around(now);
        }
        self.told = Told::Back(device.clone());
        Verdict { act: None, news: Some(News::Back(device)) }
    }

    /// Now and then it is looked whether the device is still there, or a preferred one again.
    fn look_around(&mut self, now: Instant) -> Verdict {
        let Phase::Open(session) = &mut self.phase else { return Verdict::default() };
        // To look for another may mean to open it, to look for the same is to read a list.
        let pause = if self.rank == 0 { self.look } else { self.look * 3 };
        if now.duration_since(session.looked) < pause {
            return Verdict::default();
        }
        session.looked = now;
        Verdict { act: Some(Act::Survey), news: None }
    }

    /// Only zeros: keep listening, since a muted microphone may be unmuted; but the sound system may
    /// also have moved a dead device's stream elsewhere, so open it afresh now and then.
    fn silent(&mut self, fault: DeviceFault, open_for: Duration, now: Instant) -> Verdict {
        let news = matches!(self.told, Told::Nothing | Told::Back(_)).then(|| News::Gone(fault));
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

    /// Zeros from a microphone that was never still: it was switched off, or the sound system has moved
    /// the stream away from it. Opened afresh at once, in case that it is elsewhere.
    fn go_dead(&mut self, fault: DeviceFault, now: Instant) -> Verdict {
        let verdict = self.lose(fault, now);
        if self.told == Told::Gone {
            self.told = Told::Silent;
        }
        verdict
    }

    /// The device is missing so far, and goes on being waited for.
    fn miss(&mut self, fault: DeviceFault) -> Verdict {
        let fresh = matches!(self.told, Told::Nothing | Told::Back(_));
        if fresh {
            self.told = Told::Gone;
        }
        Verdict { act: None, news: fresh.then_some(News::Gone(fault)) }
    }

    fn lose(&mut self, fault: DeviceFault, now: Instant) -> Verdict {
        self.phase = Phase::Resting { until: now + self.rest };
        self.rest = (self.rest * 2).min(self.limits.rest_max);
        let stuck = fault == DeviceFault::Stuck;
        let fresh = match self.told {
            Told::Nothing | Told::Back(_) => true,
            // That a new process is needed must be known even to those who know that it is gone.
            Told::Gone | Told::Silent => stuck,
            Told::Stuck => false,
        };
        self.told = match self.told {
            Told::Stuck => Told::Stuck,
            _ if stuck => Told::Stuck,
            Told::Silent => Told::Silent,
            Told::Nothing | Told::Back(_) | Told::Gone => Told::Gone,
        };
        let news = fresh.then_some(News::Gone(fault));
        Verdict { act: Some(Act::Close), news }
    }
}

impl Session {
    /// Whether more than `limit` errors came within a second.
    fn storms(&mut self, errors: u64, limit: u64, now: Instant) -> bool {
        let (before, since) = self.errors;
        if now.duration_since(since) >= Duration::from_secs(1) {
            self.errors = (errors, now);
        }
        errors - before.min(errors) > limit
    }
}

#[cfg(test)]
mod tests;
