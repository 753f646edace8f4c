//! PURE. The conversation by voice as a state machine: what happened in, what to do out.
//!
//! No I/O, no clock, no async: every moment arrives inside an input, and the voice channel carries out
//! the effects. It refuses stale news: transcripts of an older utterance or revision, and the end of a
//! turn that is no longer the current one, change nothing.

use std::time::{Duration, Instant};

use crate::audio::RATE;
use crate::hear::{HearCommand, SpeakingState};
use crate::hear::whisper::Urgency;
use crate::message::{OpenedBy, Transcript, TurnId, Utterance};

const TALKING: HearCommand = HearCommand::Speaking(SpeakingState::Talking);
const SILENT: HearCommand = HearCommand::Speaking(SpeakingState::Silent);

/// What happened.
#[derive(Debug)]
pub enum Input {
    /// The wake phrase was recognised.
    Wake {
        /// Its written form.
        phrase: String,
        /// Detector probability, 0..1.
        score: f32,
        /// Position of the crossing in 16 kHz samples since the source was opened.
        at: u64,
    },
    /// Somebody asked to be listened to without the wake phrase.
    Requested,
    /// The user paused; the words so far can be transcribed in advance.
    Paused(Utterance),
    /// The user went on after a pause.
    Resumed {
        /// Of the utterance.
        generation: u64,
        /// The revision from here on.
        revision: u32,
    },
    /// The utterance is complete.
    Ended {
        /// The utterance.
        utterance: Utterance,
        /// When that was decided.
        decided: Instant,
    },
    /// The microphone was open and nobody spoke.
    NothingSaid,
    /// Whisper is done with an utterance.
    Transcribed {
        /// The transcript, with the leading wake phrase removed, or why there is none.
        result: Result<Transcript, String>,
        /// Of the utterance.
        generation: u64,
        /// Of the utterance.
        revision: u32,
        /// When.
        at: Instant,
    },
    /// The first sample of an answer is being played.
    Speaking(TurnId),
    /// An answer was played to its end, or there was none.
    TurnOver(TurnId),
}

/// What to do about it.
#[derive(Debug)]
pub enum Effect {
    /// The soft tone that says "I'm listening".
    AcknowledgeTone,
    /// The tone that says "that did not work".
    ErrorTone,
    /// Stop the running answer everywhere: model, synthesis, loudspeaker.
    Cancel(TurnId),
    /// Transcribe.
    Decode(Utterance, Urgency),
    /// What whisper was asked before is of no use any more.
    DropDecode {
        /// Whatever is older than this utterance ...
        generation: u64,
        /// ... and this revision of it.
        revision: u32,
    },
    /// Answer.
    Answer(Box<Question>),
    /// Tell the listener.
    Ears(HearCommand),
    /// The conversation rests until the next wake phrase, for the given reason.
    Rest(&'static str),
}

/// A complete question with the moments that led to it.
#[derive(Debug, Clone)]
pub struct Question {
    /// The turn it opens.
    pub turn: TurnId,
    /// What was said, and how sure whisper was.
    pub transcript: Transcript,
    /// What opened the microphone.
    pub opened_by: OpenedBy,
    /// When the wake phrase was recognised.
    pub woke: Option<Instant>,
    /// When the last voiced sample was captured.
    pub speech_ended: Instant,
    /// When the end of the utterance was decided.
    pub decided: Instant,
    /// When the transcript was there.
    pub transcribed: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    First,
    /// The first utterance held nothing but the wake phrase itself.
    Second,
}

#[derive(Debug)]
enum Phase {
    Idle,
    Listening { woke: Option<u64>, attempt: Attempt, advance: Advance },
    Transcribing { utterance: Utterance, decided: Instant, woke: Option<u64>, attempt: Attempt },
    Answering { turn: TurnId },
}

/// What is known in advance, while the speaker may still go on.
#[derive(Debug)]
enum Advance {
    Nothing,
    Decoding,
    Decoded(Early),
}

/// A transcript with what it belongs to.
#[derive(Debug)]
struct Early {
    generation: u64,
    revision: u32,
    result: Result<Transcript, String>,
    at: Instant,
}

impl Early {
    fn is_of(&self, utterance: &Utterance) -> bool {
        (self.generation, self.revision) == (utterance.generation, utterance.revision)
    }
}

/// The state of the conversation.
#[derive(Debug)]
pub struct Flow {
    phase: Phase,
    turns: u64,
}

impl Flow {
    /// A conversation that rests. Turn ids continue after `last_turn`.
    pub fn resting(last_turn: TurnId) -> Self {
        Self { phase: Phase::Idle, turns: last_turn.0 }
    }

    /// Is nothing going on?
    pub fn is_idle(&self) -> bool {
        matches!(self.phase, Phase::Idle)
    }

    /// Is the next move the user's? Then a microphone that was held back (a file) may go on.
    pub fn is_waiting_for_the_user(&self) -> bool {
        match &self.phase {
            Phase::Idle => true,
            Phase::Listening { advance, .. } => !matches!(advance, Advance::Decoding),
            Phase::Transcribing { .. } | Phase::Answering { .. } => false,
        }
    }

