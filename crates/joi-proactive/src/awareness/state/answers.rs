//! Whether what was said unasked is answered: each message by itself.
//!
//! In: when the user spoke, how long an answer may take. Out: the habits, counted. Nothing is decided here.
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp, Zoned};

use super::ContextState;
use crate::awareness::{HourOfWeek, PatternRules};

impl ContextState {
    /// Counts the messages that a turn of the user at one of `turns` has answered, and those that nobody has answered
    /// `within` that time; the others wait on. What was mentioned last is in hand no longer once it is answered.
    pub fn note_answers(
        &mut self,
        turns: &[Timestamp],
        within: SignedDuration,
        now: &Zoned,
        rules: &PatternRules,
    ) {
        let at = now.timestamp();
        for sent in std::mem::take(&mut self.awaiting_answer) {
            let answers = |turn: &Timestamp| *turn > sent && turn.duration_since(sent) <= within;
            let is_answered = turns.iter().any(answers);
            if !is_answered && at.duration_since(sent) <= within {
                self.awaiting_answer.push(sent);
                continue;
            }
            self.patterns.count(
                HourOfWeek::of(&sent.to_zoned(now.time_zone().clone())),
                is_answered,
                at,
                rules,
            );
            if is_answered {
                self.in_hand.take_if(|topic| topic.at <= sent);
            }
        }
    }
}
