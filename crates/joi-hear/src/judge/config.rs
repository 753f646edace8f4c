//! Settings of the judge.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use joi_base::problem::Problem;

/// `[hear.judge]`: echo, stop words and answers to nobody.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JudgeConfig {
    /// From which likeness with playback a text is an echo, in percent, 50 to 95. Raising it takes more echo
    /// for speech; lowering it takes more repeated words for echo.
    pub echo_likeness: f64,
    /// How long after a sentence was played several words like it are still an echo, in seconds, 0.5 to 5.
    pub echo_memory: f64,
    /// How late an echo of a word or two can be, in seconds, 0.1 to 2. Raising it takes more short answers
    /// that repeat the last words played ("tea or coffee?" "coffee") for an echo.
    pub echo_lag: f64,
    /// A stop word does not stop playback that itself contains it this many seconds before or after, 0.5 to
    /// 3.
    pub stop_tolerance: f64,
    /// During playback, a stop word counts among at most this many words, 1 to 12.
    pub interjection_words: u32,
    /// Highest doubt of words that interrupt playback (barge-in), 0 (never) to 3: the mean surprise of the
    /// tokens in nats, and three times the probability that there is no speech. Raising it detects more
    /// barge-in, and takes more residual echo for it.
    pub interruption_doubt: f64,
    /// After this many answers in a row without a human voice, 1 to 20, nothing is answered until the next
    /// wake phrase.
    pub answers_to_nobody: u32,
}

impl Default for JudgeConfig {
    fn default() -> Self {
        Self {
            echo_likeness: 70.0,
            echo_memory: 2.0,
            echo_lag: 0.5,
            stop_tolerance: 1.5,
            interjection_words: 6,
            interruption_doubt: 0.5,
            answers_to_nobody: 3,
        }
    }
}

impl JudgeConfig {
    /// Returns all problems of these settings.
    pub fn check(&self) -> Vec<Problem> {
        [
            ("echo_likeness", self.echo_likeness, 50.0..=95.0, "percent"),
            ("echo_memory", self.echo_memory, 0.5..=5.0, "s"),
            ("echo_lag", self.echo_lag, 0.1..=2.0, "s"),
            ("stop_tolerance", self.stop_tolerance, 0.5..=3.0, "s"),
            ("interjection_words", f64::from(self.interjection_words), 1.0..=12.0, "words"),
            ("interruption_doubt", self.interruption_doubt, 0.0..=3.0, ""),
            ("answers_to_nobody", f64::from(self.answers_to_nobody), 1.0..=20.0, "answers"),
        ]
        .into_iter()
        .filter_map(|(key, value, range, unit)| {
            Problem::outside(&format!("hear.judge.{key}"), value, range, unit)
        })
        .collect()
    }

    pub(super) fn memory(&self) -> Duration {
        seconds(self.echo_memory)
    }

    pub(super) fn lag(&self) -> Duration {
        seconds(self.echo_lag)
    }

    pub(super) fn tolerance(&self) -> Duration {
        seconds(self.stop_tolerance)
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_have_no_problem_and_all_problems_are_reported_at_once() {
        assert_eq!(JudgeConfig::default().check(), []);
        let config = JudgeConfig { echo_likeness: 20.0, answers_to_nobody: 0, ..JudgeConfig::default() };
        let told: Vec<String> = config.check().iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "hear.judge.echo_likeness is 20; allowed: 50 to 95 percent",
                "hear.judge.answers_to_nobody is 0; allowed: 1 to 20 answers",
            ]
        );
    }
}
