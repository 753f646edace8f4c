//! A second opinion on a short word: which of a few words a sound supports, where a transcript is late or empty.
//!
//! In: up to three seconds of sound, the words that are looked for, and rivals: words that sounded just then and
//! must not be taken for them. Out: an [`Opinion`]. [`opine`] forms it on the thread
//! that owns the model; a [`Second`] has it formed by a transcription thread, before everything that waits
//! there. It decides nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::{Effort, Phrase, score};
use crate::hear::whisper::{Lender, SttError, Whisper};

/// Opinions nobody has looked at; when full, further ones are dropped: they are of older sounds.
const OPINIONS: usize = 4;
/// Rivals that are looked at: each costs some milliseconds.
const MOST_RIVALS: usize = 4;

/// What is asked.
#[derive(Debug, Clone)]
pub struct Question {
    /// Generation and revision of the utterance.
    pub key: (u64, u32),
    /// Mono, 16 kHz, −1..1, up to about 3 s.
    pub samples: Arc<[f32]>,
    /// What is looked for.
    pub words: Vec<String>,
    /// What sounded just then, the likeliest to be taken for them first; a few count.
    pub rivals: Vec<String>,
}

/// What a sound supports.
#[derive(Debug, Clone, PartialEq)]
pub struct SoundsLike {
    /// What the model writes itself, for the log.
    pub text: String,
    /// The margin of each word that was looked for, in nats per token; 0 is full support.
    pub words: Vec<f32>,
    /// The margin of each rival.
    pub rivals: Vec<f32>,
}

impl SoundsLike {
    /// The word that is supported best, by its place, and its margin.
    pub fn best(&self) -> Option<(usize, f32)> {
        self.words.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The margin of the rival that is supported best.
    pub fn rival(&self) -> f32 {
        self.rivals.iter().copied().fold(f32::NEG_INFINITY, f32::max)
    }
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Opinion {
    /// Of the question.
    pub key: (u64, u32),
    /// What the sound supports, or why that is not known.
    pub result: Result<SoundsLike, SttError>,
    /// How long the model worked on it.
    pub took: Duration,
}

/// The phrases of `words`, each with its place; a word that can't be spelled is left out.
fn phrases<'a>(whisper: &'a Whisper, words: &'a [String]) -> impl Iterator<Item = (usize, Phrase)> + 'a {
    words.iter().enumerate().filter_map(|(place, word)| Some((place, Phrase::word(whisper, word).ok()?)))
}

/// Forms an opinion. Blocks: about 0.3 s of one PC core.
///
/// # Errors
/// [`SttError::Aborted`] once `abort` is true, or whisper.cpp failed.
pub fn opine(whisper: &mut Whisper, question: &Question, abort: &AtomicBool) -> Result<SoundsLike, SttError> {
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

/// Has opinions formed by a transcription thread.
pub struct Second {
    lender: Lender,
    told: Sender<Opinion>,
    /// Of the question that was asked last.
    abort: Arc<AtomicBool>,
}

impl Second {
    /// Asks the thread of `lender`. The opinions come in the order of asking.
    pub fn new(lender: Lender) -> (Self, Receiver<Opinion>) {
        let (told, opinions) = channel(OPINIONS);
        (Self { lender, told, abort: Arc::default() }, opinions)
    }

    /// Has an opinion formed before everything that waits there; an older question is given up. Returns at
    /// once, and tells whether there may be an answer.
    pub fn ask(&mut self, question: Question) -> bool {
        self.give_up();
        self.abort = Arc::default();
        let (abort, told) = (Arc::clone(&self.abort), self.told.clone());
        self.lender.lend_first(move |whisper| {
            let started = Instant::now();
            let result = opine(whisper, &question, &abort);
            if !abort.load(Ordering::Relaxed) {
                // Nobody looks, or nobody has looked for long.
                told.try_send(Opinion { key: question.key, result, took: started.elapsed() }).ok();
            }
        })
    }

    /// The answer is of no interest any more.
    pub fn give_up(&self) {
        self.abort.store(true, Ordering::Relaxed);
    }
}

impl Drop for Second {
    fn drop(&mut self) {
        self.give_up();
    }
}
