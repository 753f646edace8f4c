//! Chooses the model that the embedded server runs.
//!
//! In: the candidates by preference, what the owner wants, free memory. Out: one of them, and why each better one
//! was passed over. It never leaves a machine without a model that has one: where none is good enough, the smallest
//! is tried. Pure: no I/O, no clock.

use std::fmt;

use crate::LlmError;
use crate::config::ANY;
use crate::local_models::{FileState, ModelCandidate};
use joi_base::machine::MemoryRoom;

/// A model that writes more slowly, in tokens a second, falls behind a voice that speaks its words.
pub(crate) const LEAST_SPEED: f32 = 6.0;

/// Why a model is not chosen.
#[derive(Debug, Clone, PartialEq)]
pub enum PassedOver {
    /// No model has this name.
    Unknown,
    /// Its file is not there.
    NotFetched,
    /// Its file is damaged.
    Damaged {
        /// How.
        why: String,
    },
    /// It is no model to talk with.
    Unfit {
        /// Why.
        why: String,
    },
    /// It was tried, and could not be run.
    Fails {
        /// The server's words.
        why: String,
    },
    /// The machine has too little memory for it.
    TooBigForMachine {
        /// Bytes of a machine that is large enough.
        needs: u64,
        /// Bytes of this one.
        total: u64,
    },
    /// It was tried, and there was too little memory.
    TooLarge {
        /// The server's words.
        why: String,
    },
    /// Too little memory is free.
    TooBigNow {
        /// Bytes it takes.
        needs: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// It is too slow on this machine.
    TooSlow {
        /// As measured.
        tokens_per_s: f32,
    },
}

impl PassedOver {
    /// What speaks against running `candidate` in `room`; its speed does only if `speed_counts`.
    pub fn of(candidate: &ModelCandidate, room: Option<MemoryRoom>, speed_counts: bool) -> Option<Self> {
        let too_small = |room: &MemoryRoom| candidate.least_memory.is_some_and(|least| room.total < least);
        if let (Some(room), Some(needs)) = (room.filter(too_small), candidate.least_memory) {
            return Some(Self::TooBigForMachine { needs, total: room.total });
        }
        match &candidate.state {
            FileState::Missing => return Some(Self::NotFetched),
            FileState::Damaged { why } => return Some(Self::Damaged { why: why.clone() }),
            FileState::Unfit { why } => return Some(Self::Unfit { why: why.clone() }),
            FileState::Fails { why } => return Some(Self::Fails { why: why.clone() }),
            FileState::TooLarge { why } => return Some(Self::TooLarge { why: why.clone() }),
            FileState::There { needs, .. } => {
                if let Some(MemoryRoom { free, .. }) = room.filter(|room| room.free < *needs) {
                    return Some(Self::TooBigNow { needs: *needs, free });
                }
            }
        }
        let slow = candidate.tokens_per_s.filter(|speed| speed_counts && *speed < LEAST_SPEED);
        slow.map(|tokens_per_s| Self::TooSlow { tokens_per_s })
    }

    /// What speaks against the model `name`.
    fn why(&self, name: &str) -> String {
        match self {
            Self::Unknown => format!("llm.local names no model of the list, {name}"),
            Self::NotFetched => format!("{name} is not there"),
            Self::Damaged { why } => format!("{name} is damaged ({why})"),
            Self::Unfit { why } => format!("{name} is no chat model ({why})"),
            Self::Fails { why } => format!("{name} can't be run ({why})"),
            Self::TooLarge { why } => format!("{name} does not fit into the free memory ({why})"),
            Self::TooBigForMachine { needs, total } => format!(
                "{name} is too big for this machine (it has {} of memory, {} are needed)",
                at_most(*total),
                at_least(*needs)
            ),
            Self::TooBigNow { needs, free } => format!(
                "{name} does not fit into the free memory (it needs {}, {} are free)",
                at_least(*needs),
                at_most(*free)
            ),
            Self::TooSlow { tokens_per_s } => {
                let speed = (tokens_per_s * 10.0).floor() / 10.0;
                format!("{name} is too slow here ({speed:.1} tokens/s, {LEAST_SPEED} are needed)")
            }
        }
    }

    /// What to do about it; `mends` is what brings or mends the file of the model `name`.
    fn remedy(&self, name: &str, mends: &str) -> String {
        match self {
            Self::Unknown => "`joi models` shows them".to_owned(),
            Self::NotFetched | Self::Damaged { .. } | Self::Fails { .. } => mends.to_owned(),
            Self::Unfit { .. } => "take the file of an instruct model".to_owned(),
            Self::TooBigForMachine { .. } => "a larger one may serve it with Ollama, see llm.url".to_owned(),
            Self::TooLarge { .. } | Self::TooBigNow { .. } => {
                "end other programs, or lower llm.num_ctx".to_owned()
            }
            Self::TooSlow { .. } => format!(
                "`joi models measure {name}` measures again, `llm.local = \"{name}\"` takes it all the same"
            ),
        }
    }

