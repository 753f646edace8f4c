//! Requests phrase scores from a transcription thread, on the model it keeps warm.
//!
//! In: sound with phrases, by generation. Out: [`Scored`], polled, in the order of the requests. A request
//! never blocks; one that is not needed any more is aborted, and its late result is dropped.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

use super::{Effort, Phrase, Scores, score};
use crate::whisper::{Lender, SttError};

/// A request.
#[derive(Debug, Clone)]
pub struct ScoreRequest {
    /// Counts the caller's requests.
    pub generation: u64,
    /// Mono, 16 kHz, −1..1, up to about 3 s.
    pub samples: Arc<[f32]>,
    /// The phrases to score.
    pub phrases: Arc<[Phrase]>,
    /// How exact the scores must be.
    pub effort: Effort,
}

/// The result of one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// Of the request.
    pub generation: u64,
    /// The scores, or why there are none.
    pub result: Result<Scores, SttError>,
    /// How long the model worked on it.
    pub took: Duration,
}

/// Each caller owns one; several may share a thread.
pub struct Scorer {
    lender: Lender,
    /// In the order of the requests; at most as many as the thread takes.
    asked: VecDeque<PendingScore>,
}

struct PendingScore {
    generation: u64,
    abort: Arc<AtomicBool>,
    /// Its other end is dropped when there will be no result.
    answer: Receiver<Scored>,
}

impl Scorer {
    /// Sends its requests to the thread of `lender`.
    pub fn new(lender: Lender) -> Self {
        Self { lender, asked: VecDeque::new() }
    }

    /// Requests scores. Returns at once, and returns whether there may be a result: not when the thread's
    /// queue is full, or the thread has ended.
    pub fn ask(&mut self, ask: ScoreRequest) -> bool {
        let ScoreRequest { generation, samples, phrases, effort } = ask;
        let abort = Arc::new(AtomicBool::new(false));
        let (reply, answer) = sync_channel(1);
        let flag = Arc::clone(&abort);
        let taken = self.lender.lend(move |whisper| {
            let started = Instant::now();
            let result = score(whisper, &samples, &phrases, effort, &flag);
            // Fails only when the receiver was dropped.
            reply.send(Scored { generation, result, took: started.elapsed() }).ok();
        });
        if taken {
            self.asked.push_back(PendingScore { generation, abort, answer });
        }
        taken
    }

    /// Returns whether a result may still come.
    pub fn is_waiting(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Aborts every request older than `generation`.
    pub fn cancel_before(&mut self, generation: u64) {
        self.asked.retain(|question| {
            let keep = question.generation >= generation;
            if !keep {
                question.abort.store(true, Ordering::Relaxed);
            }
            keep
        });
    }

    /// Returns the next result, if there is one by now.
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

    /// Waits for the next result; nothing when there is none to wait for.
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
