//! Settings of the transcript filter.

use serde::{Deserialize, Serialize};

use joi_base::problem::Problem;

/// `[hear.trust]`: which transcripts are accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TranscriptFilterConfig {
    /// Least voiced sound of a word, in seconds, 0.05 to 0.5. Raising it ignores more knocks and coughs, and
    /// more words as short as "no".
    pub min_voiced: f64,
    /// Most syllables in a second of voiced sound, 5 to 20. Raising it accepts faster speech, and more
    /// hallucinations for short noises.
    pub max_rate: f64,
    /// After a wake phrase: highest doubt, 0.5 to 6. Doubt is the mean surprise of whisper's tokens in nats
    /// plus three times its probability that nothing was said. Raising it accepts more mumbling and more
    /// noise.
    pub doubt: f32,
    /// Like `doubt`, without a wake phrase, 0.5 to 6.
    pub follow_up_doubt: f32,
    /// Like `doubt`, for a lone word in a clear voice, 0.5 to 6; whisper is seldom sure of those.
    pub word_doubt: f32,
    /// Like `doubt`, 0.5 to 6, after a wake phrase when the voice stands out by less than `contrast_db`. Raising it
    /// understands more speech beside a television, and accepts more of the television.
    pub crowd_doubt: f32,
    /// Without a wake phrase, and for a few words: by how many dB the voice must stand out from the
    /// background, 0 to 40. Raising it ignores more of a crowd or a television, and more of the speech beside
    /// them.
    pub contrast_db: f32,
}

impl Default for TranscriptFilterConfig {
    fn default() -> Self {
        Self {
            min_voiced: 0.12,
            max_rate: 9.0,
            doubt: 2.5,
            follow_up_doubt: 2.3,
            word_doubt: 3.3,
            crowd_doubt: 1.6,
            contrast_db: 15.0,
        }
    }
}

impl TranscriptFilterConfig {
    /// Returns all problems of these settings.
    pub fn check(&self) -> Vec<Problem> {
        let wide = |value: f32| (f64::from(value) * 1e4).round() / 1e4;
        [
            ("min_voiced", self.min_voiced, 0.05..=0.5, "s"),
            ("max_rate", self.max_rate, 5.0..=20.0, "syllables per second"),
            ("doubt", wide(self.doubt), 0.5..=6.0, ""),
            ("follow_up_doubt", wide(self.follow_up_doubt), 0.5..=6.0, ""),
            ("word_doubt", wide(self.word_doubt), 0.5..=6.0, ""),
            ("crowd_doubt", wide(self.crowd_doubt), 0.5..=6.0, ""),
            ("contrast_db", wide(self.contrast_db), 0.0..=40.0, "dB"),
        ]
        .into_iter()
        .filter_map(|(key, value, range, unit)| {
            Problem::outside(&format!("hear.trust.{key}"), value, range, unit)
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_have_no_problem_and_all_problems_are_reported_at_once() {
        assert_eq!(TranscriptFilterConfig::default().check(), []);
        let config = TranscriptFilterConfig {
            min_voiced: 1.0,
            doubt: 0.0,
            contrast_db: 50.5,
            ..TranscriptFilterConfig::default()
        };
        let told: Vec<String> = config.check().iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "hear.trust.min_voiced is 1; allowed: 0.05 to 0.5 s",
                "hear.trust.doubt is 0; allowed: 0.5 to 6",
                "hear.trust.contrast_db is 50.5; allowed: 0 to 40 dB",
            ]
        );
    }
}
