//! Phrase scoring: how well a stretch of sound supports given written phrases.
//!
//! In: up to about three seconds of sound, and phrases. Out: for each phrase a [`Score`]. The model is not
//! asked to transcribe, since a small one misspells names; it is forced to decode the phrase token by token,
//! and the log probability is the score. Nothing has to be recorded for that. Similar-sounding words (rivals)
//! are scored too (`lexicon`, `sounds`, `rivals`), so that the phrase is distinguished from them. [`score`] runs
//! on the thread that owns the model; a [`Scorer`] sends requests to a transcription thread with a warm
//! model.
//!
//! The caller decides: a margin above [`ACCEPT`], and above [`AHEAD`] of the rivals, is the phrase, in all
//! likelihood.

mod lexicon;
mod measure;
mod phonetics;
mod readings;
mod rivals;
mod scorer;
mod second_opinion;
mod spell;

use std::sync::atomic::AtomicBool;

use crate::whisper::{Forced, SttError, Whisper};
use joi_audio::RATE;
use lexicon::sound_alikes;
use rivals::Rivals;

pub use measure::{BUDGET, ScorerTime};
pub use readings::{LONGEST, ReadingChoice, choose, support};
pub use rivals::Lead;
pub use scorer::{ScoreRequest, Scored, Scorer};
pub use second_opinion::{Opinion, OpinionRequest, OpinionScorer, SoundsLike, opine};
pub use spell::{normal, sentence, short, spellings, syllables};

/// The margin from which on a phrase counts as said, tuned on voices and rooms of many kinds.
pub const ACCEPT: f32 = -3.0;
/// The lead over its rivals from which on a phrase counts as said, in nats, tuned in the same way.
pub const AHEAD: f32 = -2.0;

/// Why a phrase can't be scored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PhraseError {
    /// It is not a phrase. Choose another one.
    #[error(
        "\"{0}\" is no phrase; allowed: one to five words of letters, 3 to 40 characters, for example \"hey joi\""
    )]
    NoPhrase(String),
    /// The recogniser has a single token for it. Choose a longer one.
    #[error(
        "\"{0}\" is one single sign to the speech recogniser, too little to tell it from other speech; put a word before it, for example \"hey {0}\""
    )]
    OneToken(String),
    /// The model can't spell it.
    #[error("the speech recogniser can't spell \"{phrase}\": {why}")]
    Unspellable {
        /// The phrase.
        phrase: String,
        /// What the model says.
        why: String,
    },
}

/// A phrase as the model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Phrase {
    written: String,
    /// Tokens as it was written.
    first: Vec<i32>,
    spellings: Vec<Vec<i32>>,
    /// Tokens of a sentence with the phrase in it.
    sentence: Vec<i32>,
    /// Tokens of the shortest spelling.
    tokens: usize,
    /// Rivals it is compared with.
    rivals: Rivals,
}

impl Phrase {
    /// Spells `written` with the vocabulary of `whisper`; `alike` are further ways to write it.
    ///
    /// # Errors
    /// It is not a phrase, or too short to be distinguished from other speech; both say what to do.
    pub fn new(whisper: &Whisper, written: &str, alike: &[String]) -> Result<Self, PhraseError> {
        let phrase = normal(written).ok_or_else(|| PhraseError::NoPhrase(written.into()))?;
        let spelled = Self::spelled(whisper, phrase, alike)?;
        if spelled.first.len() < 2 {
            return Err(PhraseError::OneToken(spelled.written));
        }
        Ok(spelled)
    }

    /// The same for a short word among few others that may have been said, as "stop" during playback: any
    /// word of letters will do, since it is only compared.
    ///
    /// # Errors
    /// It is not a word.
    pub fn word(whisper: &Whisper, written: &str) -> Result<Self, PhraseError> {
        let word = short(written).ok_or_else(|| PhraseError::NoPhrase(written.into()))?;
        Self::spelled(whisper, word, &[])
    }

