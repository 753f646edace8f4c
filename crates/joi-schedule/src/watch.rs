//! Finds due entries: those that begin to ring, those that were missed, and when to look again.
//!
//! In: entries, now, the latest moment the clock ever showed. Out: changes to be stored, what rings,
//! and announcements. A clock that shows less than it did before is wrong: then only what was set by that clock
//! rings, and the rest waits.
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp, Zoned};

use super::config::TimersConfig;
use super::obey::{EntryChange, RECENT};
use joi_language::values::entry::{Due, Entry, EntryId, EntryKind, EntryState};

/// A clock may be set back by so much without being wrong.
const SLACK: SignedDuration = SignedDuration::from_mins(2);

/// While nothing is set and nothing rings, the latest moment of the clock is written down this often. Only it
/// reveals a clock that began anew behind its past: one that is less behind than this and [`SLACK`] may be believed. Each
/// note is a page of the database and a flush, day and night.
const NOTED: SignedDuration = SignedDuration::from_mins(30);

/// Commands to the house that are later than this are not sent.
const IN_TIME: SignedDuration = SignedDuration::from_secs(90);

/// Whether the clock can be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// It shows a moment behind all that it showed before, or was set over the network.
    Right,
    /// It shows less than it did before.
    Behind,
}

/// Judges the clock by the latest moment it ever showed.
pub(super) fn trust(now: Timestamp, latest: Option<Timestamp>, is_synchronised: bool) -> Trust {
    let is_behind = latest.is_some_and(|latest| latest.duration_since(now) > SLACK);
    if is_behind && !is_synchronised { Trust::Behind } else { Trust::Right }
}

/// Whether a clock that is believed shows what is to be written down by itself: much later than what was, or so much
/// earlier that it would be in doubt at the next start.
pub(super) fn is_worth_noting(now: Timestamp, latest: Option<Timestamp>) -> bool {
    latest.is_none_or(|latest| {
        let passed = now.duration_since(latest);
        passed > NOTED || passed < -SLACK
    })
}

/// A clock that was set while the program ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClockJump {
    /// By how much; negative where it was put back.
    pub(super) by: SignedDuration,
    /// Whether it was believed before.
    pub(super) before: Trust,
    /// The newest entry that was there at the look before; later ones were set on either side of the jump.
    pub(super) through: Option<EntryId>,
}

impl ClockJump {
    /// It was not set.
    pub(super) const NONE: Self = Self { by: SignedDuration::ZERO, before: Trust::Right, through: None };
}

/// The state at a look.
pub(super) struct ScheduleView<'a> {
    pub(super) entries: &'a [Entry],
    pub(super) now: &'a Zoned,
    pub(super) trust: Trust,
    /// How far the clock was just set.
    pub(super) jump: ClockJump,
    /// The first look since the start: missed entries are announced.
    pub(super) is_first: bool,
    pub(super) config: &'a TimersConfig,
}

/// The result of a look.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Seen {
    pub(super) changes: Vec<EntryChange>,
    /// What rings, the longest first.
    pub(super) ringing: Vec<Entry>,
    /// Missed entries to announce now.
    pub(super) missed: Vec<Entry>,
    /// Commands to the house that are due: to be sent once this is stored.
    pub(super) due: Vec<Entry>,
    /// Those whose time has passed: they are not done late.
    pub(super) late: Vec<Entry>,
    /// Those that were being sent when the program ended.
    pub(super) unknown: Vec<Entry>,
    /// When something changes by itself.
    pub(super) next: Option<Timestamp>,
    /// Something waits, or may go on to wait, for a length of time, whatever clocks show.
    pub(super) counts: bool,
    /// The newest entry.
    pub(super) newest: Option<EntryId>,
}

/// Looks.
pub(super) fn look(look: &ScheduleView<'_>) -> Seen {
    let newest = look.entries.iter().map(|entry| entry.id).max();
    let mut seen = Seen { newest, ..Seen::default() };
    for entry in look.entries {
        look.at(entry, &mut seen);
    }
    seen.ringing.sort_by_key(|entry| match entry.state {
        EntryState::Ringing { since } => (since, entry.id),
        EntryState::Waiting | EntryState::Paused { .. } | EntryState::Over | EntryState::Missed => {
            (Timestamp::MAX, entry.id)
        }
    });
    seen
}

