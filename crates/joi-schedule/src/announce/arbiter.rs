//! Decides whether something is announced now, and what.
//!
//! In: what waits, the situation at one place, the present moment. Out: an [`AnnouncementDecision`]. Nothing but a danger
//! that was never announced is said into somebody's sentence, and that after two seconds; whoever calls and says nothing has
//! none. Quiet hours hold back everything but critical announcements and what the user set himself to ring. Without a
//! loudspeaker everything waits. What is more urgent comes first, then what is older; what has expired is dropped.
//! Pure: no I/O, no clock.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use jiff::{Timestamp, Zoned};

use super::queue::{AnnouncementState, WaitingAnnouncement};
use super::{AnnouncementId, AnnouncementOrigin, AnnouncementPriority, Place, QuietHours};

/// Whoever calls begins to speak within this time, or says nothing.
const CALL: Duration = Duration::from_millis(1500);
/// So long a new danger waits for somebody to end his sentence. What sounds like one may be a television.
const SENTENCE: Duration = Duration::from_secs(2);

/// Who has the floor at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Floor {
    /// Nobody: a good moment.
    Free,
    /// Somebody speaks.
    User {
        /// When the voice began.
        since: Instant,
    },
    /// Somebody has called, or seems to have, and has not begun to speak.
    Called {
        /// When.
        since: Instant,
    },
    /// Somebody has spoken, and it is not known yet what.
    Heard,
    /// A question is being answered.
    Answer,
    /// An answer has ended, and somebody may go on from it.
    FollowUp,
    /// There is no loudspeaker: nothing can be heard until there is one.
    Speechless,
}

/// Whether there is somebody to hear and to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Presence {
    /// Nothing speaks against it.
    #[default]
    Here,
    /// The microphone is switched off: nobody could answer.
    Muted,
    /// Nobody is at home.
    Away,
}

/// How it is at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Situation<'a> {
    /// Which place.
    pub place: &'a Place,
    /// Who has the floor.
    pub floor: Floor,
    /// Who is there.
    pub presence: Presence,
}

/// The present moment.
#[derive(Debug, Clone)]
pub(super) struct Now {
    /// By the wall clock.
    pub(super) clock: Zoned,
    /// The same moment for measuring.
    pub(super) at: Instant,
}

impl Now {
    /// The same distance from now by the other clock; a moment that has passed is now.
    fn measured(&self, moment: Timestamp) -> Instant {
        let left = moment.duration_since(self.clock.timestamp());
        self.at + std::time::Duration::try_from(left).unwrap_or_default()
    }
}

/// Why nothing is said now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldReason {
    /// Nothing waits to be said here.
    Nothing,
    /// Somebody has the floor.
    Floor(Floor),
    /// Something rings, and this is less urgent.
    Ringing,
    /// It was said a moment ago and is due again later.
    NotYet,
    /// These are quiet hours.
    Quiet,
    /// Nobody could hear or answer it.
    Presence(Presence),
}

/// The decision on the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AnnouncementDecision {
    /// Say this.
    Speak(AnnouncementId),
    /// Say nothing, at least until that moment unless something changes.
    Wait(HoldReason, Option<Instant>),
    /// These are of no use any more; then ask again.
    Expire(Vec<AnnouncementId>),
}

