//! Recognises short words by their sound, where the transcript is wrong, empty
//! or late.
//!
//! In: how well the audio supports each word that is looked for, and each word played just then. Out: a
//! judgement, or nothing. A stop word that playback contains is never recognised: then the sound proves
//! nothing.
//! Pure: no I/O, no clock.

use std::time::Instant;

use super::spoken_text::HeardSpan;
use super::{JudgeRules, JudgeVerdict, Judgement, SpokenSentence, own_stop_words, spoken_text, stop_words};
use crate::score::SoundsLike;

/// From this margin on, in nats per token, a word counts as said. Stop words during playback reach −0.1 to
/// −1.8, similar-sounding words stay below −2.2.
const SAID: f32 = -2.0;
/// It must be supported this much better than its rivals.
const LEAD: f32 = 1.0;

/// When something sounded, and what was played at the time.
#[derive(Debug, Clone, Copy)]
pub struct Sounded<'a> {
    /// When its first voiced sample was captured.
    pub began: Instant,
    /// When its last voiced sample was captured.
    pub ended: Instant,
    /// The sentences played in the last seconds, in order.
    pub said: &'a [SpokenSentence],
}

impl Sounded<'_> {
    fn heard(self) -> HeardSpan {
        HeardSpan { began: self.began, ended: self.ended }
    }
}

/// Returns the words played at the time, each once, those most like a stop word first.
pub fn rivals(rules: &JudgeRules<'_>, sounded: Sounded<'_>) -> Vec<String> {
    let mut words =
        spoken_text::words(sounded.said, sounded.heard(), rules.config.lag(), &rules.words.figures);
    words.sort();
    words.dedup();
    let likeness = |word: &String| {
        let stop_phrases = rules.words.stop_phrases().iter();
        stop_phrases.map(|cry| strsim::normalized_damerau_levenshtein(cry, word)).fold(0.0, f64::max)
    };
    words.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
    words
}

/// Returns whether the audio itself supports one of the stop words in
/// [`Vocabulary::stop_phrases`](super::Vocabulary::stop_phrases), or nothing. Where the recogniser
/// writes nothing by itself there is nothing to compare with, and most likely only residual echo.
pub fn judge_sound(rules: &JudgeRules<'_>, sounded: Sounded<'_>, like: &SoundsLike) -> Option<Judgement> {
    let (place, margin) = like.best()?;
    let cry = stop_words::words(rules.words.stop_phrases().get(place)?);
    if like.text.is_empty() || own_stop_words(rules, sounded.said, sounded.heard(), &cry) > 0 {
        return None;
    }
    let rival = like.rival();
    let reason = format!("it sounds like a stop word ({margin:.1}, played words {rival:.1})");
    (margin >= SAID && margin >= rival + LEAD).then_some(Judgement { verdict: JudgeVerdict::Stop, reason })
}

/// Returns whether the audio supports a stop word where one is expected: a timer rings, and one word was said. Where
/// the recogniser writes nothing by itself it was a noise.
pub fn judge_stop(like: &SoundsLike) -> Option<Judgement> {
    let (_, margin) = like.best()?;
    let reason = format!("a timer rings, and it sounds like a stop word ({margin:.1})");
    (margin >= SAID && !like.text.is_empty()).then_some(Judgement { verdict: JudgeVerdict::Stop, reason })
}

/// Returns the short answers to a question that are looked for: the ways to say yes, then those to say no.
pub fn answers(rules: &JudgeRules<'_>) -> Vec<String> {
    [rules.words.yes(), rules.words.no()].concat()
}

