//! Has phrases scored by a transcription thread, on the model it keeps warm.
//!
//! In: sound with phrases, by generation. Out: [`Scored`], for whoever looks, in the order of asking. Asking
//! never blocks; what is not wanted any more is aborted, and its late result is thrown away.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

use super::{Effort, Phrase, Scores, score};
use crate::hear::whisper::{Lender, SttError};

/// A question.
#[derive(Debug, Clone)]
pub struct Ask {
    /// Counts the asker's questions.
    pub generation: u64,
    /// Mono, 16 kHz, −1..1, up to about 3 s.
    pub samples: Arc<[f32]>,
    /// What may have been said.
    pub phrases: Arc<[Phrase]>,
    /// How exact the answer must be.
    pub effort: Effort,
}

/// What came of one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// Of the question.
    pub generation: u64,
    /// The scores, or why there are none.
    pub result: Result<Scores, SttError>,
    /// How long the model worked on it.
    pub took: Duration,
}

/// Whoever asks owns one; several may share a thread.
pub struct Scorer {
    lender: Lender,
    /// In the order of asking; at most as many as the thread takes.
    asked: VecDeque<Question>,
}

struct Question {
    generation: u64,
    abort: Arc<AtomicBool>,
    /// Its other end is gone when there will be no answer.
    answer: Receiver<Scored>,
}

impl Scorer {
    /// Asks the thread of `lender`.
    pub fn new(lender: Lender) -> Self {
        Self { lender, asked: VecDeque::new() }
    }

    /// Has the phrases scored. Returns at once, and tells whether there may be an answer: not when the thread
    /// has too much to do, or has ended.
    pub fn ask(&mut self, ask: Ask) -> bool {
        let Ask { generation, samples, phrases, effort } = ask;
        let abort = Arc::new(AtomicBool::new(false));
        let (told, answer) = sync_channel(1);
        let flag = Arc::clone(&abort);
        let taken = self.lender.lend(move |whisper| {
            let started = Instant::now();
            let result = score(whisper, &samples, &phrases, effort, &flag);
            // Nobody waits for it when the other end is gone.
            told.send(Scored { generation, result, took: started.elapsed() }).ok();
        });
        if taken {
            self.asked.push_back(Question { generation, abort, answer });
        }
        taken
    }

    /// Whether an answer may still come.
    pub fn is_waiting(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Gives up every question older than `generation`.
    pub fn cancel_before(&mut self, generation: u64) {
        self.asked.retain(|question| {
            let keep = question.generation >= generation;
            if !keep {
                question.abort.store(true, Ordering::Relaxed);
            }
            keep
        });
    }

    /// The next answer, if there is one by now.
    pub fn answer(&mut self) -> Option<Scored> {
        loop {
            match self.asked.front()?.answer.try_recv() {
                Err(TryRecvError::Empty) => return None,
                answer => {
                    self.asked.pop_front();
                    if let Ok(scored) = answer {
                        return Some(scored);
                    }
                }
            }
        }
    }

    /// Waits for the next answer; nothing when there is none to wait for.
    pub fn wait(&mut self) -> Option<Scored> {
        while let Some(question) = self.asked.pop_front() {
            if let Ok(scored) = question.answer.recv() {
                return Some(scored);
            }
        }
        None
    }
}

impl Drop for Scorer {
    fn drop(&mut self) {
        self.cancel_before(u64::MAX);
    }
}
