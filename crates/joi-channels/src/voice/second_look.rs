//! Settles what is almost a command by the sound: of the commands that one word more or less would make of it, was
//! one of them said?
//!
//! Owned by the conversation's task; the model works on the thread that also hears interjections. In: transcripts
//! that were meant for joi. Out: the same, or the command the sound is sure of, at the latest when its time is over.
//! A newer utterance ends it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::signals::Judged;
use joi_audio::RATE;
use joi_base::message::Utterance;
use joi_base::trace::Decision;
use joi_hear::judge::JudgeVerdict;
use joi_hear::score::{LONGEST, ReadingChoice, choose, support};
use joi_hear::whisper::{Lender, SttError};
use joi_language::{Language, Languages};
use joi_understand::intents::{Reading, near};

type ReadsMore = dyn Fn(&Language, &str) -> Vec<Reading> + Send + Sync;

/// What reads a transcript by more than the language: by the names of things in the connected house.
#[derive(Clone, Default)]
pub struct MoreReadings(Option<Arc<ReadsMore>>);

impl MoreReadings {
    /// By `reads`, which takes a few milliseconds at most.
    pub fn by(reads: impl Fn(&Language, &str) -> Vec<Reading> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(reads)))
    }

    fn of(&self, language: &Language, text: &str) -> Vec<Reading> {
        self.0.as_ref().map(|reads| reads(language, text)).unwrap_or_default()
    }
}

impl std::fmt::Debug for MoreReadings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("MoreReadings").field(&self.0.is_some()).finish()
    }
}

/// Sound before and behind the words that is looked at as well.
const MARGIN: u64 = RATE as u64 * 3 / 10;

/// The (generation, revision) of an utterance.
type UtteranceKey = (u64, u32);

/// The support of the transcript, then of every reading.
type SupportResult = Result<Vec<f32>, SttError>;

/// The sound that is looked at, and the outcome of the last look.
pub(super) struct SecondLook {
    lender: Lender,
    /// The language that is spoken.
    languages: Languages,
    within: Option<Duration>,
    more: MoreReadings,
    open: Option<Open>,
    known: Option<Judged>,
}

struct Open {
    judged: Judged,
    readings: Vec<Reading>,
    answer: oneshot::Receiver<SupportResult>,
    abort: Arc<AtomicBool>,
    began: Instant,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.abort.store(true, Ordering::Relaxed);
    }
}

impl SecondLook {
    /// Nothing is looked at yet; without `within` nothing ever is.
    pub(super) fn new(lender: Lender, languages: Languages, within: Option<Duration>) -> Self {
        Self { lender, languages, within, more: MoreReadings::default(), open: None, known: None }
    }

    /// The same, which also looks for the names of a house.
    pub(super) fn with(self, more: MoreReadings) -> Self {
        Self { more, ..self }
    }

    /// Gives `judged` back when there is nothing to look at, or it was looked at before; else [`SecondLook::next`]
    /// will.
    pub(super) fn begin(&mut self, judged: Judged, utterance: Option<&Utterance>) -> Option<Judged> {
        let key = key_of(&judged);
        if let Some(known) = self.known.as_ref().filter(|known| key_of(known) == key) {
            return Some(known.clone());
        }
        if self.open.as_ref().is_some_and(|open| key_of(&open.judged) == key) {
            return None;
        }
        self.open = None;
        let (Some(_), Some(text), Some(utterance)) =
            (self.within, text_of(&judged.judgement.verdict), utterance)
        else {
            return Some(judged);
        };
        let language = self.languages.heard(judged.transcript.language.as_deref());
        let mut readings = near(&language, text);
        if readings.is_empty() {
            readings = self.more.of(&language, text);
        }
        let (from, to) = stretch(utterance);
        if readings.is_empty() || to - from > LONGEST {
            return Some(judged);
        }
        let sentences: Vec<String> = std::iter::once(text.to_owned())
            .chain(readings.iter().map(|reading| reading.text.clone()))
            .collect();
        let (samples, lead) = (Arc::clone(&utterance.samples), utterance.lead.clone());
        let abort = Arc::new(AtomicBool::new(false));
        let (told, answer) = oneshot::channel();
        let flag = Arc::clone(&abort);
        let is_taken = self.lender.lend(move |whisper| {
            let sound = &samples[from..to];
            // Nobody waits any more when the other end is gone.
            told.send(support(whisper, sound, lead.as_deref(), &sentences, &flag)).ok();
        });
        if !is_taken {
            return Some(judged);
        }
        self.open = Some(Open { judged, readings, answer, abort, began: Instant::now() });
        None
    }

