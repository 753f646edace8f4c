//! Cuts a stream of speech into pieces that are transcribed while more of it comes.
//!
//! In: frames of 32 ms with the verdict of the voice activity network. Out: what may be transcribed at once in the hope that
//! the speaker is done, and what is certainly a piece: behind two seconds of silence, and before whisper's window is full.
//! Silence before and behind a piece is left out.
//! Pure: no I/O, no clock.

use std::ops::Range;
use std::sync::Arc;

use joi_audio::RATE;
use joi_hear::vad::FRAME;

/// Returns the number of frames in so many milliseconds.
const fn frames(ms: usize) -> usize {
    ms * RATE as usize / 1000 / FRAME
}

/// A silence as long may be the end: 0.35 s.
const TENTATIVE: usize = frames(360);
/// A silence as long ends a piece: words on both sides of it are understood apart. Public speakers pause for more than a
/// second within a sentence. 2 s.
const FIRM: usize = frames(2_000);
/// Sound before the first voiced frame that belongs to a piece: 0.5 s.
const BEFORE: usize = frames(500);
/// Sound behind the last voiced frame that belongs to it: 0.3 s.
const BEHIND: usize = frames(300);
/// Longest piece: whisper's window without its margin, 27 s.
const FULL: usize = frames(27_000);
/// A full piece is cut where it is quietest in its last 7 s.
const CUT_WITHIN: usize = frames(7_000);

/// Something to do with the sound so far.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SpeechCut {
    /// The speaker may be done: transcribe this.
    Tentative(Arc<[f32]>),
    /// More is said: the tentative piece is void.
    Resumed,
    /// The tentative piece is a piece.
    Firm,
    /// This is a piece.
    Piece(Arc<[f32]>),
}

/// Cuts one stream.
#[derive(Debug, Default)]
pub(crate) struct SpeechCutter {
    samples: Vec<f32>,
    /// Of each frame of `samples`.
    voiced: Vec<bool>,
    is_tentative: bool,
}

impl SpeechCutter {
    /// Takes the next frame.
    pub(crate) fn frame(&mut self, frame: &[f32; FRAME], is_voiced: bool, out: &mut Vec<SpeechCut>) {
        self.samples.extend_from_slice(frame);
        self.voiced.push(is_voiced);
        if is_voiced && std::mem::take(&mut self.is_tentative) {
            out.push(SpeechCut::Resumed);
        }
        let Some(last) = self.last_voiced() else {
            self.drop_frames(self.voiced.len().saturating_sub(BEFORE));
            return;
        };
        let silence = self.voiced.len() - 1 - last;
        if silence >= FIRM {
            self.end_piece(out);
        } else if silence >= TENTATIVE && !self.is_tentative {
            self.is_tentative = true;
            out.push(SpeechCut::Tentative(self.speech(0..self.voiced.len())));
        } else if self.voiced.len() >= FULL {
            self.cut_full(out);
        }
    }

    /// No more comes: the rest is a piece, where there is a voice in it.
    pub(crate) fn finish(&mut self, out: &mut Vec<SpeechCut>) {
        if self.last_voiced().is_some() {
            self.end_piece(out);
        }
    }

    fn end_piece(&mut self, out: &mut Vec<SpeechCut>) {
        out.push(match std::mem::take(&mut self.is_tentative) {
            true => SpeechCut::Firm,
            false => SpeechCut::Piece(self.speech(0..self.voiced.len())),
        });
        self.drop_frames(self.voiced.len().saturating_sub(BEFORE));
        // Silence is kept, and nothing that was transcribed.
        self.voiced.fill(false);
    }

    /// Ends the piece where it is quietest.
    fn cut_full(&mut self, out: &mut Vec<SpeechCut>) {
        if std::mem::take(&mut self.is_tentative) {
            out.push(SpeechCut::Resumed);
        }
        let loudness = |at: &usize| -> f32 {
            let frame = &self.samples[at * FRAME..(at + 1) * FRAME];
            frame.iter().map(|sample| sample * sample).sum()
        };
        let from = self.voiced.len() - CUT_WITHIN;
        let quietest = (from..self.voiced.len()).min_by(|a, b| loudness(a).total_cmp(&loudness(b)));
        let cut = quietest.unwrap_or(from);
        if self.voiced[..cut].contains(&true) {
            out.push(SpeechCut::Piece(self.speech(0..cut)));
        }
        self.drop_frames(cut);
    }

    fn last_voiced(&self) -> Option<usize> {
        self.voiced.iter().rposition(|voiced| *voiced)
    }

