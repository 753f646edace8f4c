//! Answers to a ring or an alarm: silence, or time for words.
//!
//! Any task. In: that somebody has heard it, that he called at a place, or cut something short by calling. Out: what was
//! answered is not said again. A danger that was announced does not interrupt a caller for a moment: the words may
//! acknowledge it. A new one waits for nobody.

use std::time::{Duration, Instant};

use super::{AnnouncementId, AnnouncementOutcome, Announcer, Place};

/// From the call to the end of the answer, where somebody only says that he has heard it.
const WORDS: Duration = Duration::from_secs(10);

impl Announcer {
    /// Somebody has answered what rings at `place`: none of it rings again.
    pub fn silence(&self, place: &Place) {
        let mut queue = self.queue();
        let rings = queue.waiting().iter().filter(|w| w.rings_at(place) && !w.announcement.is_alarm());
        let rings: Vec<AnnouncementId> = rings.map(|w| w.id).collect();
        for id in rings {
            queue.remove(id, AnnouncementOutcome::Silenced);
        }
        drop(queue);
        self.shared.changed.send_replace(());
    }

    /// Somebody has heard the alarms: none of them is said again. Whether there were any.
    pub fn silence_alarms(&self) -> bool {
        let mut queue = self.queue();
        let alarms = queue.waiting().iter().filter(|w| w.announcement.is_alarm());
        let alarms: Vec<AnnouncementId> = alarms.map(|w| w.id).collect();
        for id in &alarms {
            queue.remove(*id, AnnouncementOutcome::Silenced);
        }
        drop(queue);
        self.shared.changed.send_replace(());
        !alarms.is_empty()
    }

    /// Whether something rings at `place`, and no danger is among it: that is not ended by a word that is not sure.
    pub fn only_timers_ring(&self, place: &Place) -> bool {
        let queue = self.queue();
        let mut rings = queue.waiting().iter().filter(|waiting| waiting.rings_at(place)).peekable();
        rings.peek().is_some() && rings.all(|waiting| !waiting.announcement.is_alarm())
    }

    /// Somebody called at `place`.
    pub fn called(&self, place: &Place, at: Instant) {
        self.queue().called(|waiting| waiting.rings_at(place), at + WORDS);
        self.rooms().called(place, at);
        self.shared.changed.send_replace(());
    }

    /// Whether anybody has called since the start.
    pub fn was_called(&self) -> bool {
        self.queue().was_called()
    }

    /// It was being said, and somebody called.
    pub async fn interrupted(&self, id: AnnouncementId, at: Instant) {
        let gone = self.queue().interrupted(id, at + WORDS);
        self.shared.changed.send_replace(());
        self.forget(gone).await;
    }
}