    fn spelled(whisper: &Whisper, phrase: String, alike: &[String]) -> Result<Self, PhraseError> {
        let tokens = |text: &str| {
            let why = |e: SttError| PhraseError::Unspellable { phrase: phrase.clone(), why: e.to_string() };
            whisper.tokens(text).map_err(why)
        };
        let mut all = spellings(&phrase, alike).iter().map(|s| tokens(s)).collect::<Result<Vec<_>, _>>()?;
        let first = all.first().cloned().unwrap_or_default();
        // Neighbours share their prefixes: decoder steps are saved.
        all.sort();
        let fewest = all.iter().map(Vec::len).min().unwrap_or(1).max(1);
        let (sentence, rivals) = (tokens(&sentence(&phrase))?, Rivals::default());
        Ok(Self { sentence, written: phrase, first, spellings: all, tokens: fewest, rivals })
    }

    /// Compares it with similar-sounding rivals from now on. `alike` are the further ways to write it.
    /// Blocks: about half a second of one PC core, and scoring a phrase that was said takes some milliseconds
    /// longer.
    ///
    /// # Errors
    /// whisper.cpp failed.
    pub fn with_rivals(self, whisper: &mut Whisper, alike: &[String]) -> Result<Self, SttError> {
        let forms: Vec<String> =
            spellings(&self.written, alike).iter().filter_map(|form| normal(form)).collect();
        let mut rivals = Rivals::new(whisper, sound_alikes(&forms));
        let calm = AtomicBool::new(false);
        // Rivals that the model prefers on silence have a prior advantage, which is subtracted.
        let mut forced = whisper.listen(&[0.0; SILENCE], &calm)?;
        forced.begin(&[])?;
        let starts = [Vec::new()];
        let phrase = best(&mut forced, &self, &starts, f32::NEG_INFINITY)?;
        let support = rivals.support(&mut forced, &starts)?;
        rivals.forgive(phrase, &support);
        Ok(Self { rivals, ..self })
    }

    /// As it was written: lower case, one space between words.
    pub fn written(&self) -> &str {
        &self.written
    }
}

/// A spelling whose score is this far behind another one's, in nats, does not count: a hundred and fifty to
/// one.
const BEHIND: f32 = 5.0;
/// Silence, to measure the prior of the model.
const SILENCE: usize = 2 * RATE as usize;

/// How well the sound supports a phrase, in nats per token; 0 is full support.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// How much less the phrase is supported than the model's free transcription.
    pub llr: f32,
    /// How well the phrase is supported when the model's prompt contained it.
    pub expected: f32,
    /// Its lead over its rivals; far ahead where there are none, or the margin is of no interest.
    pub lead: Lead,
}

impl Score {
    /// Returns how well it fits: compare with [`ACCEPT`].
    pub fn margin(&self) -> f32 {
        f32::midpoint(self.llr, self.expected)
    }

    /// Returns whether it is ahead of what sounds like it.
    pub fn is_ahead(&self) -> bool {
        self.lead.nats >= AHEAD
    }
}

/// The result for one stretch of sound.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// The model's free transcription, for the log: up to ten tokens.
    pub text: String,
    /// One for each phrase, in their order.
    pub of: Vec<Score>,
    /// How often the decoder ran for it.
    pub steps: u32,
}

/// How exact scores must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Effort {
    /// Every score is exact.
    Full,
    /// A phrase that can't reach this margin is abandoned: its score is then too high, but its margin still
    /// below this one. So are rivals that it leaves far behind. Saves half of the decoder's work.
    Above(f32),
    /// The same, and a phrase is abandoned as soon as it can't reach the margin: for who only asks whether it was said. Other
    /// speech takes a few steps of the decoder.
    Whether(f32),
}

impl Effort {
    /// A phrase of so many tokens that is less likely than this, in nats, can't reach the margin, whatever the second look
    /// at it says; `free` is the mean of the free transcription.
    fn least(self, tokens: usize, free: f32) -> f32 {
        match self {
            Self::Full | Self::Above(_) => f32::NEG_INFINITY,
            Self::Whether(least) => tokens as f32 * (2.0 * least + free),
        }
    }

    /// Returns whether this margin is of interest.
    fn minds(self, margin: f32) -> bool {
        match self {
            Self::Full => true,
            Self::Above(least) | Self::Whether(least) => margin >= least,
        }
    }
}

