//! The true listener with its second stage, over sound that is at hand: stepped on the calling thread, which
//! waits for the scorer at every frame.

use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::app;
use crate::audio::RATE;
use crate::cli::session::Session;
use crate::hear::vad::FRAME;
use crate::hear::wake::{Weighed, Weight, Why};
use crate::hear::whisper::{Stt, SttEvent};
use crate::hear::{HearCommand, HearEvent, Listener};
use crate::pulse::Heart;

/// Silence between two sounds that have nothing to do with each other: the scorer may run again after it.
const BETWEEN: usize = 15 * RATE as usize;

/// She was woken.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Woken {
    /// By this phrase.
    pub(super) phrase: String,
    pub(super) score: f32,
    /// The sample that decided it, in samples of the sound it was told of.
    pub(super) at: u64,
    /// What the scorer took; nothing when a model was sure.
    pub(super) scoring: Option<Duration>,
}

/// What came of a sound.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Heard {
    pub(super) wakes: Vec<Woken>,
    /// Everything the scorer looked at, with its place in samples of the sound.
    pub(super) weighed: Vec<Weighed>,
}

impl Heard {
    /// How often nothing but a rival spoke against a phrase.
    pub(super) fn held_back(&self) -> usize {
        self.weighed.iter().filter(|weighed| weighed.phrases.iter().any(Weight::is_held_back)).count()
    }

    /// Whether that was so for this phrase.
    pub(super) fn is_held_back(&self, phrase: &str) -> bool {
        let of = |weight: &Weight| weight.phrase == phrase && weight.is_held_back();
        self.weighed.iter().any(|weighed| weighed.phrases.iter().any(of))
    }
}

pub(super) struct Rig {
    listener: Listener,
    weighed: Receiver<Weighed>,
    /// Keeps the scorer's thread; what it transcribes is of no interest.
    _worker: (Stt, tokio::sync::mpsc::Receiver<SttEvent>),
}

impl Rig {
    pub(super) fn load(session: &Session) -> anyhow::Result<Self> {
        let (mut listener, worker) =
            app::wakeful_listener(session.config(), &session.paths, Heart::unwatched())?;
        let (watcher, weighed) = channel();
        listener.watched_by(watcher);
        Ok(Self { listener, weighed, _worker: worker })
    }

    /// Listens to something that does not go on from what was heard before.
    pub(super) fn hear_alone(&mut self, samples: &[f32]) -> Heard {
        self.listener.interrupt();
        self.hear(&vec![0.0; BETWEEN]);
        self.hear(samples)
    }

    /// Listens on. After each wake phrase she waits for the next one.
    pub(super) fn hear(&mut self, samples: &[f32]) -> Heard {
        let (mut heard, mut events) = (Heard::default(), Vec::new());
        let begin = self.listener.position();
        for frame in samples.chunks(FRAME) {
            let now = Instant::now();
            self.listener.step(frame, now, &mut events);
            self.listener.settle(now, &mut events);
            let weighed: Vec<Weighed> = self.weighed.try_iter().collect();
            for event in events.drain(..) {
                if let HearEvent::Wake { phrase, score, at, .. } = event {
                    let of = |weighed: &&Weighed| weighed.candidate.to == at;
                    let scoring = weighed.iter().find(of).map(|weighed| weighed.took);
                    heard.wakes.push(Woken { phrase, score, at: at.saturating_sub(begin), scoring });
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

/// Why something was looked at, for people.
pub(super) fn reason(why: &Why) -> &'static str {
    match why {
        Why::Doubt { .. } => "a model in doubt",
        Why::Voice { .. } => "a voice began",
        Why::Louder { .. } => "a voice became louder",
    }
}
