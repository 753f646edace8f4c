//! Who speaks in the measurement: the synthetic voices, or the recordings of a folder.
//!
//! Out: what is said by whom, and the speech of a crowd as mono f32 at 16 kHz.

use std::path::{Path, PathBuf};

use joi::cli::context::CliContext;
use joi::cli::wake::voices::{SENTENCES, Speaker, Spoken, VoiceGroup, Voices};
use joi::cli::wake::wavs;
use joi_audio::{RATE, read_wav};

use super::words::WORDS;

/// All that can speak here.
pub(super) struct Cast {
    pub(super) voices: Voices,
    /// Recorded speech, and recorded words with their names.
    speech: Vec<PathBuf>,
    words: Vec<(String, PathBuf)>,
}

impl Cast {
    pub(super) fn open(context: &CliContext, recordings: Option<&Path>) -> anyhow::Result<Self> {
        let (mut speech, mut words) = (Vec::new(), Vec::new());
        if let Some(folder) = recordings {
            speech = wavs(folder)?;
            let named = |file: &PathBuf| Some((file.file_stem()?.to_str()?.replace('_', " "), file.clone()));
            words = wavs(&folder.join("words"))?.iter().filter_map(named).collect();
            anyhow::ensure!(
                !speech.is_empty() || !words.is_empty(),
                "{} holds neither *.wav nor words/*.wav",
                folder.display()
            );
        }
        Ok(Self { voices: Voices::open(context)?, speech, words })
    }

    /// Sentences for a crowd.
    pub(super) fn speech(&mut self) -> anyhow::Result<Vec<Vec<f32>>> {
        if self.speech.is_empty() {
            return SENTENCES.iter().map(|sentence| self.voices.sentence(sentence)).collect();
        }
        self.speech.iter().map(|file| Ok(read_wav(file, RATE)?)).collect()
    }

    /// So many words of each group, each voice in its turn.
    pub(super) fn plan(&self, words: usize, seed: u64) -> Vec<Spoken> {
        if !self.words.is_empty() {
            let recorded = |(word, file): &(String, PathBuf)| Spoken {
                word: word.clone(),
                speaker: Speaker::Recording(file.clone()),
                group: VoiceGroup::Recorded,
            };
            return self.words.iter().map(recorded).collect();
        }
        let of_group = |group: VoiceGroup| {
            let speakers: Vec<_> = self
                .voices
                .speakers()
                .into_iter()
                .filter(|(_, g)| *g == group)
                .map(|(speaker, _)| speaker)
                .collect();
            let count = if speakers.is_empty() { 0 } else { words };
            (0..count).map(move |n| Spoken {
                word: WORDS[n % WORDS.len()].into(),
                speaker: speakers[(n + n / WORDS.len() + seed as usize) % speakers.len()].clone(),
                group,
            })
        };
        of_group(VoiceGroup::Tuned).chain(of_group(VoiceGroup::HeldOut)).collect()
    }
}
