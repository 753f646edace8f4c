//! The voice and the reader of each language, and the pause behind a sentence.
//!
//! Owned by the voice thread. In: the code of a language. Out: its voice, or the first one.

use std::time::Duration;

use super::plain::SpeakableReader;
use super::{Interrupter, LeadSilence, SpeakConfig, SpeakError, Voice};
use joi_language::{Language, LanguageCode};

/// The voice of one language.
#[derive(Debug)]
pub struct LanguageVoice {
    language: LanguageCode,
    /// The voice, whose chunks come without pauses.
    pub voice: Box<dyn Voice>,
    pub(super) reader: SpeakableReader,
    pause: Duration,
}

impl LanguageVoice {
    /// Creates the voice of `language`, with the pause of `config`.
    pub fn new(voice: Box<dyn Voice>, language: &Language, config: &SpeakConfig) -> Self {
        let pause = Duration::from_millis(config.pause_ms.into());
        Self { language: language.to_code(), voice, reader: SpeakableReader::new(language), pause }
    }

    /// Returns the sample rate in Hz.
    pub fn rate(&self) -> u32 {
        self.voice.rate()
    }

    /// Returns the number of samples of the pause behind a sentence.
    pub(super) fn pause(&self) -> usize {
        (f64::from(self.rate()) * self.pause.as_secs_f64()) as usize
    }

    /// Synthesises speakable `text` to its end, with the pauses: mono f32 in −1..1 at [`LanguageVoice::rate`].
    ///
    /// # Errors
    /// As [`Voice::begin`] and [`Voice::next_chunk`].
    pub fn render(&mut self, text: &str) -> Result<Vec<f32>, SpeakError> {
        let mut samples = Vec::new();
        self.render_chunks((text, LeadSilence::Kept), &|| false, |chunk| samples.extend(chunk))?;
        Ok(samples)
    }

    /// The same chunk by chunk: `take` gets each as soon as it is there. `is_stopped` is called before each chunk, and by
    /// some engines within it.
    ///
    /// # Errors
    /// As [`Voice::begin`] and [`Voice::next_chunk`].
    pub fn render_chunks(
        &mut self,
        (text, lead): (&str, LeadSilence),
        is_stopped: &dyn Fn() -> bool,
        mut take: impl FnMut(Vec<f32>),
    ) -> Result<(), SpeakError> {
        self.voice.begin(text, lead)?;
        while let Some(chunk) = self.voice.next_chunk(is_stopped)? {
            take(chunk.with_pause(self.pause()));
        }
        Ok(())
    }
}

/// The voices of one or more languages.
#[derive(Debug)]
pub struct LanguageVoices {
    first: LanguageVoice,
    others: Vec<LanguageVoice>,
}

impl From<LanguageVoice> for LanguageVoices {
    fn from(first: LanguageVoice) -> Self {
        Self { first, others: Vec::new() }
    }
}

impl LanguageVoices {
    /// Adds a voice.
    #[must_use]
    pub fn and(mut self, another: LanguageVoice) -> Self {
        self.others.push(another);
        self
    }

    /// Returns the interrupters of all voices.
    pub(super) fn interrupters(&self) -> Vec<Interrupter> {
        std::iter::once(&self.first)
            .chain(&self.others)
            .filter_map(|speaker| speaker.voice.interrupter())
            .collect()
    }

    /// Frees the memory that all voices hold for long sentences.
    pub(super) fn rest(&mut self) {
        for speaker in std::iter::once(&mut self.first).chain(&mut self.others) {
            if let Err(error) = speaker.voice.rest() {
                tracing::debug!(%error, "the memory of a voice stays as it is");
            }
        }
    }

    /// Returns the voice of `language`, or else the first one.
    pub(super) fn of(&mut self, language: &LanguageCode) -> &mut LanguageVoice {
        let place = self.others.iter().position(|speaker| speaker.language == *language);
        match place.and_then(|place| self.others.get_mut(place)) {
            Some(speaker) => speaker,
            None => &mut self.first,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChunkEnd, SoundChunk};
    use joi_language::testing::english;

    /// Says one loud sample for each end.
    #[derive(Debug)]
    struct Scripted(Vec<ChunkEnd>);

    impl Voice for Scripted {
        fn rate(&self) -> u32 {
            1_000
        }

        fn languages(&self) -> &[LanguageCode] {
            &[]
        }

        fn begin(&mut self, _: &str, _: LeadSilence) -> Result<(), SpeakError> {
            Ok(())
        }

        fn next_chunk(&mut self, _: &dyn Fn() -> bool) -> Result<Option<SoundChunk>, SpeakError> {
            Ok(self.0.pop().map(|end| SoundChunk { samples: vec![1.0], end }))
        }
    }

    #[test]
    fn a_pause_follows_each_sentence_of_any_voice_and_nothing_else() {
        let ends = ["Yes.", "1", "No?", "Go! ", "so,"].map(ChunkEnd::of);
        use ChunkEnd::{Clause, Sentence, Within};
        assert_eq!(ends, [Sentence, Clause, Sentence, Sentence, Clause]);
        for (pause_ms, expected) in
            [(0, vec![1.0; 4]), (3, vec![1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0])]
        {
            let config = SpeakConfig { pause_ms, ..SpeakConfig::default() };
            let voice = Scripted(vec![Sentence, Clause, Sentence, Within]);
            let mut voice = LanguageVoice::new(Box::new(voice), english(), &config);
            assert_eq!(voice.render("").unwrap(), expected, "{pause_ms} ms");
        }
    }
}
