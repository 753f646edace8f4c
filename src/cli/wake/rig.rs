//! The true listener with its second stage, over sound that is at hand: stepped on the calling thread, which
//! waits for the scorer at every frame.

use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::app;
use crate::cli::context::CliContext;
use joi_audio::RATE;
use joi_base::pulse::Heart;
use joi_hear::vad::FRAME;
use joi_hear::wake::{CandidateReason, ScoredCandidate, ScoredPhrase};
use joi_hear::whisper::{Stt, SttEvent};
use joi_hear::{HearCommand, HearEvent, Listener};

/// Silence between two sounds that have nothing to do with each other: the scorer may run again after it.
const BETWEEN: usize = 15 * RATE as usize;

/// Joi was woken.
#[derive(Debug, Clone, PartialEq)]
pub struct RigWake {
    /// By this phrase.
    pub phrase: String,
    /// How sure the model, or how far above its margin the scorer was.
    pub score: f32,
    /// The sample that decided it, in samples of the sound it was given.
    pub at: u64,
    /// What the scorer took; nothing when a model was sure.
    pub scoring: Option<Duration>,
}

/// What came of a sound.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RigResult {
    /// Every wake.
    pub wakes: Vec<RigWake>,
    /// Everything that may have been a phrase, with its place in samples of the sound.
    pub weighed: Vec<ScoredCandidate>,
}

impl RigResult {
    /// Returns how often nothing but a rival spoke against a phrase.
    pub fn held_back(&self) -> usize {
        self.weighed.iter().filter(|weighed| weighed.phrases.iter().any(ScoredPhrase::is_held_back)).count()
    }

    /// Returns whether that is true of `phrase`.
    pub fn is_held_back(&self, phrase: &str) -> bool {
        let of = |weight: &ScoredPhrase| weight.phrase == phrase && weight.is_held_back();
        self.weighed.iter().any(|weighed| weighed.phrases.iter().any(of))
    }
}

/// The listener and its scorer.
pub struct Rig {
    listener: Listener,
    weighed: Receiver<ScoredCandidate>,
    /// Keeps the scorer's thread; what it transcribes is of no interest.
    _worker: (Stt, tokio::sync::mpsc::Receiver<SttEvent>),
}

impl Rig {
    /// Loads the models that the configuration names.
    ///
    /// # Errors
    /// One is missing or can't be loaded.
    pub fn load(context: &CliContext) -> anyhow::Result<Self> {
        let (mut listener, worker) =
            app::wakeful_listener(context.config(), &context.paths, Heart::unwatched())?;
        let (watcher, weighed) = channel();
        listener.watched_by(watcher);
        Ok(Self { listener, weighed, _worker: worker })
    }

    /// Listens to something that does not go on from what was heard before.
    pub fn hear_alone(&mut self, samples: &[f32]) -> RigResult {
        self.listener.interrupt();
        self.hear(&vec![0.0; BETWEEN]);
        self.hear(samples)
    }

    /// Listens on. After each wake phrase it waits for the next one.
    pub fn hear(&mut self, samples: &[f32]) -> RigResult {
        let (mut heard, mut events) = (RigResult::default(), Vec::new());
        let begin = self.listener.position();
        for frame in samples.chunks(FRAME) {
            let now = Instant::now();
            self.listener.step(frame, now, &mut events);
            self.listener.settle(now, &mut events);
            let weighed: Vec<ScoredCandidate> = self.weighed.try_iter().collect();
            for event in events.drain(..) {
                if let HearEvent::Wake { phrase, score, at, .. } = event {
                    let of = |weighed: &&ScoredCandidate| weighed.candidate.to == at;
                    let scoring = weighed.iter().find(of).map(|weighed| weighed.took);
                    heard.wakes.push(RigWake { phrase, score, at: at.saturating_sub(begin), scoring });
                    self.listener.command(HearCommand::Cancel);
                }
            }
            heard.weighed.extend(weighed);
        }
        for weighed in &mut heard.weighed {
            weighed.candidate.from = weighed.candidate.from.saturating_sub(begin);
            weighed.candidate.to = weighed.candidate.to.saturating_sub(begin);
        }
        heard
    }
}

/// Returns why something was looked at, for people.
pub fn reason(why: &CandidateReason) -> &'static str {
    match why {
        CandidateReason::Doubt { .. } => "a model in doubt",
        CandidateReason::Voice { .. } => "a voice began",
        CandidateReason::Louder { .. } => "a voice became louder",
    }
}
