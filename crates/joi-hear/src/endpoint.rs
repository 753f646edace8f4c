//! Endpointing: decides when speech starts, pauses, continues and ends.
//!
//! Pure: no clock, no sound, only positions and whether a frame is voiced. The listener opens it, passes
//! every frame and acts on the [`Edge`]s; [`More`] carries what the words before a pause mean. It never
//! looks back further than the pre-roll before the position it was opened at, and utterances never overlap.
//! Its transition table is a snapshot in the tests.

mod config;
mod talk;
#[cfg(test)]
mod tests;
mod window;

pub use config::{EndpointConfig, EndpointPatience};

use super::More;
use super::vad::FRAME;
use joi_audio::RATE;
use joi_base::message::EndCause;
use window::EarlyVoice;

/// An utterance said in one breath with a wake phrase begins this much before the phrase's estimated end, so
/// that it includes the whole phrase. Audio that begins in the middle of a breath is transcribed badly.
pub(super) const LEAD: u64 = RATE as u64 * 6 / 5;
/// The detector reports a voice this long after it has fallen silent.
const AFTERGLOW: u64 = 5 * FRAME as u64;
/// Silence inside the onset of a word: the closure of a plosive.
const CLOSURE: u64 = 3 * FRAME as u64;
/// Voiced sound after a pause that counts as continued speech; a single frame is a click.
const RESUME: u64 = 2 * FRAME as u64;
/// Silence that ends a whole command: 0.2 s.
const ENOUGH: u64 = RATE as u64 / 5;
/// Silence that ends a whole command which could go on, and be taken up then: 0.3 s.
const AMENDABLE: u64 = RATE as u64 * 3 / 10;
/// Silence that ends a whole question: 0.4 s. A typical pause within what somebody says lasts a quarter to half a second
/// (Lundholm Fors, Production and Perception of Pauses in Speech, 2015): whoever goes on behind a question is heard, and
/// answered anew.
const ANSWERABLE: u64 = RATE as u64 * 4 / 10;
/// Of the patience, what ends a whole sentence that is no question: people talk in several.
const SENTENCE: (u64, u64) = (6, 7);
/// Silence that ends a whole command which could go on: 0.6 s, a pause for thought.
const THOUGHT: u64 = RATE as u64 * 6 / 10;

/// One frame of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Position just behind its last sample.
    pub(crate) end: u64,
    /// Whether it is voiced.
    pub(crate) voiced: bool,
}

/// A stretch of speech, in positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpeechSpan {
    /// First sample.
    pub(crate) begins_at: u64,
    /// Just behind the last sample.
    pub(crate) ends_at: u64,
    /// First voiced sample.
    pub(crate) speech_begins_at: u64,
    /// Just behind the last voiced sample.
    pub(crate) speech_ends_at: u64,
    /// How many samples of it are voiced.
    pub(crate) voiced: u64,
    /// How often speech went on after a pause.
    pub(crate) revision: u32,
}

