//! Has the phrase scorer listen to candidates, while the listener goes on.
//!
//! Owned by the listener thread, and never waits unless it is told to. In: frames while nobody is listened to,
//! doubts of the models. Out: a [`Detection`] when a phrase was said after all. Nothing that was said behind
//! the phrase is lost: the detection says where it ended, which is seconds ago by then.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use super::candidates::{Candidate, Candidates, Onsets, Why};
use super::{Detection, Doubt};
use crate::audio::RATE;
use crate::hear::endpoint::Frame;
use crate::hear::score::{Ask, Effort, Phrase, Score, Scored, Scorer, Scores, syllables};

/// A phrase, and from which margin on it counts as said.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// The phrase.
    pub phrase: Phrase,
    /// See [`Scores`].
    pub margin: f32,
}

/// What the scorer made of one phrase.
#[derive(Debug, Clone, PartialEq)]
pub struct Weight {
    /// Its written form.
    pub phrase: String,
    /// How well the candidate supports it.
    pub score: Score,
    /// Whether it fits well enough; it was said if it stands up to its rivals too.
    pub fits: bool,
}

impl Weight {
    fn new(wanted: &Wanted, score: &Score) -> Self {
        let fits = score.margin() >= wanted.margin;
        Self { phrase: wanted.phrase.written().to_owned(), score: score.clone(), fits }
    }

    /// Whether only a rival speaks against it.
    pub fn is_held_back(&self) -> bool {
        self.fits && !self.score.is_ahead()
    }
}

/// What the scorer made of a candidate, for whoever wants to see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighed {
    /// The candidate.
    pub candidate: Candidate,
    /// What the model would write for it: up to ten tokens.
    pub text: String,
    /// Every phrase it was scored for.
    pub phrases: Vec<Weight>,
    /// How long the model worked on it.
    pub took: Duration,
}

/// The second stage.
pub struct Confirmer {
    wanted: Vec<Wanted>,
    all: Arc<[Phrase]>,
    /// Each phrase alone.
    single: Vec<Arc<[Phrase]>>,
    /// The least margin that is of interest.
    least: f32,
    candidates: Candidates,
    scorer: Scorer,
    asked: VecDeque<(u64, Candidate)>,
    generation: u64,
    watcher: Option<Sender<Weighed>>,
}

impl Confirmer {
    /// Listens for the phrases of `wanted`, at onsets of voices too or only when a model is in doubt.
    pub fn new(wanted: Vec<Wanted>, onsets: Onsets, scorer: Scorer) -> Self {
        let all: Arc<[Phrase]> = wanted.iter().map(|wanted| wanted.phrase.clone()).collect();
        let single = all.iter().map(|phrase| Arc::from([phrase.clone()])).collect();
        let least = wanted.iter().map(|wanted| wanted.margin).fold(f32::INFINITY, f32::min);
        let onsets = if all.is_empty() { Onsets::Off } else { onsets };
        let candidates = Candidates::new(onsets);
        Self {
            wanted,
            all,
            single,
            least,
            candidates,
            scorer,
            asked: VecDeque::new(),
            generation: 0,
            watcher: None,
        }
    }

    /// Tells `watcher` of everything that is scored from now on.
    pub fn tell(&mut self, watcher: Sender<Weighed>) {
        self.watcher = Some(watcher);
    }

    /// Whether it must be told if there is a voice in the frame that ends at `end`.
    pub fn is_alert(&mut self, end: u64, level_db: f32) -> bool {
        self.candidates.is_alert(end, level_db)
    }

    /// The model of `phrase` is in doubt.
    pub fn doubt(&mut self, phrase: &str, doubt: Doubt) {
        let place = self.wanted.iter().position(|wanted| wanted.phrase.written() == phrase);
        if let Some(place) = place {
            self.candidates.doubt(place, doubt.at, doubt.ends_by);
        }
    }

