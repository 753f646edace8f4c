//! The work of the ears for whisper: one piece at a time, lent to the thread of the model.
//!
//! In: pieces of all streams, in turn. Out: what became of each; of one whose task was dropped, that too. The queue of the
//! model is shared with the scorers of wake phrases: where it is full, the piece waits.

use std::sync::mpsc::{Receiver, Sender, channel};

use tokio::sync::mpsc;

use joi_base::message::Transcript;
use joi_hear::transcribe_recording;
use joi_hear::transcript_filter::TranscriptFilterConfig;
use joi_hear::vad::Vad;
use joi_hear::whisper::{Lender, Whisper};

use super::EarOrder;
use super::transcription::{EarEffort, SpeechPiece, Transcription};

const ENDED: &str = "the speech model is not loaded, or has ended; `joi status` says why";

/// What became of a piece.
pub(super) struct DonePiece {
    pub(super) stream: u64,
    pub(super) piece: u64,
    pub(super) result: Result<Transcript, String>,
}

pub(super) struct EarWork {
    lender: Lender,
    trust: TranscriptFilterConfig,
    nudge: mpsc::WeakSender<EarOrder>,
    finished: (Sender<DonePiece>, Receiver<DonePiece>),
    is_running: bool,
    /// The queue of the model was full.
    is_refused: bool,
    /// The stream that had the model last.
    last: u64,
}

impl EarWork {
    pub(super) fn new(
        lender: Lender,
        trust: TranscriptFilterConfig,
        nudge: mpsc::WeakSender<EarOrder>,
    ) -> Self {
        let finished = channel();
        Self { lender, trust, nudge, finished, is_running: false, is_refused: false, last: 0 }
    }

    /// Returns whether the model has refused a piece, which is to be given again.
    pub(super) fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// Returns a piece that is done.
    pub(super) fn done(&mut self) -> Option<DonePiece> {
        let done = self.finished.1.try_recv().ok()?;
        self.is_running = false;
        Some(done)
    }

    /// Gives the model the next piece of the stream behind the last one, unless it has one.
    pub(super) fn give<'a>(
        &mut self,
        streams: impl Iterator<Item = (u64, &'a mut Transcription)>,
        effort: EarEffort,
        make_vad: &dyn Fn() -> Result<Vad, String>,
    ) {
        let mut waiting: Vec<_> = streams.filter(|(_, it)| it.is_waiting(effort)).collect();
        self.is_refused = false;
        if self.is_running || waiting.is_empty() {
            return;
        }
        let turn = waiting.iter().position(|(stream, _)| *stream > self.last).unwrap_or(0);
        let (stream, transcription) = &mut waiting[turn];
        let Some(piece) = transcription.next(effort) else { return };
        let number = piece.number;
        let vad = match make_vad() {
            Ok(vad) => vad,
            Err(why) => return transcription.done(number, Err(why)),
        };
        if self.lend(*stream, piece, vad) {
            (self.is_running, self.last) = (true, *stream);
        } else if self.lender.has_ended() {
            transcription.done(number, Err(ENDED.to_owned()));
        } else {
            self.is_refused = true;
            transcription.put_back(number);
        }
    }

    /// Returns whether the model takes the piece.
    fn lend(&self, stream: u64, piece: SpeechPiece, mut vad: Vad) -> bool {
        let SpeechPiece { number, samples, abort } = piece;
        let (trust, done) = (self.trust.clone(), (self.finished.0.clone(), self.nudge.clone()));
        let result = Err(ENDED.to_owned());
        let mut report = PieceReport { stream, piece: number, result, done };
        let is_taken = self.lender.lend(move |whisper: &mut Whisper| {
            let result = transcribe_recording(&samples, (&mut vad, whisper), &trust, &abort);
            report.is(result.map_err(|error| error.to_string()));
        });
        if !is_taken {
            // The task was dropped at once, and has reported that.
            let _ = self.finished.1.try_recv();
        }
        is_taken
    }
}

/// Reports what became of a piece when it is dropped, also where the model never came to it.
struct PieceReport {
    stream: u64,
    piece: u64,
    result: Result<Transcript, String>,
    done: (Sender<DonePiece>, mpsc::WeakSender<EarOrder>),
}

impl PieceReport {
    fn is(&mut self, result: Result<Transcript, String>) {
        self.result = result;
    }
}

impl Drop for PieceReport {
    fn drop(&mut self) {
        let result = std::mem::replace(&mut self.result, Err(String::new()));
        // Fails only when the ears have ended.
        let _ = self.done.0.send(DonePiece { stream: self.stream, piece: self.piece, result });
        if let Some(ears) = self.done.1.upgrade() {
            // Full: then the thread looks anyway.
            let _ = ears.try_send(EarOrder::Look);
        }
    }
}
