//! The states of goals and tasks, and what leads from one to another.
//!
//! Pure: no I/O, no clock.

/// A state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkStatus {
    /// An agent without states.
    None,
    /// A goal that is worked on.
    Working,
    /// A goal that waits for its owner.
    Waiting,
    /// A goal that is over.
    Archived,
    /// A task that is worked on.
    Active,
    /// A task that is done.
    Completed,
    /// A task that waits to be tried again.
    Paused,
    /// A task that is given up.
    Cancelled,
}

impl WorkStatus {
    const ALL: [Self; 8] = [
        Self::None,
        Self::Working,
        Self::Waiting,
        Self::Archived,
        Self::Active,
        Self::Completed,
        Self::Paused,
        Self::Cancelled,
    ];

    /// Returns its name in the database and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Working => "working",
            Self::Waiting => "waiting",
            Self::Archived => "archived",
            Self::Active => "active",
            Self::Completed => "completed",
            Self::Paused => "paused",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns the state of that name; one that nobody knows is over, so that nothing runs in it.
    pub fn called(name: &str) -> Self {
        Self::ALL.into_iter().find(|status| status.name() == name).unwrap_or(Self::Archived)
    }

    /// Returns whether nothing follows by itself.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Archived | Self::Completed | Self::Cancelled)
    }

    /// Returns whether it is worked on.
    pub fn is_at_work(self) -> bool {
        matches!(self, Self::Working | Self::Active)
    }

    /// Returns the state after `event`; the same where the event means nothing to it.
    #[must_use]
    pub fn after(self, event: WorkEvent) -> Self {
        use WorkEvent::{Asked, Cancelled, Done, Ended, Idle, Left, Postponed, Resumed};
        match (self, event) {
            (Self::Working | Self::Waiting, Asked | Resumed) | (Self::Archived, Resumed) => Self::Working,
            (Self::Working, Left | Idle) => Self::Waiting,
            (Self::Working | Self::Waiting, Ended) => Self::Archived,
            (Self::Active, Postponed) => Self::Paused,
            (Self::Paused, Resumed) => Self::Active,
            (Self::Active | Self::Paused, Done) | (Self::Active, Idle) => Self::Completed,
            (Self::Active | Self::Paused, Cancelled | Ended) => Self::Cancelled,
            (unchanged, _) => unchanged,
        }
    }
}

/// What leads from one state to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkEvent {
    /// The owner has said something to it.
    Asked,
    /// It is to go on.
    Resumed,
    /// It is left for now.
    Left,
    /// Nothing has happened for long.
    Idle,
    /// The owner is done with it.
    Ended,
    /// The model failed; it is tried again later.
    Postponed,
    /// It has done what it was for.
    Done,
    /// It is given up.
    Cancelled,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_its_name_and_an_unknown_one_is_over() {
        for status in WorkStatus::ALL {
            assert_eq!(WorkStatus::called(status.name()), status);
        }
        assert!(WorkStatus::called("dancing").is_over());
    }

    #[test]
    fn each_state_goes_where_it_may_and_nowhere_else() {
        use WorkEvent::*;
        use WorkStatus as S;
        let events = [Asked, Resumed, Left, Idle, Ended, Postponed, Done, Cancelled];
        let rows = [
            (S::None, [S::None; 8]),
            (
                S::Working,
                [
                    S::Working,
                    S::Working,
                    S::Waiting,
                    S::Waiting,
                    S::Archived,
                    S::Working,
                    S::Working,
                    S::Working,
                ],
            ),
            (
                S::Waiting,
                [
                    S::Working,
                    S::Working,
                    S::Waiting,
                    S::Waiting,
                    S::Archived,
                    S::Waiting,
                    S::Waiting,
                    S::Waiting,
                ],
            ),
            (
                S::Archived,
                [
                    S::Archived,
                    S::Working,
                    S::Archived,
                    S::Archived,
                    S::Archived,
                    S::Archived,
                    S::Archived,
                    S::Archived,
                ],
            ),
            (
                S::Active,
                [
                    S::Active,
                    S::Active,
                    S::Active,
                    S::Completed,
                    S::Cancelled,
                    S::Paused,
                    S::Completed,
                    S::Cancelled,
                ],
            ),
            (S::Completed, [S::Completed; 8]),
            (
                S::Paused,
                [
                    S::Paused,
                    S::Active,
                    S::Paused,
                    S::Paused,
                    S::Cancelled,
                    S::Paused,
                    S::Completed,
                    S::Cancelled,
                ],
            ),
            (S::Cancelled, [S::Cancelled; 8]),
        ];
        for (status, expected) in rows {
            assert_eq!(events.map(|event| status.after(event)), expected, "{status:?}");
        }
    }
}
