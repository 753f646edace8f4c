//! Finds which of the assistant's own words were being played when something was heard.
//!
//! In: the sentences played, with their times, and the times of an utterance. Out: normalised words in order.
//! When a word was played is estimated from its place in the sentence.
//! Pure: no I/O, no clock.

use std::time::{Duration, Instant};

use super::plain_words::plain;
use joi_language::FigureWords;

/// One sentence that was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpokenSentence {
    /// As it was spoken or shown.
    pub text: String,
    /// When its first sample was played.
    pub from: Instant,
    /// When its last sample was, or will be, played. Playback that was stopped ends there.
    pub until: Instant,
}

/// When something was heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HeardSpan {
    pub(super) began: Instant,
    pub(super) ended: Instant,
}

/// An estimated moment within a sentence is wrong by up to this share of its length.
const ESTIMATE: f64 = 0.1;

/// Returns the words of all sentences played while something was heard, or at most `memory` before.
pub(super) fn sentences(
    said: &[SpokenSentence],
    heard: HeardSpan,
    memory: Duration,
    language: &FigureWords,
) -> Vec<String> {
    let overlaps = |sentence: &&SpokenSentence| {
        sentence.from <= heard.ended && later(sentence.until, memory) >= heard.began
    };
    let tokens = said.iter().filter(overlaps).flat_map(|sentence| plain(&sentence.text, language));
    tokens.map(|token| token.text).collect()
}

/// Returns the words played while something was heard, or at most `tolerance` before, or so much after.
pub(super) fn words(
    said: &[SpokenSentence],
    heard: HeardSpan,
    tolerance: Duration,
    language: &FigureWords,
) -> Vec<String> {
    said.iter().flat_map(|sentence| words_of(sentence, heard, tolerance, language)).collect()
}

fn words_of(
    sentence: &SpokenSentence,
    heard: HeardSpan,
    tolerance: Duration,
    language: &FigureWords,
) -> Vec<String> {
    let tokens = plain(&sentence.text, language);
    let length = sentence.until.saturating_duration_since(sentence.from);
    let tolerance = tolerance + length.mul_f64(ESTIMATE);
    let total = tokens.iter().map(|token| weight(&token.text)).sum::<usize>().max(1) as f64;
    let mut before = 0;
    let mut sounded = Vec::new();
    for token in tokens {
        let from = later(sentence.from, length.mul_f64(before as f64 / total));
        before += weight(&token.text);
        let until = later(sentence.from, length.mul_f64(before as f64 / total));
        if from <= later(heard.ended, tolerance) && later(until, tolerance) >= heard.began {
            sounded.push(token.text);
        }
    }
    sounded
}

/// Returns the duration of a word, relative to others: its letters and the space behind it.
fn weight(word: &str) -> usize {
    word.chars().count() + 1
}

fn later(moment: Instant, by: Duration) -> Instant {
    moment.checked_add(by).unwrap_or(moment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_language::testing::english;

    fn figures() -> &'static FigureWords {
        &english().vocabulary().figures
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn only_what_sounded_then_or_shortly_before_counts() {
        let zero = Instant::now();
        let sentence = |text: &str, from, until| SpokenSentence {
            text: text.into(),
            from: zero + ms(from),
            until: zero + ms(until),
        };
        let said = [
            sentence("The first one.", 0, 1000),
            sentence("alpha bravo gamma delta omega", 2000, 7000),
            sentence("Much later.", 9000, 10_000),
        ];
        let heard = HeardSpan { began: zero + ms(3200), ended: zero + ms(3800) };
        assert_eq!(sentences(&said, heard, ms(2000), figures()).join(" "), "alpha bravo gamma delta omega");
        assert_eq!(
            sentences(&said, heard, ms(2200), figures()).join(" "),
            "the first one alpha bravo gamma delta omega"
        );
        assert_eq!(words(&said, heard, ms(0), figures()).join(" "), "alpha bravo gamma");
        let after = HeardSpan { began: zero + ms(7600), ended: zero + ms(8000) };
        assert_eq!(words(&said, after, ms(200), figures()).join(" "), "omega");
        assert_eq!(words(&said, after, ms(0), figures()).join(" "), "");
    }

    #[test]
    fn a_sentence_that_ends_before_it_begins_has_all_its_words_at_its_beginning() {
        let now = Instant::now();
        let said = [SpokenSentence { text: "one two".into(), from: now + ms(500), until: now }];
        let heard = HeardSpan { began: now + ms(500), ended: now + ms(500) };
        assert_eq!(words(&said, heard, ms(0), figures()), ["one", "two"]);
    }
}
