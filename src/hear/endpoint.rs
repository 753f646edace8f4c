//! Decides when somebody has begun to speak, paused, gone on, finished.
//!
//! PURE: no clock, no sound, only positions and whether a frame is voiced. The listener opens it, shows it
//! every frame and does what the [`Edge`]s say. It never looks back behind the position it was opened at
//! further than the pre-roll, and never lets two utterances overlap. Its transition table is a snapshot
//! in the tests.

use serde::{Deserialize, Serialize};

use super::vad::FRAME;
use crate::audio::RATE;
use crate::message::EndCause;
use crate::problem::Problem;

/// How long she waits for more before she answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Patience {
    /// 0.4 s of silence: quick answers, and short pauses for thought cut a sentence in two.
    Quick,
    /// 0.7 s.
    Normal,
    /// 1.2 s: for people who speak slowly.
    Relaxed,
}

impl Patience {
    /// Silence that ends an utterance, in seconds.
    pub fn seconds(self) -> f64 {
        match self {
            Self::Quick => 0.4,
            Self::Normal => 0.7,
            Self::Relaxed => 1.2,
        }
    }
}

/// Where an utterance begins and ends. All times are counted in samples, so a busy machine changes nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EndpointConfig {
    /// Silence that ends an utterance: `quick` 0.4 s, `normal` 0.7 s, `relaxed` 1.2 s.
    pub patience: Patience,
    /// Sound kept from before the first voiced frame, in seconds, 0.1 to 1. Raising it saves more of soft
    /// first syllables, and costs transcription time.
    pub pre_roll: f64,
    /// Voiced sound that counts as speech, in seconds, 0.1 to 0.5. Raising it ignores more knocks and
    /// coughs, and more words as short as "no".
    pub onset: f64,
    /// Silence after which transcription begins on trial, in seconds, 0.1 to 0.35. Raising it wastes
    /// less computing and answers later.
    pub pause: f64,
    /// How long she listens for the first word, in seconds, 1 to 30.
    pub no_speech: f64,
    /// Longest utterance, in seconds, 2 to 28 (whisper hears 30). What is said beyond it is not heard.
    pub max_length: f64,
}

impl Default for EndpointConfig {
    fn default() -> Self {
        Self {
            patience: Patience::Normal,
            pre_roll: 0.5,
            onset: 0.2,
            pause: 0.25,
            no_speech: 5.0,
            max_length: 15.0,
        }
    }
}

impl EndpointConfig {
    /// All that is wrong with it.
    pub fn check(&self) -> Vec<Problem> {
        [
            ("pre_roll", self.pre_roll, 0.1..=1.0),
            ("onset", self.onset, 0.1..=0.5),
            ("pause", self.pause, 0.1..=0.35),
            ("no_speech", self.no_speech, 1.0..=30.0),
            ("max_length", self.max_length, 2.0..=28.0),
        ]
        .into_iter()
        .filter_map(|(key, value, range)| {
            Problem::outside(&format!("hear.endpoint.{key}"), value, range, "s")
        })
        .collect()
    }
}

/// In one breath with a wake phrase, an utterance begins so much before the phrase's supposed end: the
/// detector is not surer than that. Whisper leaves the rest of a name out, but writes a name it hears whole
/// as anything ("Page office, what time is it?"), which no rule could take off again.
pub(super) const OVERLAP: u64 = RATE as u64 * 15 / 100;
/// A voice is still found this long after it has fallen silent.
const AFTERGLOW: u64 = 3 * FRAME as u64;
/// Silence inside a word's onset: the closure of a plosive.
const CLOSURE: u64 = 3 * FRAME as u64;
/// Voiced sound after a pause that counts as going on; a single frame is a click.
const RESUME: u64 = 2 * FRAME as u64;

/// A frame as the endpointer sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Position just behind its last sample.
    pub end: u64,
    /// Whether there is a voice in it.
    pub voiced: bool,
}

/// A stretch of speech, in positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First sample.
    pub begins_at: u64,
    /// Just behind the last sample.
    pub ends_at: u64,
    /// First voiced sample.
    pub speech_begins_at: u64,
    /// Just behind the last voiced sample.
    pub speech_ends_at: u64,
    /// How many samples of it are voiced.
    pub voiced: u64,
    /// How often speech went on after a pause.
    pub revision: u32,
}

