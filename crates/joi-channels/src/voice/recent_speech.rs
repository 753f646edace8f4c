//! Keeps the sentences that were spoken and when they sounded, to distinguish an echo from a talker.
//!
//! In: the mouth's reports. Out: the sentences of the last half minute, for the judge.
//! Pure: no I/O; moments are passed in.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use joi_hear::judge::SpokenSentence;

/// Nothing echoes for longer.
const KEPT: Duration = Duration::from_secs(30);
/// A sentence that sounds now ends at the latest so much later.
const LONGEST: Duration = Duration::from_secs(120);

/// The last sentences that were spoken.
#[derive(Debug, Default)]
pub(super) struct RecentSpeech(VecDeque<SpokenSentence>);

impl RecentSpeech {
    /// A sentence begins to sound, in these words.
    pub(super) fn begins(&mut self, spoken: String, at: Instant) {
        self.ends(at);
        self.0.retain(|sentence| at.saturating_duration_since(sentence.until) < KEPT);
        self.0.push_back(SpokenSentence { text: spoken, from: at, until: at + LONGEST });
    }

    /// Whatever sounds is over.
    pub(super) fn ends(&mut self, at: Instant) {
        if let Some(newest) = self.0.back_mut() {
            newest.until = newest.until.min(at);
        }
    }

    /// Whether the last of it was a question.
    pub(super) fn is_question(&self) -> bool {
        let asks =
            |text: &str| text.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?').ends_with('?');
        self.0.back().is_some_and(|sentence| asks(&sentence.text))
    }

    /// The sentences, oldest first.
    pub(super) fn sentences(&mut self) -> &[SpokenSentence] {
        self.0.make_contiguous()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_sounds_until_the_next_begins_or_all_is_over() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut speech = RecentSpeech::default();
        speech.begins("One.".into(), at(0));
        speech.begins("Two.".into(), at(2));
        assert_eq!(speech.sentences()[0].until, at(2));
        assert!(speech.sentences()[1].until > at(60));
        speech.ends(at(4));
        speech.ends(at(9));
        assert_eq!(speech.sentences()[1].until, at(4), "only the first end counts");
        assert!(!speech.is_question());
        speech.begins("Shall I?\"".into(), at(10));
        assert!(speech.is_question());
        speech.begins("Three.".into(), at(43));
        let texts: Vec<&str> = speech.sentences().iter().map(|s| s.text.as_str()).collect();
        assert_eq!(texts, ["Shall I?\"", "Three."], "what is over for half a minute is forgotten");
    }
}
