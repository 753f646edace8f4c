//! What of an agent outlasts the program, and how it goes on with it; and its rest at the owner's word.
//!
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp};

use super::{AgentLoop, AgentPace, AgentPhase, Rouse};
use crate::agent::approval::{AgentApproval, AgentApprovals};
use crate::agent::exchange::{APPROVAL, Notification};
use crate::agent::guard::GuardCounters;
use crate::agent::kept::KeptAgent;
use crate::agent::lines::AgentRest;
use joi_tools::Source;

impl AgentLoop {
    /// Goes on after a restart. Calls that waited for a yes are denied, and none that had been granted is made again: the
    /// agent is notified of both.
    #[must_use]
    pub fn going_on(mut self, kept: KeptAgent, now: Timestamp) -> Self {
        let KeptAgent { tokens, last, waiting, running, is_paused } = kept;
        self.counters = GuardCounters::with_tokens(tokens);
        let lapsed = waiting.last().cloned();
        self.approvals = AgentApprovals::after(last, lapsed);
        self.is_paused = is_paused;
        let denied = |call: &AgentApproval| {
            format!(
                "{} (call {}): joi was restarted before the owner answered, so it was denied.",
                call.tool, call.id
            )
        };
        let unknown = |call: &AgentApproval| {
            format!(
                "{} (call {}) was granted; joi ended meanwhile, and its outcome is unknown.",
                call.tool, call.id
            )
        };
        let texts: Vec<String> = waiting.iter().map(denied).chain(running.iter().map(unknown)).collect();
        for text in texts {
            self.notify(Notification { name: APPROVAL.into(), text, source: Source::Own }, now);
        }
        // They are events of the run before.
        self.effects.clear();
        self
    }

    /// Returns what is to outlast the program.
    pub fn kept(&self) -> KeptAgent {
        KeptAgent {
            tokens: self.counters.tokens(),
            last: self.approvals.last(),
            waiting: self.approvals.waiting().to_vec(),
            running: self.running.clone(),
            is_paused: self.is_paused,
        }
    }

    /// The owner has it rest, or go on.
    pub(super) fn rest(&mut self, rest: AgentRest, now: Timestamp) {
        self.is_paused = rest == AgentRest::Pause;
        let begins = match self.pace {
            AgentPace::Own => now,
            AgentPace::Heartbeat(every) if every > SignedDuration::ZERO => {
                now.checked_add(every).unwrap_or(now)
            }
            // It only answers.
            AgentPace::Heartbeat(_) => return,
        };
        match (&self.phase, rest) {
            (AgentPhase::Ready(_) | AgentPhase::Asleep { .. }, AgentRest::Pause) => {
                self.sleep(None, Rouse::TimeAlone);
            }
            (AgentPhase::Asleep { until: None, rouse: Rouse::TimeAlone }, AgentRest::Resume) => {
                self.counters.slept();
                self.active_at = now;
                self.phase = AgentPhase::Ready(begins);
            }
            // A turn that runs ends first; what waits goes on by itself.
            (_, _) => {}
        }
    }
}