    /// The next frame, with its level in dB; `copy` gives the samples between two positions.
    pub fn observe(&mut self, frame: Frame, level_db: f32, copy: impl FnOnce(u64, u64) -> Arc<[f32]>) {
        let Some(candidate) = self.candidates.observe(frame, level_db) else { return };
        let phrases = match candidate.why {
            Why::Doubt { phrase, .. } => self.single.get(phrase).unwrap_or(&self.all),
            Why::Voice { .. } | Why::Louder { .. } => &self.all,
        };
        self.generation += 1;
        let ask = Ask {
            generation: self.generation,
            samples: copy(candidate.from, candidate.to),
            phrases: Arc::clone(phrases),
            effort: Effort::Above(self.least),
        };
        if self.scorer.ask(ask) {
            self.asked.push_back((self.generation, candidate));
        } else {
            tracing::debug!("the scorer has too much to do: a candidate is not looked at");
        }
    }

    /// What was confirmed by now.
    pub fn confirmed(&mut self) -> Option<Detection> {
        while let Some(scored) = self.scorer.answer() {
            if let Some(detection) = self.weigh(scored) {
                return Some(detection);
            }
        }
        None
    }

    /// The same, after all answers that are still to come. For sound that does not go on by itself.
    pub fn wait(&mut self) -> Option<Detection> {
        while let Some(scored) = self.scorer.wait() {
            if let Some(detection) = self.weigh(scored) {
                return Some(detection);
            }
        }
        None
    }

    /// Somebody is listened to, or the sound has a gap: what was about to be found is of no interest.
    pub fn clear(&mut self) {
        self.candidates.clear();
        self.asked.clear();
        self.scorer.cancel_before(u64::MAX);
    }

    fn weigh(&mut self, scored: Scored) -> Option<Detection> {
        let place = self.asked.iter().position(|(generation, _)| *generation == scored.generation)?;
        let (_, candidate) = self.asked.remove(place)?;
        let scores = match scored.result {
            Ok(scores) => scores,
            Err(error) => {
                tracing::debug!(%error, "a candidate could not be scored");
                return None;
            }
        };
        let offered = match candidate.why {
            Why::Doubt { phrase, .. } => self.wanted.get(phrase..=phrase).unwrap_or_default(),
            Why::Voice { .. } | Why::Louder { .. } => &self.wanted,
        };
        let detection = decide(&candidate, &scores, offered);
        let margin = scores.of.iter().map(Score::margin).fold(f32::NEG_INFINITY, f32::max);
        let rival =
            scores.of.iter().find(|score| !score.is_ahead()).and_then(|score| score.lead.rival.clone());
        let ms = scored.took.as_millis() as u64;
        let steps = scores.steps;
        tracing::debug!(why = ?candidate.why, margin, ?rival, ms, steps, said = detection.is_some(), "a candidate was scored");
        if let Some(watcher) = &self.watcher {
            let phrases = offered.iter().zip(&scores.of).map(|(wanted, score)| Weight::new(wanted, score));
            let phrases = phrases.collect();
            let weighed = Weighed { candidate, text: scores.text, phrases, took: scored.took };
            // Nobody watches any more.
            watcher.send(weighed).ok();
        }
        detection
    }
}

/// PURE: the phrase that stands out most from its threshold, if any reaches it and stands up to its rivals; and
/// where it ended.
fn decide(candidate: &Candidate, scores: &Scores, offered: &[Wanted]) -> Option<Detection> {
    let over = |(wanted, score): (&Wanted, &Score)| {
        let over = score.margin() - wanted.margin;
        (over >= 0.0 && score.is_ahead()).then(|| (over, wanted.phrase.written().to_owned()))
    };
    let best = offered.iter().zip(&scores.of).filter_map(over).max_by(|a, b| a.0.total_cmp(&b.0));
    let (over, phrase) = best?;
    let words = scores.text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
    let only_the_phrase = words <= phrase.split(' ').count();
    let ends_by = match candidate.why {
        Why::Doubt { ends_by, .. } => ends_by,
        Why::Voice { ended: Some(ended), .. } if only_the_phrase => ended,
        Why::Voice { began, .. } | Why::Louder { began } => began + about(&phrase),
    };
    Some(Detection { phrase, score: 1.0 / (1.0 + (-over).exp()), at: candidate.to, ends_by })
}

/// How long it takes to say a phrase, in samples, give or take a few tenths of a second.
fn about(phrase: &str) -> u64 {
    u64::from(RATE) * (3 + 4 * syllables(phrase) as u64) / 20
}

#[cfg(test)]
mod tests;
