//! For each hour of the week, how often something said unasked was answered.
//!
//! In: what became of each message. Out: a small shift of the impulse. Counts fade with a half-life, so that habits may
//! change; without enough messages there is no shift at all.
//! Pure: no I/O, no clock.

use std::collections::BTreeMap;

use jiff::{Timestamp, Zoned};
use serde::{Deserialize, Serialize};

/// How habits count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PatternRules {
    /// The impulse moves by no more, up or down.
    pub most: f64,
    /// Messages after which they count at all.
    pub after: u32,
    /// Days after which a count weighs half.
    pub half_life_days: f64,
}

/// An hour of the week, 0 (Monday at midnight) to 167, by the clock on the wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HourOfWeek(pub u8);

impl HourOfWeek {
    /// The hour that `now` lies in.
    pub fn of(now: &Zoned) -> Self {
        let day = u8::try_from(now.weekday().to_monday_zero_offset()).unwrap_or(0);
        Self(day * 24 + u8::try_from(now.hour()).unwrap_or(0))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct PatternCount {
    said: f64,
    answered: f64,
    at: Timestamp,
}

impl PatternCount {
    fn faded(self, now: Timestamp, half_life_days: f64) -> Self {
        let days = now.duration_since(self.at).as_secs_f64().max(0.0) / 86_400.0;
        let left = 0.5_f64.powf(days / half_life_days);
        Self { said: self.said * left, answered: self.answered * left, at: now }
    }
}

/// The hours of the week in which users answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerPatterns {
    hours: BTreeMap<HourOfWeek, PatternCount>,
    /// All messages that were ever counted.
    messages: u32,
}

impl AnswerPatterns {
    /// Counts a message that was said in this hour.
    pub fn count(&mut self, hour: HourOfWeek, is_answered: bool, now: Timestamp, rules: &PatternRules) {
        let before = self.hours.get(&hour).copied();
        let none = PatternCount { said: 0.0, answered: 0.0, at: now };
        let mut count = before.unwrap_or(none).faded(now, rules.half_life_days);
        count.said += 1.0;
        count.answered += f64::from(u8::from(is_answered));
        self.hours.insert(hour, count);
        self.messages = self.messages.saturating_add(1);
    }

    /// Returns how far the impulse moves in this hour.
    pub fn shift(&self, hour: HourOfWeek, now: Timestamp, rules: &PatternRules) -> f64 {
        let Some(count) = self.hours.get(&hour).filter(|_| self.messages >= rules.after) else { return 0.0 };
        let count = count.faded(now, rules.half_life_days);
        let share = (count.answered + 1.0) / (count.said + 2.0);
        rules.most * (2.0 * share - 1.0).clamp(-1.0, 1.0)
    }
}