    /// Gives up what is older than `key`.
    pub(super) fn drop_before(&mut self, key: UtteranceKey) {
        self.open = self.open.take().filter(|open| key_of(&open.judged) >= key);
    }

    /// What came of the look, once it is over; never when there is none. Cancel-safe.
    pub(super) async fn next(&mut self) -> Judged {
        let (Some(open), Some(within)) = (&mut self.open, self.within) else {
            return std::future::pending().await;
        };
        let answer = tokio::time::timeout_at((open.began + within).into(), &mut open.answer).await;
        let look = match answer {
            Ok(Ok(Ok(support))) => settled(&support, open),
            Ok(Ok(Err(error))) => LookResult::note("failed", error.to_string()),
            Ok(Err(_)) => LookResult::note("failed", "the transcription thread has ended"),
            Err(_) => LookResult::note("late", format!("no answer within {} ms", within.as_millis())),
        };
        let mut judged = open.judged.clone();
        judged.look = Some(look.decision);
        if let (Some(reading), JudgeVerdict::Addressed(text) | JudgeVerdict::FollowUp(text)) =
            (look.reading, &mut judged.judgement.verdict)
        {
            *text = reading;
            judged.is_unsure = true;
        }
        self.open = None;
        self.known = Some(judged.clone());
        judged
    }
}

/// What a look came to.
struct LookResult {
    decision: Decision,
    /// The words that were said instead.
    reading: Option<String>,
}

impl LookResult {
    fn note(verdict: &str, reason: impl Into<String>) -> Self {
        Self { decision: Decision::new("second look", verdict, reason), reading: None }
    }
}

/// What the support of the transcript and its readings means.
fn settled(support: &[f32], open: &Open) -> LookResult {
    let readings = &open.readings;
    // Readings that ask for the same share a number.
    let meaning = |at: usize| readings.iter().position(|other| other.what == readings[at].what).unwrap_or(at);
    let Some((written, others)) = support.split_first().filter(|(_, others)| others.len() == readings.len())
    else {
        return LookResult::note("failed", "the sound was not scored");
    };
    let numbered: Vec<(f32, usize)> =
        others.iter().enumerate().map(|(at, score)| (*score, meaning(at))).collect();
    let cost = format!("{} readings in {} ms", readings.len(), open.began.elapsed().as_millis());
    match choose(*written, &numbered) {
        Some(ReadingChoice::Sure { place, below, apart }) => {
            let template = &readings[place].template;
            let reason = format!("as \"{template}\": {}, {cost}", reason(below, apart));
            let reading = Some(readings[place].text.clone());
            LookResult { decision: Decision::new("second look", "settled", reason), reading }
        }
        Some(ReadingChoice::Unsure { below, apart }) => {
            LookResult::note("not sure", format!("{}, {cost}", reason(below, apart)))
        }
        None => LookResult::note("failed", "the sound was not scored"),
    }
}

/// How sure it is.
fn reason(below: f32, apart: f32) -> String {
    let next = if apart.is_finite() { format!(", {apart:.1} above the next") } else { String::new() };
    format!("{below:.1} nats below what was written{next}")
}

fn key_of(judged: &Judged) -> UtteranceKey {
    (judged.transcript.generation, judged.transcript.revision)
}

/// Returns the text to be answered.
fn text_of(verdict: &JudgeVerdict) -> Option<&str> {
    match verdict {
        JudgeVerdict::Addressed(text) | JudgeVerdict::FollowUp(text) => Some(text),
        JudgeVerdict::Stop | JudgeVerdict::Interrupts(_) | JudgeVerdict::Echo | JudgeVerdict::Ignore => None,
    }
}

/// From where to where the words sound. A wake phrase at the beginning belongs to them.
fn stretch(utterance: &Utterance) -> (usize, usize) {
    let all = utterance.samples.len();
    let place = |position: u64| usize::try_from(position.saturating_sub(utterance.begins_at)).unwrap_or(all);
    let from = match utterance.lead {
        Some(_) => 0,
        None => place(utterance.speech_begins_at.saturating_sub(MARGIN)),
    };
    (from.min(all), place(utterance.speech_ends_at + MARGIN).clamp(from.min(all), all))
}

#[cfg(test)]
mod tests;
