//! What the health monitor finds: locks that are stuck, agents in which nothing happens, what is paused or over for long.
//!
//! A function of the rows and the time, looked at every five minutes. Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp};
use joi_store::WorkRow;

use crate::limits::{
    GOAL_IDLE, GOAL_IDLE_DEVELOPMENT, LOCK_STUCK, OVER_KEPT, PAUSE_EXPIRES, TASK_IDLE, TASK_IDLE_DEVELOPMENT,
};
use crate::status::{WorkEvent, WorkStatus};

/// Times after which the monitor acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HealthLimits {
    /// Without anything happening in a task.
    pub task_idle: SignedDuration,
    /// The same of a goal.
    pub goal_idle: SignedDuration,
}

impl Default for HealthLimits {
    fn default() -> Self {
        Self { task_idle: TASK_IDLE, goal_idle: GOAL_IDLE }
    }
}

impl HealthLimits {
    /// Returns the shorter times of somebody who develops.
    pub fn development() -> Self {
        Self { task_idle: TASK_IDLE_DEVELOPMENT, goal_idle: GOAL_IDLE_DEVELOPMENT }
    }
}

/// A deed of the health monitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthDeed {
    /// The run is cancelled and its lock released; the state afterwards.
    Release {
        /// Whose.
        work: i64,
        /// The run.
        run: i64,
        /// The state.
        to: WorkStatus,
    },
    /// Another state.
    Become {
        /// Whose.
        work: i64,
        /// The state.
        to: WorkStatus,
    },
    /// It is removed.
    Remove(i64),
}

/// Returns what is to be done now.
pub fn look(rows: &[WorkRow], limits: HealthLimits, now: Timestamp) -> Vec<HealthDeed> {
    rows.iter().filter_map(|row| of(row, limits, now)).collect()
}

fn of(row: &WorkRow, limits: HealthLimits, now: Timestamp) -> Option<HealthDeed> {
    let status = WorkStatus::called(&row.status);
    // A clock that was set back ends nothing.
    let since = |at: Timestamp| now.duration_since(at);
    let become_after = |event| HealthDeed::Become { work: row.id, to: status.after(event) };
    if let (Some(locked), Some(run)) = (row.locked, row.run) {
        let is_stuck = since(locked) > LOCK_STUCK;
        // A task that is stuck is over; a goal goes on with its next run.
        let to = if status == WorkStatus::Active { WorkStatus::Completed } else { status };
        return is_stuck.then_some(HealthDeed::Release { work: row.id, run, to });
    }
    match status {
        WorkStatus::Active => (since(row.active) >= limits.task_idle).then(|| become_after(WorkEvent::Idle)),
        WorkStatus::Working => (since(row.active) >= limits.goal_idle).then(|| become_after(WorkEvent::Idle)),
        WorkStatus::Paused if since(row.status_since) >= PAUSE_EXPIRES => {
            Some(become_after(WorkEvent::Cancelled))
        }
        WorkStatus::Paused => {
            row.retry.is_some_and(|retry| retry <= now).then(|| become_after(WorkEvent::Resumed))
        }
        WorkStatus::Completed | WorkStatus::Cancelled => {
            (since(row.status_since) >= OVER_KEPT).then_some(HealthDeed::Remove(row.id))
        }
        WorkStatus::None | WorkStatus::Waiting | WorkStatus::Archived => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rows::row;

    const MINUTE: SignedDuration = SignedDuration::from_mins(1);

    /// The deed `after` the moment of the row.
    fn found(row: &WorkRow, limits: HealthLimits, after: SignedDuration) -> Option<HealthDeed> {
        look(std::slice::from_ref(row), limits, row.active + after).pop()
    }

    #[test]
    fn each_limit_acts_at_its_boundary_and_not_a_minute_before() {
        let (usual, development) = (HealthLimits::default(), HealthLimits::development());
        let become_ = |to| Some(HealthDeed::Become { work: 1, to });
        let rows = [
            ("active", usual, SignedDuration::from_hours(2), become_(WorkStatus::Completed)),
            ("active", development, SignedDuration::from_hours(1), become_(WorkStatus::Completed)),
            ("working", usual, SignedDuration::from_hours(6), become_(WorkStatus::Waiting)),
            ("working", development, SignedDuration::from_hours(3), become_(WorkStatus::Waiting)),
            ("paused", usual, SignedDuration::from_hours(24), become_(WorkStatus::Cancelled)),
            ("completed", usual, SignedDuration::from_hours(15 * 24), Some(HealthDeed::Remove(1))),
            ("cancelled", usual, SignedDuration::from_hours(15 * 24), Some(HealthDeed::Remove(1))),
        ];
        for (status, limits, limit, expected) in rows {
            let row = row(1, "any", status);
            assert_eq!(found(&row, limits, limit - MINUTE), None, "{status} a minute before");
            assert_eq!(found(&row, limits, limit), expected, "{status} at its limit");
            assert_eq!(found(&row, limits, limit + MINUTE), expected, "{status} a minute after");
        }
        for status in ["", "waiting", "archived"] {
            assert_eq!(found(&row(1, "any", status), usual, SignedDuration::from_hours(10_000)), None);
        }
    }

    #[test]
    fn a_lock_is_released_after_half_an_hour_and_a_stuck_task_is_over() {
        for (status, to) in [("active", WorkStatus::Completed), ("working", WorkStatus::Working)] {
            let locked = row(1, "any", status);
            let locked = WorkRow { locked: Some(locked.active), run: Some(9), ..locked };
            let at = |minutes| found(&locked, HealthLimits::default(), SignedDuration::from_mins(minutes));
            assert_eq!((at(29), at(30)), (None, None));
            assert_eq!(at(31), Some(HealthDeed::Release { work: 1, run: 9, to }));
        }
    }

    #[test]
    fn a_paused_task_goes_on_when_its_retry_is_due() {
        let paused = row(1, "task", "paused");
        let paused = WorkRow { retry: Some(paused.active + MINUTE * 5), ..paused };
        let at = |minutes| found(&paused, HealthLimits::default(), SignedDuration::from_mins(minutes));
        assert_eq!(at(4), None);
        assert_eq!(at(5), Some(HealthDeed::Become { work: 1, to: WorkStatus::Active }));
    }
}
