//! Second opinion on a short word: which of a few words the audio supports, where a transcript is late
//! or empty.
//!
//! In: up to three seconds of sound, the words that are looked for, and rivals: words played just then that
//! must not be taken for them. Out: an [`Opinion`]. [`opine`] runs on the thread that owns the model; a
//! [`OpinionScorer`] sends requests to a transcription thread, which runs them after the pending transcripts:
//! an opinion costs several of them. It decides nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::{Effort, Phrase, score};
use crate::whisper::{Lender, SttError, Whisper};

/// Opinions that were not received yet; when full, further ones are dropped: they are of older sounds.
const OPINIONS: usize = 4;
/// Rivals that are scored: each costs some milliseconds.
const MOST_RIVALS: usize = 4;

/// A request.
#[derive(Debug, Clone)]
pub struct OpinionRequest {
    /// Generation and revision of the utterance.
    pub key: (u64, u32),
    /// Mono, 16 kHz, −1..1, up to about 3 s.
    pub samples: Arc<[f32]>,
    /// The words that are looked for.
    pub words: Vec<String>,
    /// Words played just then, the most similar to them first; only a few are used.
    pub rivals: Vec<String>,
}

/// How well the audio supports each word.
#[derive(Debug, Clone, PartialEq)]
pub struct SoundsLike {
    /// The model's free transcription, for the log.
    pub text: String,
    /// The margin of each word that was looked for, in nats per token; 0 is full support.
    pub words: Vec<f32>,
    /// The margin of each rival.
    pub rivals: Vec<f32>,
}

impl SoundsLike {
    /// Returns the index of the best supported word, and its margin.
    pub fn best(&self) -> Option<(usize, f32)> {
        self.words.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Returns the margin of the best supported rival.
    pub fn rival(&self) -> f32 {
        self.rivals.iter().copied().fold(f32::NEG_INFINITY, f32::max)
    }
}

/// The result of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Opinion {
    /// Of the request.
    pub key: (u64, u32),
    /// How well the audio supports each word, or why that is not known.
    pub result: Result<SoundsLike, SttError>,
    /// How long the model worked on it.
    pub took: Duration,
}

/// Returns the phrases of `words`, each with its index; a word that can't be spelled is left out.
fn phrases<'a>(whisper: &'a Whisper, words: &'a [String]) -> impl Iterator<Item = (usize, Phrase)> + 'a {
    words.iter().enumerate().filter_map(|(place, word)| Some((place, Phrase::word(whisper, word).ok()?)))
}

/// Scores a request. Blocks: about 0.3 s of one PC core.
///
/// # Errors
/// [`SttError::Aborted`] once `abort` is true, or whisper.cpp failed.
pub fn opine(
    whisper: &mut Whisper,
    question: &OpinionRequest,
    abort: &AtomicBool,
) -> Result<SoundsLike, SttError> {
    let rivals = &question.rivals[..question.rivals.len().min(MOST_RIVALS)];
    let mut places: Vec<(usize, Phrase)> = phrases(whisper, &question.words).collect();
    let count = places.len();
    places.extend(phrases(whisper, rivals));
    let phrases: Vec<Phrase> = places.iter().map(|(_, phrase)| phrase.clone()).collect();
    let scores = score(whisper, &question.samples, &phrases, Effort::Above(WORTH), abort)?;
    let mut like = SoundsLike {
        text: scores.text,
        words: vec![f32::NEG_INFINITY; question.words.len()],
        rivals: vec![f32::NEG_INFINITY; rivals.len()],
    };
    for (nth, ((place, _), score)) in places.iter().zip(&scores.of).enumerate() {
        let list = if nth < count { &mut like.words } else { &mut like.rivals };
        if let Some(margin) = list.get_mut(*place) {
            *margin = score.margin();
        }
    }
    Ok(like)
}

/// A margin below this one is of no interest.
const WORTH: f32 = -2.5;

/// Requests opinions from a transcription thread.
pub struct OpinionScorer {
    lender: Lender,
    results: Sender<Opinion>,
    /// Of the last request.
    abort: Arc<AtomicBool>,
}

impl OpinionScorer {
    /// Sends its requests to the thread of `lender`. Opinions come in the order of the requests.
    pub fn new(lender: Lender) -> (Self, Receiver<Opinion>) {
        let (results, opinions) = channel(OPINIONS);
        (Self { lender, results, abort: Arc::default() }, opinions)
    }

    /// Requests an opinion; aborts an older request. Returns at once, and returns whether there may be a
    /// result: not when the queue is full.
    pub fn ask(&mut self, question: OpinionRequest) -> bool {
        self.give_up();
        self.abort = Arc::default();
        let (abort, results) = (Arc::clone(&self.abort), self.results.clone());
        self.lender.lend(move |whisper| {
            let started = Instant::now();
            let result = opine(whisper, &question, &abort);
            if !abort.load(Ordering::Relaxed) {
                // The receiver was dropped, or has not been read for long.
                results.try_send(Opinion { key: question.key, result, took: started.elapsed() }).ok();
            }
        })
    }

    /// The result is not needed any more.
    pub fn give_up(&self) {
        self.abort.store(true, Ordering::Relaxed);
    }
}

impl Drop for OpinionScorer {
    fn drop(&mut self) {
        self.give_up();
    }
}
