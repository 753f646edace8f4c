//! Decides what the daemon does about one service: when it is restarted, when it is given up, when it is left
//! behind at the end.
//!
//! In: what happened to the service, and the time. Out: the one thing to be done about it. It starts and
//! ends nothing itself. Pure: no I/O, no clock.
//!
//! ```text
//!            failed            wait over
//! Running ──────────► Restarting ──────► Running          failed too often, or the rule forbids: GivenUp,
//!    │                  │                                 and the daemon ends where the rule says so
//!    │ stop               │ stop
//!    ▼                    ▼
//! Ending ──ended──────► Ended                             not ended in time: LeftBehind
//! ```

use std::time::Duration;

use tokio::time::Instant;

use crate::control::ServiceState;
use joi_base::restart::{Restart, RestartPolicy, Restarts};

/// The rule for a service that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestartRule {
    /// The others live on without it.
    Never,
    /// It is started again after a wait, until it has failed too often in a row.
    OnFailure(RestartPolicy),
    /// The same; and when it has failed too often in a row, the whole daemon ends.
    OnFailureThenEnd(RestartPolicy),
    /// The whole daemon ends.
    EndDaemon,
}

impl RestartRule {
    /// Returns whether a failure is followed by another start.
    pub(super) fn restarts(&self) -> bool {
        matches!(self, Self::OnFailure(_) | Self::OnFailureThenEnd(_))
    }
}

/// The state of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SupervisionState {
    /// It runs.
    Running {
        /// Since when.
        since: Instant,
    },
    /// It has failed, and waits.
    Restarting {
        /// When it is started again.
        at: Instant,
    },
    /// It has failed, and is not started again.
    GivenUp,
    /// It was asked to end.
    Ending {
        /// When it is left behind.
        until: Instant,
    },
    /// It has ended when it was asked to.
    Ended,
    /// It did not end in time.
    LeftBehind,
}

/// An event of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// Its task is over: it returned or panicked.
    Exited,
    /// Its heart has not beaten within its limit.
    Stuck,
    /// The daemon ends it.
    Stop,
    /// Time has passed.
    Tick,
}

/// The action that follows from an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SupervisionAction {
    /// Nothing.
    Nothing,
    /// Start it.
    Start,
    /// Ask it to end.
    Cancel,
    /// Drop its task wherever that stands.
    Abort,
    /// Drop its task if it has one, and end all services.
    EndDaemon,
}

/// One service as the daemon sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Supervision {
    /// Its state.
    pub(super) state: SupervisionState,
    /// Number of further starts.
    pub(super) restarted: u32,
    rule: RestartCount,
    end_within: Duration,
}

/// A [`RestartRule`] with what it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RestartCount {
    Never,
    OnFailure(Restarts),
    OnFailureThenEnd(Restarts),
    EndDaemon,
}

impl Supervision {
    /// Of a service that is started `now`.
    pub(super) fn new(rule: RestartRule, end_within: Duration, now: Instant) -> Self {
        let rule = match rule {
            RestartRule::Never => RestartCount::Never,
            RestartRule::OnFailure(policy) => RestartCount::OnFailure(Restarts::new(policy)),
            RestartRule::OnFailureThenEnd(policy) => RestartCount::OnFailureThenEnd(Restarts::new(policy)),
            RestartRule::EndDaemon => RestartCount::EndDaemon,
        };
        Self { state: SupervisionState::Running { since: now }, restarted: 0, rule, end_within }
    }

    /// Takes in what happened and says what is to be done.
    pub(super) fn on(&mut self, event: Event, now: Instant) -> SupervisionAction {
        match (self.state, event) {
            (SupervisionState::Running { since }, Event::Exited) => self.fail(now - since, now),
            (SupervisionState::Running { since }, Event::Stuck) => self.fail_stuck(now - since, now),
            (SupervisionState::Running { .. }, Event::Stop) => {
                self.state = SupervisionState::Ending { until: now + self.end_within };
                SupervisionAction::Cancel
            }
            (SupervisionState::Restarting { at }, Event::Tick) if now >= at => {
                self.state = SupervisionState::Running { since: now };
                self.restarted += 1;
                SupervisionAction::Start
            }
            (SupervisionState::Restarting { .. }, Event::Stop)
            | (SupervisionState::Ending { .. }, Event::Exited) => {
                self.state = SupervisionState::Ended;
                SupervisionAction::Nothing
            }
            (SupervisionState::Ending { until }, Event::Tick) if now >= until => {
                self.state = SupervisionState::LeftBehind;
                SupervisionAction::Abort
            }
            (SupervisionState::Running { .. }, Event::Tick)
            | (SupervisionState::Restarting { .. }, Event::Tick | Event::Exited | Event::Stuck)
            | (SupervisionState::Ending { .. }, Event::Tick | Event::Stuck | Event::Stop)
            | (SupervisionState::GivenUp | SupervisionState::Ended | SupervisionState::LeftBehind, _) => {
                SupervisionAction::Nothing
            }
        }
    }

