//! Keeps the sound of short lines that were spoken before: spoken again, they need no synthesis.
//!
//! Owned by the voice thread. In: lines that were synthesised to their end. Out: the chunks of the same line in the
//! same language. The sound of all of them together is bounded; the line that was not said for longest goes first.
//! Long lines, which hardly come again, and lines that were stopped are not kept.
//! Pure: no I/O, no clock.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::{LeadSilence, SoundChunk, SpeakError};
use joi_language::LanguageCode;

/// Bytes of sound that are kept: some twenty seconds of a voice at 22 kHz.
const MOST: usize = 2 << 20;
/// Bytes of text of the longest line that is kept: some three seconds.
const LONGEST: usize = 48;

/// What makes two lines sound the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineKey {
    language: LanguageCode,
    spoken: String,
    lead: LeadSilence,
}

impl LineKey {
    /// Of a line as it is spoken; nothing where it is too long to be kept, or holds nothing to say.
    pub(super) fn of(language: &LanguageCode, spoken: &str, lead: LeadSilence) -> Option<Self> {
        let is_kept = (1..=LONGEST).contains(&spoken.trim().len());
        is_kept.then(|| Self { language: language.clone(), spoken: spoken.to_owned(), lead })
    }
}

/// The lines, the newest last.
#[derive(Debug, Default)]
pub(super) struct KeptLines {
    lines: VecDeque<(LineKey, Arc<[SoundChunk]>)>,
    /// Bytes of all of them.
    bytes: usize,
}

impl KeptLines {
    /// Returns the sound of that line, which is the newest from here on.
    pub(super) fn find(&mut self, key: &LineKey) -> Option<Arc<[SoundChunk]>> {
        let place = self.lines.iter().position(|(kept, _)| kept == key)?;
        let line = self.lines.remove(place)?;
        let chunks = Arc::clone(&line.1);
        self.lines.push_back(line);
        Some(chunks)
    }

    /// Keeps a line; those that were not said for longest give way.
    pub(super) fn keep(&mut self, key: LineKey, chunks: Vec<SoundChunk>) {
        let bytes = size(&chunks);
        if chunks.is_empty() || bytes > MOST || self.find(&key).is_some() {
            return;
        }
        self.bytes += bytes;
        self.lines.push_back((key, chunks.into()));
        while self.bytes > MOST
            && let Some((_, oldest)) = self.lines.pop_front()
        {
            self.bytes -= size(&oldest);
        }
    }
}

fn size(chunks: &[SoundChunk]) -> usize {
    chunks.iter().map(|chunk| size_of_val(chunk.samples.as_slice())).sum()
}

/// Whether the chunks of a line are wanted when it is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeping {
    Wanted,
    Unwanted,
}

/// Passes every chunk that `advance` gives to `play`. At the end all of them, where they are wanted; nothing of a line
/// that was stopped.
///
/// # Errors
/// Those of `advance`.
pub(super) fn play_all(
    keeping: Keeping,
    mut advance: impl FnMut() -> Result<Option<SoundChunk>, SpeakError>,
    mut play: impl FnMut(SoundChunk),
) -> Result<Vec<SoundChunk>, SpeakError> {
    let mut chunks = Vec::new();
    loop {
        match advance() {
            Ok(Some(chunk)) => {
                if keeping == Keeping::Wanted {
                    chunks.push(chunk.clone());
                }
                play(chunk);
            }
            Ok(None) => return Ok(chunks),
            Err(SpeakError::Stopped) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ChunkEnd;

    fn key(spoken: &str) -> LineKey {
        LineKey::of(&"en".into(), spoken, LeadSilence::Cut).unwrap()
    }

    fn chunk(samples: usize) -> SoundChunk {
        SoundChunk { samples: vec![0.25; samples], end: ChunkEnd::Sentence }
    }

    /// Of a length of which four fit.
    fn sound() -> Vec<SoundChunk> {
        vec![chunk(MOST / 4 / 8), chunk(MOST / 4 / 8)]
    }

    #[test]
    fn what_was_not_said_for_longest_gives_way() {
        let mut kept = KeptLines::default();
        for name in ["one", "two", "three", "four"] {
            kept.keep(key(name), sound());
        }
        assert_eq!(kept.bytes, MOST);
        assert_eq!(kept.find(&key("one")).as_deref(), Some(&sound()[..]));
        kept.keep(key("one"), sound());
        assert_eq!((kept.bytes, kept.lines.len()), (MOST, 4), "it is kept once");
        kept.keep(key("five"), sound());
        let held = ["one", "two", "three", "four", "five"].map(|name| kept.find(&key(name)).is_some());
        assert_eq!(held, [true, false, true, true, true]);
        kept.keep(key("all"), vec![chunk(MOST / 4)]);
        assert_eq!((kept.bytes, kept.lines.len()), (MOST, 1));
        kept.keep(key("more than all"), vec![chunk(MOST / 4 + 1)]);
        kept.keep(key("silence"), Vec::new());
        assert_eq!((kept.bytes, kept.lines.len()), (MOST, 1), "what does not fit changes nothing");
    }

    #[test]
    fn another_language_and_another_silence_in_front_are_other_lines_and_long_ones_are_none() {
        let mut kept = KeptLines::default();
        kept.keep(key("Okay."), sound());
        let of = |language: &str, lead| LineKey::of(&language.into(), "Okay.", lead).unwrap();
        assert!(kept.find(&of("en", LeadSilence::Cut)).is_some());
        assert!(kept.find(&of("de", LeadSilence::Cut)).is_none());
        assert!(kept.find(&of("en", LeadSilence::Kept)).is_none());
        assert_eq!(LineKey::of(&"en".into(), &"a".repeat(LONGEST + 1), LeadSilence::Cut), None);
        assert_eq!(LineKey::of(&"en".into(), " ", LeadSilence::Cut), None);
    }

    #[test]
    fn all_is_played_and_only_the_whole_of_a_line_is_given_back() {
        let run = |keeping, end: fn() -> Result<Option<SoundChunk>, SpeakError>| {
            let mut due = vec![chunk(2), chunk(1)];
            let mut played = Vec::new();
            let advance = || due.pop().map_or_else(end, |chunk| Ok(Some(chunk)));
            let kept = play_all(keeping, advance, |chunk| played.push(chunk));
            assert_eq!(played, [chunk(1), chunk(2)]);
            kept.ok()
        };
        let all = || Ok(None);
        assert_eq!(run(Keeping::Wanted, all), Some(vec![chunk(1), chunk(2)]));
        assert_eq!(run(Keeping::Unwanted, all), Some(Vec::new()));
        let stopped = || Err(SpeakError::Stopped);
        assert_eq!(run(Keeping::Wanted, stopped), Some(Vec::new()));
        let broken = || Err(SpeakError::synthesis("no memory"));
        assert_eq!(run(Keeping::Wanted, broken), None);
    }
}
