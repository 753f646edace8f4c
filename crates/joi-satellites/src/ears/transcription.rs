//! The transcription of one stream: which pieces of it wait for the model, and which words are certain.
//!
//! Owned by the thread of the ears. In: sound, and what the model made of pieces. Out: pieces to transcribe, words in the
//! order in which they were said. A pause is transcribed in the hope that the speaker is done; then the words are there when
//! the end comes. Where more is said, they are dropped.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use joi_base::message::{Private, Transcript};
use joi_hear::vad::{FRAME, Vad};

use super::EarReply;
use crate::cutter::{SpeechCut, SpeechCutter};

/// A piece for the model.
#[derive(Debug, Clone)]
pub(super) struct SpeechPiece {
    /// Counts the pieces of the stream.
    pub(super) number: u64,
    pub(super) samples: Arc<[f32]>,
    /// Raised when nobody wants it any more.
    pub(super) abort: Arc<AtomicBool>,
}

#[derive(Debug)]
enum PieceState {
    Waiting,
    Running,
    Done(Result<Transcript, String>),
}

#[derive(Debug)]
struct PendingPiece {
    piece: SpeechPiece,
    state: PieceState,
    /// Nothing that is said later makes it void.
    is_firm: bool,
}

/// Which pieces the model gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EarEffort {
    /// Also those that may be void soon.
    Tentative,
    /// Only those that are certain: more sound is there already.
    Firm,
}

impl PendingPiece {
    fn waits(&self, effort: EarEffort) -> bool {
        matches!(self.state, PieceState::Waiting) && (self.is_firm || effort == EarEffort::Tentative)
    }
}

/// One stream.
pub(super) struct Transcription {
    vad: Vad,
    cutter: SpeechCutter,
    /// Samples of an incomplete frame.
    rest: Vec<f32>,
    pieces: VecDeque<PendingPiece>,
    numbered: u64,
    has_words: bool,
    language: Option<String>,
    is_finished: bool,
    is_over: bool,
}

impl Transcription {
    pub(super) fn new(vad: Vad) -> Self {
        Self {
            vad,
            cutter: SpeechCutter::default(),
            rest: Vec::new(),
            pieces: VecDeque::new(),
            numbered: 0,
            has_words: false,
            language: None,
            is_finished: false,
            is_over: false,
        }
    }

    /// Takes the next sound.
    pub(super) fn hear(&mut self, samples: &[f32]) {
        let mut cuts = Vec::new();
        self.rest.extend_from_slice(samples);
        let (frames, rest) = self.rest.as_chunks::<FRAME>();
        for frame in frames {
            self.cutter.frame(frame, self.vad.is_voiced(frame), &mut cuts);
        }
        self.rest = rest.to_vec();
        cuts.into_iter().for_each(|cut| self.cut(cut));
    }

    /// No more comes.
    pub(super) fn finish(&mut self) {
        let mut cuts = Vec::new();
        if !self.rest.is_empty() {
            let mut frame = [0.0; FRAME];
            frame[..self.rest.len()].copy_from_slice(&self.rest);
            self.cutter.frame(&frame, self.vad.is_voiced(&frame), &mut cuts);
        }
        self.cutter.finish(&mut cuts);
        cuts.into_iter().for_each(|cut| self.cut(cut));
        self.is_finished = true;
    }

    fn cut(&mut self, cut: SpeechCut) {
        match cut {
            SpeechCut::Tentative(samples) => self.add(samples, false),
            SpeechCut::Piece(samples) => self.add(samples, true),
            SpeechCut::Firm => self.pieces.iter_mut().for_each(|piece| piece.is_firm = true),
            SpeechCut::Resumed => {
                if self.pieces.back().is_some_and(|piece| !piece.is_firm)
                    && let Some(void) = self.pieces.pop_back()
                {
                    void.piece.abort.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    fn add(&mut self, samples: Arc<[f32]>, is_firm: bool) {
        self.numbered += 1;
        let piece = SpeechPiece { number: self.numbered, samples, abort: Arc::default() };
        self.pieces.push_back(PendingPiece { piece, state: PieceState::Waiting, is_firm });
    }

    /// Returns the next piece for the model, which gets it now.
    pub(super) fn next(&mut self, effort: EarEffort) -> Option<SpeechPiece> {
        let next = self.pieces.iter_mut().find(|it| it.waits(effort))?;
        next.state = PieceState::Running;
        Some(next.piece.clone())
    }

    /// Returns whether a piece waits for the model.
    pub(super) fn is_waiting(&self, effort: EarEffort) -> bool {
        self.pieces.iter().any(|it| it.waits(effort))
    }

    /// The model did not take it: it waits on.
    pub(super) fn put_back(&mut self, number: u64) {
        if let Some(piece) = self.pieces.iter_mut().find(|it| it.piece.number == number) {
            piece.state = PieceState::Waiting;
        }
    }

    /// Takes what the model made of a piece.
    pub(super) fn done(&mut self, number: u64, result: Result<Transcript, String>) {
        if let Some(piece) = self.pieces.iter_mut().find(|it| it.piece.number == number) {
            piece.state = PieceState::Done(result);
        }
    }

    /// Returns the replies that are certain by now.
    pub(super) fn ready(&mut self) -> Vec<EarReply> {
        let mut replies = Vec::new();
        while !self.is_over {
            let is_certain = |it: &PendingPiece| it.is_firm && matches!(it.state, PieceState::Done(_));
            if !self.pieces.front().is_some_and(is_certain) {
                break;
            }
            let Some(front) = self.pieces.pop_front() else { break };
            match front.state {
                PieceState::Done(Ok(transcript)) => replies.extend(self.words(transcript)),
                PieceState::Done(Err(why)) => {
                    replies.push(EarReply::Failed(why));
                    self.is_over = true;
                }
                PieceState::Waiting | PieceState::Running => {}
            }
        }
        if self.is_finished && self.pieces.is_empty() && !self.is_over {
            replies.push(EarReply::Transcribed(self.language.take()));
            self.is_over = true;
        }
        replies
    }

    /// Returns whether nothing more is said of it.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the words of a piece, so that all of them together are the text.
    fn words(&mut self, transcript: Transcript) -> Option<EarReply> {
        let Transcript { text, language, .. } = transcript;
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        self.language = self.language.take().or(language);
        let joint = if std::mem::replace(&mut self.has_words, true) { " " } else { "" };
        Some(EarReply::Words(Private(format!("{joint}{text}"))))
    }
}

impl Drop for Transcription {
    fn drop(&mut self) {
        self.pieces.iter().for_each(|it| it.piece.abort.store(true, Ordering::Relaxed));
    }
}