    /// Returns when [`Event::Tick`] would change something.
    pub(super) fn due(&self) -> Option<Instant> {
        match self.state {
            SupervisionState::Restarting { at: due } | SupervisionState::Ending { until: due } => Some(due),
            SupervisionState::Running { .. }
            | SupervisionState::GivenUp
            | SupervisionState::Ended
            | SupervisionState::LeftBehind => None,
        }
    }

    /// Returns the state for people.
    pub(super) fn shown(&self) -> ServiceState {
        match self.state {
            SupervisionState::Running { .. } => ServiceState::Running,
            SupervisionState::Restarting { .. } => ServiceState::Restarting,
            SupervisionState::GivenUp => ServiceState::GivenUp,
            SupervisionState::Ending { .. } => ServiceState::Ending,
            SupervisionState::Ended => ServiceState::Ended,
            SupervisionState::LeftBehind => ServiceState::LeftBehind,
        }
    }

    fn fail(&mut self, ran: Duration, now: Instant) -> SupervisionAction {
        self.state = match &mut self.rule {
            RestartCount::Never | RestartCount::EndDaemon => SupervisionState::GivenUp,
            RestartCount::OnFailure(restarts) | RestartCount::OnFailureThenEnd(restarts) => {
                match restarts.failed(ran) {
                    Restart::After(wait) => SupervisionState::Restarting { at: now + wait },
                    Restart::GiveUp => SupervisionState::GivenUp,
                }
            }
        };
        match (&self.rule, self.state) {
            (RestartCount::EndDaemon | RestartCount::OnFailureThenEnd(_), SupervisionState::GivenUp) => {
                SupervisionAction::EndDaemon
            }
            _ => SupervisionAction::Nothing,
        }
    }

