//! The tools of one answer: which may be called, which are chosen from next, and the calls that the words are already.
//!
//! Plain data of the task of one turn. Whether a call is let through is decided by the gate, not here.

use std::collections::VecDeque;

use joi_answer::protocol::WrittenCall;

/// Which tools may be called.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolScope {
    /// Names of all tools there are: their calls are recognised.
    pub(crate) known: Vec<String>,
    /// Names that may be called in this turn.
    pub(crate) allowed: Vec<String>,
    /// Names whose cues are in the request.
    pub(crate) picks: Vec<String>,
    /// The next reply is a choice among the picks, and nothing but one.
    pub(crate) chooses: bool,
    /// No word of the request speaks for any of them: the choice is a guess.
    pub(crate) is_guess: bool,
    /// Calls that the model may still correct, and what was wrong with the last one.
    pub(crate) corrections: u32,
    pub(crate) fault: String,
    /// The method by which the tools were picked, for the record.
    pub(crate) strategy: String,
}

impl ToolScope {
    /// Of a prompt without tools: none is recognised, and none called.
    pub(crate) fn of_talk() -> Self {
        Self { strategy: "talk".into(), ..Self::default() }
    }

    /// Returns whether a tool of that name may be called.
    pub(crate) fn allows(&self, name: &str) -> bool {
        self.allowed.iter().any(|allowed| allowed == name)
    }

    /// Lets a tool be called from here on.
    pub(crate) fn allow(&mut self, name: &str) {
        if !self.allows(name) {
            self.allowed.push(name.to_owned());
        }
    }

    /// The next reply is a choice among the picks, where there are any.
    pub(super) fn choose_from(&mut self, picks: Vec<String>) {
        self.chooses = !picks.is_empty();
        self.picks = picks;
    }

    /// Notes what is wrong with a call; where it may be corrected, the next reply is a choice again.
    pub(in crate::agent::tool_loop) fn note_fault(&mut self, fault: &str) {
        if self.corrections > 0 {
            self.corrections -= 1;
            fault.clone_into(&mut self.fault);
            self.chooses = !self.picks.is_empty();
        }
    }

    /// No tool is recognised or called any more; how they were picked stays on record.
    pub(super) fn close(&mut self) {
        *self = Self { strategy: std::mem::take(&mut self.strategy), ..Self::default() };
    }
}

/// The calls that the request, or each of its parts, is as it stands.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReadyCalls {
    /// Those that are left.
    calls: VecDeque<WrittenCall>,
    /// Their number.
    pub(super) count: usize,
}

impl From<VecDeque<WrittenCall>> for ReadyCalls {
    fn from(calls: VecDeque<WrittenCall>) -> Self {
        Self { count: calls.len(), calls }
    }
}

impl ReadyCalls {
    /// The next one.
    pub(super) fn next(&mut self) -> Option<WrittenCall> {
        self.calls.pop_front()
    }
}
