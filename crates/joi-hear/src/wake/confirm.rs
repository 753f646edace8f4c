//! The second stage of wake phrase detection: scores candidates while the listener goes on.
//!
//! Owned by the listener thread, and waits only in `wait`. In: frames while not listening, doubts of the
//! models. Out: a [`Detection`] when a phrase was said after all. Speech behind the phrase is not lost: the
//! detection says where the phrase ended, which is seconds ago by then. Phrases that are not spelled yet, because the
//! model is still loaded, are waited for: what may hold one of them is kept meanwhile.

mod early;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use self::early::{EarlyCandidates, Spelling};
use super::candidates::{Candidate, CandidateReason, Candidates, Onsets};
use super::{Detection, Doubt};
use crate::endpoint::Frame;
use crate::score::{Effort, Phrase, Score, ScoreRequest, Scored, Scorer, Scores, syllables};
use joi_audio::RATE;

/// A phrase and its thresholds.
#[derive(Debug, Clone, PartialEq)]
pub struct PhraseThreshold {
    /// The phrase.
    pub phrase: Phrase,
    /// See [`Scores`].
    pub margin: f32,
}

/// The score of one phrase.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredPhrase {
    /// Its written form.
    pub phrase: String,
    /// How well the candidate supports it.
    pub score: Score,
    /// Whether its margin is sufficient; it was said if it is ahead of its rivals too.
    pub fits: bool,
}

impl ScoredPhrase {
    fn new(wanted: &PhraseThreshold, score: &Score) -> Self {
        let fits = score.margin() >= wanted.margin;
        Self { phrase: wanted.phrase.written().to_owned(), score: score.clone(), fits }
    }

    /// Returns whether only a rival rules it out.
    pub fn is_held_back(&self) -> bool {
        self.fits && !self.score.is_ahead()
    }
}

/// The result of a candidate, for a watcher.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredCandidate {
    /// The candidate.
    pub candidate: Candidate,
    /// The model's free transcription: up to ten tokens.
    pub text: String,
    /// Every phrase it was scored for; none where a wake model found it too unlike.
    pub phrases: Vec<ScoredPhrase>,
    /// How long the model worked on it.
    pub took: Duration,
}

impl ScoredCandidate {
    /// One that is not scored at all.
    fn unlike(candidate: Candidate) -> Self {
        Self { candidate, text: String::new(), phrases: Vec::new(), took: Duration::ZERO }
    }

    /// Returns whether a wake model found it so unlike every phrase that it was not scored.
    pub fn is_unlike(&self) -> bool {
        self.phrases.is_empty()
    }
}

/// The phrases as the model spells them.
struct SpelledPhrases {
    wanted: Vec<PhraseThreshold>,
    all: Arc<[Phrase]>,
    /// Each phrase alone.
    single: Vec<Arc<[Phrase]>>,
    /// The least margin that is of interest.
    least: f32,
}

impl SpelledPhrases {
    fn new(wanted: Vec<PhraseThreshold>) -> Self {
        let all: Arc<[Phrase]> = wanted.iter().map(|wanted| wanted.phrase.clone()).collect();
        let single = all.iter().map(|phrase| Arc::from([phrase.clone()])).collect();
        let least = wanted.iter().map(|wanted| wanted.margin).fold(f32::INFINITY, f32::min);
        Self { wanted, all, single, least }
    }

    fn place_of(&self, name: &str) -> Option<usize> {
        self.wanted.iter().position(|wanted| wanted.phrase.written() == name)
    }
}

/// The second stage.
pub struct Confirmer {
    /// The written forms, by which candidates name a phrase.
    names: Vec<String>,
    /// What waits until the phrases are spelled; nothing once they are.
    early: Option<EarlyCandidates>,
    spelled: SpelledPhrases,
    candidates: Candidates,
    scorer: Scorer,
    asked: VecDeque<(u64, Candidate)>,
    generation: u64,
    watcher: Option<Sender<ScoredCandidate>>,
}

impl Confirmer {
    /// Detects the phrases of `wanted`, at onsets of voices too or only when a model is unsure.
    pub fn new(wanted: Vec<PhraseThreshold>, onsets: Onsets, scorer: Scorer) -> Self {
        let names = wanted.iter().map(|wanted| wanted.phrase.written().to_owned()).collect();
        Self { spelled: SpelledPhrases::new(wanted), ..Self::unspelled(names, onsets, scorer, None) }
    }