    /// Handles a stuck service. One that may not be restarted is left as it is: systemd's watchdog restarts the program.
    fn fail_stuck(&mut self, ran: Duration, now: Instant) -> SupervisionAction {
        match self.rule {
            RestartCount::Never | RestartCount::EndDaemon => SupervisionAction::Nothing,
            RestartCount::OnFailure(_) | RestartCount::OnFailureThenEnd(_) => match self.fail(ran, now) {
                SupervisionAction::EndDaemon => SupervisionAction::EndDaemon,
                _ => SupervisionAction::Abort,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: RestartPolicy = RestartPolicy {
        first_wait: Duration::from_secs(1),
        longest_wait: Duration::from_secs(2),
        sound_after: Duration::from_secs(60),
        give_up_after: 4,
    };
    const END_WITHIN: Duration = Duration::from_secs(5);

    /// What happens at which second, what is done about it, and the state after it.
    type Row = (u64, Event, SupervisionAction, SupervisionState);

    fn check(rule: RestartRule, at: impl Fn(u64) -> Instant, table: &[Row]) {
        let mut service = Supervision::new(rule, END_WITHIN, at(0));
        for (row, (seconds, event, action, state)) in table.iter().enumerate() {
            let done = service.on(*event, at(*seconds));
            assert_eq!((done, service.state), (*action, *state), "row {row}");
        }
    }

    fn clock() -> impl Fn(u64) -> Instant + Copy {
        let start = Instant::now();
        move |seconds| start + Duration::from_secs(seconds)
    }

    #[test]
    fn a_service_that_fails_waits_longer_and_longer_and_is_given_up() {
        use SupervisionAction::{Nothing, Start};
        use SupervisionState::{GivenUp, Restarting, Running};
        let at = clock();
        let table = [
            (0, Event::Exited, Nothing, Restarting { at: at(1) }),
            (0, Event::Tick, Nothing, Restarting { at: at(1) }),
            (0, Event::Exited, Nothing, Restarting { at: at(1) }),
            (1, Event::Tick, Start, Running { since: at(1) }),
            (9, Event::Exited, Nothing, Restarting { at: at(11) }),
            (11, Event::Tick, Start, Running { since: at(11) }),
            // The ceiling.
            (19, Event::Exited, Nothing, Restarting { at: at(21) }),
            (25, Event::Tick, Start, Running { since: at(25) }),
            (26, Event::Exited, Nothing, GivenUp),
            (99, Event::Tick, Nothing, GivenUp),
            (99, Event::Stop, Nothing, GivenUp),
        ];
        check(RestartRule::OnFailure(POLICY), at, &table);
    }

    #[test]
    fn one_that_the_program_is_not_to_go_on_without_ends_it_where_another_one_is_given_up() {
        use SupervisionAction::{Abort, EndDaemon, Nothing, Start};
        use SupervisionState::{GivenUp, Restarting, Running};
        let at = clock();
        let twice = RestartPolicy { give_up_after: 2, ..POLICY };
        for (event, then) in [(Event::Exited, Nothing), (Event::Stuck, Abort)] {
            let begun = [
                (0, event, then, Restarting { at: at(1) }),
                (1, Event::Tick, Start, Running { since: at(1) }),
            ];
            let over = |action| [(2, event, action, GivenUp), (99, Event::Stop, Nothing, GivenUp)];
            check(RestartRule::OnFailureThenEnd(twice), at, &[begun, over(EndDaemon)].concat());
            check(RestartRule::OnFailure(twice), at, &[begun, over(then)].concat());
        }
    }

    #[test]
    fn a_service_that_ran_for_long_fails_for_the_first_time() {
        use SupervisionAction::{Nothing, Start};
        use SupervisionState::{Restarting, Running};
        let at = clock();
        let table = [
            (0, Event::Exited, Nothing, Restarting { at: at(1) }),
            (1, Event::Tick, Start, Running { since: at(1) }),
            (61, Event::Exited, Nothing, Restarting { at: at(62) }),
        ];
        check(RestartRule::OnFailure(POLICY), at, &table);
    }

    #[test]
    fn a_service_that_is_stuck_is_dropped_and_restarted_if_it_may_be() {
        let at = clock();
        let table = [(3, Event::Stuck, SupervisionAction::Abort, SupervisionState::Restarting { at: at(4) })];
        check(RestartRule::OnFailure(POLICY), at, &table);
        let runs = SupervisionState::Running { since: at(0) };
        for rule in [RestartRule::Never, RestartRule::EndDaemon] {
            check(rule, at, &[(3, Event::Stuck, SupervisionAction::Nothing, runs)]);
        }
    }

    #[test]
    fn a_service_that_is_never_restarted_ends_alone_and_an_essential_one_ends_the_daemon() {
        let at = clock();
        check(
            RestartRule::Never,
            at,
            &[(3, Event::Exited, SupervisionAction::Nothing, SupervisionState::GivenUp)],
        );
        check(
            RestartRule::EndDaemon,
            at,
            &[(3, Event::Exited, SupervisionAction::EndDaemon, SupervisionState::GivenUp)],
        );
    }

    #[test]
    fn a_service_is_asked_to_end_and_left_behind_at_its_limit() {
        use SupervisionAction::{Abort, Cancel, Nothing};
        use SupervisionState::{Ended, Ending, LeftBehind};
        let at = clock();
        let ending = Ending { until: at(15) };
        for rule in [RestartRule::Never, RestartRule::OnFailure(POLICY), RestartRule::EndDaemon] {
            let in_time = [
                (10, Event::Stop, Cancel, ending),
                (11, Event::Stuck, Nothing, ending),
                (14, Event::Tick, Nothing, ending),
                (14, Event::Exited, Nothing, Ended),
                (20, Event::Tick, Nothing, Ended),
            ];
            check(rule, at, &in_time);
            let late = [
                (10, Event::Stop, Cancel, ending),
                (15, Event::Tick, Abort, LeftBehind),
                (16, Event::Exited, Nothing, LeftBehind),
            ];
            check(rule, at, &late);
        }
    }

    #[test]
    fn a_service_that_waits_for_its_restart_has_ended_when_the_daemon_ends() {
        let at = clock();
        let table = [
            (0, Event::Exited, SupervisionAction::Nothing, SupervisionState::Restarting { at: at(1) }),
            (0, Event::Stop, SupervisionAction::Nothing, SupervisionState::Ended),
            (1, Event::Tick, SupervisionAction::Nothing, SupervisionState::Ended),
        ];
        check(RestartRule::OnFailure(POLICY), at, &table);
    }
}
