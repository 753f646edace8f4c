//! One line: its chunks go to the player as the parts of sentences, and into the ledger.

use std::time::Instant;

use super::event::SpeakEvent;
use super::kept::{self, Keeping, KeptLines, LineKey};
use super::ledger::LineId;
use super::rehearsal::PreparedLine;
use super::spoken_line::SpokenLine;
use super::state::MouthState;
use crate::languages::LanguageVoice;
use crate::{LeadSilence, SoundChunk, SpeakError, shape};
use joi_audio::{Clip, ClipPart, Epoch};

/// Speaks one line; its beginning may have been prepared, or all of it been said before. The ledger registers each clip
/// before the player gets it.
pub(super) fn speak(
    speaker: &mut LanguageVoice,
    shared: &MouthState,
    (line, epoch, lead): (SpokenLine, Epoch, LeadSilence),
    (ready, kept): (Option<PreparedLine>, &mut KeptLines),
) -> Vec<SpeakEvent> {
    let turn = line.turn;
    let ready = ready.filter(|ready| ready.is(&line));
    let text = speaker.reader.speakable(&line.text);
    let key = LineKey::of(&line.language, &text, lead);
    let row = shared.ledger().open(line, text.clone());
    let (rate, pause) = (speaker.rate(), speaker.pause());
    let mut playing = PlayedLine { shared, row, epoch, rate, pause, is_open: false };
    let mut due = Vec::new();
    let said = match key.as_ref().and_then(|key| kept.find(key)) {
        Some(chunks) => {
            due.extend(chunks.iter().cloned().flat_map(|chunk| playing.play(chunk)));
            Ok(())
        }
        None => {
            let keeping = if key.is_some() { Keeping::Wanted } else { Keeping::Unwanted };
            let said = synthesise(speaker, (&text, lead), (ready, keeping), &mut playing, &mut due);
            said.map(|chunks| {
                if let Some(key) = key {
                    kept.keep(key, chunks);
                }
            })
        }
    };
    drop(playing);
    match said {
        // The line may have been silent, and nothing else may be playing.
        Ok(()) => due.extend(shared.ledger().close(row, Instant::now())),
        Err(error) => {
            tracing::warn!(%error, %turn, "could not speak a line");
            due.push(SpeakEvent::Failed { turn, error: error.to_string() });
            due.extend(shared.ledger().give_up(row, Instant::now()));
        }
    }
    due
}

/// Synthesises a line, of which the first chunk may be ready, and plays it; its chunks where they are wanted.
fn synthesise(
    speaker: &mut LanguageVoice,
    (text, lead): (&str, LeadSilence),
    (ready, keeping): (Option<PreparedLine>, Keeping),
    playing: &mut PlayedLine<'_>,
    due: &mut Vec<SpeakEvent>,
) -> Result<Vec<SoundChunk>, SpeakError> {
    let (shared, epoch, voice) = (playing.shared, playing.epoch, &mut speaker.voice);
    #[cfg(any(test, feature = "testing"))]
    shared.syntheses.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    let mut first = ready.map(PreparedLine::into_first);
    if first.is_none() {
        voice.begin(text, lead)?;
    }
    let advance = || match first.take() {
        Some(chunk) => Ok(Some(chunk)),
        None => voice.next_chunk(&|| shared.is_stale(epoch)),
    };
    kept::play_all(keeping, advance, |chunk| due.extend(playing.play(chunk)))
}

/// A line on its way to the player.
struct PlayedLine<'m> {
    shared: &'m MouthState,
    row: LineId,
    epoch: Epoch,
    rate: u32,
    /// Samples of silence behind each sentence.
    pause: usize,
    /// The last chunk is to be continued.
    is_open: bool,
}

impl PlayedLine<'_> {
    fn play(&mut self, chunk: SoundChunk) -> Vec<SpeakEvent> {
        let lead = shape::lead(&chunk.samples, self.rate);
        let Some(tag) = self.shared.ledger().clip(self.row, lead) else { return Vec::new() };
        let continues = chunk.continues();
        let part = match (std::mem::replace(&mut self.is_open, continues), continues) {
            (false, false) => ClipPart::Whole,
            (false, true) => ClipPart::Begin,
            (true, true) => ClipPart::Middle,
            (true, false) => ClipPart::End,
        };
        let samples = chunk.with_pause(self.pause).into();
        let clip = Clip { tag, rate: self.rate, samples, part, epoch: self.epoch };
        // Refused: a stop came meanwhile, which the next check detects, or the player has ended.
        match self.shared.player.play(clip) {
            Err(_) if !self.shared.is_stale(self.epoch) => self.shared.ledger().dropped(tag, Instant::now()),
            Ok(()) | Err(_) => Vec::new(),
        }
    }
}

impl Drop for PlayedLine<'_> {
    /// A sentence that broke off ends where it is.
    fn drop(&mut self) {
        if self.is_open {
            let (tag, samples) = (self.shared.ledger().of_nobody(), Vec::new().into());
            let end = Clip { tag, rate: self.rate, samples, part: ClipPart::End, epoch: self.epoch };
            // Refused where it is over anyway: playback was stopped.
            let _ = self.shared.player.play(end);
        }
    }
}
