//! Limits the rate of the log: a device that comes and goes logs at most one line per fault and minute.
//!
//! Pure: no I/O, no clock.

use std::mem::{Discriminant, discriminant};
use std::time::{Duration, Instant};

use super::super::DeviceFault;

/// At most one line per this period.
const PAUSE: Duration = Duration::from_secs(60);

/// The last log line of each fault.
#[derive(Debug, Default)]
pub(super) struct LogLimiter {
    faults: Vec<(Discriminant<DeviceFault>, LogEntry)>,
    /// When a recovery was logged without a fault since.
    back: Option<Instant>,
}

#[derive(Debug)]
struct LogEntry {
    at: Instant,
    suppressed: u32,
}

impl LogLimiter {
    /// Returns whether this fault may be logged now, and how many of its kind were suppressed since the last one.
    pub(super) fn may_log(&mut self, fault: &DeviceFault, now: Instant) -> Option<u32> {
        let kind = discriminant(fault);
        let Some((_, line)) = self.faults.iter_mut().find(|(known, _)| *known == kind) else {
            self.faults.push((kind, LogEntry { at: now, suppressed: 0 }));
            self.back = None;
            return Some(0);
        };
        if now.duration_since(line.at) < PAUSE {
            line.suppressed += 1;
            return None;
        }
        let suppressed = line.suppressed;
        *line = LogEntry { at: now, suppressed: 0 };
        self.back = None;
        Some(suppressed)
    }

    /// Returns whether a recovery may be logged now: once after every logged fault, else once a minute.
    pub(super) fn may_log_recovery(&mut self, now: Instant) -> bool {
        let may = self.back.is_none_or(|at| now.duration_since(at) >= PAUSE);
        if may {
            self.back = Some(now);
        }
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_is_logged_once_a_minute_with_how_often_it_was_not() {
        let (mut log_limiter, start) = (LogLimiter::default(), Instant::now());
        let lost = || DeviceFault::Lost { device: "mic".into() };
        let at = |second| start + Duration::from_secs(second);
        assert_eq!(log_limiter.may_log(&lost(), at(0)), Some(0));
        assert_eq!(log_limiter.may_log(&lost(), at(1)), None);
        assert_eq!(log_limiter.may_log(&DeviceFault::Hung, at(2)), Some(0), "another fault");
        assert_eq!(log_limiter.may_log(&lost(), at(59)), None);
        assert_eq!(log_limiter.may_log(&lost(), at(60)), Some(2));
        assert_eq!(log_limiter.may_log(&lost(), at(61)), None);
    }

    #[test]
    fn a_return_is_logged_after_every_logged_fault_and_else_once_a_minute() {
        let (mut log_limiter, start) = (LogLimiter::default(), Instant::now());
        let at = |second| start + Duration::from_secs(second);
        assert_eq!(
            [0, 30, 60, 90].map(|second| log_limiter.may_log_recovery(at(second))),
            [true, false, true, false]
        );
        assert_eq!(log_limiter.may_log(&DeviceFault::Hung, at(91)), Some(0));
        assert!(log_limiter.may_log_recovery(at(92)));
        assert_eq!(log_limiter.may_log(&DeviceFault::Hung, at(93)), None);
        assert!(!log_limiter.may_log_recovery(at(94)));
    }
}