/// Returns whether the audio itself supports one of the [`answers`]: yes or no, in their plainest words, or nothing.
pub fn judge_answer(rules: &JudgeRules<'_>, like: &SoundsLike) -> Option<Judgement> {
    let yes = rules.words.yes().len();
    let best = |margins: &[f32]| margins.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let (for_yes, for_no) = like.words.split_at(yes.min(like.words.len()));
    let (for_yes, for_no) = (best(for_yes), best(for_no));
    let (word, margin, other) = if for_yes > for_no {
        (rules.words.yes().first()?, for_yes, for_no)
    } else {
        (rules.words.no().first()?, for_no, for_yes)
    };
    let reason =
        format!("it sounds like \"{word}\", an answer to the question ({margin:.1}, the other {other:.1})");
    let is_clear = margin >= SAID && margin >= other + LEAD;
    is_clear.then(|| Judgement { verdict: JudgeVerdict::FollowUp(word.clone()), reason })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::judge::JudgeConfig;
    use crate::transcript_filter::TranscriptFilterConfig;
    use joi_language::testing::english;

    /// Returns whether these margins stop playback that says `played` for two seconds.
    fn stops(played: &str, words: &[f32], rivals: &[f32]) -> bool {
        let (trust, config) = (TranscriptFilterConfig::default(), JudgeConfig::default());
        let rules = JudgeRules { trust: &trust, config: &config, words: english().vocabulary() };
        let from = Instant::now();
        let at = |ms| from + Duration::from_millis(ms);
        let said = [SpokenSentence { text: played.into(), from, until: at(2000) }];
        let sounded = Sounded { began: at(800), ended: at(1200), said: &said };
        let like = SoundsLike { text: "Top.".into(), words: words.into(), rivals: rivals.into() };
        judge_sound(&rules, sounded, &like).is_some_and(|judgement| judgement.verdict == JudgeVerdict::Stop)
    }

    #[test]
    fn a_noise_stops_nothing_that_rings() {
        let like = |text: &str| SoundsLike { text: text.into(), words: vec![-0.4], rivals: vec![] };
        assert!(judge_stop(&like("Start.")).is_some());
        assert!(judge_stop(&like("")).is_none(), "nothing was said");
    }

    #[test]
    fn a_stop_word_is_known_by_its_sound_unless_she_said_something_like_it() {
        assert!(stops("The weather is nice today.", &[-0.4, -6.0], &[-5.0]));
        assert!(stops("The weather is nice today.", &[-6.0, -1.9], &[]));
        assert!(!stops("The weather is nice today.", &[-2.4, -6.0], &[-5.0]), "not clear");
        assert!(!stops("We were at the top of it.", &[-0.9, -6.0], &[-0.5]), "in playback itself");
        assert!(!stops("I never stop talking.", &[-0.1, -6.0], &[-5.0]), "a stop word in playback");
        assert!(stops("She is quite well.", &[-0.1, -6.0], &[-5.0]), "nothing like that one");
        assert!(!stops("The weather is nice today.", &[], &[]));
        let (trust, config) = (TranscriptFilterConfig::default(), JudgeConfig::default());
        let rules = JudgeRules { trust: &trust, config: &config, words: english().vocabulary() };
        let sounded = Sounded { began: Instant::now(), ended: Instant::now(), said: &[] };
        let nothing = SoundsLike { text: String::new(), words: vec![-0.2], rivals: vec![-3.7] };
        assert_eq!(judge_sound(&rules, sounded, &nothing), None, "nothing would be written");
    }

    #[test]
    fn her_words_that_sound_like_a_stop_word_are_looked_at_first() {
        let (trust, config) = (TranscriptFilterConfig::default(), JudgeConfig::default());
        let rules = JudgeRules { trust: &trust, config: &config, words: english().vocabulary() };
        let from = Instant::now();
        let until = from + Duration::from_secs(2);
        let said = [SpokenSentence { text: "He slept and then he stood up there.".into(), from, until }];
        let rivals = rivals(&rules, Sounded { began: from, ended: until, said: &said });
        assert_eq!(rivals.len(), 7, "each once: {rivals:?}");
        assert!(rivals[..3].contains(&"stood".to_owned()), "{rivals:?}");
    }

    #[test]
    fn an_answer_is_yes_or_no_only_where_one_stands_out() {
        let (trust, config) = (TranscriptFilterConfig::default(), JudgeConfig::default());
        let rules = JudgeRules { trust: &trust, config: &config, words: english().vocabulary() };
        let yes = rules.words.yes().len();
        let of = |for_yes: f32, for_no: f32| {
            let mut words = vec![-9.0; answers(&rules).len()];
            (words[1], words[yes]) = (for_yes, for_no);
            let like = SoundsLike { text: String::new(), words, rivals: vec![] };
            judge_answer(&rules, &like).map(|judgement| judgement.verdict)
        };
        assert_eq!(of(-0.5, -4.0), Some(JudgeVerdict::FollowUp("yes".into())));
        assert_eq!(of(-4.0, -1.5), Some(JudgeVerdict::FollowUp("no".into())));
        assert_eq!(of(-1.5, -1.0), None, "either may be");
        assert_eq!(of(-2.5, -6.0), None, "neither");
    }
}
