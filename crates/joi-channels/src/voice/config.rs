//! `[conversation]`: the rules of conversations. Plain data, read once at the start.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use joi_base::problem::Problem;

/// Follow-ups, acknowledgements, long answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConversationConfig {
    /// Seconds after an answer in which one may begin to speak without the wake phrase, 0 (never) to 30.
    /// Raising it gives more time to think, and takes more of what is said to others for a question.
    pub follow_up_s: f64,
    /// The same after an answer that ended in a question, 0 (never) to 60.
    pub question_s: f64,
    /// Seconds between the last sample of an answer and the opening of that window, 0.1 to 2; a reply that begins in
    /// between counts when it goes on. Raising it hears less of joi's own echo, and misses more short replies.
    pub delay_s: f64,
    /// Most follow-ups in a row without the wake phrase, 0 to 100: so a television can't hold a
    /// conversation.
    pub most_follow_ups: u32,
    /// Seconds of speech after which joi asks whether to go on, 0 (never) to 600.
    pub go_on_s: f64,
    /// Seconds without a word after which a soft tone says that joi is thinking, 0 (never) to 30.
    pub thinking_s: f64,
}

impl Default for ConversationConfig {
    fn default() -> Self {
        Self {
            follow_up_s: 3.0,
            question_s: 6.0,
            delay_s: 0.3,
            most_follow_ups: 8,
            go_on_s: 45.0,
            thinking_s: 1.0,
        }
    }
}

impl ConversationConfig {
    /// All that is wrong with it.
    pub fn check(&self) -> Vec<Problem> {
        [
            ("follow_up_s", self.follow_up_s, 0.0..=30.0, "s"),
            ("question_s", self.question_s, 0.0..=60.0, "s"),
            ("delay_s", self.delay_s, 0.1..=2.0, "s"),
            ("most_follow_ups", self.most_follow_ups.into(), 0.0..=100.0, ""),
            ("go_on_s", self.go_on_s, 0.0..=600.0, "s"),
            ("thinking_s", self.thinking_s, 0.0..=30.0, "s"),
        ]
        .into_iter()
        .filter_map(|(key, value, range, unit)| {
            Problem::outside(&format!("conversation.{key}"), value, range, unit)
        })
        .collect()
    }

    /// How long the window after an answer stays open; nothing when there is none.
    pub(super) fn window(&self, answer: &str) -> Option<Duration> {
        let asks = answer.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?').ends_with('?');
        seconds(if asks { self.question_s } else { self.follow_up_s })
    }

    /// Longest speech before the question whether to go on; `None` for no limit.
    pub(super) fn go_on(&self) -> Option<Duration> {
        seconds(self.go_on_s)
    }

    /// Longest silence before the tone of thinking.
    pub(super) fn thinking(&self) -> Option<Duration> {
        seconds(self.thinking_s)
    }

    pub(super) fn delay(&self) -> Duration {
        seconds(self.delay_s).unwrap_or_default()
    }
}

fn seconds(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok().filter(|length| !length.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_leaves_more_time_to_answer_it() {
        let config = ConversationConfig::default();
        let window = |answer| config.window(answer).map(|length| length.as_secs_f64());
        assert_eq!(window("It's nine."), Some(3.0));
        assert_eq!(window("Shall I go on?"), Some(6.0));
        assert_eq!(window("Shall I say \"yes\"? **(really?)** "), Some(6.0));
        let never = ConversationConfig { follow_up_s: 0.0, question_s: 0.0, ..config };
        assert_eq!((never.window("Yes."), never.window("Yes?")), (None, None));
    }

    #[test]
    fn every_value_out_of_range_is_reported() {
        assert_eq!(ConversationConfig::default().check(), vec![]);
        let wrong = ConversationConfig {
            follow_up_s: 31.0,
            question_s: -1.0,
            delay_s: 0.0,
            most_follow_ups: 101,
            go_on_s: f64::NAN,
            thinking_s: 31.0,
        };
        assert_eq!(wrong.check().len(), 6);
    }
}