impl ScheduleView<'_> {
    fn ring_for(&self) -> SignedDuration {
        SignedDuration::from_mins(i64::from(self.config.ring_min))
    }

    fn at(&self, stored: &Entry, seen: &mut Seen) {
        let now = self.now.timestamp();
        let mut entry = self.counted(stored);
        // A paused timer may go on at any moment.
        seen.counts |= match entry.state {
            EntryState::Waiting => matches!(entry.due, Due::Moment(_)),
            EntryState::Paused { .. } => true,
            EntryState::Ringing { .. } | EntryState::Over | EntryState::Missed => false,
        };
        if entry.kind == EntryKind::House {
            return self.of_house(stored, entry, seen);
        }
        match entry.state {
            EntryState::Waiting if self.trust == Trust::Behind && !entry.in_doubt => {}
            EntryState::Waiting => {
                let due = entry.due.moment(self.now.time_zone());
                if due > now {
                    soonest(seen, due);
                } else if now.duration_since(due) < self.ring_for() {
                    entry.state = EntryState::Ringing { since: now };
                } else {
                    self.miss(&mut entry, seen);
                }
            }
            EntryState::Ringing { since } => {
                // After a power cut it rings on for what is left; a clock set back must not make it ring for ever.
                let lasted = now.duration_since(since);
                if lasted >= self.ring_for() || lasted < SignedDuration::ZERO {
                    self.miss(&mut entry, seen);
                }
            }
            EntryState::Missed if self.is_first => {
                seen.missed.push(entry.clone());
                seen.changes.push(EntryChange::Remove(entry.id));
                return;
            }
            EntryState::Paused { .. } => {}
            EntryState::Over | EntryState::Missed => {
                let is_old = entry.silenced_at.is_none_or(|at| now.duration_since(at) > RECENT);
                if entry.state == EntryState::Over && is_old {
                    seen.changes.push(EntryChange::Remove(entry.id));
                    return;
                }
            }
        }
        if let EntryState::Ringing { since } = entry.state {
            seen.ringing.push(entry.clone());
            if let Ok(end) = since.checked_add(self.ring_for()) {
                soonest(seen, end);
            }
        }
        if entry != *stored && !seen.changes.contains(&EntryChange::Remove(entry.id)) {
            seen.changes.push(EntryChange::Replace(entry));
        }
    }

    /// Commands to the house are sent in their time or never, and only once.
    fn of_house(&self, stored: &Entry, mut entry: Entry, seen: &mut Seen) {
        let now = self.now.timestamp();
        let due = entry.due.moment(self.now.time_zone());
        let gone = match entry.state {
            EntryState::Waiting if self.trust == Trust::Behind && !entry.in_doubt => return,
            EntryState::Waiting if due > now => {
                soonest(seen, due);
                None
            }
            EntryState::Waiting if now.duration_since(due) <= IN_TIME => {
                entry.state = EntryState::Ringing { since: now };
                seen.due.push(entry.clone());
                None
            }
            EntryState::Waiting => Some(&mut seen.late),
            EntryState::Ringing { .. } if self.is_first => Some(&mut seen.unknown),
            EntryState::Ringing { .. } => None,
            EntryState::Paused { .. } => None,
            EntryState::Over | EntryState::Missed => Some(&mut seen.late),
        };
        if let Some(gone) = gone {
            gone.push(entry.clone());
            seen.changes.push(EntryChange::Remove(entry.id));
        } else if entry != *stored {
            seen.changes.push(EntryChange::Replace(entry));
        }
    }

    /// Nobody noticed: announced at the start, else kept until somebody asks or the next start.
    fn miss(&self, entry: &mut Entry, seen: &mut Seen) {
        // What a jump of the clock has passed over is announced as well.
        let is_told = self.is_first || self.jump.by > SignedDuration::ZERO;
        if is_told {
            seen.missed.push(entry.clone());
        }
        let settled = entry.settled(self.now, EntryState::Missed);
        if is_told && settled.state == EntryState::Missed {
            seen.changes.push(EntryChange::Remove(entry.id));
        } else if settled.state == EntryState::Waiting {
            soonest(seen, settled.due.moment(self.now.time_zone()));
        }
        *entry = settled;
    }

    /// What waits for a length of time, and what rings, moves with a clock that is set: the program has counted. What was
    /// there when a clock was wrong from the start on was not counted by it, and stays where it is.
    fn counted(&self, stored: &Entry) -> Entry {
        let mut entry = stored.clone();
        let ClockJump { by, before, through } = self.jump;
        let since_set = self.now.timestamp().duration_since(entry.set_at);
        // By a clock that was put back, what was set after it is not ahead of it.
        let before_jump = if by.is_negative() { since_set.is_negative() } else { since_set >= by };
        let set_before = Some(entry.id) <= through || before_jump;
        let was_counted = before == Trust::Right || entry.in_doubt;
        if !by.is_zero() && set_before && was_counted {
            let moved = |at: Timestamp| at.checked_add(by).unwrap_or(at);
            match (entry.state, entry.due) {
                (EntryState::Waiting, Due::Moment(due)) => {
                    (entry.due, entry.set_at) = (Due::Moment(moved(due)), moved(entry.set_at));
                    entry.in_doubt = true;
                }
                (EntryState::Ringing { since }, _) => {
                    entry.state = EntryState::Ringing { since: moved(since) };
                    entry.set_at = moved(entry.set_at);
                }
                _ => {}
            }
        }
        // It rings by a clock that is not believed, and needs no doubt by one that is.
        entry.in_doubt &= self.trust == Trust::Behind;
        entry
    }
}

fn soonest(seen: &mut Seen, at: Timestamp) {
    seen.next = Some(seen.next.map_or(at, |next| next.min(at)));
}
