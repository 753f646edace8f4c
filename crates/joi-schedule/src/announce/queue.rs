//! What waits to be announced, in the order in which it came.
//!
//! Bounded: when it is full, the oldest of the least urgent leaves and is counted. In: announcements and what became of
//! them. Out: what was removed, for whoever keeps them on the disk.
//! Pure: no I/O, no clock.

use std::collections::VecDeque;
use std::time::Instant;

use super::{Announcement, AnnouncementId, AnnouncementPriority, IfUnheard, Place};

/// Announcements that wait at the same time. More of them nobody would listen to.
pub(super) const MOST: usize = 32;
/// Of so many that are over it is known how they ended.
const REMEMBERED: usize = 64;

/// How an announcement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnnouncementOutcome {
    /// It was heard to its end.
    Heard,
    /// It was begun, and somebody talked over it.
    CutShort,
    /// No moment came to say it.
    Expired,
    /// Too many waited.
    Dropped,
    /// Whoever sent it took it back.
    Withdrawn,
    /// Somebody answered what rings.
    Silenced,
}

/// The state of an announcement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnnouncementState {
    /// It can be said.
    Due,
    /// It was said, and comes again at this moment.
    DueAt(Instant),
    /// Somebody called while it was being said; until this moment it does not interrupt the answer to him.
    Interrupted(Instant),
    /// Somewhere it is being said.
    BeingSaid,
}

/// One that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingAnnouncement {
    /// Its number.
    pub id: AnnouncementId,
    /// What it is.
    pub announcement: Announcement,
    /// How far it is.
    pub state: AnnouncementState,
    /// Since when it waits.
    pub since: Instant,
    /// Its number on the disk, if it is kept there.
    pub(super) row: Option<i64>,
}

impl WaitingAnnouncement {
    /// Returns whether it is a ring or an alarm that may be heard at `place`.
    pub fn rings_at(&self, place: &Place) -> bool {
        let is_ring = self.announcement.priority == AnnouncementPriority::Ring;
        (is_ring || self.announcement.is_alarm()) && self.may_be_heard_at(place)
    }

    /// Returns whether it may be said at `place`.
    pub fn may_be_heard_at(&self, place: &Place) -> bool {
        self.announcement.place.as_ref().is_none_or(|only| only == place)
    }
}

/// What became of announcements since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Heard to their end, or stopped by somebody who had heard enough.
    pub heard: u64,
    /// Not said in time.
    pub expired: u64,
    /// Given up because too many waited.
    pub dropped: u64,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct AnnouncementQueue {
    waiting: Vec<WaitingAnnouncement>,
    last: u64,
    counts: Counts,
    over: VecDeque<(AnnouncementId, AnnouncementOutcome)>,
    was_called: bool,
}

impl AnnouncementQueue {
    pub(super) fn waiting(&self) -> &[WaitingAnnouncement] {
        &self.waiting
    }

    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    pub(super) fn has_room(&self) -> bool {
        self.waiting.len() < MOST
    }

    /// Adds one that waits from `now` on; what had to leave for it comes back, which may be the new one itself.
    pub(super) fn push(
        &mut self,
        announcement: Announcement,
        row: Option<i64>,
        now: Instant,
    ) -> (AnnouncementId, Option<WaitingAnnouncement>) {
        self.last += 1;
        let id = AnnouncementId(self.last);
        let state = AnnouncementState::Due;
        self.waiting.push(WaitingAnnouncement { id, announcement, state, since: now, row });
        if self.waiting.len() <= MOST {
            return (id, None);
        }
        // The one being said is as good as gone.
        let leaves = self.waiting.iter().filter(|w| w.state != AnnouncementState::BeingSaid);
        let leaves = leaves.min_by_key(|w| (w.announcement.priority, w.id)).map(|w| w.id);
        let dropped = leaves.and_then(|id| self.remove(id, AnnouncementOutcome::Dropped));
        self.counts.dropped += 1;
        (id, dropped)
    }

