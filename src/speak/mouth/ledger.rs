//! PURE: which clip belongs to which line, and what that means for the turn.
//!
//! In: lines opened and closed by the voice thread, reports of the player. Out: [`SpeakEvent`]s, each once
//! and in order. Reports about clips it does not know (a stopped turn's, a tone's) mean nothing.

use std::collections::{BTreeSet, VecDeque};
use std::time::Instant;

use super::{Line, SpeakEvent, Stopped};
use crate::message::TurnId;

#[cfg(test)]
mod tests;

/// Names an open line of the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row(u64);

/// How much of a line was heard so far.
#[derive(Debug)]
struct Entry {
    row: Row,
    line: Line,
    /// The line in speakable words, until its first sample sounds.
    unspoken: Option<String>,
    /// When the newest of its clips to be past was past.
    past: Option<Instant>,
    /// Clips that have not been heard.
    waiting: BTreeSet<u64>,
    state: State,
}

/// Whether more clips of a line may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It is being computed.
    Open,
    /// All its clips are known.
    Closed,
    /// Something of it was never played, so it was not heard.
    Lost,
}

/// The lines in the order they are said.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    entries: VecDeque<Entry>,
    /// The turn that was let in last.
    current: Option<TurnId>,
    stopped: Option<TurnId>,
    started: Option<TurnId>,
    /// The turn that has no further lines.
    finished: Option<(TurnId, Instant)>,
    last: u64,
}

impl Ledger {
    /// Lets an order for `turn` in, unless the turn was stopped.
    pub(super) fn enter(&mut self, turn: TurnId) -> Result<(), Stopped> {
        if self.stopped == Some(turn) {
            return Err(Stopped);
        }
        self.current = Some(turn);
        Ok(())
    }

    /// Forgets everything that is not heard yet; the turn that was speaking is stopped for good.
    pub(super) fn stop(&mut self) {
        self.entries.clear();
        self.stopped = self.current.take().or(self.stopped);
        self.finished = None;
    }

    /// A line is about to be computed, `spoken` in these words.
    pub(super) fn open(&mut self, line: Line, spoken: String) -> Row {
        let row = Row(self.number());
        let (unspoken, waiting) = (Some(spoken), BTreeSet::new());
        self.entries.push_back(Entry { row, line, unspoken, past: None, waiting, state: State::Open });
        row
    }

    /// A clip of the line is about to be queued: its tag. Nothing when the line was stopped.
    pub(super) fn clip(&mut self, row: Row) -> Option<u64> {
        let tag = self.number();
        self.entries.iter_mut().find(|entry| entry.row == row)?.waiting.insert(tag);
        Some(tag)
    }

    /// The line has no further clips.
    pub(super) fn close(&mut self, row: Row, now: Instant) -> Vec<SpeakEvent> {
        self.end(row, State::Closed, now)
    }

    /// The rest of the line will never be computed.
    pub(super) fn give_up(&mut self, row: Row, now: Instant) -> Vec<SpeakEvent> {
        self.end(row, State::Lost, now)
    }

    /// The turn has no further lines.
    pub(super) fn finish(&mut self, turn: TurnId, now: Instant) -> Vec<SpeakEvent> {
        self.finished = Some((turn, now));
        self.settle(now)
    }

    /// The clip's first sample sounds.
    pub(super) fn started(&mut self, tag: u64, at: Instant) -> Vec<SpeakEvent> {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.waiting.contains(&tag)) else {
            return Vec::new();
        };
        let turn = entry.line.turn;
        let saying = entry.unspoken.take().map(|spoken| SpeakEvent::Saying { turn, spoken, at });
        let is_first = self.started.replace(turn) != Some(turn);
        is_first.then_some(SpeakEvent::Started { turn, at }).into_iter().chain(saying).collect()
    }

    /// The clip's last sample has sounded.
    pub(super) fn finished(&mut self, tag: u64, at: Instant) -> Vec<SpeakEvent> {
        self.past(tag, at, None)
    }

    /// The clip will never be heard.
    pub(super) fn dropped(&mut self, tag: u64, now: Instant) -> Vec<SpeakEvent> {
        self.past(tag, now, Some(State::Lost))
    }

    fn past(&mut self, tag: u64, at: Instant, state: Option<State>) -> Vec<SpeakEvent> {
        for entry in &mut self.entries {
            if entry.waiting.remove(&tag) {
                entry.state = state.unwrap_or(entry.state);
                entry.past = Some(at);
                if let Some((_, last)) = &mut self.finished {
                    *last = at;
                }
            }
        }
        self.settle(at)
    }

    fn end(&mut self, row: Row, state: State, now: Instant) -> Vec<SpeakEvent> {
        let entry = self.entries.iter_mut().find(|entry| entry.row == row);
        if let Some(entry) = entry.filter(|entry| entry.state == State::Open) {
            entry.state = state;
        }
        self.settle(now)
    }

    fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Tells the lines that are heard, in order, and the end of a finished turn.
    fn settle(&mut self, now: Instant) -> Vec<SpeakEvent> {
        let mut due = Vec::new();
        while let Some(entry) = self.entries.front() {
            if entry.state == State::Open || !entry.waiting.is_empty() {
                return due;
            }
            if let Some(Entry { line, state: State::Closed, past, .. }) = self.entries.pop_front() {
                due.push(SpeakEvent::Heard { line, at: past.unwrap_or(now) });
            }
        }
        if let Some((turn, at)) = self.finished.take() {
            due.push(SpeakEvent::Done { turn, at });
        }
        due
    }
}
