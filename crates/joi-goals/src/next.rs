//! Which agent runs next, and why: what the owner said comes first, then what tasks have brought, then tasks, then looks by
//! itself, then the items of the day.
//!
//! Pure: no I/O, no clock.

use jiff::{Timestamp, Zoned};
use joi_schedule::announce::QuietHours;
use joi_store::{RunRow, WorkRow};

use crate::kind::{self, AgentType};
use crate::modes::{self, RunMode};
use crate::status::WorkStatus;

/// The next run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextRun {
    /// Whose.
    pub work: i64,
    /// Why.
    pub mode: RunMode,
}

/// What the decision depends on beside the rows.
#[derive(Debug, Clone, Copy)]
pub struct NextFacts<'a> {
    /// All types.
    pub types: &'a [&'static AgentType],
    /// The runs of the last two days.
    pub runs: &'a [RunRow],
    /// When agents work by themselves.
    pub hours: &'a QuietHours,
    /// Whether the items of the day are collected.
    pub has_feed: bool,
}

/// Returns what is to run now.
pub fn next(rows: &[WorkRow], facts: NextFacts<'_>, now: &Zoned) -> Option<NextRun> {
    let free: Vec<(&WorkRow, &AgentType, WorkStatus)> = rows
        .iter()
        .filter(|row| row.run.is_none() && row.retry.is_none_or(|retry| retry <= now.timestamp()))
        .filter_map(|row| Some((row, kind::called(facts.types, &row.kind)?, WorkStatus::called(&row.status))))
        .filter(|(_, _, status)| !status.is_over())
        .collect();
    let of = |mode: RunMode, wanted: &dyn Fn(&(&WorkRow, &AgentType, WorkStatus)) -> bool| {
        let found = free.iter().filter(|one| wanted(one)).min_by_key(|(row, ..)| row.active);
        found.map(|(row, ..)| NextRun { work: row.id, mode })
    };
    let is_active = facts.hours.until(now).is_some();
    of(RunMode::Chat, &|(row, kind, _)| kind.is_conversational() && row.unread > 0)
        .or_else(|| {
            of(RunMode::Chat, &|(row, kind, _)| is_active && kind.is_conversational() && row.is_woken)
        })
        .or_else(|| {
            of(RunMode::Child, &|(_, kind, status)| {
                is_active && kind.reports_to_parent() && status.is_at_work()
            })
        })
        .or_else(|| {
            of(RunMode::CheckIn, &|(row, _, _)| {
                modes::is_check_in_due(row.id, facts.runs, row.checks_per_day, facts.hours, now)
            })
        })
        .or_else(|| {
            // Without a goal there is nothing of which the day could bring news.
            let has_goal = free.iter().any(|(row, ..)| row.checks_per_day > 0);
            let is_due = facts.has_feed && has_goal && modes::is_feed_due(facts.runs, facts.hours, now);
            of(RunMode::Feed, &|(_, kind, _)| is_due && kind.feeds())
        })
}

/// Returns the first moment at which a retry may change what is next.
pub fn next_retry(rows: &[WorkRow], now: Timestamp) -> Option<Timestamp> {
    rows.iter().filter_map(|row| row.retry).filter(|retry| *retry > now).min()
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use jiff::civil::time;
    use joi_schedule::announce::QuietPeriod;

    use super::*;
    use crate::kind::TYPES;
    use crate::tests::rows::{noon, row};

    fn decided(rows: &[WorkRow], now: &Zoned) -> Option<(i64, RunMode)> {
        let hours = QuietHours::new(vec![QuietPeriod::daily(time(8, 0, 0, 0), time(23, 0, 0, 0))]);
        let facts = NextFacts { types: TYPES, runs: &[], hours: &hours, has_feed: true };
        next(rows, facts, now).map(|next| (next.work, next.mode))
    }

    fn quiet_goal(id: i64) -> WorkRow {
        WorkRow { checks_per_day: 0, ..row(id, "goal", "waiting") }
    }

    #[test]
    fn the_owner_comes_first_then_what_tasks_have_brought_then_tasks_then_looks_then_the_day() {
        let said = WorkRow { unread: 1, ..quiet_goal(1) };
        let woken = WorkRow { is_woken: true, ..quiet_goal(2) };
        let task = WorkRow { checks_per_day: 0, ..row(3, "task", "active") };
        let looks = WorkRow { checks_per_day: 2, ..row(4, "goal", "working") };
        let assistant = WorkRow { checks_per_day: 0, ..row(5, "assistant", "") };
        let mut rows = vec![assistant, looks, task, woken, said];
        let mut found = Vec::new();
        while let Some((work, mode)) = decided(&rows, &noon()) {
            found.push((work, mode));
            let at = rows.iter().position(|row| row.id == work).unwrap();
            rows.remove(at);
        }
        let expected = [(1, RunMode::Chat), (2, RunMode::Chat), (3, RunMode::Child), (4, RunMode::CheckIn)];
        assert_eq!(found, expected, "without a goal nothing is collected");
        let kept = [WorkRow { checks_per_day: 2, ..row(4, "goal", "working") }, row(5, "assistant", "")];
        let talked = |rows: &[WorkRow]| {
            let hours = QuietHours::new(vec![QuietPeriod::daily(time(8, 0, 0, 0), time(23, 0, 0, 0))]);
            let runs = [RunRow {
                work: 4,
                mode: "chat".into(),
                began: noon().timestamp(),
                ending: "finished".into(),
            }];
            let facts = NextFacts { types: TYPES, runs: &runs, hours: &hours, has_feed: true };
            next(rows, facts, &noon()).map(|next| (next.work, next.mode))
        };
        assert_eq!(talked(&kept), Some((5, RunMode::Feed)));
    }

    #[test]
    fn at_night_only_the_owner_is_answered() {
        let night: Zoned = "2026-03-04T02:00+01:00[Europe/Vienna]".parse().unwrap();
        let task = row(3, "task", "active");
        assert_eq!(decided(std::slice::from_ref(&task), &night), None);
        let said = WorkRow { unread: 1, ..quiet_goal(1) };
        assert_eq!(decided(&[task, said], &night), Some((1, RunMode::Chat)));
    }

    #[test]
    fn what_runs_is_over_or_waits_for_its_retry_does_not_run() {
        let said = WorkRow { unread: 1, ..quiet_goal(1) };
        let now = noon();
        for held in [
            WorkRow { run: Some(7), ..said.clone() },
            WorkRow { status: "archived".into(), ..said.clone() },
            WorkRow { kind: "robot".into(), ..said.clone() },
            WorkRow { retry: Some(now.timestamp() + SignedDuration::from_secs(1)), ..said.clone() },
        ] {
            assert_eq!(decided(&[held], &now), None);
        }
        let due = WorkRow { retry: Some(now.timestamp()), ..said };
        assert_eq!(next_retry(std::slice::from_ref(&due), now.timestamp()), None);
        assert!(decided(&[due], &now).is_some());
    }
}