    /// One that waits is on the disk now, under this number; where it is over, the number comes back.
    pub(super) fn keep(&mut self, id: AnnouncementId, row: i64) -> Option<i64> {
        match self.waiting.iter_mut().find(|waiting| waiting.id == id) {
            Some(waiting) => {
                waiting.row = Some(row);
                None
            }
            None => Some(row),
        }
    }

    /// Takes one out, because it ended so.
    pub(super) fn remove(
        &mut self,
        id: AnnouncementId,
        outcome: AnnouncementOutcome,
    ) -> Option<WaitingAnnouncement> {
        let at = self.waiting.iter().position(|waiting| waiting.id == id)?;
        self.over.push_back((id, outcome));
        if self.over.len() > REMEMBERED {
            self.over.pop_front();
        }
        Some(self.waiting.remove(at))
    }

    /// How one ended, if it did not long ago.
    pub(super) fn outcome(&self, id: AnnouncementId) -> Option<AnnouncementOutcome> {
        self.over.iter().find(|(over, _)| *over == id).map(|(_, outcome)| *outcome)
    }

    /// Lets what was meant for `place` be said anywhere.
    pub(super) fn free(&mut self, place: &Place) {
        for waiting in &mut self.waiting {
            waiting.announcement.place.take_if(|only| only == place);
        }
    }

    /// Takes one out that was not said in time.
    pub(super) fn expire(&mut self, id: AnnouncementId) -> Option<WaitingAnnouncement> {
        self.counts.expired += 1;
        self.remove(id, AnnouncementOutcome::Expired)
    }

    /// One begins to be said.
    pub(super) fn begin(&mut self, id: AnnouncementId) -> Option<Announcement> {
        let waiting = self.waiting.iter_mut().find(|waiting| waiting.id == id)?;
        waiting.state = AnnouncementState::BeingSaid;
        Some(waiting.announcement.clone())
    }

    /// One was heard, until `at`; what comes back is over.
    pub(super) fn heard(&mut self, id: AnnouncementId, at: Instant) -> Option<WaitingAnnouncement> {
        self.counts.heard += 1;
        self.ended(id, AnnouncementOutcome::Heard, |if_unheard| match if_unheard {
            IfUnheard::Repeat(pause) => Some(AnnouncementState::DueAt(at + pause)),
            IfUnheard::Drop | IfUnheard::Keep => None,
        })
    }

    /// One was cut short before anybody can have understood it; what comes back is over.
    pub(super) fn cut_short(&mut self, id: AnnouncementId) -> Option<WaitingAnnouncement> {
        self.ended(id, AnnouncementOutcome::CutShort, |if_unheard| match if_unheard {
            IfUnheard::Repeat(_) | IfUnheard::Keep => Some(AnnouncementState::Due),
            IfUnheard::Drop => None,
        })
    }

