//! Counts what the limits of an agent are held against: turns without a sleep, tokens of an hour, actions of a minute.
//!
//! Every limit is hard: a turn, a token or an action that reaches it is not begun. Times are passed in; a clock that was put
//! back makes nothing of it void. Pure: no I/O, no clock.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::entry::AutonomyRules;

/// Tokens are counted over this time.
const HOUR: SignedDuration = SignedDuration::from_hours(1);
/// Actions are counted over this time.
const MINUTE: SignedDuration = SignedDuration::from_secs(60);

/// A limit of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Guardrail {
    /// Turns without a sleep.
    MaxConsecutiveTurns,
    /// Tokens within an hour.
    TokenBudgetPerHour,
    /// Actions within a minute.
    MaxActionsPerMinute,
    /// Time awake without anything happening.
    IdleTimeout,
    /// Hours in which it works.
    ActiveHours,
}

/// The counters.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct GuardCounters {
    turns_in_a_row: u32,
    tokens: VecDeque<(Timestamp, u64)>,
    actions: VecDeque<Timestamp>,
}

impl GuardCounters {
    /// Counters that go on with the tokens spent before.
    pub(super) fn with_tokens(tokens: Vec<(Timestamp, u64)>) -> Self {
        Self { tokens: tokens.into(), ..Self::default() }
    }

    /// Returns the tokens spent, each with its moment.
    pub(super) fn tokens(&self) -> Vec<(Timestamp, u64)> {
        self.tokens.iter().copied().collect()
    }

    pub(super) fn turn(&mut self) {
        self.turns_in_a_row = self.turns_in_a_row.saturating_add(1);
    }

    pub(super) fn slept(&mut self) {
        self.turns_in_a_row = 0;
    }

    pub(super) fn spend(&mut self, tokens: u64, now: Timestamp) {
        self.forget(now);
        if tokens > 0 {
            self.tokens.push_back((now, tokens));
        }
    }

    pub(super) fn act(&mut self, actions: u32, now: Timestamp) {
        self.forget(now);
        self.actions.extend((0..actions).map(|_| now));
    }

    /// Returns the tokens that may still be spent.
    pub(super) fn tokens_left(&self, limits: &AutonomyRules, now: Timestamp) -> u64 {
        let spent: u64 =
            self.tokens.iter().filter(|(at, _)| is_within(*at, now, HOUR)).map(|(_, tokens)| tokens).sum();
        limits.token_budget_per_hour.saturating_sub(spent)
    }

    /// Returns the actions that may still be done.
    pub(super) fn actions_left(&self, limits: &AutonomyRules, now: Timestamp) -> u32 {
        let done = self.actions.iter().filter(|at| is_within(**at, now, MINUTE)).count();
        limits.max_actions_per_minute.saturating_sub(u32::try_from(done).unwrap_or(u32::MAX))
    }

    /// Returns the limit that keeps a turn from beginning, and when it may again at the earliest.
    pub(super) fn reached(&self, limits: &AutonomyRules, now: Timestamp) -> Option<(Guardrail, Timestamp)> {
        let forced = after(now, i64::from(limits.forced_sleep_s));
        if self.turns_in_a_row >= limits.max_consecutive_turns {
            return Some((Guardrail::MaxConsecutiveTurns, forced));
        }
        if self.tokens_left(limits, now) > 0 {
            return None;
        }
        let mut left: u64 = self.tokens.iter().map(|(_, tokens)| tokens).sum();
        let freed = self.tokens.iter().find(|(_, tokens)| {
            left = left.saturating_sub(*tokens);
            left < limits.token_budget_per_hour
        });
        let freed = freed.and_then(|(at, _)| at.checked_add(HOUR).ok()).unwrap_or(forced);
        Some((Guardrail::TokenBudgetPerHour, freed.max(forced)))
    }

    fn forget(&mut self, now: Timestamp) {
        self.tokens.retain(|(at, _)| is_within(*at, now, HOUR));
        self.actions.retain(|at| is_within(*at, now, MINUTE));
    }
}

/// Returns whether `at` is less than `length` away from `now`, on either side: a clock may have been set.
fn is_within(at: Timestamp, now: Timestamp, length: SignedDuration) -> bool {
    now.duration_since(at).abs() < length
}

/// Returns the moment so many seconds later.
pub(super) fn after(now: Timestamp, seconds: i64) -> Timestamp {
    now.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(now)
}
