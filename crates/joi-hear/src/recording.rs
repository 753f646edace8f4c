//! Transcribes sound that was recorded elsewhere.
//!
//! Pure but for the networks; any thread that may block. In: samples of a file or a message, mono at [`RATE`]. Out:
//! [`Utterance`]s as if listening had been requested, or the words that their sound supports.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::transcript_filter::{self, Evidence, FilterInput, TranscriptFilterConfig};
use super::vad::{FRAME, Vad};
use super::whisper::{SttError, Whisper};
use joi_audio::RATE;
use joi_base::message::{OpenedBy, Transcript, Utterance};

/// Samples transcribed at once: whisper's window without its margin.
const PIECE: usize = 27 * RATE as usize;
/// A piece may end this much earlier, where it is quietest.
const CUT_WITHIN: usize = 7 * RATE as usize;

/// Splits samples into pieces that fit into whisper's window, cut where they are quietest. Pure.
pub fn pieces(samples: &[f32]) -> Vec<&[f32]> {
    let mut pieces = Vec::new();
    let mut rest = samples;
    while rest.len() > PIECE {
        let from = PIECE - CUT_WITHIN;
        let loudness = |frame: &[f32]| frame.iter().map(|sample| sample * sample).sum::<f32>();
        let frames = rest[from..PIECE].chunks_exact(FRAME).enumerate();
        let quietest = frames.min_by(|(_, a), (_, b)| loudness(a).total_cmp(&loudness(b)));
        let (piece, left) = rest.split_at(from + quietest.map_or(CUT_WITHIN, |(at, _)| at * FRAME));
        pieces.push(piece);
        rest = left;
    }
    pieces.push(rest);
    pieces
}

/// Measures the voice in a piece; `voiced` is 0 without one.
pub fn recorded(samples: &[f32], vad: &mut Vad) -> Utterance {
    vad.reset();
    let frames = samples.as_chunks::<FRAME>().0;
    let voiced: Vec<bool> = frames.iter().map(|frame| vad.is_voiced(frame)).collect();
    let place = |frame: usize| (frame * FRAME) as u64;
    Utterance {
        generation: 0,
        revision: 0,
        // A recording is made on purpose.
        opened_by: OpenedBy::Request,
        lead: None,
        samples: samples.into(),
        begins_at: 0,
        speech_begins_at: voiced.iter().position(|voiced| *voiced).map_or(0, place),
        speech_ends_at: voiced.iter().rposition(|voiced| *voiced).map_or(0, |last| place(last + 1)),
        voiced: place(voiced.iter().filter(|voiced| **voiced).count()),
        voice: vad.clearest(frames.len()),
        captured: Instant::now(),
    }
}

/// Transcribes a recording of any length. Returns the words that its sound supports; empty text where there are none.
///
/// # Errors
/// Whisper fails, or `abort` became true.
pub fn transcribe_recording(
    samples: &[f32],
    (vad, whisper): (&mut Vad, &mut Whisper),
    config: &TranscriptFilterConfig,
    abort: &AtomicBool,
) -> Result<Transcript, SttError> {
    let mut all = Transcript::default();
    for piece in pieces(samples) {
        let utterance = recorded(piece, vad);
        if utterance.voiced == 0 {
            continue;
        }
        let transcript = whisper.transcribe(piece, abort)?;
        let evidence = Evidence::of(&utterance, &transcript);
        let claim = FilterInput {
            text: &transcript.text,
            evidence: &evidence,
            opened_by: &utterance.opened_by,
            prompt: None,
        };
        match transcript_filter::check(&claim, config) {
            Ok(()) => {
                let space = if all.text.is_empty() { "" } else { " " };
                all.text = format!("{}{space}{}", all.text, transcript.text);
                all.language = all.language.or(transcript.language);
            }
            Err(why) => tracing::info!(%why, "a part of a recording is no speech"),
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sound_is_cut_where_it_is_quietest_and_none_is_lost() {
        let mut sound = vec![0.5_f32; 60 * RATE as usize];
        let silence = 22 * RATE as usize;
        sound[silence..silence + 2 * FRAME].fill(0.0);
        let pieces = pieces(&sound);
        assert!(pieces[0].len().abs_diff(silence) <= FRAME, "{}", pieces[0].len());
        assert!(pieces.iter().all(|piece| piece.len() <= PIECE));
        assert_eq!(pieces.concat(), sound);
    }
}
