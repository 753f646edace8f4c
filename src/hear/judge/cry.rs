//! PURE: short words known by their sound, where a transcript says something else, nothing, or comes too late.
//!
//! In: how well each word that is looked for is supported, and each word she said herself just then. Out: a
//! judgement, or nothing. It never makes her stop at a stop word of her own: then the sound proves nothing.

use std::time::Instant;

use super::said::Heard;
use super::{Judgement, Rules, Sentence, Verdict, own_stop_words, said, stop};
use crate::hear::score::SoundsLike;

/// From this margin on, in nats per token, a word counts as said. Stop words over her voice reach −0.1 to −1.8,
/// what sounds like one stays below −2.2.
const SAID: f32 = -2.0;
/// And it must be supported so much better than what it must not be taken for.
const LEAD: f32 = 1.0;

/// When something sounded, and what she said at the time.
#[derive(Debug, Clone, Copy)]
pub struct Sounded<'a> {
    /// When its first voiced sample was captured.
    pub began: Instant,
    /// When its last voiced sample was captured.
    pub ended: Instant,
    /// What she has said in the last seconds, in order.
    pub said: &'a [Sentence],
}

impl Sounded<'_> {
    fn heard(self) -> Heard {
        Heard { began: self.began, ended: self.ended }
    }
}

/// The words of hers that sounded at the time, each once, those most like a stop word first.
pub fn rivals(rules: &Rules<'_>, sounded: Sounded<'_>) -> Vec<String> {
    let mut words = said::words(sounded.said, sounded.heard(), rules.config.lag());
    words.sort();
    words.dedup();
    let likeness = |word: &String| {
        let cries = rules.words.cries().iter();
        cries.map(|cry| strsim::normalized_damerau_levenshtein(cry, word)).fold(0.0, f64::max)
    };
    words.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
    words
}

/// What the sound itself says of [`Vocabulary::cries`](super::Vocabulary::cries): that she shall stop, or nothing.
/// Where the recogniser would write nothing by itself there is nothing to compare with, and most likely only what is
/// left of her own voice.
pub fn judge_sound(rules: &Rules<'_>, sounded: Sounded<'_>, like: &SoundsLike) -> Option<Judgement> {
    let (place, margin) = like.best()?;
    let cry = stop::words(rules.words.cries().get(place)?);
    if like.text.is_empty() || own_stop_words(rules, sounded.said, sounded.heard(), &cry) > 0 {
        return None;
    }
    let hers = like.rival();
    let reason = format!("it sounds like a stop word ({margin:.1}, her own words {hers:.1})");
    (margin >= SAID && margin >= hers + LEAD).then_some(Judgement { verdict: Verdict::Stop, reason })
}

/// The short answers to a question of hers that are looked for: the ways to say yes, then those to say no.
pub fn answers(rules: &Rules<'_>) -> Vec<String> {
    [rules.words.yes(), rules.words.no()].concat()
}

/// What the sound itself says of [`answers`]: yes or no, in their plainest words, or nothing.
pub fn judge_answer(rules: &Rules<'_>, like: &SoundsLike) -> Option<Judgement> {
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
        format!("it sounds like \"{word}\", an answer to her question ({margin:.1}, the other {other:.1})");
    let is_clear = margin >= SAID && margin >= other + LEAD;
    is_clear.then(|| Judgement { verdict: Verdict::FollowUp(word.clone()), reason })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::hear::judge::{JudgeConfig, Vocabulary};
    use crate::hear::trust::TrustConfig;

    /// What is made of margins while she says `her` words for two seconds.
    fn stops(her: &str, words: &[f32], rivals: &[f32]) -> bool {
        let (trust, config) = (TrustConfig::default(), JudgeConfig::default());
        let rules = Rules { trust: &trust, config: &config, words: Vocabulary::of("en") };
        let from = Instant::now();
        let at = |ms| from + Duration::from_millis(ms);
        let said = [Sentence { text: her.into(), from, until: at(2000) }];
        let sounded = Sounded { began: at(800), ended: at(1200), said: &said };
        let like = SoundsLike { text: "Top.".into(), words: words.into(), rivals: rivals.into() };
        judge_sound(&rules, sounded, &like).is_some_and(|judgement| judgement.verdict == Verdict::Stop)
    }

    #[test]
    fn a_stop_word_is_known_by_its_sound_unless_she_said_something_like_it() {
        // covers DEC24
        assert!(stops("The weather is nice today.", &[-0.4, -6.0], &[-5.0]));
        assert!(stops("The weather is nice today.", &[-6.0, -1.9], &[]));
        assert!(!stops("The weather is nice today.", &[-2.4, -6.0], &[-5.0]), "not clear");
        assert!(!stops("We were at the top of it.", &[-0.9, -6.0], &[-0.5]), "that was she");
        assert!(!stops("I never stop talking.", &[-0.1, -6.0], &[-5.0]), "her own stop word");
        assert!(stops("She is quite well.", &[-0.1, -6.0], &[-5.0]), "nothing like that one");
        assert!(!stops("The weather is nice today.", &[], &[]));
        let (trust, config) = (TrustConfig::default(), JudgeConfig::default());
        let rules = Rules { trust: &trust, config: &config, words: Vocabulary::of("en") };
        let sounded = Sounded { began: Instant::now(), ended: Instant::now(), said: &[] };
        let nothing = SoundsLike { text: String::new(), words: vec![-0.2], rivals: vec![-3.7] };
        assert_eq!(judge_sound(&rules, sounded, &nothing), None, "nothing would be written");
    }

    #[test]
    fn her_words_that_sound_like_a_stop_word_are_looked_at_first() {
        let (trust, config) = (TrustConfig::default(), JudgeConfig::default());
        let rules = Rules { trust: &trust, config: &config, words: Vocabulary::of("en") };
        let from = Instant::now();
        let until = from + Duration::from_secs(2);
        let said = [Sentence { text: "He slept and then he stood up there.".into(), from, until }];
        let rivals = rivals(&rules, Sounded { began: from, ended: until, said: &said });
        assert_eq!(rivals.len(), 7, "each once: {rivals:?}");
        assert!(rivals[..3].contains(&"stood".to_owned()), "{rivals:?}");
    }

    #[test]
    fn an_answer_is_yes_or_no_only_where_one_stands_out() {
        // covers P5
        let (trust, config) = (TrustConfig::default(), JudgeConfig::default());
        let rules = Rules { trust: &trust, config: &config, words: Vocabulary::of("en") };
        let yes = rules.words.yes().len();
        let of = |for_yes: f32, for_no: f32| {
            let mut words = vec![-9.0; answers(&rules).len()];
            (words[1], words[yes]) = (for_yes, for_no);
            let like = SoundsLike { text: String::new(), words, rivals: vec![] };
            judge_answer(&rules, &like).map(|judgement| judgement.verdict)
        };
        assert_eq!(of(-0.5, -4.0), Some(Verdict::FollowUp("yes".into())));
        assert_eq!(of(-4.0, -1.5), Some(Verdict::FollowUp("no".into())));
        assert_eq!(of(-1.5, -1.0), None, "either may be");
        assert_eq!(of(-2.5, -6.0), None, "neither");
    }
}
