//! Calls that wait for a yes: numbered, bounded, and denied when nobody has answered in time.
//!
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp};

use joi_tools::Arguments;
use serde::{Deserialize, Serialize};

/// Nobody answers for so long, and that is a no.
pub const APPROVAL_LASTS: SignedDuration = SignedDuration::from_mins(10);
/// Most calls of an agent that wait at the same time; a further one is refused.
const MOST: usize = 8;

/// A call that waits for a yes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentApproval {
    /// Its number, which the agent never uses again.
    pub id: u32,
    /// The tool.
    pub tool: String,
    /// Its arguments, checked.
    pub arguments: Arguments,
    /// The call in words that follow "May I".
    pub in_words: String,
    /// When it was asked about.
    pub asked_at: Timestamp,
}

/// All calls of an agent that wait.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentApprovals {
    waiting: Vec<AgentApproval>,
    last: u32,
    /// The last one that nobody has answered in time.
    lapsed: Option<AgentApproval>,
}

/// What became of asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalAsked {
    /// It waits now, under this number.
    Pending(u32),
    /// The same call waits already, under this number.
    Same(u32),
    /// Too many wait.
    Full,
}

impl AgentApprovals {
    /// None of them waits; numbers go on behind `last`, and `lapsed` has expired before.
    pub fn after(last: u32, lapsed: Option<AgentApproval>) -> Self {
        Self { waiting: Vec::new(), last, lapsed }
    }

    /// Returns the number that was given last.
    pub fn last(&self) -> u32 {
        self.last
    }

    /// Returns the last one that nobody has answered in time.
    pub fn lapsed(&self) -> Option<&AgentApproval> {
        self.lapsed.as_ref()
    }

    /// Has a call wait.
    pub fn ask(
        &mut self,
        tool: &str,
        arguments: &Arguments,
        in_words: String,
        now: Timestamp,
    ) -> ApprovalAsked {
        if let Some(same) = self.waiting.iter().find(|one| one.tool == tool && one.arguments == *arguments) {
            return ApprovalAsked::Same(same.id);
        }
        if self.waiting.len() >= MOST {
            return ApprovalAsked::Full;
        }
        self.last += 1;
        let (id, tool, arguments) = (self.last, tool.to_owned(), arguments.clone());
        self.waiting.push(AgentApproval { id, tool, arguments, in_words, asked_at: now });
        ApprovalAsked::Pending(self.last)
    }

    /// Returns those that wait.
    pub fn waiting(&self) -> &[AgentApproval] {
        &self.waiting
    }

    /// Takes the one of this number out.
    pub fn decided(&mut self, id: u32) -> Option<AgentApproval> {
        let at = self.waiting.iter().position(|one| one.id == id)?;
        Some(self.waiting.remove(at))
    }

    /// Takes out those that nobody has answered in time.
    pub fn expired(&mut self, now: Timestamp) -> Vec<AgentApproval> {
        let is_over = |one: &mut AgentApproval| now.duration_since(one.asked_at).abs() >= APPROVAL_LASTS;
        let expired: Vec<AgentApproval> = self.waiting.extract_if(.., is_over).collect();
        self.lapsed = expired.last().cloned().or(self.lapsed.take());
        expired
    }

    /// Returns when the first of them expires.
    pub fn next(&self) -> Option<Timestamp> {
        self.waiting.iter().filter_map(|one| one.asked_at.checked_add(APPROVAL_LASTS).ok()).min()
    }
}
