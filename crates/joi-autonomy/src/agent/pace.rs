//! The loop of an agent as one state machine: (state, input, now) to (state, effects).
//!
//! A round is: refresh of due fields, what has changed, notifications, the gate in front of the turn, the turn, its yield,
//! the limits. In: time, readings, notifications, what came of effects. Out: effects for one caller. Every limit is held
//! here: an effect that would pass it is never returned. Pure: no I/O, no clock.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp, Zoned};
use joi_schedule::announce::QuietHours;
use joi_tools::{Arguments, Source};

use super::approval::{AgentApproval, AgentApprovals, ApprovalAsked};
use super::entry::{AgentEntry, AutonomyRules};
use super::exchange::{APPROVAL, AgentEffect, AgentInput, Notification, TurnReport};
use super::guard::{GuardCounters, Guardrail, after};
use super::hot_state::{HotSnapshot, HotState};
use super::news::{AgentNews, ApprovalDecision, TurnEnding};
use super::yielding::YieldOrder;

mod keeping;
mod round;
mod sleep;
#[cfg(test)]
mod tests;

/// Notifications that wait for a turn; of more the oldest is dropped.
const MOST_NOTIFICATIONS: usize = 32;
/// Pauses after failures of the model in a row, in milliseconds; further ones double up to the longest.
const RETRIES_MS: [i64; 2] = [1_500, 1_500];
/// The first longer pause after a failure, and the longest, in seconds.
const LATER_RETRY_S: (i64, i64) = (30, 300);

/// What sets the pace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AgentPace {
    /// The agent itself.
    Own,
    /// An interval.
    Heartbeat(SignedDuration),
}

/// What ends a sleep beside its time.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Rouse {
    /// Nothing: a limit was reached, or an interval counts.
    TimeAlone,
    /// A notification of one of these names, a decision, somebody who talks with the agent.
    Named(Vec<String>),
    /// Anything that happens.
    Anything,
}

/// Where the loop is.
#[derive(Debug, Clone, PartialEq)]
enum AgentPhase {
    /// The next round begins then.
    Ready(Timestamp),
    /// Fields are being brought anew.
    Refreshing,
    /// The gate is being asked about so many changes.
    Checking(usize),
    /// A turn runs, which was shown so many notifications and these values.
    Thinking { turn: u64, shown: usize, seen: HotSnapshot },
    /// It sleeps until then, or until something happens.
    Asleep { until: Option<Timestamp>, rouse: Rouse },
    /// It has ended.
    Over,
}

/// The loop of one agent.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentLoop {
    pace: AgentPace,
    limits: AutonomyRules,
    hours: QuietHours,
    phase: AgentPhase,
    turns: u64,
    /// The values that the last turn has seen.
    seen: HotSnapshot,
    /// The values that the gate has found not worth a turn: they are not asked about again.
    passed_over: Option<HotSnapshot>,
    has_thought: bool,
    notifications: VecDeque<Notification>,
    counters: GuardCounters,
    /// When something happened last.
    active_at: Timestamp,
    failures: u32,
    approvals: AgentApprovals,
    /// Granted calls of which the outcome is not known yet.
    running: Vec<AgentApproval>,
    /// The owner has it rest.
    is_paused: bool,
    effects: Vec<AgentEffect>,
}

impl AgentLoop {
    /// A loop that begins at `now`.
    pub fn new(entry: &AgentEntry, now: Timestamp) -> Self {
        let every = i64::from(entry.heartbeat.every_min) * 60;
        let beat = AgentPace::Heartbeat(SignedDuration::from_secs(every));
        let (pace, phase) = match (entry.autonomy.enabled, entry.works_alone()) {
            (true, _) => (AgentPace::Own, AgentPhase::Ready(now)),
            (false, true) => (beat, AgentPhase::Ready(after(now, every))),
            // It only answers; its calls wait and expire all the same.
            (false, false) => (beat, AgentPhase::Asleep { until: None, rouse: Rouse::TimeAlone }),
        };
        Self {
            pace,
            limits: entry.autonomy.clone(),
            hours: entry.hours(),
            phase,
            turns: 0,
            seen: HotSnapshot::new(),
            passed_over: None,
            has_thought: false,
            notifications: VecDeque::new(),
            counters: GuardCounters::default(),
            active_at: now,
            failures: 0,
            approvals: AgentApprovals::default(),
            running: Vec::new(),
            is_paused: false,
            effects: Vec::new(),
        }
    }

