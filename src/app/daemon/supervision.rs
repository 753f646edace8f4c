//! PURE. What the daemon does about one service: when it is restarted, when it is given up, when it is left
//! behind at the end.
//!
//! In: what happened to the service, and the time. Out: the one thing to be done about it. It starts and
//! ends nothing itself.
//!
//! ```text
//!            failed            wait over
//! Running ──────────► Restarting ──────► Running          failed too often, or the rule forbids: GivenUp
//!    │ stop               │ stop
//!    ▼                    ▼
//! Ending ──ended──────► Ended                             not ended in time: LeftBehind
//! ```

use std::time::Duration;

use tokio::time::Instant;

use crate::control::ServiceState;
use crate::restart::{Restart, RestartPolicy, Restarts};

/// What follows when a service fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestartRule {
    /// The others live on without it.
    Never,
    /// It is started again after a wait, until it has failed too often in a row.
    OnFailure(RestartPolicy),
    /// The whole daemon ends.
    EndDaemon,
}

impl RestartRule {
    /// Whether a failure is followed by another start.
    pub(super) fn restarts(&self) -> bool {
        matches!(self, Self::OnFailure(_))
    }
}

/// What a service does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
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

/// What happened to a service.
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

/// What is to be done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Nothing.
    Nothing,
    /// Start it.
    Start,
    /// Ask it to end.
    Cancel,
    /// Drop its task wherever that stands.
    Abort,
    /// End all services.
    EndDaemon,
}

/// One service as the daemon sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Supervision {
    /// What it does.
    pub(super) state: State,
    /// How often it was started again.
    pub(super) restarted: u32,
    rule: Rule,
    end_within: Duration,
}

/// A [`RestartRule`] with what it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    Never,
    OnFailure(Restarts),
    EndDaemon,
}

impl Supervision {
    /// Of a service that is started `now`.
    pub(super) fn new(rule: RestartRule, end_within: Duration, now: Instant) -> Self {
        let rule = match rule {
            RestartRule::Never => Rule::Never,
            RestartRule::OnFailure(policy) => Rule::OnFailure(Restarts::new(policy)),
            RestartRule::EndDaemon => Rule::EndDaemon,
        };
        Self { state: State::Running { since: now }, restarted: 0, rule, end_within }
    }

    /// Takes in what happened and says what is to be done.
    pub(super) fn on(&mut self, event: Event, now: Instant) -> Action {
        match (self.state, event) {
            (State::Running { since }, Event::Exited) => self.fail(now - since, now),
            (State::Running { since }, Event::Stuck) => self.fail_stuck(now - since, now),
            (State::Running { .. }, Event::Stop) => {
                self.state = State::Ending { until: now + self.end_within };
                Action::Cancel
            }
            (State::Restarting { at }, Event::Tick) if now >= at => {
                self.state = State::Running { since: now };
                self.restarted += 1;
                Action::Start
            }
            (State::Restarting { .. }, Event::Stop) | (State::Ending { .. }, Event::Exited) => {
                self.state = State::Ended;
                Action::Nothing
            }
            (State::Ending { until }, Event::Tick) if now >= until => {
                self.state = State::LeftBehind;
                Action::Abort
            }
            (State::Running { .. }, Event::Tick)
            | (State::Restarting { .. }, Event::Tick | Event::Exited | Event::Stuck)
            | (State::Ending { .. }, Event::Tick | Event::Stuck | Event::Stop)
            | (State::GivenUp | State::Ended | State::LeftBehind, _) => Action::Nothing,
        }
    }

    /// When [`Event::Tick`] would change something.
    pub(super) fn due(&self) -> Option<Instant> {
        match self.state {
            State::Restarting { at: due } | State::Ending { until: due } => Some(due),
            State::Running { .. } | State::GivenUp | State::Ended | State::LeftBehind => None,
        }
    }

    /// The state for people.
    pub(super) fn shown(&self) -> ServiceState {
        match self.state {
            State::Running { .. } => ServiceState::Running,
            State::Restarting { .. } => ServiceState::Restarting,
            State::GivenUp => ServiceState::GivenUp,
            State::Ending { .. } => ServiceState::Ending,
            State::Ended => ServiceState::Ended,
            State::LeftBehind => ServiceState::LeftBehind,
        }
    }

    fn fail(&mut self, ran: Duration, now: Instant) -> Action {
        self.state = match &mut self.rule {
            Rule::Never | Rule::EndDaemon => State::GivenUp,
            Rule::OnFailure(restarts) => match restarts.failed(ran) {
                Restart::After(wait) => State::Restarting { at: now + wait },
                Restart::GiveUp => State::GivenUp,
            },
        };
        if self.rule == Rule::EndDaemon { Action::EndDaemon } else { Action::Nothing }
    }

    /// What may not be restarted is left as it is: systemd's watchdog restarts the program.
    fn fail_stuck(&mut self, ran: Duration, now: Instant) -> Action {
        match self.rule {
            Rule::Never | Rule::EndDaemon => Action::Nothing,
            Rule::OnFailure(_) => {
                self.fail(ran, now);
                Action::Abort
            }
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
    type Row = (u64, Event, Action, State);

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
        use Action::{Nothing, Start};
        use State::{GivenUp, Restarting, Running};
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
    fn a_service_that_ran_for_long_fails_for_the_first_time() {
        use Action::{Nothing, Start};
        use State::{Restarting, Running};
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
        let table = [(3, Event::Stuck, Action::Abort, State::Restarting { at: at(4) })];
        check(RestartRule::OnFailure(POLICY), at, &table);
        let runs = State::Running { since: at(0) };
        for rule in [RestartRule::Never, RestartRule::EndDaemon] {
            check(rule, at, &[(3, Event::Stuck, Action::Nothing, runs)]);
        }
    }

    #[test]
    fn a_service_that_is_never_restarted_ends_alone_and_an_essential_one_ends_the_daemon() {
        let at = clock();
        check(RestartRule::Never, at, &[(3, Event::Exited, Action::Nothing, State::GivenUp)]);
        check(RestartRule::EndDaemon, at, &[(3, Event::Exited, Action::EndDaemon, State::GivenUp)]);
    }

    #[test]
    fn a_service_is_asked_to_end_and_left_behind_at_its_limit() {
        use Action::{Abort, Cancel, Nothing};
        use State::{Ended, Ending, LeftBehind};
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
            (0, Event::Exited, Action::Nothing, State::Restarting { at: at(1) }),
            (0, Event::Stop, Action::Nothing, State::Ended),
            (1, Event::Tick, Action::Nothing, State::Ended),
        ];
        check(RestartRule::OnFailure(POLICY), at, &table);
    }
}
