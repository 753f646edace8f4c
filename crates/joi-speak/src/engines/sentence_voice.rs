//! A voice whose engine synthesises a sentence at once: the level, the silence around it and its end are set here.
//!
//! Runs on the thread that owns the voice. In: speakable text. Out: a chunk for each sentence.

use std::collections::VecDeque;
use std::fmt::Debug;

use joi_language::LanguageCode;

use crate::SpeakError;
use crate::shape::{self, LeadSilence};
use crate::voice::{ChunkEnd, SoundChunk, Voice};

/// Softer than this counts as silence at the end of a sentence.
const SILENCE: f32 = 1e-3;

/// An engine that synthesises whole sentences. [`SentenceVoice`] makes a [`Voice`] of it.
pub(super) trait SentenceEngine: Debug + Send {
    /// Returns the sample rate in Hz.
    fn rate(&self) -> u32;

    /// Returns the codes of the languages it was made for.
    fn languages(&self) -> &[LanguageCode];

    /// Returns what is synthesised at once of a text, each piece with the mark that closes it.
    ///
    /// # Errors
    /// When the text cannot be converted to phonemes.
    fn pieces(&self, text: &str) -> Result<Vec<String>, SpeakError>;

    /// Synthesises a piece: mono, about as loud as Piper's voices (0.057 root mean square).
    ///
    /// # Errors
    /// [`SpeakError::Stopped`] after `is_stopped` returned true, others when the synthesis fails.
    fn synthesise(&mut self, piece: &str, is_stopped: &dyn Fn() -> bool) -> Result<Vec<f32>, SpeakError>;
}

/// The voice of such an engine.
#[derive(Debug)]
pub(super) struct SentenceVoice<E> {
    engine: E,
    gain: f32,
    /// The pieces still to be spoken.
    pieces: VecDeque<String>,
    lead: LeadSilence,
}

impl<E> SentenceVoice<E> {
    /// Creates the voice with the loudness of [`VoiceStyle::gain`](crate::VoiceStyle::gain).
    pub(super) fn new(engine: E, gain: f32) -> Self {
        Self { engine, gain, pieces: VecDeque::new(), lead: LeadSilence::Kept }
    }
}

impl<E: SentenceEngine> Voice for SentenceVoice<E> {
    fn rate(&self) -> u32 {
        self.engine.rate()
    }

    fn languages(&self) -> &[LanguageCode] {
        self.engine.languages()
    }

    fn begin(&mut self, text: &str, lead: LeadSilence) -> Result<(), SpeakError> {
        self.pieces = self.engine.pieces(text)?.into();
        self.lead = lead;
        Ok(())
    }

    fn next_chunk(&mut self, is_stopped: &dyn Fn() -> bool) -> Result<Option<SoundChunk>, SpeakError> {
        if is_stopped() {
            return Err(SpeakError::Stopped);
        }
        let Some(piece) = self.pieces.pop_front() else { return Ok(None) };
        let mut samples = self.engine.synthesise(&piece, is_stopped)?;
        shape::level(&mut samples, self.gain);
        let end = samples.iter().rposition(|sample| sample.abs() > SILENCE).map_or(0, |last| last + 1);
        samples.truncate(end);
        if std::mem::replace(&mut self.lead, LeadSilence::Kept) == LeadSilence::Cut {
            shape::cut_lead(&mut samples, self.engine.rate());
        }
        Ok(Some(SoundChunk { samples, end: ChunkEnd::of(&piece) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::say;

    /// Says a loud sample for each letter, with silence around.
    #[derive(Debug)]
    struct Letters;

    impl SentenceEngine for Letters {
        fn rate(&self) -> u32 {
            100
        }

        fn languages(&self) -> &[LanguageCode] {
            &[]
        }

        fn pieces(&self, text: &str) -> Result<Vec<String>, SpeakError> {
            Ok(text.split_inclusive('.').map(str::to_owned).collect())
        }

        fn synthesise(&mut self, piece: &str, _: &dyn Fn() -> bool) -> Result<Vec<f32>, SpeakError> {
            let letters = piece.chars().filter(|c| c.is_alphabetic()).count();
            Ok([vec![0.0; 4], vec![0.5; letters], vec![0.0; 9]].concat())
        }
    }

    #[test]
    fn only_the_first_sentence_loses_its_silence_and_each_says_where_it_ends() {
        let mut voice = SentenceVoice::new(Letters, 1.0);
        let mut chunks = Vec::new();
        voice.begin("Yes. no", LeadSilence::Cut).unwrap();
        while let Some(chunk) = voice.next_chunk(&|| false).unwrap() {
            chunks.push((chunk.samples.len(), chunk.end));
        }
        assert_eq!(chunks, [(4, ChunkEnd::Sentence), (6, ChunkEnd::Clause)]);
        let stopped = say(&mut voice, "Yes. no", &|| true, &mut |_| {});
        assert!(matches!(stopped, Err(SpeakError::Stopped)));
    }
}