    /// One was said, and nothing of it can have been heard.
    pub(super) fn unheard(&mut self, id: AnnouncementId) {
        if let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.id == id) {
            waiting.state = AnnouncementState::Due;
        }
    }

    /// Somebody called while one was being said: until `until` it leaves him the answer. What comes back is over.
    pub(super) fn interrupted(&mut self, id: AnnouncementId, until: Instant) -> Option<WaitingAnnouncement> {
        self.ended(id, AnnouncementOutcome::CutShort, |if_unheard| match if_unheard {
            IfUnheard::Repeat(_) => Some(AnnouncementState::Interrupted(until)),
            IfUnheard::Keep => Some(AnnouncementState::Due),
            IfUnheard::Drop => None,
        })
    }

    /// Whether anybody has called since the start.
    pub(super) fn was_called(&self) -> bool {
        self.was_called
    }

    /// Somebody called where `is_here`: announcements said before are not repeated before `until`, and the one that joi is
    /// ready is dropped.
    pub(super) fn called(&mut self, is_here: impl Fn(&WaitingAnnouncement) -> bool, until: Instant) {
        self.was_called = true;
        let greets =
            |w: &&WaitingAnnouncement| w.announcement.is_greeting() && w.state == AnnouncementState::Due;
        if let Some(greeting) = self.waiting.iter().find(greets).map(|greeting| greeting.id) {
            self.remove(greeting, AnnouncementOutcome::Withdrawn);
        }
        for waiting in self.waiting.iter_mut().filter(|waiting| is_here(waiting)) {
            if let AnnouncementState::DueAt(due) | AnnouncementState::Interrupted(due) = &mut waiting.state {
                *due = until.max(*due);
            }
        }
    }

    /// Gives it the state it has after it was said, or takes it out.
    fn ended(
        &mut self,
        id: AnnouncementId,
        outcome: AnnouncementOutcome,
        next: impl Fn(IfUnheard) -> Option<AnnouncementState>,
    ) -> Option<WaitingAnnouncement> {
        let waiting = self.waiting.iter_mut().find(|waiting| waiting.id == id)?;
        match next(waiting.announcement.if_unheard) {
            Some(state) => {
                waiting.state = state;
                None
            }
            None => self.remove(id, outcome),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::AnnouncementOrigin;
    use super::*;

    fn some(priority: AnnouncementPriority, text: &str) -> Announcement {
        Announcement::new(AnnouncementOrigin::Impulse, priority, text)
    }

    #[test]
    fn a_full_queue_gives_up_the_oldest_of_the_least_urgent_and_counts_it() {
        let (mut queue, now) = (AnnouncementQueue::default(), Instant::now());
        queue.push(some(AnnouncementPriority::Notice, "first"), None, now);
        queue.push(some(AnnouncementPriority::Background, "second"), Some(7), now);
        queue.push(some(AnnouncementPriority::Background, "third"), None, now);
        for _ in 3..MOST {
            assert_eq!(queue.push(some(AnnouncementPriority::Ring, "ring"), None, now).1, None);
        }
        let dropped = queue.push(some(AnnouncementPriority::Critical, "fire"), None, now).1.unwrap();
        assert_eq!((dropped.announcement.wording, dropped.row), ("second".into(), Some(7)));
        let (_, dropped) = queue.push(some(AnnouncementPriority::Background, "late"), None, now);
        assert_eq!(dropped.unwrap().announcement.wording, "third".into());
        queue.remove(queue.waiting()[0].id, AnnouncementOutcome::Withdrawn).unwrap();
        queue.push(some(AnnouncementPriority::Ring, "ring"), None, now);
        let (id, dropped) = queue.push(some(AnnouncementPriority::Background, "of no account"), None, now);
        assert_ne!(dropped.unwrap().id, id, "the older one of the same urgency leaves");
        assert_eq!(queue.waiting().len(), MOST);
        assert_eq!(queue.counts(), Counts { dropped: 3, ..Counts::default() });
    }

    #[test]
    fn what_follows_an_announcement_depends_on_what_it_wants() {
        let now = Instant::now();
        for (if_unheard, heard, cut_short) in [
            (IfUnheard::Drop, None, None),
            (IfUnheard::Keep, None, Some(AnnouncementState::Due)),
            (
                IfUnheard::Repeat(Duration::from_secs(1)),
                Some(AnnouncementState::DueAt(now + Duration::from_secs(1))),
                Some(AnnouncementState::Due),
            ),
        ] {
            let after = |end: &dyn Fn(&mut AnnouncementQueue, AnnouncementId)| {
                let mut queue = AnnouncementQueue::default();
                let announcement = Announcement { if_unheard, ..some(AnnouncementPriority::Notice, "x") };
                let (id, _) = queue.push(announcement, None, now);
                queue.begin(id).unwrap();
                assert_eq!(queue.waiting()[0].state, AnnouncementState::BeingSaid);
                end(&mut queue, id);
                queue.waiting().first().map(|waiting| waiting.state)
            };
            assert_eq!(after(&|queue, id| drop(queue.heard(id, now))), heard, "{if_unheard:?}");
            assert_eq!(after(&|queue, id| drop(queue.cut_short(id))), cut_short, "{if_unheard:?}");
        }
    }
}