    /// Returns the samples of the speech in `range`, which has a voiced frame.
    fn speech(&self, range: Range<usize>) -> Arc<[f32]> {
        let voiced = &self.voiced[range.clone()];
        let first = voiced.iter().position(|voiced| *voiced).unwrap_or_default();
        let last = voiced.iter().rposition(|voiced| *voiced).unwrap_or_default();
        let from = range.start + first.saturating_sub(BEFORE);
        let to = (range.start + last + 1 + BEHIND).min(range.end);
        self.samples[from * FRAME..to * FRAME].into()
    }

    fn drop_frames(&mut self, count: usize) {
        self.samples.drain(..count * FRAME);
        self.voiced.drain(..count);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Says a stream in stretches of voice and silence, given in frames: the events, with lengths of pieces in frames.
    fn events(stretches: &[(bool, usize)]) -> Vec<String> {
        let (mut cutter, mut out) = (SpeechCutter::default(), Vec::new());
        for (is_voiced, count) in stretches {
            let frame = [if *is_voiced { 0.5 } else { 0.0 }; FRAME];
            (0..*count).for_each(|_| cutter.frame(&frame, *is_voiced, &mut out));
        }
        cutter.finish(&mut out);
        let shown = |cut: &SpeechCut| match cut {
            SpeechCut::Tentative(samples) => format!("tentative {}", samples.len() / FRAME),
            SpeechCut::Resumed => "resumed".to_owned(),
            SpeechCut::Firm => "firm".to_owned(),
            SpeechCut::Piece(samples) => format!("piece {}", samples.len() / FRAME),
        };
        out.iter().map(shown).collect()
    }

    #[test]
    fn a_pause_is_tried_and_becomes_a_piece_with_the_end_or_two_seconds_of_silence() {
        let (tried, most) = (BEFORE + 40 + BEHIND, FIRM + 20);
        assert_eq!(
            events(&[(false, 90), (true, 40), (false, 15)]),
            [format!("tentative {tried}"), "firm".into()]
        );
        assert_eq!(
            events(&[(false, 90), (true, 40), (false, most), (true, 9)]),
            [format!("tentative {tried}"), "firm".into(), format!("piece {}", BEFORE + 9)]
        );
        let again = BEFORE + 40 + 15 + 20 + BEHIND;
        assert_eq!(
            events(&[(false, 90), (true, 40), (false, 15), (true, 20), (false, 20)]),
            [format!("tentative {tried}"), "resumed".into(), format!("tentative {again}"), "firm".into()]
        );
    }

    #[test]
    fn silence_is_nothing_and_speech_that_breaks_off_is_a_piece() {
        assert!(events(&[(false, 5_000)]).is_empty());
        assert_eq!(events(&[(true, 3)]), ["piece 3"]);
        assert!(events(&[]).is_empty());
    }

    #[test]
    fn speech_without_a_pause_is_cut_before_the_window_is_full() {
        let cuts = events(&[(true, 2 * FULL)]);
        assert!(cuts.len() >= 3, "{cuts:?}");
        let total: usize =
            cuts.iter().map(|cut| cut.strip_prefix("piece ").unwrap().parse::<usize>().unwrap()).sum();
        assert_eq!(total, 2 * FULL);
    }

    proptest! {
        #[test]
        fn no_voiced_frame_is_lost_or_transcribed_twice(
            stretches in prop::collection::vec((any::<bool>(), 1_usize..900), 1..8),
        ) {
            let (mut cutter, mut out) = (SpeechCutter::default(), Vec::new());
            let mut said = 0;
            for (is_voiced, count) in &stretches {
                let frame = [if *is_voiced { 1.0 } else { 0.0 }; FRAME];
                (0..*count).for_each(|_| cutter.frame(&frame, *is_voiced, &mut out));
                said += if *is_voiced { *count } else { 0 };
            }
            cutter.finish(&mut out);
            let voiced = |samples: &[f32]| samples.iter().filter(|sample| **sample > 0.0).count() / FRAME;
            let (mut heard, mut tried) = (0, None);
            for cut in &out {
                match cut {
                    SpeechCut::Tentative(samples) => prop_assert!(tried.replace(voiced(samples)).is_none()),
                    SpeechCut::Resumed => prop_assert!(tried.take().is_some()),
                    SpeechCut::Firm => heard += tried.take().unwrap(),
                    SpeechCut::Piece(samples) => {
                        prop_assert!(samples.len() <= FULL * FRAME && tried.is_none());
                        heard += voiced(samples);
                    }
                }
            }
            prop_assert_eq!((heard, tried), (said, None));
        }
    }
}
