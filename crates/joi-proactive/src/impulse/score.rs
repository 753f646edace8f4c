//! The score: six factors, what habits add, and what a danger adds.
//!
//! In: how long it was silent, how much there is to report, the civil time, chance, what went out lately. Out: every
//! factor by itself and the total. Nothing is decided here. Sums are rounded to a billionth, so that 0.1 + 0.2 meets a
//! threshold of 0.3.
//! Pure: no I/O, no clock.

use std::time::Duration;

use jiff::Zoned;
use jiff::civil::Weekday;
use serde::{Deserialize, Serialize};

use super::config::ImpulseScoreConfig;

/// The inputs of the score.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreInput<'a> {
    /// The present moment in the user's zone.
    pub now: &'a Zoned,
    /// Since the user and joi last had to do with one another; nothing: never, which counts as the longest.
    pub silence: Option<Duration>,
    /// Topics that wait.
    pub topics: usize,
    /// Events that matter, within `event_hours`.
    pub events: usize,
    /// Nobody is at home.
    pub is_away: bool,
    /// Chance, 0 to less than 1.
    pub draw: f64,
    /// Messages that went out unasked, within `damper_hours`.
    pub outbound: usize,
    /// The factor of habits.
    pub pattern: f64,
    /// It is about a danger.
    pub is_critical: bool,
}

/// Every factor, and the total.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ImpulseScore {
    /// The base that always counts.
    pub base: f64,
    /// The share of silence.
    pub silence: f64,
    /// The share of topics and events.
    pub context: f64,
    /// The share of the time of day.
    pub time: f64,
    /// The share of chance.
    pub entropy: f64,
    /// The deduction for earlier messages, as a magnitude.
    pub damper: f64,
    /// The share of habits, which may be negative.
    pub pattern: f64,
    /// The share of a danger.
    pub boost: f64,
    /// All of it.
    pub total: f64,
}

/// Adds it up.
pub fn score(input: &ScoreInput<'_>, rules: &ImpulseScoreConfig) -> ImpulseScore {
    let hours = input.silence.map_or(f64::INFINITY, |silence| silence.as_secs_f64() / 3600.0);
    let silence = step(rules.silence_hours.iter().filter(|from| hours >= **from).count(), &rules.silence);
    let context = input.topics as f64 * rules.per_topic + input.events as f64 * rules.per_event;
    let damper =
        step(rules.damper_from.iter().filter(|from| input.outbound >= **from).count(), &rules.damper);
    let mut score = ImpulseScore {
        base: rules.base,
        silence,
        context: exact(context.min(rules.context_most)),
        time: time_of_day(input.now, input.is_away, rules),
        entropy: input.draw.clamp(0.0, 1.0) * rules.entropy,
        damper,
        pattern: input.pattern.clamp(-rules.pattern, rules.pattern),
        boost: if input.is_critical { rules.critical } else { 0.0 },
        total: 0.0,
    };
    score.total = exact(
        score.base + score.silence + score.context + score.time + score.entropy - score.damper
            + score.pattern
            + score.boost,
    );
    score
}

/// Returns the value of the step that was reached; the last one where there are too few.
fn step(reached: usize, values: &[f64]) -> f64 {
    values.get(reached).or(values.last()).copied().unwrap_or(0.0)
}

/// Returns what the time of day adds, by the clock on the wall.
fn time_of_day(now: &Zoned, is_away: bool, rules: &ImpulseScoreConfig) -> f64 {
    let is_weekend = matches!(now.weekday(), Weekday::Saturday | Weekday::Sunday);
    let is_before = |hour: u32| i64::from(now.hour()) < i64::from(hour);
    if is_before(rules.morning_from) || !is_before(rules.night_from) {
        return rules.night;
    }
    let day_from = if is_weekend { rules.weekend_from } else { rules.workday_from };
    let (morning, day) = match (is_weekend, is_away) {
        (true, _) => (rules.weekend_morning, rules.weekend),
        (false, true) => (rules.morning, rules.workday_away),
        (false, false) => (rules.morning, rules.workday),
    };
    if is_before(day_from) {
        morning
    } else if is_before(rules.evening_from) {
        day
    } else if is_before(rules.late_from) {
        rules.evening
    } else {
        rules.late
    }
}

/// To a billionth.
pub(super) fn exact(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}