    /// The same for the phrases that are written like `names`: `spelled` gives them, all or some, once their model is
    /// loaded, and is dropped where it can't be. The newest sound that may hold one is kept, and scored then.
    pub fn early(
        names: Vec<String>,
        onsets: Onsets,
        scorer: Scorer,
        spelled: Receiver<Vec<PhraseThreshold>>,
    ) -> Self {
        Self::unspelled(names, onsets, scorer, Some(EarlyCandidates::new(spelled)))
    }

    fn unspelled(names: Vec<String>, onsets: Onsets, scorer: Scorer, early: Option<EarlyCandidates>) -> Self {
        let onsets = if names.is_empty() { Onsets::Off } else { onsets };
        Self {
            names,
            early,
            spelled: SpelledPhrases::new(Vec::new()),
            candidates: Candidates::new(onsets),
            scorer,
            asked: VecDeque::new(),
            generation: 0,
            watcher: None,
        }
    }

    /// Sends every score from now on to `watcher`.
    pub fn watch(&mut self, watcher: Sender<ScoredCandidate>) {
        self.watcher = Some(watcher);
    }

    /// Returns whether it needs to know if there is a voice in the frame that ends at `end`.
    pub(crate) fn is_alert(&mut self, end: u64, level_db: f32) -> bool {
        self.candidates.is_alert(end, level_db)
    }

    /// The model of `phrase` is unsure.
    pub fn doubt(&mut self, phrase: &str, doubt: Doubt) {
        let place = self.names.iter().position(|name| name == phrase);
        if let Some(place) = place {
            self.candidates.doubt(place, doubt.at, doubt.ends_by);
        }
    }

    /// The next frame, with its level in dB; `may_be` returns whether the sound between two positions may be a phrase, and
    /// `copy` gives the samples there.
    pub(crate) fn observe(
        &mut self,
        frame: Frame,
        level_db: f32,
        may_be: impl Fn(&str, u64, u64) -> bool,
        copy: impl FnOnce(u64, u64) -> Arc<[f32]>,
    ) {
        let may_hold = |candidate: &Candidate| {
            let is_likely = self.names.iter().any(|name| may_be(name, candidate.from, candidate.to));
            if let Some(watcher) = self.watcher.as_ref().filter(|_| !is_likely) {
                watcher.send(ScoredCandidate::unlike(*candidate)).ok();
            }
            is_likely
        };
        if let Some(candidate) = self.candidates.observe(frame, level_db, may_hold) {
            self.ask(candidate, copy);
        }
    }

    /// Like `observe`, but only doubts of a model count: an utterance is open, or joi speaks.
    pub(crate) fn observe_doubts(&mut self, end: u64, copy: impl FnOnce(u64, u64) -> Arc<[f32]>) {
        if let Some(candidate) = self.candidates.complete(end) {
            self.ask(candidate, copy);
        }
    }

    fn ask(&mut self, candidate: Candidate, copy: impl FnOnce(u64, u64) -> Arc<[f32]>) {
        let samples = copy(candidate.from, candidate.to);
        match &mut self.early {
            Some(early) => early.keep(candidate, samples),
            None => self.score(candidate, samples),
        }
    }

    /// Returns the place of a doubted phrase among those that are spelled.
    fn spelled(&self, phrase: usize) -> Option<usize> {
        self.spelled.place_of(self.names.get(phrase)?)
    }

    /// Takes the phrases once they are spelled, and scores what was kept for them.
    fn take_spelled(&mut self, spelling: Option<Spelling>) {
        let Some(Spelling { wanted, kept }) = spelling else { return };
        self.early = None;
        self.spelled = SpelledPhrases::new(wanted);
        kept.into_iter().for_each(|(candidate, samples)| self.score(candidate, samples));
    }

    fn score(&mut self, candidate: Candidate, samples: Arc<[f32]>) {
        let phrases = match candidate.why {
            CandidateReason::Doubt { phrase, .. } => {
                self.spelled(phrase).and_then(|at| self.spelled.single.get(at))
            }
            CandidateReason::Voice { .. } | CandidateReason::Louder { .. } => Some(&self.spelled.all),
        };
        let Some(phrases) = phrases.filter(|phrases| !phrases.is_empty()).cloned() else { return };
        self.generation += 1;
        let ask = ScoreRequest {
            generation: self.generation,
            samples,
            phrases,
            effort: Effort::Whether(self.spelled.least),
        };
        if self.scorer.ask(ask) {
            self.asked.push_back((self.generation, candidate));
        } else {
            tracing::debug!("the scorer's queue is full; a candidate was dropped");
        }
    }

