//! How an agent falls asleep, and what wakes it.
//!
//! Pure: no I/O, no clock.

use jiff::Timestamp;

use super::{AgentLoop, AgentPhase, Rouse};
use crate::agent::exchange::APPROVAL;
use crate::agent::guard::Guardrail;
use crate::agent::news::AgentNews;

impl AgentLoop {
    /// Sleeps because a limit was reached.
    pub(super) fn hold(&mut self, guardrail: Guardrail, until: Option<Timestamp>, rouse: Rouse) {
        self.report(AgentNews::GuardrailTriggered { guardrail, until });
        self.sleep(until, rouse);
    }

    pub(super) fn sleep(&mut self, until: Option<Timestamp>, rouse: Rouse) {
        self.phase = AgentPhase::Asleep { until, rouse };
    }

    /// Ends a sleep whose time is over, or that waits for what is there.
    pub(super) fn wake(&mut self, now: Timestamp) {
        let AgentPhase::Asleep { until, rouse } = &self.phase else { return };
        let is_named = |names: &Vec<String>| {
            self.notifications.iter().any(|one| one.name == APPROVAL || names.contains(&one.name))
        };
        let is_over = until.is_some_and(|until| until <= now)
            || match rouse {
                Rouse::TimeAlone => false,
                Rouse::Named(names) => is_named(names),
                Rouse::Anything => !self.notifications.is_empty(),
            };
        if is_over {
            self.rouse(now);
        }
    }

    pub(super) fn rouse(&mut self, now: Timestamp) {
        self.counters.slept();
        self.active_at = now;
        self.phase = AgentPhase::Ready(now);
    }

    /// Something has happened, which ends a sleep that waits for anything; or, as `strength` says, any by the agent's wish.
    pub(super) fn happened(&mut self, now: Timestamp, strength: Rouse) {
        self.active_at = now;
        let AgentPhase::Asleep { rouse, .. } = &self.phase else { return };
        let is_over = match (rouse, strength) {
            (Rouse::TimeAlone, _) => false,
            (Rouse::Anything, _) | (Rouse::Named(_), Rouse::Named(_)) => true,
            (Rouse::Named(_), Rouse::Anything | Rouse::TimeAlone) => false,
        };
        if is_over {
            self.rouse(now);
        }
    }
}
