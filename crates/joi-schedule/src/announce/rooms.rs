//! The rooms in which announcements can be heard.
//!
//! In: which rooms there are, which of them have a loudspeaker now, where somebody called. Out: the room for what is meant for
//! none: that in which somebody called last.
//! Pure: no I/O, no clock.

use std::time::Instant;

use joi_base::message::Place;

/// One room.
#[derive(Debug, Clone)]
pub(super) struct KnownRoom {
    place: Place,
    /// It has a loudspeaker.
    pub(super) is_heard: bool,
    /// When somebody called there last.
    called: Option<Instant>,
}

/// All rooms, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct AnnouncementRooms(Vec<KnownRoom>);

impl AnnouncementRooms {
    pub(super) fn of(&self, place: &Place) -> Option<&KnownRoom> {
        self.0.iter().find(|room| room.place == *place)
    }

    pub(super) fn of_mut(&mut self, place: &Place) -> Option<&mut KnownRoom> {
        self.0.iter_mut().find(|room| room.place == *place)
    }

    pub(super) fn add(&mut self, place: &Place) {
        if self.of(place).is_none() {
            self.0.push(KnownRoom { place: place.clone(), is_heard: true, called: None });
        }
    }

    /// Somebody called at `place`.
    pub(super) fn called(&mut self, place: &Place, at: Instant) {
        if let Some(room) = self.of_mut(place) {
            room.called = Some(at);
        }
    }

    /// Returns the room for what is meant for none: that in which somebody called last, else the first one.
    pub(super) fn chosen(&self) -> Option<&Place> {
        let mut chosen: Option<&KnownRoom> = None;
        for room in self.0.iter().filter(|room| room.is_heard) {
            if chosen.is_none_or(|chosen| room.called > chosen.called) {
                chosen = Some(room);
            }
        }
        chosen.map(|room| &room.place)
    }
}