    /// All three of the model `name`; `mends` is what brings or mends its file.
    pub fn explained(&self, name: &str, mends: &str) -> BetterModel {
        BetterModel { why: self.why(name), remedy: self.remedy(name, mends), is_fault: self.is_fault() }
    }

    /// Returns whether something is wrong with a file or a setting, rather than that the machine is what it is.
    fn is_fault(&self) -> bool {
        match self {
            Self::Unknown | Self::Damaged { .. } | Self::Unfit { .. } | Self::Fails { .. } => true,
            Self::NotFetched
            | Self::TooLarge { .. }
            | Self::TooBigForMachine { .. }
            | Self::TooBigNow { .. }
            | Self::TooSlow { .. } => false,
        }
    }
}

/// A better model, and why it does not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BetterModel {
    /// What speaks against it.
    pub why: String,
    /// What to do about it.
    pub remedy: String,
    /// Whether something is wrong with a file or a setting, rather than that the machine is what it is.
    pub is_fault: bool,
}

impl fmt::Display for BetterModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.why, self.remedy)
    }
}

/// In tenths of a gigabyte, rounded up.
fn at_least(bytes: u64) -> String {
    tenths(bytes.div_ceil(100_000_000))
}

/// In tenths of a gigabyte, rounded down.
fn at_most(bytes: u64) -> String {
    tenths(bytes / 100_000_000)
}

fn tenths(count: u64) -> String {
    format!("{}.{} GB", count / 10, count % 10)
}

/// Conditions of a choice.
#[derive(Debug, Clone, Copy)]
pub struct LocalWish<'a> {
    /// `llm.local`.
    pub wanted: &'a str,
    /// Memory as it is now; nothing where the system does not report it, and then nothing is too big.
    pub room: Option<MemoryRoom>,
    /// The model that runs now: its memory is taken already.
    pub running: Option<&'a str>,
}

/// The model to run.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalChoice {
    /// Its place among the candidates; nothing when none can be loaded.
    pub chosen: Option<usize>,
    /// The better ones by name, and what speaks against each.
    pub passed_over: Vec<(String, PassedOver)>,
}

impl LocalChoice {
    /// Why the best of them does not answer; nothing when it does.
    pub fn why_not_better(&self, candidates: &[ModelCandidate]) -> Option<BetterModel> {
        let (name, why) = self.passed_over.first()?;
        Some(why.explained(name, mends(candidates, name)))
    }

    /// Why none answers: what speaks against the last, which is there unless something is wrong.
    pub(crate) fn nobody(&self, candidates: &[ModelCandidate]) -> LlmError {
        let (why, remedy) = match self.passed_over.last() {
            Some((name, why)) => (why.why(name), why.remedy(name, mends(candidates, name))),
            None => ("the list of chat models is empty".to_owned(), "start Ollama".to_owned()),
        };
        LlmError::Down { why, remedy }
    }
}

fn mends<'a>(candidates: &'a [ModelCandidate], name: &str) -> &'a str {
    candidates.iter().find(|one| one.name == name).map_or("", |one| one.remedy.as_str())
}

/// Chooses among `candidates`, the best first: the wanted one, else the first that nothing speaks against, else the
/// smallest that is there.
pub fn choose_local(candidates: &[ModelCandidate], wish: &LocalWish<'_>) -> LocalChoice {
    let is_any = wish.wanted == ANY;
    let named = candidates.iter().position(|one| !is_any && one.name == wish.wanted);
    let mut passed_over = Vec::new();
    if !is_any && named.is_none() {
        passed_over.push((wish.wanted.to_owned(), PassedOver::Unknown));
    }
    let others = (0..candidates.len()).filter(|at| Some(*at) != named);
    for at in named.into_iter().chain(others) {
        let candidate = &candidates[at];
        let is_running = wish.running == Some(candidate.name.as_str());
        let room = wish.room.filter(|_| !is_running);
        match PassedOver::of(candidate, room, Some(at) != named) {
            None => return LocalChoice { chosen: Some(at), passed_over },
            Some(why) => passed_over.push((candidate.name.clone(), why)),
        }
    }
    let needs = |candidate: &ModelCandidate| match candidate.state {
        FileState::There { needs, .. } => Some(needs),
        FileState::Missing
        | FileState::Damaged { .. }
        | FileState::Unfit { .. }
        | FileState::Fails { .. }
        | FileState::TooLarge { .. } => None,
    };
    let there = candidates.iter().enumerate().filter_map(|(at, one)| Some((needs(one)?, at)));
    let chosen = there.min().map(|(_, at)| at);
    let is_chosen = |name: &str| chosen.is_some_and(|at| candidates[at].name == name);
    passed_over.retain(|(name, _)| !is_chosen(name));
    LocalChoice { chosen, passed_over }
}

#[cfg(test)]
mod tests;