    /// Takes one input; returns what is to be done.
    pub fn step(&mut self, input: AgentInput, hot: &HotState, now: &Zoned) -> Vec<AgentEffect> {
        let at = now.timestamp();
        match input {
            AgentInput::Stop => self.end(),
            AgentInput::Notified(notification) => self.notify(notification, at),
            AgentInput::Changed => self.happened(at, Rouse::Anything),
            AgentInput::Talked => self.happened(at, Rouse::Named(Vec::new())),
            AgentInput::Spent(tokens) => self.counters.spend(tokens, at),
            AgentInput::Decided { id, is_yes } => self.decide(id, is_yes, at),
            AgentInput::Rest(rest) => self.rest(rest, at),
            AgentInput::Ran(id, notification) => {
                self.running.retain(|one| one.id != id);
                self.notify(notification, at);
            }
            AgentInput::Refreshed if self.phase == AgentPhase::Refreshing => self.look(hot, at),
            AgentInput::Prechecked(verdict) => self.checked(verdict, hot, at),
            AgentInput::TurnOver(report) => self.turn_over(report, at),
            AgentInput::Tick | AgentInput::Refreshed => {}
        }
        self.expire(at);
        self.wake(at);
        if matches!(self.phase, AgentPhase::Ready(due) if due <= at) {
            self.begin(hot, now);
        }
        std::mem::take(&mut self.effects)
    }

    /// Has a call wait for a yes.
    pub fn ask(
        &mut self,
        tool: &str,
        arguments: &Arguments,
        in_words: String,
        now: Timestamp,
    ) -> ApprovalAsked {
        self.approvals.ask(tool, arguments, in_words, now)
    }

    /// Returns the calls that wait for a yes.
    pub fn approvals(&self) -> &[AgentApproval] {
        self.approvals.waiting()
    }

    /// Returns the last call that nobody has answered in time.
    pub fn lapsed(&self) -> Option<&AgentApproval> {
        self.approvals.lapsed()
    }

    /// Returns when something changes by itself; nothing: not before something happens.
    pub fn next(&self) -> Option<Timestamp> {
        let phase = match &self.phase {
            AgentPhase::Ready(at) => Some(*at),
            AgentPhase::Asleep { until, .. } => *until,
            AgentPhase::Refreshing
            | AgentPhase::Checking(_)
            | AgentPhase::Thinking { .. }
            | AgentPhase::Over => None,
        };
        phase.into_iter().chain(self.approvals.next()).min()
    }

