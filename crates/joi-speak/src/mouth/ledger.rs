//! Maps clips to lines, and lines to the progress of the turn.
//!
//! In: lines opened and closed by the voice thread, events of the player. Out: [`SpeakEvent`]s, each once and
//! in order. Events about unknown clips (a stopped turn's, a tone's) are ignored.
//! Pure: no I/O; moments are passed in.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use super::event::{SpeakEvent, Stopped};
use super::spoken_line::SpokenLine;
use joi_base::message::TurnId;

#[cfg(test)]
mod tests;

/// Identifies an open line of the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineId(u64);

/// A line and how much of it was played so far.
#[derive(Debug)]
struct LedgerEntry {
    row: LineId,
    line: SpokenLine,
    /// The line in speakable words, until its first sample sounds.
    unspoken: Option<String>,
    /// When the last of its played clips ended.
    past: Option<Instant>,
    /// Clips that were not played yet, with the silence in front of their first sound, if there is any in them.
    waiting: BTreeMap<u64, Option<Duration>>,
    state: LineState,
}

/// The state of a line: whether more of its clips may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineState {
    /// It is being synthesised.
    Open,
    /// All its clips are registered.
    Closed,
    /// Part of it was never played.
    Lost,
}

/// The lines in the order of playback.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    entries: VecDeque<LedgerEntry>,
    /// The turn that was admitted last.
    current: Option<TurnId>,
    stopped: Option<TurnId>,
    started: Option<TurnId>,
    /// The turn that has no further lines.
    finished: Option<(TurnId, Instant)>,
    last: u64,
}

impl Ledger {
    /// Admits a request for `turn`, unless the turn was stopped.
    pub(super) fn enter(&mut self, turn: TurnId) -> Result<(), Stopped> {
        if self.stopped == Some(turn) {
            return Err(Stopped);
        }
        self.current = Some(turn);
        Ok(())
    }

    /// Drops everything that was not played yet; the turn that was speaking is stopped for good.
    pub(super) fn stop(&mut self) {
        self.entries.clear();
        self.stopped = self.current.take().or(self.stopped);
        self.finished = None;
    }

    /// Adds a line that is about to be synthesised, `spoken` in these words.
    pub(super) fn open(&mut self, line: SpokenLine, spoken: String) -> LineId {
        let row = LineId(self.number());
        let (unspoken, waiting) = (Some(spoken), BTreeMap::new());
        self.entries.push_back(LedgerEntry {
            row,
            line,
            unspoken,
            past: None,
            waiting,
            state: LineState::Open,
        });
        row
    }

    /// Adds a clip of the line, which is silent for `lead` or as a whole, and returns its tag; nothing if the line was
    /// stopped.
    pub(super) fn clip(&mut self, row: LineId, lead: Option<Duration>) -> Option<u64> {
        let tag = self.number();
        self.entries.iter_mut().find(|entry| entry.row == row)?.waiting.insert(tag, lead);
        Some(tag)
    }

    /// Returns a tag for a clip that belongs to no line.
    pub(super) fn of_nobody(&mut self) -> u64 {
        self.number()
    }

    /// Closes the line: it has no further clips.
    pub(super) fn close(&mut self, row: LineId, now: Instant) -> Vec<SpeakEvent> {
        self.end(row, LineState::Closed, now)
    }

    /// Gives the line up: the rest of it will never be synthesised.
    pub(super) fn give_up(&mut self, row: LineId, now: Instant) -> Vec<SpeakEvent> {
        self.end(row, LineState::Lost, now)
    }

    /// Records that the turn has no further lines.
    pub(super) fn finish(&mut self, turn: TurnId, now: Instant) -> Vec<SpeakEvent> {
        self.finished = Some((turn, now));
        self.settle(now)
    }

    /// Playback of the clip's first sample starts: when the device took it, and when it is heard. The turn starts with its
    /// first sound, before which there may be silence.
    pub(super) fn started(&mut self, tag: u64, (taken, at): (Instant, Instant)) -> Vec<SpeakEvent> {
        let known = self.entries.iter_mut().find_map(|entry| Some((*entry.waiting.get(&tag)?, entry)));
        let Some((lead, entry)) = known else { return Vec::new() };
        let turn = entry.line.turn;
        let saying = entry.unspoken.take().map(|spoken| SpeakEvent::Saying { turn, spoken, at });
        let starts = lead.filter(|_| self.started.replace(turn) != Some(turn));
        let starts = starts.map(|lead| SpeakEvent::Started { turn, taken, at: at + lead });
        starts.into_iter().chain(saying).collect()
    }

    /// The clip's last sample was played.
    pub(super) fn finished(&mut self, tag: u64, at: Instant) -> Vec<SpeakEvent> {
        self.past(tag, at, None)
    }

    /// The clip will never be played.
    pub(super) fn dropped(&mut self, tag: u64, now: Instant) -> Vec<SpeakEvent> {
        self.past(tag, now, Some(LineState::Lost))
    }

    fn past(&mut self, tag: u64, at: Instant, state: Option<LineState>) -> Vec<SpeakEvent> {
        for entry in &mut self.entries {
            if entry.waiting.remove(&tag).is_some() {
                entry.state = state.unwrap_or(entry.state);
                entry.past = Some(at);
                if let Some((_, last)) = &mut self.finished {
                    *last = at;
                }
            }
        }
        self.settle(at)
    }

    fn end(&mut self, row: LineId, state: LineState, now: Instant) -> Vec<SpeakEvent> {
        let entry = self.entries.iter_mut().find(|entry| entry.row == row);
        if let Some(entry) = entry.filter(|entry| entry.state == LineState::Open) {
            entry.state = state;
        }
        self.settle(now)
    }

    fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Reports the lines that were played, in order, and the end of a finished turn.
    fn settle(&mut self, now: Instant) -> Vec<SpeakEvent> {
        let mut due = Vec::new();
        while let Some(entry) = self.entries.front() {
            if entry.state == LineState::Open || !entry.waiting.is_empty() {
                return due;
            }
            if let Some(LedgerEntry { line, state: LineState::Closed, past, .. }) = self.entries.pop_front() {
                due.push(SpeakEvent::Heard { line, at: past.unwrap_or(now) });
            }
        }
        if let Some((turn, at)) = self.finished.take() {
            due.push(SpeakEvent::Done { turn, at });
        }
        due
    }
}
