//! Keeps the state of one device: opening, alive, missing, retrying. Pure: stepped with the time.
//!
//! In: the result of opening, and the counts of the callback. Out: open or close a stream, and events for the
//! device's user. Devices die without an error, so the callback's counter decides. Slow operations are
//! reported early and given up late: a slow start must not fail.
//!
//! | from | when | to | event |
//! |---|---|---|---|
//! | resting | the back-off has elapsed | opening | |
//! | opening | opened | open | |
//! | opening | refused | resting | gone, if not reported |
//! | opening | no answer for 1.8 s | opening | gone, if not reported |
//! | opening | no answer for 10 s | resting | |
//! | opening | refused: stuck | resting | gone, reported once more |
//! | open | first callback | open | back |
//! | open | no first callback for 1.8 s, or none since the first half second | open | gone, if not reported |
//! | open | the same for 5 s | resting | |
//! | open | error, more than a hundred errors in a second, or no further callback for 1 s | resting | gone, if not reported |
//! | open | only zeros for 1.5 s after seconds with a noise floor | resting | gone, if not reported |
//! | open | only zeros for the limit | open | gone, if not reported |
//! | open | only zeros again and again | resting | |
//! | open | sound after zeros | open | back |
//! | open | it is not listed any more | resting | gone, if not reported |
//! | open | a preferred device has appeared | opening | back, when it delivers |

use std::time::{Duration, Instant};

use super::DeviceFault;

mod interface;

pub(super) use interface::{
    CallbackCounts, DeviceEvent, LivenessLimits, Observation, Reaction, StreamAction,
};

/// The state machine.
#[derive(Debug)]
pub(super) struct Liveness {
    limits: LivenessLimits,
    phase: LivenessPhase,
    rest: Duration,
    reported: Reported,
    /// Rank of the device that was opened last in the order of preference.
    rank: usize,
    /// Pause between two checks of the system's devices.
    look: Duration,
}

#[derive(Debug)]
enum LivenessPhase {
    Resting { until: Instant },
    Opening { since: Instant },
    Open(OpenStream),
}

#[derive(Debug)]
struct OpenStream {
    device: String,
    since: Instant,
    callbacks: u64,
    moved: Instant,
    looked: Instant,
    /// Number of reports about the devices at the last look; the first one says that there will be reports.
    changes: u64,
    /// Error count at the start of the present second, and when that was.
    errors: (u64, Instant),
}

/// The last report to the user of the device.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Reported {
    Nothing,
    /// This device delivers.
    Back(String),
    Gone,
    /// Gone because of zeros: only non-zero sound counts as recovery.
    Silent,
    /// Gone for good: only a restart of the process helps.
    Stuck,
}

impl Liveness {
    /// Creates a device that is to be opened at once.
    pub(super) fn new(limits: LivenessLimits, now: Instant) -> Self {
        let (rest, look) = (limits.rest, limits.look);
        Self {
            limits,
            phase: LivenessPhase::Resting { until: now },
            rest,
            reported: Reported::Nothing,
            rank: 0,
            look,
        }
    }

    /// Returns the reaction to an observation.
    pub(super) fn step(&mut self, seen: Observation, now: Instant) -> Reaction {
        match (&mut self.phase, seen) {
            (LivenessPhase::Resting { until }, _) if now >= *until => {
                self.phase = LivenessPhase::Opening { since: now };
                Reaction { act: Some(StreamAction::Open), event: None }
            }
            (LivenessPhase::Resting { .. }, _) => Reaction::default(),
            (LivenessPhase::Opening { .. }, Observation::Opened { device, rank }) => {
                self.opened(device, rank, now)
            }
            (LivenessPhase::Opening { .. }, Observation::Failed(fault)) => self.lose(fault, now),
            (LivenessPhase::Opening { since }, _) => match now.duration_since(*since) {
                long if long >= self.limits.opening => self.lose(DeviceFault::Hung, now),
                long if long >= self.limits.report_after => self.report_missing(DeviceFault::Hung),
                _ => Reaction::default(),
            },
            (LivenessPhase::Open(_), Observation::Counts(counts)) => self.judge(counts, now),
            (LivenessPhase::Open(_), Observation::Better) => {
                self.phase = LivenessPhase::Opening { since: now };
                Reaction { act: Some(StreamAction::Reopen), event: None }
            }
            (LivenessPhase::Open(session), Observation::Missing) => {
                let device = session.device.clone();
                self.lose(DeviceFault::Lost { device }, now)
            }
            (LivenessPhase::Open(_), _) => Reaction::default(),
        }
    }

    fn opened(&mut self, device: String, rank: usize, now: Instant) -> Reaction {
        // A preferred device that is listed but can't be opened must not be tried for ever.
        let was_in_vain = rank > 0 && rank >= self.rank && matches!(self.reported, Reported::Back(_));
        let longer = (self.look * 2).min(self.limits.look_max);
        self.look = if was_in_vain { longer } else { self.limits.look };
        self.rank = rank;
        let errors = (0, now);
        let session =
            OpenStream { device, since: now, callbacks: 0, moved: now, looked: now, changes: 1, errors };
        self.phase = LivenessPhase::Open(session);
        Reaction::default()
    }

