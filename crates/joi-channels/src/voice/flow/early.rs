//! Handles a transcript that comes while the speaker may still go on, and what its words mean for the end.
//!
//! In: what whisper and the judge made of a pause. Out: whether more is to be expected, for the listener.
//! Pure: no I/O, no clock.

use std::time::Instant;

pub(super) use super::super::signals::Continuation;
use super::super::signals::{FlowEffect, Judged};
use super::Opening;
use joi_base::message::Utterance;
use joi_hear::judge::JudgeVerdict;
use joi_hear::{More, Outlook};
use joi_language::{Language, Languages};
use joi_understand::intents::{Completeness, completeness, is_amendable};

/// What a request does, for whoever goes on with it before the answer is heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consequence {
    /// It can't be undone.
    Final,
    /// Nothing, or what the whole of the request takes up.
    Amendable,
}

impl Consequence {
    /// What `text`, which `judged` holds, does.
    pub(super) fn of(judged: &Judged, text: &str, languages: &Languages) -> Self {
        let language = languages.heard(judged.transcript.language.as_deref());
        if is_amendable(&language, text) { Self::Amendable } else { Self::Final }
    }
}

/// Work in advance, while the speaker may still go on.
#[derive(Debug)]
pub(super) enum Advance {
    /// Nobody has spoken yet.
    Unspoken,
    Nothing,
    /// Of the utterance of this generation.
    Decoding {
        generation: u64,
    },
    Decoded(Box<Early>),
}

impl Opening {
    /// The position at which the wake phrase was recognised.
    pub(super) fn woken_at(self) -> Option<u64> {
        match self {
            Self::Called { at, .. } => at,
            Self::Window | Self::Interruption => None,
        }
    }
}

impl Advance {
    /// Whether `news` is waited for; words that come after an error are better than none.
    pub(super) fn wants(&self, news: &Early) -> bool {
        match self {
            Self::Unspoken | Self::Nothing => false,
            Self::Decoding { .. } => true,
            Self::Decoded(early) => early.result.is_err() && news.result.is_ok() && early.is_as_new_as(news),
        }
    }

    /// The utterance that whisper was asked for.
    pub(super) fn generation(&self) -> Option<u64> {
        match self {
            Self::Unspoken | Self::Nothing => None,
            Self::Decoding { generation } => Some(*generation),
            Self::Decoded(early) => Some(early.generation),
        }
    }
}

/// A transcript with what it belongs to.
#[derive(Debug)]
pub(super) struct Early {
    pub(super) generation: u64,
    pub(super) revision: u32,
    pub(super) result: Result<Judged, String>,
    pub(super) at: Instant,
    /// Whether its words are a command.
    pub(super) meaning: Completeness,
}

impl Early {
    pub(super) fn new(
        (generation, revision): (u64, u32),
        result: Result<Judged, String>,
        at: Instant,
        languages: &Languages,
    ) -> Self {
        let meaning = result.as_ref().map_or(Completeness::Unknown, |judged| {
            meaning(judged, &languages.heard(judged.transcript.language.as_deref()))
        });
        Self { generation, revision, result, at, meaning }
    }

    pub(super) fn is_of(&self, utterance: &Utterance) -> bool {
        (self.generation, self.revision) == (utterance.generation, utterance.revision)
    }

    fn is_as_new_as(&self, other: &Self) -> bool {
        (self.generation, self.revision) == (other.generation, other.revision)
    }

    /// Returns the work that is worth doing in advance: the answer to a whole command is put into sound, and the model
    /// reads the prompt of anything else.
    pub(super) fn preparation(&self) -> Option<FlowEffect> {
        let judged = self.result.as_ref().ok()?;
        let is_addressed =
            matches!(judged.judgement.verdict, JudgeVerdict::Addressed(_) | JudgeVerdict::FollowUp(_));
        match self.meaning {
            meaning if meaning.is_whole() || meaning == Completeness::Free => {
                Some(FlowEffect::Rehearse(Box::new(judged.clone())))
            }
            Completeness::Question | Completeness::Sentence | Completeness::Unknown if is_addressed => {
                Some(FlowEffect::ReadAhead(Box::new(judged.clone())))
            }
            _ => None,
        }
    }

    /// The command to the listener.
    pub(super) fn outlook(&self) -> Option<Outlook> {
        let more = match self.meaning {
            Completeness::Complete => More::Unlikely,
            Completeness::Amendable => More::Amendable,
            Completeness::Open => More::Possible,
            Completeness::Incomplete => More::Likely,
            Completeness::Question => More::Answerable,
            Completeness::Sentence => More::Sentence,
            Completeness::Free | Completeness::Unknown => return None,
        };
        Some(Outlook { generation: self.generation, revision: self.revision, more })
    }
}

/// Words that were not meant for joi mean nothing.
fn meaning(judged: &Judged, language: &Language) -> Completeness {
    match &judged.judgement.verdict {
        JudgeVerdict::Addressed(text) | JudgeVerdict::FollowUp(text) => completeness(language, text),
        JudgeVerdict::Stop => completeness(language, &judged.transcript.text),
        JudgeVerdict::Interrupts(_) | JudgeVerdict::Echo | JudgeVerdict::Ignore => Completeness::Unknown,
    }
}
