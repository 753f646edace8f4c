//! Which announcements are for which room.
//!
//! Any task. In: which rooms there are, which of them have a loudspeaker now. Out: what may be said in a room. What is meant for
//! one room waits for it as long as it is there; all else is said where somebody called last. Where no room is known,
//! everything is for whoever asks.

use std::borrow::Cow;
use std::sync::{MutexGuard, PoisonError};

use super::rooms::AnnouncementRooms;
use super::{Announcement, Announcer, Place, WaitingAnnouncement};

impl Announcer {
    pub(super) fn rooms(&self) -> MutexGuard<'_, AnnouncementRooms> {
        self.shared.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Announcements can be heard at `place` from here on.
    pub fn attend(&self, place: &Place) {
        self.rooms().add(place);
        self.shared.changed.send_replace(());
    }

    /// Returns whether announcements can be heard at `place` now.
    pub fn is_attended(&self, place: &Place) -> bool {
        self.rooms().of(place).is_some_and(|room| room.is_heard)
    }

    /// The loudspeaker at `place` is there, or is gone: then what waits for it is said in another room.
    pub fn set_heard(&self, place: &Place, is_heard: bool) {
        let mut rooms = self.rooms();
        let Some(room) = rooms.of_mut(place) else { return };
        let is_new = std::mem::replace(&mut room.is_heard, is_heard) != is_heard;
        let has_other = rooms.chosen().is_some();
        drop(rooms);
        if is_new {
            if !is_heard && has_other {
                self.queue().free(place);
            }
            self.shared.changed.send_replace(());
        }
    }

    /// Returns what of `waiting` may be said at `place`, as far as other rooms leave it to that.
    pub(super) fn meant_for<'w>(
        &self,
        place: &Place,
        waiting: &'w [WaitingAnnouncement],
    ) -> Cow<'w, [WaitingAnnouncement]> {
        if self.rooms().chosen().is_none_or(|chosen| chosen == place) {
            return waiting.into();
        }
        waiting.iter().filter(|w| w.announcement.place.is_some()).cloned().collect()
    }

    /// Returns the announcement, for any room where its own has no loudspeaker now and another one has.
    pub(super) fn heard_somewhere(&self, announcement: Announcement) -> Announcement {
        let rooms = self.rooms();
        let is_unheard = |place: &Place| rooms.of(place).is_some_and(|room| !room.is_heard);
        let place = announcement.place.filter(|place| !is_unheard(place) || rooms.chosen().is_none());
        Announcement { place, ..announcement }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use jiff::Zoned;

    use super::super::{
        AnnounceConfig, AnnouncementOrigin, AnnouncementPriority, Floor, Next, Presence, Situation,
    };
    use super::*;
    use joi_base::clock::ManualClock;

    fn announcer(rooms: &[&str]) -> Announcer {
        let config = AnnounceConfig { quiet_hours: vec![], ..AnnounceConfig::default() };
        let announcer = Announcer::new(&config, None, Arc::new(ManualClock::at(Zoned::now())));
        for room in rooms {
            announcer.attend(&Place::named(room));
        }
        announcer
    }

    fn notice(room: Option<&str>) -> Announcement {
        let place = room.map(Place::named);
        let notice = Announcement::new(AnnouncementOrigin::Agent, AnnouncementPriority::Notice, "It rains.");
        Announcement { place, ..notice }
    }

    /// Returns the room that says it, of those that are asked in this order.
    async fn said_in(announcer: &Announcer, rooms: &[&str]) -> Option<String> {
        for room in rooms {
            let place = Place::named(room);
            let situation = Situation { place: &place, floor: Floor::Free, presence: Presence::Here };
            if let Next::Say(id, _) = announcer.next(&situation).await {
                announcer.heard(id, Instant::now()).await;
                return Some((*room).to_owned());
            }
        }
        None
    }

    #[tokio::test]
    async fn what_is_for_no_room_is_said_where_somebody_called_last() {
        let announcer = announcer(&["home", "kitchen", "bath"]);
        let order = ["bath", "kitchen", "home"];
        announcer.announce(notice(None)).await;
        assert_eq!(said_in(&announcer, &order).await.as_deref(), Some("home"), "nobody has called");
        let now = Instant::now();
        announcer.called(&Place::named("bath"), now);
        announcer.called(&Place::named("kitchen"), now + Duration::from_secs(1));
        announcer.announce(notice(None)).await;
        assert_eq!(said_in(&announcer, &order).await.as_deref(), Some("kitchen"));
        announcer.set_heard(&Place::named("kitchen"), false);
        announcer.announce(notice(None)).await;
        assert_eq!(said_in(&announcer, &order).await.as_deref(), Some("bath"), "the kitchen is lost");
    }

    #[tokio::test]
    async fn what_is_for_a_room_is_said_there_and_elsewhere_once_that_is_lost() {
        let announcer = announcer(&["home", "kitchen"]);
        announcer.announce(notice(Some("kitchen"))).await;
        assert_eq!(said_in(&announcer, &["home"]).await, None);
        announcer.set_heard(&Place::named("kitchen"), false);
        assert_eq!(said_in(&announcer, &["home"]).await.as_deref(), Some("home"));
        announcer.announce(notice(Some("kitchen"))).await;
        assert_eq!(said_in(&announcer, &["home"]).await.as_deref(), Some("home"), "it is still lost");
        announcer.announce(notice(Some("attic"))).await;
        assert_eq!(said_in(&announcer, &["home", "kitchen"]).await, None, "it waits for a room that comes");
        announcer.attend(&Place::named("attic"));
        assert_eq!(said_in(&announcer, &["home", "attic"]).await.as_deref(), Some("attic"));
    }

    #[tokio::test]
    async fn a_house_without_a_loudspeaker_keeps_what_waits_where_it_was() {
        let announcer = announcer(&["kitchen"]);
        announcer.announce(notice(Some("kitchen"))).await;
        announcer.set_heard(&Place::named("kitchen"), false);
        announcer.set_heard(&Place::named("kitchen"), true);
        announcer.attend(&Place::named("home"));
        announcer.called(&Place::named("home"), Instant::now());
        assert_eq!(said_in(&announcer, &["home", "kitchen"]).await.as_deref(), Some("kitchen"));
    }
}
