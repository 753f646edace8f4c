//! PURE: which clip belongs to which line, and what that means for the turn.
//!
//! In: lines opened and closed by the voice thread, reports of the speaker. Out: [`SpeakEvent`]s, each once
//! and in order. Reports about clips it does not know (of a stopped turn) mean nothing.

use std::collections::{BTreeSet, VecDeque};
use std::time::Instant;

use super::{Line, SpeakEvent, Stopped};
use crate::message::TurnId;
use crate::speak::Played;

/// Names an open line of the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row(u64);

/// A line with its clips that have not been heard yet.
#[derive(Debug)]
struct Entry {
    row: Row,
    line: Line,
    waiting: BTreeSet<u64>,
    is_closed: bool,
}

/// The lines in the order they are said.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    entries: VecDeque<Entry>,
    current: Option<TurnId>,
    stopped: Option<TurnId>,
    started: Option<TurnId>,
    finished: Option<TurnId>,
    heard_at: Option<Instant>,
    next: u64,
    due: Vec<SpeakEvent>,
}

impl Ledger {
    /// Lets a line of `turn` in, unless the turn was stopped. `epoch` is read under the ledger's lock, so a
    /// stop comes wholly before or wholly after.
    pub(super) fn enter(&mut self, turn: TurnId, epoch: impl FnOnce() -> u64) -> Result<u64, Stopped> {
        if self.stopped == Some(turn) {
            return Err(Stopped);
        }
        self.current = Some(turn);
        Ok(epoch())
    }

    /// Forgets everything that is not heard yet; the turn that was speaking is stopped for good.
    pub(super) fn stop(&mut self, raise: impl FnOnce() -> u64) {
        raise();
        self.entries.clear();
        self.stopped = self.current.take().or(self.stopped);
        self.finished = None;
    }

    /// A line is about to be computed.
    pub(super) fn open(&mut self, line: Line) -> Row {
        let row = Row(self.number());
        self.entries.push_back(Entry { row, line, waiting: BTreeSet::new(), is_closed: false });
        row
    }

    /// A clip of the line is about to be queued. Nothing when the line was stopped.
    pub(super) fn clip(&mut self, row: Row) -> Option<u64> {
        let tag = self.number();
        let entry = self.entries.iter_mut().find(|e| e.row == row)?;
        entry.waiting.insert(tag);
        Some(tag)
    }

    /// The line has no further clips.
    pub(super) fn close(&mut self, row: Row) {
        if let Some(entry) = self.entries.iter_mut().find(|e| e.row == row) {
            entry.is_closed = true;
        }
        self.settle();
    }

    /// The turn has no further lines.
    pub(super) fn finish(&mut self, turn: TurnId, now: Instant) {
        self.finished = Some(turn);
        self.heard_at.get_or_insert(now);
        self.settle();
    }

    /// The speaker's report.
    pub(super) fn note(&mut self, played: Played) {
        match played {
            Played::Started { tag, at } => {
                let Some(entry) = self.entries.iter().find(|e| e.waiting.contains(&tag)) else { return };
                let turn = entry.line.turn;
                if self.started != Some(turn) {
                    self.started = Some(turn);
                    self.due.push(SpeakEvent::Started { turn, at });
                }
            }
            Played::Finished { tag, at } => {
                if self.entries.iter_mut().any(|e| e.waiting.remove(&tag)) {
                    self.heard_at = Some(at);
                    self.settle();
                }
            }
        }
    }

    /// What is to be told since the last call.
    pub(super) fn due(&mut self) -> Vec<SpeakEvent> {
        std::mem::take(&mut self.due)
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Tells the lines that are heard, in order, and the end of a finished turn.
    fn settle(&mut self) {
        while let Some(entry) = self.entries.front() {
            if !entry.is_closed || !entry.waiting.is_empty() {
                return;
            }
            if let Some(Entry { line, .. }) = self.entries.pop_front() {
                let Line { turn, index, text } = line;
                self.due.push(SpeakEvent::Heard { turn, index, text });
            }
        }
        if let (Some(turn), Some(at)) = (self.finished, self.heard_at) {
            self.finished = None;
            self.heard_at = None;
            self.current = None;
            self.due.push(SpeakEvent::Done { turn, at });
        }
    }
}
