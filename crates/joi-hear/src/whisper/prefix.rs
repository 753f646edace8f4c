//! Transcribes the words behind a wake phrase that the sound begins with.
//!
//! Called by the owner of the model, after the encoder has run. Whisper misspells names ("Page Arvus, turn
//! off the light"), and a sound that begins behind the name begins in the middle of a breath ("List, turn off
//! the light"). So the sound includes the phrase, and the decoder is given the phrase as a prefix: Radford et
//! al., Robust Speech Recognition via Large-Scale Weak Supervision, 2022.

use std::sync::atomic::{AtomicBool, Ordering};

use super::decode_pass::DecodePass;
use super::error::{SttError, failed};
use super::{Whisper, window};

impl Whisper {
    /// Decodes what follows `lead`, if there is one, at most `max_tokens` tokens.
    pub(super) fn pass_after(
        &mut self,
        lead: Option<&str>,
        max_tokens: u32,
        abort: &AtomicBool,
    ) -> Result<DecodePass, SttError> {
        let mut tokens = self.opening_behind_names();
        if let Some(lead) = lead {
            tokens.extend(self.tokens(&written(lead))?);
        }
        let mut past = 0;
        if let Some((_, unasked)) = tokens.split_last() {
            self.step(unasked, &mut past, abort)?;
        }
        let (mut bytes, mut sum, mut count) = (Vec::new(), 0.0_f64, 0);
        let mut newest = tokens.last().copied();
        while let Some(token) = newest {
            self.step(&[token], &mut past, abort)?;
            let next = self.likeliest()?;
            newest = (next.0 != self.end_of_text && count < max_tokens).then_some(next.0);
            if newest.is_some() {
                bytes.extend(self.context.token_to_bytes(next.0).map_err(failed)?);
                sum += f64::from(next.1);
                count += 1;
            }
        }
        let text = String::from_utf8_lossy(&bytes).trim().to_owned();
        let mean_logprob = if count == 0 { 0.0 } else { (sum / f64::from(count)) as f32 };
        let ran_away = count >= max_tokens || window::repeats(&text);
        Ok(DecodePass { text, mean_logprob, no_speech: 0.0, ran_away })
    }

    /// Returns the tokens of `text` as it is written behind `lead`, if there is one.
    ///
    /// # Errors
    /// The text is too long, or holds a zero.
    pub(crate) fn tokens_behind(&self, lead: Option<&str>, text: &str) -> Result<Vec<i32>, SttError> {
        self.tokens(&format!("{} {text}", lead.map(written).unwrap_or_default()))
    }

    fn step(&mut self, tokens: &[i32], past: &mut usize, abort: &AtomicBool) -> Result<(), SttError> {
        if abort.load(Ordering::Relaxed) {
            return Err(SttError::Aborted);
        }
        let threads = usize::try_from(self.threads).unwrap_or(1);
        self.state.decode(tokens, *past, threads).map_err(failed)?;
        *past += tokens.len();
        Ok(())
    }

    /// Returns the likeliest next token and the log of its probability.
    fn likeliest(&self) -> Result<(i32, f32), SttError> {
        let row = self.row()?;
        let allowed = (0..).zip(&self.is_word).filter(|(_, is_word)| **is_word).map(|(id, _)| id);
        allowed
            .chain([self.end_of_text])
            .map(|id| (id, row.log_prob(id)))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .ok_or_else(|| SttError::Failed("no probabilities".into()))
    }
}

/// Returns the phrase as whisper would write it: " Hey Jarvis,".
fn written(phrase: &str) -> String {
    let words = phrase.split_whitespace().map(|word| {
        let mut letters = word.chars();
        letters
            .next()
            .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect::<String>())
    });
    format!(" {},", words.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_written_as_whisper_would() {
        assert_eq!(written("hey jarvis"), " Hey Jarvis,");
        assert_eq!(written("  élise "), " Élise,");
    }
}