/// Scores `phrases` on `samples` (mono, 16 kHz, −1..1). Blocks: about 0.2 s of one PC core, and some
/// milliseconds for each phrase. A phrase's score does not depend on the others.
///
/// # Errors
/// [`SttError::Aborted`] once `abort` is true, or whisper.cpp failed. The model can be used again.
pub fn score(
    whisper: &mut Whisper,
    samples: &[f32],
    phrases: &[Phrase],
    effort: Effort,
    abort: &AtomicBool,
) -> Result<Scores, SttError> {
    let mut forced = whisper.listen(samples, abort)?;
    let starts = starts(&forced);
    forced.begin(&[])?;
    let mut plain = Vec::with_capacity(phrases.len());
    for phrase in phrases {
        let free = mean_of_free(&forced, phrase.tokens);
        plain.push((best(&mut forced, phrase, &starts, effort.least(phrase.tokens, free))?, free));
    }
    let mut of = Vec::with_capacity(phrases.len());
    for (phrase, (total, free)) in phrases.iter().zip(plain) {
        let llr = total / phrase.tokens as f32 - free;
        let mut score = Score { llr, expected: 0.0, lead: Lead::default() };
        // Full support is the upper bound.
        if effort.minds(score.margin()) {
            forced.begin(&phrase.sentence)?;
            score.expected = best(&mut forced, phrase, &starts, f32::NEG_INFINITY)? / phrase.tokens as f32;
        }
        if effort.minds(score.margin()) && !phrase.rivals.is_empty() {
            forced.begin(&[])?;
            score.lead = phrase.rivals.weigh(total, effort, &mut forced, &starts)?;
        }
        of.push(score);
    }
    Ok(Scores { text: forced.free().text.clone(), of, steps: forced.steps() })
}

/// What may stand before the phrase: nothing, or the first word of the free transcription.
fn starts(forced: &Forced<'_>) -> Vec<Vec<i32>> {
    let tokens = &forced.free().tokens;
    let second = tokens.iter().skip(1).position(|token| token.begins_word);
    let first_word = second.map(|at| tokens[..=at].iter().map(|token| token.id).collect());
    std::iter::once(Vec::new()).chain(first_word).collect()
}

/// Returns the mean log probability of the first tokens of the free transcription; that of silence when it is empty.
fn mean_of_free(forced: &Forced<'_>, count: usize) -> f32 {
    let first = &forced.free().tokens[..count.min(forced.free().tokens.len())];
    first.iter().map(|token| token.logprob).sum::<f32>() / first.len().max(1) as f32
}

/// Returns the phrase's log probability, word end included, at the better of its possible starts. A spelling that
/// falls far behind another adds nothing, and is not followed to its end; nor are spellings that come to less than
/// `least` together, and where there is no other, the result lies above the true one and below `least`.
fn best(forced: &mut Forced<'_>, phrase: &Phrase, starts: &[Vec<i32>], least: f32) -> Result<f32, SttError> {
    let least_of_each = least - (phrase.spellings.len() as f32).ln();
    let (mut best, mut abandoned) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
    for start in starts {
        let mut ways: Vec<f32> = Vec::with_capacity(phrase.spellings.len());
        let mut left = Vec::new();
        for spelling in &phrase.spellings {
            let floor = (ways.iter().copied().fold(best, f32::max) - BEHIND).max(least_of_each);
            let mut path = start.clone();
            let mut sum = 0.0;
            for &token in spelling {
                if sum < floor {
                    break;
                }
                sum += forced.after(&path)?.log_prob(token);
                path.push(token);
            }
            if sum >= floor {
                ways.push(sum + forced.word_end(&path)?);
            } else {
                left.push(sum);
            }
        }
        best = best.max(log_sum(&ways));
        abandoned = abandoned.max(log_sum(&left));
    }
    Ok(if best == f32::NEG_INFINITY { abandoned } else { best })
}

/// Returns the logarithm of a sum of probabilities given as logarithms.
fn log_sum(logs: &[f32]) -> f32 {
    let highest = logs.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    if highest == f32::NEG_INFINITY {
        return highest;
    }
    highest + logs.iter().map(|log| (log - highest).exp()).sum::<f32>().ln()
}

#[cfg(test)]
mod tests;