/// A change of state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edge {
    /// Somebody speaks.
    Started,
    /// Speech continues the utterance that has just ended: the next one holds both.
    Continued,
    /// A pause that may be the end.
    Paused(SpeechSpan),
    /// It was not the end; a transcription of the pause is void. Carries the new revision.
    Resumed(u32),
    /// The utterance is over, and so is listening.
    Ended(SpeechSpan, EndCause),
    /// Nobody has spoken, and listening is over.
    NothingSaid,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndpointPhase {
    /// Not listening.
    Idle,
    /// The wake phrase is, or may still be, being said; by position `ends_by` it is over.
    Phrase { ends_by: u64, deadline: u64 },
    /// The window for a follow-up has not opened yet, or somebody has spoken since before the last played sample: such
    /// speech began too early to be a follow-up.
    Ahead { wait: Wait, early: EarlyVoice },
    /// Nobody speaks. Sound before `floor` belongs to something else.
    Waiting(Wait),
    /// Voiced sound, not yet long enough to be a word; if it ends here, waiting goes on.
    Onset(Onset, Wait),
    /// Somebody speaks, since `began`.
    Talking(Talk),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wait {
    floor: u64,
    deadline: u64,
    /// The utterance that has just ended: speech continues it, and silence is no timeout.
    ended: Option<Talk>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Onset {
    /// Where the utterance would begin.
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
    /// What the words before the pause say about the end.
    more: Option<More>,
}

/// Lengths in samples.
#[derive(Debug, Clone, Copy)]
struct EndpointLimits {
    patience: u64,
    /// Silence that ends a complete command, ...
    enough: u64,
    /// ... one that could go on and be taken up, ...
    amendable: u64,
    /// ... a question, ...
    answerable: u64,
    /// ... a sentence, ...
    sentence: u64,
    /// ... a command that could go on, ...
    thought: u64,
    /// ... and one that has only begun.
    long: u64,
    pre_roll: u64,
    onset: u64,
    pause: u64,
    no_speech: u64,
    max_length: u64,
    continuation: u64,
}

/// The endpointer.
#[derive(Debug, Clone)]
pub(crate) struct Endpointer {
    limits: EndpointLimits,
    phase: EndpointPhase,
    /// The end of the window for follow-ups that was opened last.
    window_ends: u64,
    /// Just behind the last sample of the last utterance: the next one begins there or later.
    spent: u64,
}

impl Endpointer {
    /// Creates an endpointer that is not listening.
    pub(crate) fn new(config: &EndpointConfig) -> Self {
        let samples = |seconds: f64| (seconds * f64::from(RATE)) as u64;
        let patience = samples(config.patience.seconds());
        let [enough, amendable, answerable, thought] =
            [ENOUGH, AMENDABLE, ANSWERABLE, THOUGHT].map(|silence| match config.by_meaning {
                true => patience.min(silence),
                false => patience,
            });
        let sentence = match config.by_meaning {
            true => patience / SENTENCE.1 * SENTENCE.0,
            false => patience,
        };
        let long = match config.by_meaning {
            true => patience.max(samples(EndpointPatience::Relaxed.seconds())),
            false => patience,
        };
        let limits = EndpointLimits {
            patience,
            enough,
            amendable,
            answerable,
            sentence,
            thought,
            long,
            pre_roll: samples(config.pre_roll),
            onset: samples(config.onset),
            pause: samples(config.pause),
            no_speech: samples(config.no_speech),
            max_length: samples(config.max_length),
            continuation: samples(config.continuation),
        };
        Self { limits, phase: EndpointPhase::Idle, window_ends: 0, spent: 0 }
    }

    /// Returns whether it needs the frames.
    pub(crate) fn is_open(&self) -> bool {
        self.phase != EndpointPhase::Idle
    }

    /// Listens after a wake phrase that is over by position `ends_by`, whatever it did before. If that
    /// position has passed, pass the frames since then again.
    pub(crate) fn open_after_phrase(&mut self, ends_by: u64) {
        self.phase = EndpointPhase::Phrase { ends_by, deadline: ends_by + self.limits.no_speech };
    }

    /// Listens from position `at` on, whatever it did before.
    pub(crate) fn open(&mut self, at: u64) {
        let floor = at.saturating_sub(self.limits.pre_roll).max(self.spent);
        self.phase =
            EndpointPhase::Waiting(Wait { floor, deadline: at + self.limits.no_speech, ended: None });
    }

    /// Takes what was said before the pause of this revision; ignored when speech has gone on since.
    pub(crate) fn expect(&mut self, revision: u32, more: More) {
        if let EndpointPhase::Talking(talk) = &mut self.phase
            && talk.paused.is_some()
            && talk.revision == revision
        {
            talk.more = Some(more);
        }
    }

    /// Stops listening and discards an unfinished utterance.
    pub(crate) fn close(&mut self) {
        self.phase = EndpointPhase::Idle;
    }

    /// Processes the next frame.
    pub(crate) fn observe(&mut self, frame: Frame) -> Option<Edge> {
        match self.phase {
            EndpointPhase::Idle => None,
            EndpointPhase::Phrase { ends_by, .. } if frame.end <= ends_by => None,
            EndpointPhase::Phrase { ends_by, deadline } => {
                self.after_phrase(frame, ends_by, deadline);
                None
            }
            EndpointPhase::Ahead { wait, early } => self.ahead(frame, wait, early),
            EndpointPhase::Waiting(wait) if frame.voiced => {
                let began = frame.end.saturating_sub(FRAME as u64).max(wait.floor);
                let begins_at = began.saturating_sub(self.limits.pre_roll).max(wait.floor);
                self.voice(frame, Onset { begins_at, began, voiced: 0, last_voiced: began }, wait)
            }
            EndpointPhase::Waiting(wait) => self.keep_waiting(wait, frame.end),
            EndpointPhase::Onset(onset, wait) if frame.voiced => self.voice(frame, onset, wait),
            EndpointPhase::Onset(onset, _) if frame.end - onset.last_voiced < CLOSURE => None,
            EndpointPhase::Onset(onset, wait) => self.keep_waiting(onset.given_up(wait), frame.end),
            EndpointPhase::Talking(talk) => self.talk(frame, talk),
        }
    }

    /// Returns the utterance so far, while somebody speaks and has not paused; later reports have a revision of their
    /// own.
    pub(crate) fn so_far(&mut self, at: u64) -> Option<SpeechSpan> {
        let EndpointPhase::Talking(talk) = &mut self.phase else { return None };
        if talk.paused.is_some() {
            return None;
        }
        let span = talk.span(at);
        talk.revision += 1;
        Some(span)
    }

    /// No more sound will come.
    pub(crate) fn finish(&mut self, at: u64) -> Option<Edge> {
        match self.phase {
            EndpointPhase::Idle => None,
            EndpointPhase::Talking(talk) => Some(self.end(talk, at, EndCause::SourceEnded)),
            EndpointPhase::Waiting(Wait { ended: Some(_), .. })
            | EndpointPhase::Onset(_, Wait { ended: Some(_), .. }) => {
                self.close();
                None
            }
            EndpointPhase::Phrase { .. }
            | EndpointPhase::Ahead { .. }
            | EndpointPhase::Waiting(_)
            | EndpointPhase::Onset(..) => {
                self.close();
                Some(Edge::NothingSaid)
            }
        }
    }

    /// Silence ends the phrase; voice beyond its end means that more was said in one breath.
    fn after_phrase(&mut self, frame: Frame, ends_by: u64, deadline: u64) {
        let floor = frame.end.saturating_sub(FRAME as u64).max(self.spent);
        let wait = Wait { floor, deadline, ended: None };
        if !frame.voiced {
            self.phase = EndpointPhase::Waiting(wait);
        } else if frame.end >= ends_by + AFTERGLOW {
            let begins_at = ends_by.saturating_sub(LEAD).max(self.spent);
            let onset = Onset { begins_at, began: ends_by, voiced: 0, last_voiced: frame.end };
            self.phase = EndpointPhase::Onset(onset, wait);
        }
    }

    /// A voiced frame of an onset.
    fn voice(&mut self, frame: Frame, mut onset: Onset, wait: Wait) -> Option<Edge> {
        onset.voiced += FRAME as u64;
        onset.last_voiced = frame.end;
        if onset.voiced < self.limits.onset {
            self.phase = EndpointPhase::Onset(onset, wait);
            return None;
        }
        let Onset { begins_at, began, last_voiced, voiced } = onset;
        let fresh = Talk { begins_at, began, last_voiced, voiced, revision: 0, paused: None, more: None };
        let (talk, edge) = match wait.ended {
            None => (fresh, Edge::Started),
            Some(ended) => (fresh.continuing(ended), Edge::Continued),
        };
        self.phase = EndpointPhase::Talking(talk);
        Some(edge)
    }

    fn keep_waiting(&mut self, wait: Wait, now: u64) -> Option<Edge> {
        if now < wait.deadline {
            self.phase = EndpointPhase::Waiting(wait);
            return None;
        }
        self.close();
        wait.ended.is_none().then_some(Edge::NothingSaid)
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
                talk.more = None;
                edge = Some(Edge::Resumed(talk.revision));
            }
        } else if talk.paused.is_some() {
            talk.paused = Some(0);
        }
        let silence = frame.end - talk.last_voiced;
        if frame.end - talk.began >= self.limits.max_length {
            return Some(self.end(talk, frame.end, EndCause::MaxLength));
        }
        // A voiced frame is continued speech or a click: the next one decides.
        if silence >= self.patience(talk) && !frame.voiced {
            return Some(self.end(talk, frame.end, EndCause::Silence));
        }
        if talk.paused.is_none() && silence >= self.limits.pause {
            talk.paused = Some(0);
            edge = Some(Edge::Paused(talk.span(frame.end)));
        }
        self.phase = EndpointPhase::Talking(talk);
        edge
    }

    /// Returns the silence that ends what was said so far.
    fn patience(&self, talk: Talk) -> u64 {
        match talk.more {
            None => self.limits.patience,
            Some(More::Unlikely) => self.limits.enough,
            Some(More::Amendable) => self.limits.amendable,
            Some(More::Answerable) => self.limits.answerable,
            Some(More::Sentence) => self.limits.sentence,
            Some(More::Possible) => self.limits.thought,
            Some(More::Likely) => self.limits.long,
        }
    }

    fn end(&mut self, talk: Talk, at: u64, cause: EndCause) -> Edge {
        self.spent = at;
        let deadline = talk.last_voiced + self.limits.continuation;
        self.phase = match cause {
            EndCause::Silence if deadline > at => {
                EndpointPhase::Waiting(Wait { floor: at, deadline, ended: Some(talk) })
            }
            EndCause::Silence | EndCause::MaxLength | EndCause::SourceEnded => EndpointPhase::Idle,
        };
        Edge::Ended(talk.span(at), cause)
    }
}