    /// Returns what it does, in one word.
    pub fn doing(&self) -> &'static str {
        match self.phase {
            AgentPhase::Refreshing | AgentPhase::Checking(_) => "looking",
            AgentPhase::Thinking { .. } => "thinking",
            AgentPhase::Asleep { .. } | AgentPhase::Ready(_) if self.is_paused => "paused",
            AgentPhase::Ready(_) => "waiting",
            AgentPhase::Asleep { .. } => "asleep",
            AgentPhase::Over => "ended",
        }
    }

    fn turn_over(&mut self, report: TurnReport, now: Timestamp) {
        let phase = std::mem::replace(&mut self.phase, AgentPhase::Over);
        let AgentPhase::Thinking { turn, shown, seen } = phase else {
            self.phase = phase;
            return;
        };
        let TurnReport { end, tokens, actions, order } = report;
        self.counters.turn();
        self.counters.spend(tokens, now);
        self.counters.act(actions, now);
        if actions > 0 {
            self.active_at = now;
        }
        self.passed_over = None;
        self.report(AgentNews::TurnCompleted { turn, end, tokens, actions });
        match end {
            // An agent whose model is away is not idle.
            TurnEnding::Failed => (self.failures, self.active_at) = (self.failures.saturating_add(1), now),
            TurnEnding::Interrupted => {}
            TurnEnding::Finished | TurnEnding::OutOfActions | TurnEnding::OutOfTokens => {
                (self.seen, self.has_thought, self.failures) = (seen, true, 0);
                // What came while the turn ran stays.
                self.notifications.drain(..shown.min(self.notifications.len()));
            }
        }
        self.go_on(end, order, now);
    }

    fn go_on(&mut self, end: TurnEnding, order: Option<YieldOrder>, now: Timestamp) {
        let forced = Some(after(now, i64::from(self.limits.forced_sleep_s)));
        match (end, self.pace, order) {
            (_, _, Some(YieldOrder::Shutdown)) => self.end(),
            (TurnEnding::OutOfActions, ..) => {
                self.hold(Guardrail::MaxActionsPerMinute, forced, Rouse::TimeAlone)
            }
            (TurnEnding::OutOfTokens, ..) => {
                self.hold(Guardrail::TokenBudgetPerHour, forced, Rouse::TimeAlone)
            }
            (TurnEnding::Failed, ..) => self.phase = AgentPhase::Ready(self.retry(now)),
            (TurnEnding::Finished, AgentPace::Heartbeat(every), _) => {
                self.sleep(now.checked_add(every).ok(), Rouse::TimeAlone);
            }
            (TurnEnding::Finished, AgentPace::Own, Some(YieldOrder::Sleep { seconds, wakes_for })) => {
                self.sleep(Some(after(now, seconds)), Rouse::Named(wakes_for));
            }
            (TurnEnding::Finished | TurnEnding::Interrupted, ..) => {
                self.phase = AgentPhase::Ready(after(now, i64::from(self.limits.min_pause_s)));
            }
        }
    }

    fn retry(&self, now: Timestamp) -> Timestamp {
        let failed = self.failures.saturating_sub(1) as usize;
        let pause = match RETRIES_MS.get(failed) {
            Some(ms) => SignedDuration::from_millis(*ms),
            None => {
                let doubled = 1_i64 << failed.saturating_sub(RETRIES_MS.len()).min(8);
                SignedDuration::from_secs((LATER_RETRY_S.0 * doubled).min(LATER_RETRY_S.1))
            }
        };
        now.checked_add(pause).unwrap_or(now)
    }

    fn notify(&mut self, notification: Notification, now: Timestamp) {
        if self.phase == AgentPhase::Over {
            return;
        }
        self.report(AgentNews::NotificationPushed { name: notification.name.clone() });
        // Those that a running turn was shown go when it is over.
        if self.notifications.len() >= MOST_NOTIFICATIONS {
            self.notifications.pop_front();
            if let AgentPhase::Thinking { shown, .. } = &mut self.phase {
                *shown = shown.saturating_sub(1);
            }
        }
        self.notifications.push_back(notification);
        self.active_at = now;
    }

    fn decide(&mut self, id: u32, is_yes: bool, now: Timestamp) {
        let Some(approval) = self.approvals.decided(id) else { return };
        let decision = if is_yes { ApprovalDecision::Granted } else { ApprovalDecision::Denied };
        if is_yes {
            self.counters.act(1, now);
        }
        self.over(approval, decision, now);
    }

    /// What nobody has answered in time is denied.
    fn expire(&mut self, now: Timestamp) {
        for approval in self.approvals.expired(now) {
            self.over(approval, ApprovalDecision::Expired, now);
        }
    }

    fn over(&mut self, approval: AgentApproval, decision: ApprovalDecision, now: Timestamp) {
        let (id, tool) = (approval.id, approval.tool.clone());
        self.report(AgentNews::ApprovalDecided { approval: id, tool, decision });
        let text = match decision {
            // Its result comes as a notification of its own.
            ApprovalDecision::Granted => {
                self.running.push(approval.clone());
                return self.effects.push(AgentEffect::Run(approval));
            }
            ApprovalDecision::Denied => "the owner said no",
            ApprovalDecision::Expired => "nobody answered in time, so it was denied",
        };
        let text = format!("{} (call {id}): {text}.", approval.tool);
        self.notify(Notification { name: APPROVAL.into(), text, source: Source::Own }, now);
    }

    fn end(&mut self) {
        self.phase = AgentPhase::Over;
        self.effects.push(AgentEffect::End);
    }

    fn report(&mut self, news: AgentNews) {
        self.effects.push(AgentEffect::Report(news));
    }
}
