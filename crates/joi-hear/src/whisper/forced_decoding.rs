//! Forced decoding: the model's probability of given texts, beside its free transcription.
//!
//! Called by the owner of the model. In: a stretch of sound of a few seconds, then one text after another, as
//! tokens. Out: what the decoder writes freely, and the probability of every token that could come next. The
//! sound is encoded once; a text costs one decoder step for each token it does not share with the text
//! before. Tokens are decoded one by one: of several in one batch, whisper.cpp keeps the last row of
//! probabilities and returns the first.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Whisper;
use super::error::{SttError, failed};
use super::log_prob_row::LogProbRow;
use super::window::PHRASE_AUDIO_CTX;

/// Tokens the decoder may write freely: more than a phrase has.
const FREE_TOKENS: u32 = 10;
/// The most tokens of a text.
const LONGEST: usize = 64;

/// A token of the free transcription.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FreeToken {
    /// Its number in the vocabulary.
    pub id: i32,
    /// Natural log of its probability.
    pub logprob: f32,
    /// Whether a word begins with it.
    pub begins_word: bool,
}

/// The free transcription.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Free {
    /// Up to ten tokens, or what a transcript of the same sound has.
    pub tokens: Vec<FreeToken>,
    /// The same as text, trimmed.
    pub text: String,
}

/// A stretch of sound that texts are scored on.
pub struct Forced<'w> {
    whisper: &'w mut Whisper,
    abort: &'w AtomicBool,
    free: Free,
    /// The tokens before every text.
    head: Vec<i32>,
    path: Vec<i32>,
    /// The row after the head, and after each token of the path.
    rows: Vec<LogProbRow>,
    steps: u32,
}

impl Whisper {
    /// Returns the tokens of a text, at most 64; a leading space belongs to the first word.
    ///
    /// # Errors
    /// The text is too long, or holds a zero.
    pub fn tokens(&self, text: &str) -> Result<Vec<i32>, SttError> {
        // A token is at least one byte. With less room than it needs, the binding returns memory that is not
        // its own instead of an error.
        let tokens = self.context.tokenize(text, text.len().max(1)).map_err(failed)?;
        if tokens.len() > LONGEST {
            return Err(SttError::Failed(format!(
                "a text of {} tokens is longer than {LONGEST}",
                tokens.len()
            )));
        }
        Ok(tokens)
    }

    /// Encodes `samples` (mono, 16 kHz, f32 in −1..1, up to about 3 s) and decodes freely; neither if that
    /// was done last. Blocks. `abort` is polled after the encoder and before every decoder step, here and
    /// later.
    ///
    /// # Errors
    /// [`SttError::Aborted`], or whisper.cpp failed. The model can be used again after both.
    pub fn listen<'w>(&'w mut self, samples: &[f32], abort: &'w AtomicBool) -> Result<Forced<'w>, SttError> {
        if abort.load(Ordering::Relaxed) {
            return Err(SttError::Aborted);
        }
        if !self.encoded.is(samples, PHRASE_AUDIO_CTX) {
            self.run(samples, PHRASE_AUDIO_CTX, FREE_TOKENS, abort)?;
            if self.spoken.may_change() {
                let start = self.start_of_transcript()?;
                if self.hear_language(&start) {
                    self.run(samples, PHRASE_AUDIO_CTX, FREE_TOKENS, abort)?;
                }
            }
        }
        let free = self.free()?;
        Ok(Forced {
            whisper: self,
            abort,
            free,
            head: Vec::new(),
            path: Vec::new(),
            rows: Vec::new(),
            steps: 0,
        })
    }

    fn free(&self) -> Result<Free, SttError> {
        let mut free = Free::default();
        for segment in self.state.as_iter() {
            free.text.push_str(&segment.to_str_lossy().map_err(failed)?);
            for token in (0..segment.n_tokens()).filter_map(|n| segment.get_token(n)) {
                let (id, logprob) = (token.token_data().id, token.token_data().plog);
                if id < self.end_of_text {
                    let begins_word =
                        self.context.token_to_bytes(id).is_ok_and(|bytes| bytes.first() == Some(&b' '));
                    free.tokens.push(FreeToken { id, logprob, begins_word });
                }
            }
        }
        free.text = free.text.trim().to_owned();
        Ok(free)
    }