    /// Returns the next confirmed phrase.
    pub fn confirmed(&mut self) -> Option<Detection> {
        let spelling = self.early.as_mut().and_then(EarlyCandidates::spelled);
        self.take_spelled(spelling);
        while let Some(scored) = self.scorer.answer() {
            if let Some(detection) = self.weigh(scored) {
                return Some(detection);
            }
        }
        None
    }

    /// The same, after all pending results. For sound that does not go on by itself.
    pub fn wait(&mut self) -> Option<Detection> {
        let spelling = self.early.as_mut().and_then(EarlyCandidates::wait);
        self.take_spelled(spelling);
        while let Some(scored) = self.scorer.wait() {
            if let Some(detection) = self.weigh(scored) {
                return Some(detection);
            }
        }
        None
    }

    /// Listening has begun, or the sound has a gap: pending candidates are discarded.
    pub fn clear(&mut self) {
        self.candidates.clear();
        self.early.iter_mut().for_each(EarlyCandidates::clear);
        self.asked.clear();
        self.scorer.cancel_before(u64::MAX);
    }

    fn weigh(&mut self, scored: Scored) -> Option<Detection> {
        let place = self.asked.iter().position(|(generation, _)| *generation == scored.generation)?;
        let (_, candidate) = self.asked.remove(place)?;
        let scores = match scored.result {
            Ok(scores) => scores,
            Err(error) => {
                tracing::debug!(%error, "could not score a candidate");
                return None;
            }
        };
        let offered = match candidate.why {
            CandidateReason::Doubt { phrase, .. } => {
                self.spelled(phrase).and_then(|at| self.spelled.wanted.get(at..=at)).unwrap_or_default()
            }
            CandidateReason::Voice { .. } | CandidateReason::Louder { .. } => &self.spelled.wanted,
        };
        let detection = decide(&candidate, &scores, offered);
        let margin = scores.of.iter().map(Score::margin).fold(f32::NEG_INFINITY, f32::max);
        let rival =
            scores.of.iter().find(|score| !score.is_ahead()).and_then(|score| score.lead.rival.clone());
        let ms = scored.took.as_millis() as u64;
        let steps = scores.steps;
        tracing::debug!(why = ?candidate.why, margin, ?rival, ms, steps, said = detection.is_some(), "candidate scored");
        if let Some(watcher) = &self.watcher {
            let phrases =
                offered.iter().zip(&scores.of).map(|(wanted, score)| ScoredPhrase::new(wanted, score));
            let phrases = phrases.collect();
            let weighed = ScoredCandidate { candidate, text: scores.text, phrases, took: scored.took };
            // Fails only when the watcher was dropped.
            watcher.send(weighed).ok();
        }
        detection
    }
}

/// Returns the phrase with the largest margin over its threshold, if any reaches it and is ahead of its rivals;
/// and where it ended.
fn decide(candidate: &Candidate, scores: &Scores, offered: &[PhraseThreshold]) -> Option<Detection> {
    let over = |(wanted, score): (&PhraseThreshold, &Score)| {
        let over = score.margin() - wanted.margin;
        (over >= 0.0 && score.is_ahead()).then(|| (over, wanted.phrase.written().to_owned()))
    };
    let best = offered.iter().zip(&scores.of).filter_map(over).max_by(|a, b| a.0.total_cmp(&b.0));
    let (over, phrase) = best?;
    let words = scores.text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
    let only_the_phrase = words <= phrase.split(' ').count();
    let ends_by = match candidate.why {
        CandidateReason::Doubt { ends_by, .. } => ends_by,
        CandidateReason::Voice { ended: Some(ended), .. } if only_the_phrase => ended,
        CandidateReason::Voice { began, .. } | CandidateReason::Louder { began } => began + about(&phrase),
    };
    Some(Detection { phrase, score: 1.0 / (1.0 + (-over).exp()), at: candidate.to, ends_by })
}

/// Returns the duration of a phrase, in samples, give or take a few tenths of a second.
fn about(phrase: &str) -> u64 {
    u64::from(RATE) * (3 + 4 * syllables(phrase) as u64) / 20
}

#[cfg(test)]
mod tests;
