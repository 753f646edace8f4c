//! How well a stretch of sound supports phrases that somebody has written down.
//!
//! In: up to about three seconds of sound, and phrases. Out: for each phrase a [`Score`]. The model is not asked
//! what was said, since a small one writes names as anything; it is made to say the phrase token by token, and
//! how little it resists is the score. Nothing has to be recorded for that. Words that sound like the phrase are
//! asked for too (`lexicon`, `sounds`, `rivals`), so that they are told from it. [`score`] does it on the thread
//! that owns the model; a [`Scorer`] has it done by a transcription thread, on its warm model.
//!
//! Accepting is the caller's affair: more than [`ACCEPT`], and than [`AHEAD`] of its rivals, is the phrase, in
//! all likelihood.

mod lane;
mod lexicon;
mod measure;
mod opinion;
mod readings;
mod rivals;
mod sounds;
mod spell;

use std::sync::atomic::AtomicBool;

use crate::audio::RATE;
use crate::hear::whisper::{Forced, SttError, Whisper};
use lexicon::sound_alikes;
use rivals::Rivals;

pub use lane::{Ask, Scored, Scorer};
pub use measure::{BUDGET, ScorerTime};
pub use opinion::{Opinion, Question, Second, SoundsLike, opine};
pub use readings::{Choice, LONGEST, choose, support};
pub use rivals::Lead;
pub use spell::{normal, sentence, short, spellings, syllables};

/// The margin from which on a phrase counts as said, found on voices and rooms of many kinds.
pub const ACCEPT: f32 = -3.0;
/// The lead over its rivals from which on a phrase counts as said, in nats, found in the same way.
pub const AHEAD: f32 = -2.0;

/// Why a phrase can't be scored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PhraseError {
    /// It is no phrase. Ask for another one.
    #[error(
        "\"{0}\" is no phrase; allowed: one to five words of letters, 3 to 40 characters, for example \"hey joi\""
    )]
    NoPhrase(String),
    /// The recogniser has a single sign for it. Ask for a longer one.
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
    /// What it is told from.
    rivals: Rivals,
}

impl Phrase {
    /// Spells `written` with the vocabulary of `whisper`; `alike` are further ways to write it.
    ///
    /// # Errors
    /// It is no phrase, or too short to be told from other speech; both say what to do.
    pub fn new(whisper: &Whisper, written: &str, alike: &[String]) -> Result<Self, PhraseError> {
        let phrase = normal(written).ok_or_else(|| PhraseError::NoPhrase(written.into()))?;
        let spelled = Self::spelled(whisper, phrase, alike)?;
        if spelled.first.len() < 2 {
            return Err(PhraseError::OneToken(spelled.written));
        }
        Ok(spelled)
    }

    /// The same for a short word among few others that may have been said, as "stop" while she speaks: any word
    /// of letters will do, since it is only compared.
    ///
    /// # Errors
    /// It is no word.
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
        // Neighbours share their beginnings: decoder steps are saved.
        all.sort();
        let fewest = all.iter().map(Vec::len).min().unwrap_or(1).max(1);
        let (sentence, rivals) = (tokens(&sentence(&phrase))?, Rivals::default());
        Ok(Self { sentence, written: phrase, first, spellings: all, tokens: fewest, rivals })
    }

    /// Has it told from what sounds like it. `alike` are the further ways to write it. Blocks: about half a
    /// second of one PC core, and the scoring of a phrase that was said takes some milliseconds longer.
    ///
    /// # Errors
    /// whisper.cpp failed.
    pub fn with_rivals(self, whisper: &mut Whisper, alike: &[String]) -> Result<Self, SttError> {
        let forms: Vec<String> =
            spellings(&self.written, alike).iter().filter_map(|form| normal(form)).collect();
        let mut rivals = Rivals::new(whisper, sound_alikes(&forms));
        let calm = AtomicBool::new(false);
        // What the model likes where it hears nothing at all, it likes for no reason.
        let mut forced = whisper.listen(&[0.0; SILENCE], &calm)?;
        forced.begin(&[])?;
        let starts = [Vec::new()];
        let phrase = best(&mut forced, &self, &starts)?;
        let support = rivals.support(&mut forced, &starts)?;
        rivals.forgive(phrase, &support);
        Ok(Self { rivals, ..self })
    }

    /// As it was written: lower case, one space between words.
    pub fn written(&self) -> &str {
        &self.written
    }
}

