//! PURE. Keeps a device that comes and goes from filling the log: one line per fault and minute.

use std::mem::{Discriminant, discriminant};
use std::time::{Duration, Instant};

use super::super::DeviceFault;

/// At most one line in so long.
const PAUSE: Duration = Duration::from_secs(60);

/// What was logged when.
#[derive(Debug, Default)]
pub(super) struct Hush {
    faults: Vec<(Discriminant<DeviceFault>, Line)>,
    /// When a return was logged and no fault since.
    back: Option<Instant>,
}

#[derive(Debug)]
struct Line {
    at: Instant,
    unsaid: u32,
}

impl Hush {
    /// Whether this fault may be logged now, and how many of its kind were not since it last was.
    pub(super) fn may_say(&mut self, fault: &DeviceFault, now: Instant) -> Option<u32> {
        let kind = discriminant(fault);
        let Some((_, line)) = self.faults.iter_mut().find(|(known, _)| *known == kind) else {
            self.faults.push((kind, Line { at: now, unsaid: 0 }));
            self.back = None;
            return Some(0);
        };
        if now.duration_since(line.at) < PAUSE {
            line.unsaid += 1;
            return None;
        }
        let unsaid = line.unsaid;
        *line = Line { at: now, unsaid: 0 };
        self.back = None;
        Some(unsaid)
    }

    /// Whether a return may be logged now: once for every fault that was, else once a minute.
    pub(super) fn may_say_back(&mut self, now: Instant) -> bool {
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
        let (mut hush, start) = (Hush::default(), Instant::now());
        let lost = || DeviceFault::Lost { device: "mic".into() };
        let at = |second| start + Duration::from_secs(second);
        assert_eq!(hush.may_say(&lost(), at(0)), Some(0));
        assert_eq!(hush.may_say(&lost(), at(1)), None);
        assert_eq!(hush.may_say(&DeviceFault::Hung, at(2)), Some(0), "another fault");
        assert_eq!(hush.may_say(&lost(), at(59)), None);
        assert_eq!(hush.may_say(&lost(), at(60)), Some(2));
        assert_eq!(hush.may_say(&lost(), at(61)), None);
    }

    #[test]
    fn a_return_is_logged_after_every_logged_fault_and_else_once_a_minute() {
        let (mut hush, start) = (Hush::default(), Instant::now());
        let at = |second| start + Duration::from_secs(second);
        assert_eq!([0, 30, 60, 90].map(|second| hush.may_say_back(at(second))), [true, false, true, false]);
        assert_eq!(hush.may_say(&DeviceFault::Hung, at(91)), Some(0));
        assert!(hush.may_say_back(at(92)));
        assert_eq!(hush.may_say(&DeviceFault::Hung, at(93)), None);
        assert!(!hush.may_say_back(at(94)));
    }
}