    /// Returns the tokens the decoder is started with: transcribe, in this language, without timestamps.
    pub(super) fn opening(&self) -> Vec<i32> {
        let mut tokens = vec![self.start_of_text];
        if self.context.is_multilingual() {
            let language = whisper_rs::get_lang_id(self.spoken.is()).unwrap_or(0);
            tokens.extend([self.context.token_lang(language), self.context.token_transcribe()]);
        }
        tokens.push(self.context.token_not());
        tokens
    }

    /// Returns the probabilities of the token behind the last decoded one.
    pub(super) fn row(&self) -> Result<LogProbRow, SttError> {
        Ok(LogProbRow::new(self.state.get_logits().map_err(failed)?.to_vec()))
    }
}

impl Forced<'_> {
    /// Returns the free transcription.
    pub fn free(&self) -> &Free {
        &self.free
    }

    /// Number of decoder steps, the cost of all this.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// From here on texts are decoded behind `before` as the prompt; without a prompt when it is empty.
    ///
    /// # Errors
    /// [`SttError::Aborted`], or whisper.cpp failed.
    pub fn begin(&mut self, before: &[i32]) -> Result<(), SttError> {
        let mut head = Vec::new();
        if !before.is_empty() {
            head.push(self.whisper.context.token_prev());
            head.extend_from_slice(before);
        }
        head.extend(self.whisper.opening());
        self.path.clear();
        self.rows.clear();
        // Later tokens are not needed.
        if let Some((last, unasked)) = head.split_last() {
            self.decode(unasked, 0)?;
            self.decode(&[*last], unasked.len())?;
        }
        self.rows.push(self.whisper.row()?);
        self.head = head;
        Ok(())
    }

    /// Returns the probabilities after `path`.
    ///
    /// # Errors
    /// [`SttError::Aborted`], or whisper.cpp failed.
    pub fn after(&mut self, path: &[i32]) -> Result<&LogProbRow, SttError> {
        if self.rows.is_empty() {
            self.begin(&[])?;
        }
        let shared = self.path.iter().zip(path).take_while(|(a, b)| a == b).count();
        let unknown = &path[shared..];
        if !unknown.is_empty() {
            self.path.truncate(shared);
            self.rows.truncate(shared + 1);
        }
        for &token in unknown {
            self.decode(&[token], self.head.len() + self.path.len())?;
            self.rows.push(self.whisper.row()?);
            self.path.push(token);
        }
        self.rows.get(path.len()).ok_or_else(|| SttError::Failed("no probabilities".into()))
    }

    /// Natural log of the probability that the last word of `path` is complete.
    ///
    /// # Errors
    /// [`SttError::Aborted`], or whisper.cpp failed.
    pub(crate) fn word_end(&mut self, path: &[i32]) -> Result<f32, SttError> {
        self.after(path)?;
        let row = self.rows.get(path.len());
        Ok(row.map_or(f32::NEG_INFINITY, |row| row.log_prob_of_none(&self.whisper.goes_on)))
    }

    /// Returns the natural log of the probability of `text`, all of it and nothing behind it.
    ///
    /// # Errors
    /// [`SttError::Aborted`], or whisper.cpp failed.
    pub fn whole(&mut self, text: &[i32]) -> Result<f32, SttError> {
        let end = self.whisper.end_of_text;
        let mut sum = 0.0;
        for (place, &token) in text.iter().enumerate() {
            sum += self.after(&text[..place])?.log_prob(token);
        }
        Ok(sum + self.after(text)?.log_prob(end))
    }

    fn decode(&mut self, tokens: &[i32], past: usize) -> Result<(), SttError> {
        if self.abort.load(Ordering::Relaxed) {
            return Err(SttError::Aborted);
        }
        if tokens.is_empty() {
            return Ok(());
        }
        self.steps += 1;
        let threads = usize::try_from(self.whisper.threads).unwrap_or(1);
        self.whisper.state.decode(tokens, past, threads).map_err(failed)
    }
}

#[cfg(test)]
mod tests;