/// A way to write a phrase that is so far behind another, in nats, does not count: a hundred and fifty to one.
const BEHIND: f32 = 5.0;
/// What is listened to for the bias of the model.
const SILENCE: usize = 2 * RATE as usize;

/// How well the sound supports a phrase, in nats per token; 0 is full support.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// How much less the phrase is supported than what the model would write itself.
    pub llr: f32,
    /// How well the phrase is supported when the model was told to expect it.
    pub expected: f32,
    /// How it stands up to its rivals; far ahead where there are none, or the margin is of no interest.
    pub lead: Lead,
}

impl Score {
    /// How well it fits: compare with [`ACCEPT`].
    pub fn margin(&self) -> f32 {
        f32::midpoint(self.llr, self.expected)
    }

    /// Whether it stands up to what sounds like it.
    pub fn is_ahead(&self) -> bool {
        self.lead.nats >= AHEAD
    }
}

/// What one stretch of sound is worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// What the model writes itself, for the log: up to ten tokens.
    pub text: String,
    /// One for each phrase, in their order.
    pub of: Vec<Score>,
    /// How often the decoder ran for it.
    pub steps: u32,
}

/// How exactly to score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Effort {
    /// Every score is exact.
    Full,
    /// A phrase that can't reach this margin any more is not looked at further: its score is too high then,
    /// and its margin below this one all the same. Nor are rivals that it leaves far behind. Saves half of the
    /// decoder's work.
    Above(f32),
}

impl Effort {
    /// Whether this margin is of interest.
    fn minds(self, margin: f32) -> bool {
        match self {
            Self::Full => true,
            Self::Above(least) => margin >= least,
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
        plain.push(best(&mut forced, phrase, &starts)?);
    }
    let mut of = Vec::with_capacity(phrases.len());
    for (phrase, total) in phrases.iter().zip(plain) {
        let llr = total / phrase.tokens as f32 - mean_of_free(&forced, phrase.tokens);
        let mut score = Score { llr, expected: 0.0, lead: Lead::default() };
        // Nothing is supported better than fully.
        if effort.minds(score.margin()) {
            forced.begin(&phrase.sentence)?;
            score.expected = best(&mut forced, phrase, &starts)? / phrase.tokens as f32;
        }
        if effort.minds(score.margin()) && !phrase.rivals.is_empty() {
            forced.begin(&[])?;
            score.lead = phrase.rivals.weigh(total, effort, &mut forced, &starts)?;
        }
        of.push(score);
    }
    Ok(Scores { text: forced.free().text.clone(), of, steps: forced.steps() })
}

/// What may stand before the phrase: nothing, or the first word the model would write.
fn starts(forced: &Forced<'_>) -> Vec<Vec<i32>> {
    let tokens = &forced.free().tokens;
    let second = tokens.iter().skip(1).position(|token| token.begins_word);
    let first_word = second.map(|at| tokens[..=at].iter().map(|token| token.id).collect());
    std::iter::once(Vec::new()).chain(first_word).collect()
}

/// The mean log probability of the first tokens the model would write; that of silence when it writes none.
fn mean_of_free(forced: &Forced<'_>, count: usize) -> f32 {
    let first = &forced.free().tokens[..count.min(forced.free().tokens.len())];
    first.iter().map(|token| token.logprob).sum::<f32>() / first.len().max(1) as f32
}

/// The phrase's log probability, word end included, at the better of the places it may begin. A way to write it that
/// falls far behind another adds nothing, and is not followed to its end.
fn best(forced: &mut Forced<'_>, phrase: &Phrase, starts: &[Vec<i32>]) -> Result<f32, SttError> {
    let mut best = f32::NEG_INFINITY;
    for start in starts {
        let mut ways: Vec<f32> = Vec::with_capacity(phrase.spellings.len());
        for spelling in &phrase.spellings {
            let floor = ways.iter().copied().fold(best, f32::max) - BEHIND;
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
            }
        }
        best = best.max(log_sum(&ways));
    }
    Ok(best)
}

/// The log of the sum of probabilities given by their logs.
fn log_sum(logs: &[f32]) -> f32 {
    let highest = logs.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    if highest == f32::NEG_INFINITY {
        return highest;
    }
    highest + logs.iter().map(|log| (log - highest).exp()).sum::<f32>().ln()
}

#[cfg(test)]
mod tests;