/// Decides.
pub(super) fn decide(
    waiting: &[WaitingAnnouncement],
    situation: &Situation<'_>,
    quiet: &QuietHours,
    now: &Now,
) -> AnnouncementDecision {
    let expired = expired(waiting, now);
    if !expired.is_empty() {
        return AnnouncementDecision::Expire(expired);
    }
    let here =
        |w: &&WaitingAnnouncement| w.announcement.place.as_ref().is_none_or(|place| place == situation.place);
    let mut candidates: Vec<&WaitingAnnouncement> =
        waiting.iter().filter(here).filter(|w| w.state != AnnouncementState::BeingSaid).collect();
    candidates.sort_by_key(|w| (Reverse(w.announcement.priority), w.id));
    if candidates.is_empty() {
        return AnnouncementDecision::Wait(HoldReason::Nothing, None);
    }
    if situation.floor == Floor::Speechless {
        let until = candidates.iter().filter_map(|w| w.announcement.expires).min();
        let until = until.map(|at| now.measured(at));
        return AnnouncementDecision::Wait(HoldReason::Floor(situation.floor), until);
    }
    if situation.floor != Floor::Free {
        let is_critical = |w: &WaitingAnnouncement| w.announcement.priority == AnnouncementPriority::Critical;
        // A danger does not interrupt the announcement of another one.
        let is_told =
            |w: &WaitingAnnouncement| is_critical(w) && here(&w) && w.state == AnnouncementState::BeingSaid;
        let is_alarmed = waiting.iter().any(is_told);
        candidates.retain(|w| is_critical(w) && !is_alarmed);
        let until = candidates.iter().filter_map(|w| interrupts_at(w, situation.floor, now.at)).min();
        candidates.retain(|w| interrupts_at(w, situation.floor, now.at).is_some_and(|at| at <= now.at));
        if candidates.is_empty() {
            return AnnouncementDecision::Wait(HoldReason::Floor(situation.floor), until);
        }
    }
    let scene = Scene {
        floor: situation.floor,
        presence: situation.presence,
        quiet_until: quiet.until(&now.clock).map(|end| now.measured(end.timestamp())),
        rings: waiting.iter().any(|w| w.rings_at(situation.place)),
        at: now.at,
    };
    let mut until = candidates.iter().filter_map(|w| w.announcement.expires).min().map(|at| now.measured(at));
    for waiting in &candidates {
        match scene.hold(waiting) {
            None => return AnnouncementDecision::Speak(waiting.id),
            Some((_, Some(end))) => until = Some(until.map_or(end, |earlier| earlier.min(end))),
            Some((_, None)) => {}
        }
    }
    let why = candidates.first().and_then(|first| scene.hold(first)).map(|(hold, _)| hold);
    AnnouncementDecision::Wait(why.unwrap_or(HoldReason::Nothing), until)
}

fn expired(waiting: &[WaitingAnnouncement], now: &Now) -> Vec<AnnouncementId> {
    let is_over = |at: Timestamp| at <= now.clock.timestamp();
    let expired = waiting
        .iter()
        .filter(|w| w.state != AnnouncementState::BeingSaid && w.announcement.expires.is_some_and(is_over));
    expired.map(|w| w.id).collect()
}

/// Returns when a danger is announced though somebody has the floor: at once in the middle of an answer, and where
/// nobody speaks; `None`: not before the floor changes.
fn interrupts_at(danger: &WaitingAnnouncement, floor: Floor, now: Instant) -> Option<Instant> {
    // Where it was announced before, the words may be an acknowledgement.
    let is_new = danger.state == AnnouncementState::Due;
    match floor {
        Floor::Free | Floor::Answer | Floor::FollowUp => Some(now),
        Floor::Called { since } => Some(since + CALL),
        Floor::Heard => is_new.then_some(now),
        Floor::User { since } => is_new.then_some(danger.since.max(since) + SENTENCE),
        Floor::Speechless => None,
    }
}

/// What holds announcements back while nobody has the floor.
struct Scene {
    floor: Floor,
    presence: Presence,
    /// When the quiet ends, if it is quiet.
    quiet_until: Option<Instant>,
    /// Something rings here, be it between two rings.
    rings: bool,
    at: Instant,
}

impl Scene {
    /// What holds this one back and until when, if anything does.
    fn hold(&self, waiting: &WaitingAnnouncement) -> Option<(HoldReason, Option<Instant>)> {
        let announcement = &waiting.announcement;
        let priority = announcement.priority;
        if let (Some(end), false) = (self.quiet_until, passes_quiet(priority, announcement.origin)) {
            return Some((HoldReason::Quiet, Some(end)));
        }
        let needs = match self.presence {
            Presence::Here => AnnouncementPriority::Background,
            Presence::Muted => AnnouncementPriority::Notice,
            Presence::Away => AnnouncementPriority::Ring,
        };
        if priority < needs {
            return Some((HoldReason::Presence(self.presence), None));
        }
        if self.rings && priority < AnnouncementPriority::Ring {
            return Some((HoldReason::Ringing, None));
        }
        match waiting.state {
            AnnouncementState::DueAt(due) if due > self.at => Some((HoldReason::NotYet, Some(due))),
            // The answer to whoever called may end it.
            AnnouncementState::Interrupted(until) if until > self.at && self.floor == Floor::Answer => {
                Some((HoldReason::NotYet, Some(until)))
            }
            AnnouncementState::DueAt(_)
            | AnnouncementState::Interrupted(_)
            | AnnouncementState::Due
            | AnnouncementState::BeingSaid => None,
        }
    }
}

/// A timer rings at night as well: that is what it was set for.
fn passes_quiet(priority: AnnouncementPriority, origin: AnnouncementOrigin) -> bool {
    match priority {
        AnnouncementPriority::Critical => true,
        AnnouncementPriority::Ring => origin == AnnouncementOrigin::Timer,
        AnnouncementPriority::Reminder | AnnouncementPriority::Notice | AnnouncementPriority::Background => {
            false
        }
    }
}

#[cfg(test)]
mod tests;