/// Something has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// Somebody speaks.
    Started,
    /// A pause that may be the end.
    Paused(Span),
    /// It was not the end; what was made of the pause is void. Carries the new revision.
    Resumed(u32),
    /// The utterance is over, and with it the listening.
    Ended(Span, EndCause),
    /// Nobody has spoken, and the listening is over.
    NothingSaid,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Not listening.
    Idle,
    /// The wake phrase is, or may still be, sounding; by position `ends_by` it is over.
    Phrase { ends_by: u64, deadline: u64 },
    /// Nobody speaks. Sound before `floor` belongs to something else.
    Waiting(Wait),
    /// Something voiced, not yet long enough to be a word; if it stays so, the waiting goes on.
    Onset(Onset, Wait),
    /// Somebody speaks, since `began`.
    Talking(Talk),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wait {
    floor: u64,
    deadline: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Onset {
    /// Where the utterance will begin.
    begins_at: u64,
    began: u64,
    voiced: u64,
    last_voiced: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Talk {
    begins_at: u64,
    began: u64,
    last_voiced: u64,
    voiced: u64,
    revision: u32,
    /// Voiced sound since the pause, if there is one.
    paused: Option<u64>,
}

/// Lengths in samples.
#[derive(Debug, Clone, Copy)]
struct Limits {
    patience: u64,
    pre_roll: u64,
    onset: u64,
    pause: u64,
    no_speech: u64,
    max_length: u64,
}

/// The decider.
#[derive(Debug, Clone)]
pub struct Endpointer {
    limits: Limits,
    phase: Phase,
    /// Just behind the last sample of the last utterance: the next one begins there or later.
    spent: u64,
}

impl Endpointer {
    /// A decider that is not listening.
    pub fn new(config: &EndpointConfig) -> Self {
        let samples = |seconds: f64| (seconds * f64::from(RATE)) as u64;
        let limits = Limits {
            patience: samples(config.patience.seconds()),
            pre_roll: samples(config.pre_roll),
            onset: samples(config.onset),
            pause: samples(config.pause),
            no_speech: samples(config.no_speech),
            max_length: samples(config.max_length),
        };
        Self { limits, phase: Phase::Idle, spent: 0 }
    }

    /// Whether it listens.
    pub fn is_open(&self) -> bool {
        self.phase != Phase::Idle
    }

    /// Listens after a wake phrase that is over by position `ends_by`, whatever it did before. If that
    /// position has passed, show it the frames since then once more.
    pub fn open_after_phrase(&mut self, ends_by: u64) {
        self.phase = Phase::Phrase { ends_by, deadline: ends_by + self.limits.no_speech };
    }

    /// Listens from position `at` on, whatever it did before.
    pub fn open(&mut self, at: u64) {
        let floor = at.saturating_sub(self.limits.pre_roll).max(self.spent);
        self.phase = Phase::Waiting(Wait { floor, deadline: at + self.limits.no_speech });
    }

    /// Stops listening and forgets what it has heard.
    pub fn close(&mut self) {
        self.phase = Phase::Idle;
    }

    /// The verdict on the next frame.
    pub fn observe(&mut self, frame: Frame) -> Option<Edge> {
        match self.phase {
            Phase::Idle => None,
            Phase::Phrase { ends_by, .. } if frame.end <= ends_by => None,
            Phase::Phrase { ends_by, deadline } => {
                self.after_phrase(frame, ends_by, deadline);
                None
            }
            Phase::Waiting(wait) if frame.voiced => {
                let began = frame.end.saturating_sub(FRAME as u64).max(wait.floor);
                let begins_at = began.saturating_sub(self.limits.pre_roll).max(wait.floor);
                self.voice(frame, Onset { begins_at, began, voiced: 0, last_voiced: began }, wait)
            }
            Phase::Waiting(wait) => self.keep_waiting(wait, frame.end),
            Phase::Onset(onset, wait) if frame.voiced => self.voice(frame, onset, wait),
            Phase::Onset(onset, _) if frame.end - onset.last_voiced < CLOSURE => None,
            Phase::Onset(onset, wait) => self.keep_waiting(onset.given_up(wait), frame.end),
            Phase::Talking(talk) => self.talk(frame, talk),
        }
    }

    /// No more sound will come.
    pub fn finish(&mut self, at: u64) -> Option<Edge> {
        match self.phase {
            Phase::Idle => None,
            Phase::Talking(talk) => Some(self.end(talk, at, EndCause::SourceEnded)),
            Phase::Phrase { .. } | Phase::Waiting(_) | Phase::Onset(..) => {
                self.close();
                Some(Edge::NothingSaid)
            }
        }
    }

    /// A silence ends the phrase; a voice beyond its end is somebody who has said more in one breath.
    fn after_phrase(&mut self, frame: Frame, ends_by: u64, deadline: u64) {
        let floor = frame.end.saturating_sub(FRAME as u64).max(self.spent);
        let wait = Wait { floor, deadline };
        if !frame.voiced {
            self.phase = Phase::Waiting(wait);
        } else if frame.end >= ends_by + AFTERGLOW {
            let begins_at = ends_by.saturating_sub(OVERLAP).max(self.spent);
            let onset = Onset { begins_at, began: ends_by, voiced: 0, last_voiced: frame.end };
            self.phase = Phase::Onset(onset, wait);
        }
    }

    /// A voiced frame of an onset.
    fn voice(&mut self, frame: Frame, mut onset: Onset, wait: Wait) -> Option<Edge> {
        onset.voiced += FRAME as u64;
        onset.last_voiced = frame.end;
        if onset.voiced < self.limits.onset {
            self.phase = Phase::Onset(onset, wait);
            return None;
        }
        let Onset { begins_at, began, last_voiced, voiced } = onset;
        self.phase = Phase::Talking(Talk { begins_at, began, last_voiced, voiced, revision: 0, paused: None });
        Some(Edge::Started)
    }

    fn keep_waiting(&mut self, wait: Wait, now: u64) -> Option<Edge> {
        if now < wait.deadline {
            self.phase = Phase::Waiting(wait);
            return None;
        }
        self.close();
        Some(Edge::NothingSaid)
    }

    fn talk(&mut self, frame: Frame, mut talk: Talk) -> Option<Edge> {
        let mut edge = None;
        if frame.voiced {
            talk.voiced += FRAME as u64;
            let run = talk.paused.map(|run| run + FRAME as u64);
            if run.is_none_or(|run| run >= RESUME) {
                talk.last_voiced = frame.end;
                talk.paused = None;
            } else {
                talk.paused = run;
            }
            if run.is_some() && talk.paused.is_none() {
                talk.revision += 1;
                edge = Some(Edge::Resumed(talk.revision));
            }
        } else if talk.paused.is_some() {
            talk.paused = Some(0);
        }
        let silence = frame.end - talk.last_voiced;
        if frame.end - talk.began >= self.limits.max_length {
            return Some(self.end(talk, frame.end, EndCause::MaxLength));
        }
        if silence >= self.limits.patience {
            return Some(self.end(talk, frame.end, EndCause::Silence));
        }
        if talk.paused.is_none() && silence >= self.limits.pause {
            talk.paused = Some(0);
            edge = Some(Edge::Paused(talk.span(frame.end)));
        }
        self.phase = Phase::Talking(talk);
        edge
    }

    fn end(&mut self, talk: Talk, at: u64, cause: EndCause) -> Edge {
        self.phase = Phase::Idle;
        self.spent = at;
        Edge::Ended(talk.span(at), cause)
    }
}

impl Onset {
    /// How the waiting goes on when this was no word.
    fn given_up(self, wait: Wait) -> Wait {
        // An onset from before the floor is the phrase's, not a soft beginning of what may follow.
        let floor = if self.began < wait.floor { self.last_voiced } else { wait.floor };
        Wait { floor, ..wait }
    }
}

impl Talk {
    fn span(self, ends_at: u64) -> Span {
        let Self { begins_at, began, last_voiced, voiced, revision, .. } = self;
        Span {
            begins_at,
            ends_at,
            speech_begins_at: began,
            speech_ends_at: last_voiced,
            voiced,
            revision,
        }
    }
}

#[cfg(test)]
mod tests;
