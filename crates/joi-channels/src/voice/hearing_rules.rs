//! The rules that decide whether something was said to joi, and what they are made of.
//!
//! Plain data, made by whoever wires the program. Pure: no I/O, no clock.

use std::time::Duration;

use super::first_look::TrialModel;
use super::second_look::MoreReadings;
use joi_hear::judge::{JudgeConfig, JudgeRules};
use joi_hear::transcript_filter::TranscriptFilterConfig;
use joi_language::{Language, Languages};

/// The rules that decide whether something was said to joi.
#[derive(Debug, Clone)]
pub struct HearingRules {
    /// The wake phrases, to be taken off the beginning of a transcript.
    pub phrases: Vec<String>,
    /// The evidence that the sound must give.
    pub trust: TranscriptFilterConfig,
    /// Echo, stop words, loops.
    pub judge: JudgeConfig,
    /// The languages, and the current one.
    pub languages: Languages,
    /// The model that reads an utterance which may not be over yet.
    pub trial: TrialModel,
    /// Longest time in which what is almost a command is compared with its sound once more; `None` for never.
    pub second_look: Option<Duration>,
    /// Readings beside the commands that the language knows.
    pub more_readings: MoreReadings,
}

impl HearingRules {
    /// Returns the rules of the judge in `language`.
    pub(super) fn rules<'a>(&'a self, language: &'a Language) -> JudgeRules<'a> {
        JudgeRules { trust: &self.trust, config: &self.judge, words: language.vocabulary() }
    }
}
