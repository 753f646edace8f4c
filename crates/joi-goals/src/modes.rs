//! Why an agent runs: somebody spoke to it, it looks by itself, or the items of the day are due.
//!
//! Only the agent that was asked carries a mode; a task has its origin alone. Pure: no I/O, no clock.

use jiff::Zoned;
use joi_schedule::announce::QuietHours;
use joi_store::RunRow;

use crate::limits::CHECK_IN_APART;

/// A mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunMode {
    /// The owner has said something, or a task has brought something.
    Chat,
    /// It looks by itself.
    CheckIn,
    /// The items of the day.
    Feed,
    /// A task of an agent that runs in one of the others.
    Child,
}

impl RunMode {
    /// Returns its name in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::CheckIn => "agent_check_in",
            Self::Feed => "feed_generation",
            Self::Child => "task",
        }
    }
}

/// Returns whether a goal may look by itself now: inside the active hours, not more often than `per_day` on this day, and
/// not soon after its last run.
pub fn is_check_in_due(work: i64, runs: &[RunRow], per_day: u32, hours: &QuietHours, now: &Zoned) -> bool {
    let own = runs.iter().filter(|run| run.work == work && counts(run));
    let today = own.clone().filter(|run| run.mode == RunMode::CheckIn.name() && is_on_day(run, now)).count();
    let is_recent = |run: &RunRow| now.timestamp().duration_since(run.began) < CHECK_IN_APART;
    hours.until(now).is_some() && today < per_day as usize && !own.clone().any(is_recent)
}

/// Returns whether the items of this day are still to be collected.
pub fn is_feed_due(runs: &[RunRow], hours: &QuietHours, now: &Zoned) -> bool {
    let is_done =
        runs.iter().any(|run| run.mode == RunMode::Feed.name() && counts(run) && is_on_day(run, now));
    hours.until(now).is_some() && !is_done
}

/// Returns whether a run is one of those that are limited: what was cut off, or is tried again, is none.
fn counts(run: &RunRow) -> bool {
    !["interrupted", "failed", "lost"].contains(&run.ending.as_str())
}

fn is_on_day(run: &RunRow, now: &Zoned) -> bool {
    run.began.to_zoned(now.time_zone().clone()).date() == now.date()
}

#[cfg(test)]
mod tests {
    use jiff::civil::time;
    use joi_schedule::announce::QuietPeriod;

    use super::*;

    fn at(text: &str) -> Zoned {
        format!("{text}[Europe/Vienna]").parse().unwrap()
    }

    fn hours() -> QuietHours {
        QuietHours::new(vec![QuietPeriod::daily(time(8, 0, 0, 0), time(23, 0, 0, 0))])
    }

    fn run(mode: RunMode, began: &str) -> RunRow {
        RunRow { work: 7, mode: mode.name().into(), began: at(began).timestamp(), ending: "finished".into() }
    }

    #[test]
    fn a_goal_checks_in_twice_a_day_at_most_inside_its_hours_and_not_soon_after_a_run() {
        let due = |runs: &[RunRow], now: &str| is_check_in_due(7, runs, 2, &hours(), &at(now));
        assert!(!due(&[], "2026-03-04T07:59:59+01:00"));
        assert!(due(&[], "2026-03-04T08:00:00+01:00"));
        assert!(due(&[], "2026-03-04T22:59:59+01:00"));
        assert!(!due(&[], "2026-03-04T23:00:00+01:00"));
        let first = [run(RunMode::CheckIn, "2026-03-04T08:00:00+01:00")];
        assert!(!due(&first, "2026-03-04T13:59:59+01:00"));
        assert!(due(&first, "2026-03-04T14:00:00+01:00"));
        let both = [first[0].clone(), run(RunMode::CheckIn, "2026-03-04T14:00:00+01:00")];
        assert!(!due(&both, "2026-03-04T22:00:00+01:00"), "that is all for today");
        assert!(due(&both, "2026-03-05T08:00:00+01:00"));
        let talked = [run(RunMode::Chat, "2026-03-04T09:00:00+01:00")];
        assert!(!due(&talked, "2026-03-04T14:59:59+01:00"));
        assert!(due(&talked, "2026-03-04T15:00:00+01:00"));
        assert!(is_check_in_due(8, &both, 2, &hours(), &at("2026-03-04T15:00:00+01:00")), "another goal");
        let cut = [RunRow { ending: "interrupted".into(), ..first[0].clone() }];
        assert!(due(&cut, "2026-03-04T08:00:05+01:00"), "what was cut off is made up for");
        assert!(!is_check_in_due(7, &[], 0, &hours(), &at("2026-03-04T15:00:00+01:00")), "it is left alone");
    }

    #[test]
    fn items_are_collected_once_a_day() {
        let done = [run(RunMode::Feed, "2026-03-04T08:00:00+01:00")];
        assert!(!is_feed_due(&[], &hours(), &at("2026-03-04T07:59:59+01:00")));
        assert!(is_feed_due(&[], &hours(), &at("2026-03-04T08:00:00+01:00")));
        assert!(!is_feed_due(&done, &hours(), &at("2026-03-04T22:59:00+01:00")));
        assert!(is_feed_due(&done, &hours(), &at("2026-03-05T08:00:00+01:00")));
    }
}