    /// Takes in what happened and says what to do.
    pub fn on(&mut self, input: Input) -> Vec<Effect> {
        match input {
            Input::Wake { at, .. } => self.listen(Some(at)),
            Input::Requested => self.listen(None),
            Input::Paused(utterance) => self.paused(utterance),
            Input::Resumed { generation, revision } => self.resumed(generation, revision),
            Input::Ended { utterance, decided } => self.ended(utterance, decided),
            Input::NothingSaid => match self.phase {
                Phase::Listening { .. } => self.rest("nothing was said"),
                _ => vec![],
            },
            Input::Transcribed { result, generation, revision, at } => {
                self.transcribed(Early { generation, revision, result, at })
            }
            Input::Speaking(turn) if self.is_answering(turn) => {
                vec![Effect::Ears(TALKING)]
            }
            Input::TurnOver(turn) if self.is_answering(turn) => {
                self.phase = Phase::Idle;
                vec![Effect::Ears(SILENT)]
            }
            Input::Speaking(_) | Input::TurnOver(_) => vec![],
        }
    }

    fn is_answering(&self, id: TurnId) -> bool {
        matches!(self.phase, Phase::Answering { turn } if turn == id)
    }

    /// A wake phrase always wins: it stops whatever is going on.
    fn listen(&mut self, woke: Option<u64>) -> Vec<Effect> {
        let mut effects = match &self.phase {
            Phase::Answering { turn } => vec![Effect::Cancel(*turn), Effect::Ears(SILENT)],
            Phase::Transcribing { utterance, .. } => {
                vec![Effect::DropDecode { generation: utterance.generation + 1, revision: 0 }]
            }
            Phase::Idle | Phase::Listening { .. } => vec![],
        };
        if woke.is_none() {
            effects.push(Effect::Ears(HearCommand::Listen));
        }
        effects.push(Effect::AcknowledgeTone);
        self.phase = Phase::Listening { woke, attempt: Attempt::First, advance: Advance::Nothing };
        effects
    }

    fn paused(&mut self, utterance: Utterance) -> Vec<Effect> {
        match &mut self.phase {
            Phase::Listening { advance, .. } => {
                *advance = Advance::Decoding;
                vec![Effect::Decode(utterance, Urgency::Speculative)]
            }
            _ => vec![],
        }
    }

    fn resumed(&mut self, generation: u64, revision: u32) -> Vec<Effect> {
        match &mut self.phase {
            Phase::Listening { advance, .. } => {
                *advance = Advance::Nothing;
                vec![Effect::DropDecode { generation, revision }]
            }
            _ => vec![],
        }
    }

    fn ended(&mut self, utterance: Utterance, decided: Instant) -> Vec<Effect> {
        let Phase::Listening { woke, attempt, advance } = &mut self.phase else { return vec![] };
        let (woke, attempt) = (*woke, *attempt);
        let early = match std::mem::replace(advance, Advance::Nothing) {
            Advance::Decoded(early) if early.is_of(&utterance) => Some(early),
            Advance::Nothing | Advance::Decoding | Advance::Decoded(_) => None,
        };
        self.phase = Phase::Transcribing { utterance: utterance.clone(), decided, woke, attempt };
        match early {
            Some(early) => self.transcribed(early),
            None => vec![Effect::Decode(utterance, Urgency::Final)],
        }
    }

    fn transcribed(&mut self, news: Early) -> Vec<Effect> {
        match &mut self.phase {
            Phase::Listening { advance, .. } => {
                if matches!(advance, Advance::Decoding) {
                    *advance = Advance::Decoded(news);
                }
                vec![]
            }
            Phase::Transcribing { utterance, .. } if news.is_of(utterance) => self.settle(news),
            _ => vec![],
        }
    }

    fn settle(&mut self, news: Early) -> Vec<Effect> {
        let Phase::Transcribing { utterance, decided, woke, attempt } =
            std::mem::replace(&mut self.phase, Phase::Idle)
        else {
            return vec![];
        };
        let transcript = match news.result {
            Ok(transcript) => transcript,
            Err(_) => {
                let mut effects = vec![Effect::ErrorTone];
                effects.extend(self.rest("the speech could not be transcribed"));
                return effects;
            }
        };
        if transcript.text.is_empty() {
            return self.nothing_but_the_phrase(woke, attempt);
        }
        self.turns += 1;
        let turn = TurnId(self.turns);
        self.phase = Phase::Answering { turn };
        vec![Effect::Answer(Box::new(Question {
            turn,
            transcript,
            speech_ended: moment_of(utterance.speech_ends_at, &utterance, decided),
            woke: woke.map(|at| moment_of(at, &utterance, decided)),
            opened_by: utterance.opened_by,
            decided,
            transcribed: news.at.max(decided),
        }))]
    }

    /// "Hey jarvis" … and only then the question: listen once more.
    fn nothing_but_the_phrase(&mut self, woke: Option<u64>, attempt: Attempt) -> Vec<Effect> {
        match attempt {
            Attempt::First => {
                self.phase = Phase::Listening { woke, attempt: Attempt::Second, advance: Advance::Nothing };
                vec![Effect::Ears(HearCommand::Listen)]
            }
            Attempt::Second => self.rest("no words were understood"),
        }
    }

    fn rest(&mut self, why: &'static str) -> Vec<Effect> {
        self.phase = Phase::Idle;
        vec![Effect::Ears(SILENT), Effect::Rest(why)]
    }
}

/// The moment of the sample at `position`, counted back from the decision in samples: right also where
/// a file is heard faster than it was spoken.
fn moment_of(position: u64, utterance: &Utterance, decided: Instant) -> Instant {
    let end = utterance.begins_at + utterance.samples.len() as u64;
    let before = Duration::from_secs_f64(end.saturating_sub(position) as f64 / f64::from(RATE));
    decided.checked_sub(before).unwrap_or(decided)
}

#[cfg(test)]
mod tests;