    /// Evaluates the counts of an open stream.
    fn judge(&mut self, counts: CallbackCounts, now: Instant) -> Reaction {
        let LivenessPhase::Open(session) = &mut self.phase else { return Reaction::default() };
        let device = session.device.clone();
        let has_error_burst = session.has_error_burst(counts.errors, self.limits.storm, now);
        if counts.lost || has_error_burst {
            return self.lose(DeviceFault::Lost { device }, now);
        }
        if counts.callbacks != session.callbacks {
            session.callbacks = counts.callbacks;
            session.moved = now;
        }
        let still_for = now.duration_since(session.moved);
        // A sink that wakes seldom asks for its first buffers at once, and then not for a second or two.
        let is_starting = session.moved.duration_since(session.since) < self.limits.starting;
        if is_starting && (session.callbacks == 0 || still_for >= self.limits.report_after) {
            return match still_for {
                long if long >= self.limits.first => self.lose(DeviceFault::Stalled { device }, now),
                long if long >= self.limits.report_after => {
                    self.report_missing(DeviceFault::Stalled { device })
                }
                _ => Reaction::default(),
            };
        }
        if !is_starting && still_for >= self.limits.stall {
            return self.lose(DeviceFault::Stalled { device }, now);
        }
        let open_for = now.duration_since(session.since);
        if open_for >= self.limits.settled && matches!(self.reported, Reported::Back(_)) {
            self.rest = self.limits.rest;
        }
        if let Some(limit) = self.limits.silent {
            if counts.restless && counts.zeros >= self.limits.dead.min(limit) {
                return self.declare_dead(DeviceFault::Silent { device }, now);
            }
            if counts.zeros >= limit {
                return self.silent(DeviceFault::Silent { device }, open_for, now);
            }
        }
        self.deliver(device, counts, now)
    }

    /// The stream delivers.
    fn deliver(&mut self, device: String, counts: CallbackCounts, now: Instant) -> Reaction {
        // After a report of silence even a new stream has to deliver non-zero sound first.
        let proven = counts.zeros.is_zero() || !matches!(self.reported, Reported::Silent);
        if self.reported == Reported::Back(device.clone()) || !proven {
            return self.look_around(counts.changes, now);
        }
        self.reported = Reported::Back(device.clone());
        Reaction { act: None, event: Some(DeviceEvent::Back(device)) }
    }

    /// Checks now and then, and at every report, whether the device is still listed, or a preferred one has appeared.
    fn look_around(&mut self, changes: u64, now: Instant) -> Reaction {
        let LivenessPhase::Open(session) = &mut self.phase else { return Reaction::default() };
        let pause = match self.rank {
            0 if changes > 0 => self.limits.look_told,
            0 => self.look,
            // Switching to another device means opening it; checking the same one only reads a list.
            _ => self.look * 3,
        };
        if changes <= session.changes && now.duration_since(session.looked) < pause {
            return Reaction::default();
        }
        (session.looked, session.changes) = (now, changes.max(1));
        Reaction { act: Some(StreamAction::Survey), event: None }
    }

    /// Only zeros: keep listening, since a muted microphone may be unmuted; but the sound system may also
    /// have moved a dead device's stream elsewhere, so it is reopened now and then.
    fn silent(&mut self, fault: DeviceFault, open_for: Duration, now: Instant) -> Reaction {
        let event =
            matches!(self.reported, Reported::Nothing | Reported::Back(_)).then(|| DeviceEvent::Gone(fault));
        if event.is_some() || self.reported == Reported::Gone {
            self.reported = Reported::Silent;
        }
        let patience = self.limits.silent.unwrap_or_default() + self.limits.rest_max;
        if open_for < patience || event.is_some() {
            return Reaction { act: None, event };
        }
        self.phase = LivenessPhase::Resting { until: now };
        Reaction { act: Some(StreamAction::Close), event }
    }

    /// Zeros from a microphone that had a noise floor: it was switched off, or the sound system has moved the
    /// stream away from it. Reopened at once, in case of the latter.
    fn declare_dead(&mut self, fault: DeviceFault, now: Instant) -> Reaction {
        let verdict = self.lose(fault, now);
        if self.reported == Reported::Gone {
            self.reported = Reported::Silent;
        }
        verdict
    }

    /// The device is missing for now; the stream stays open.
    fn report_missing(&mut self, fault: DeviceFault) -> Reaction {
        let fresh = matches!(self.reported, Reported::Nothing | Reported::Back(_));
        if fresh {
            self.reported = Reported::Gone;
        }
        Reaction { act: None, event: fresh.then_some(DeviceEvent::Gone(fault)) }
    }

    fn lose(&mut self, fault: DeviceFault, now: Instant) -> Reaction {
        self.phase = LivenessPhase::Resting { until: now + self.rest };
        self.rest = (self.rest * 2).min(self.limits.rest_max);
        let stuck = fault == DeviceFault::Stuck;
        let fresh = match self.reported {
            Reported::Nothing | Reported::Back(_) => true,
            // That a restart is needed must be reported even if the device is already known to be gone.
            Reported::Gone | Reported::Silent => stuck,
            Reported::Stuck => false,
        };
        self.reported = match self.reported {
            Reported::Stuck => Reported::Stuck,
            _ if stuck => Reported::Stuck,
            Reported::Silent => Reported::Silent,
            Reported::Nothing | Reported::Back(_) | Reported::Gone => Reported::Gone,
        };
        let event = fresh.then_some(DeviceEvent::Gone(fault));
        Reaction { act: Some(StreamAction::Close), event }
    }
}

impl OpenStream {
    /// Returns whether more than `limit` errors came within a second.
    fn has_error_burst(&mut self, errors: u64, limit: u64, now: Instant) -> bool {
        let (before, since) = self.errors;
        if now.duration_since(since) >= Duration::from_secs(1) {
            self.errors = (errors, now);
        }
        errors - before.min(errors) > limit
    }
}

#[cfg(test)]
mod tests;
