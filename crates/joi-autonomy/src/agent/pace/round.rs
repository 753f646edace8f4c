//! How a round begins: limits, due fields, what has changed, the gate, the turn.
//!
//! Pure: no I/O, no clock.

use jiff::{Timestamp, Zoned};

use super::{AgentLoop, AgentPace, AgentPhase, Rouse};
use crate::agent::exchange::{AgentEffect, TurnBrief};
use crate::agent::guard::{Guardrail, after};
use crate::agent::hot_state::{FieldChange, HotState};
use crate::agent::news::AgentNews;
use crate::agent::precheck::PrecheckVerdict;

impl AgentLoop {
    pub(super) fn begin(&mut self, hot: &HotState, now: &Zoned) {
        let at = now.timestamp();
        if self.is_paused {
            return self.sleep(None, Rouse::TimeAlone);
        }
        if self.hours.until(now).is_none() {
            let until = self.hours.next_begin(now).map(|begin| begin.timestamp());
            return self.hold(Guardrail::ActiveHours, until, Rouse::TimeAlone);
        }
        if let Some((guardrail, until)) = self.counters.reached(&self.limits, at) {
            return self.hold(guardrail, Some(until), Rouse::TimeAlone);
        }
        let idle = at.duration_since(self.active_at).as_secs();
        if self.pace == AgentPace::Own && idle >= i64::from(self.limits.idle_timeout_s) {
            return self.hold(Guardrail::IdleTimeout, None, Rouse::Anything);
        }
        let due = hot.due(at);
        if due.is_empty() {
            return self.look(hot, at);
        }
        self.phase = AgentPhase::Refreshing;
        self.effects.push(AgentEffect::Refresh(due));
    }

    /// Looks at what has changed, and lets the gate decide whether that is worth a turn.
    pub(super) fn look(&mut self, hot: &HotState, now: Timestamp) {
        let changes = hot.changes_since(&self.seen);
        let is_gated = !self.limits.precheck_model.is_empty() && self.pace == AgentPace::Own;
        if !is_gated || !self.has_thought || !self.notifications.is_empty() {
            return self.think(changes, hot, now);
        }
        if changes.is_empty() || self.passed_over.as_ref() == Some(&hot.snapshot()) {
            return self.skip(changes.len(), now);
        }
        self.phase = AgentPhase::Checking(changes.len());
        self.effects.push(AgentEffect::Precheck(changes));
    }

    pub(super) fn checked(&mut self, verdict: PrecheckVerdict, hot: &HotState, now: Timestamp) {
        let AgentPhase::Checking(changes) = self.phase else { return };
        // A notification that came meanwhile opens the gate, and so does a gate that failed.
        match verdict {
            PrecheckVerdict::Nothing if self.notifications.is_empty() => {
                self.passed_over = Some(hot.snapshot());
                self.skip(changes, now);
            }
            PrecheckVerdict::Nothing | PrecheckVerdict::Material | PrecheckVerdict::Failed => {
                self.think(hot.changes_since(&self.seen), hot, now);
            }
        }
    }

    fn skip(&mut self, changes: usize, now: Timestamp) {
        self.phase = AgentPhase::Ready(after(now, i64::from(self.limits.precheck_sleep_s)));
        self.report(AgentNews::PrecheckSkipped { changes });
    }

    fn think(&mut self, changes: Vec<FieldChange>, hot: &HotState, now: Timestamp) {
        self.turns += 1;
        let (turn, notifications) = (self.turns, Vec::from(self.notifications.clone()));
        self.phase = AgentPhase::Thinking { turn, shown: notifications.len(), seen: hot.snapshot() };
        self.report(AgentNews::TurnStarted { turn });
        let tokens_left = self.counters.tokens_left(&self.limits, now);
        let actions_left = self.counters.actions_left(&self.limits, now);
        self.effects.push(AgentEffect::Think(TurnBrief {
            turn,
            notifications,
            changes,
            tokens_left,
            actions_left,
        }));
    }
}
