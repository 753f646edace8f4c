//! A transcript that came while the speaker may still go on, and what its words tell of the end.
//!
//! PURE. In: what whisper and the judge made of a pause. Out: whether more is to be expected, for the listener.

use std::time::Instant;

use super::super::signals::Judged;
use crate::hear::judge::JudgeVerdict;
use crate::hear::{More, Outlook};
use crate::language::{Language, Languages};
use crate::message::Utterance;
use crate::reply::understand::intents::{Completeness, completeness};

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

    /// What the listener is told.
    pub(super) fn outlook(&self) -> Option<Outlook> {
        let more = match self.meaning {
            Completeness::Complete => More::Unlikely,
            Completeness::Open => More::Possible,
            Completeness::Incomplete => More::Likely,
            Completeness::Unknown => return None,
        };
        Some(Outlook { generation: self.generation, revision: self.revision, more })
    }
}

/// What was not meant for her means nothing.
fn meaning(judged: &Judged, language: &Language) -> Completeness {
    match &judged.judgement.verdict {
        JudgeVerdict::Addressed(text) | JudgeVerdict::FollowUp(text) => completeness(language, text),
        JudgeVerdict::Stop => completeness(language, &judged.transcript.text),
        JudgeVerdict::Interrupts(_) | JudgeVerdict::Echo | JudgeVerdict::Ignore => Completeness::Unknown,
    }
}
