//! A recording of a phrase, as the scorer judges it.
//!
//! The thread of the model. In: a phrase that was cut out of a recording. Out: a [`Take`].

use std::sync::atomic::AtomicBool;

use joi_audio::RATE;

use super::Take;
use crate::score::{Effort, Phrase, score};
use crate::whisper::{SttError, Whisper};

/// Silence before the phrase in what is scored: soft consonants begin before one hears them.
const LEAD: usize = RATE as usize / 4;
/// Most samples that are scored.
const WINDOW: usize = 2 * RATE as usize;

impl Take {
    /// Scores the recording `name`, of which `sound` was cut out.
    ///
    /// # Errors
    /// The model fails.
    pub fn judged(
        whisper: &mut Whisper,
        phrase: &Phrase,
        name: String,
        sound: &[f32],
    ) -> Result<Self, SttError> {
        let mut window = vec![0.0; LEAD];
        window.extend_from_slice(sound);
        window.truncate(WINDOW);
        let phrases = std::slice::from_ref(phrase);
        let scores = score(whisper, &window, phrases, Effort::Full, &AtomicBool::new(false))?;
        let score = scores.of.into_iter().next();
        let margin = score.as_ref().map_or(f32::NEG_INFINITY, |score| score.margin());
        let rival = score.filter(|score| !score.is_ahead()).and_then(|score| score.lead.rival);
        Ok(Self { name, text: once_round(&scores.text), margin, rival })
    }
}

/// Returns the text up to where the decoder begins to repeat itself, as it does on a short sound with silence behind
/// it.
fn once_round(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let again = (1..=words.len() / 2).find(|&n| words[..n] == words[n..2 * n]);
    words[..again.unwrap_or(words.len())].join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_decoder_repeats_is_shown_once() {
        let circling = "Hey Computer Hey Computer Hey Computer Hey";
        assert_eq!(once_round(circling), "Hey Computer");
        assert_eq!(["Hey, Joy.", "", "no"].map(once_round), ["Hey, Joy.", "", "no"]);
    }
}
