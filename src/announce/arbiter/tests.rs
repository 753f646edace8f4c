//! What may be said when: whole situations, decided without any clock.

use std::time::Duration;

use jiff::ToSpan as _;
use jiff::civil::date;
use jiff::tz::TimeZone;

use super::super::queue::Queue;
use super::super::{AnnounceConfig, Announcement, IfUnheard};
use super::*;

/// A queue, and the situation it is asked in.
struct Bench {
    queue: Queue,
    floor: Floor,
    presence: Presence,
    clock: Zoned,
    at: Instant,
}

impl Bench {
    fn at(hour: i8) -> Self {
        let clock = date(2026, 3, 4).at(hour, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap();
        let (floor, presence) = (Floor::Free, Presence::Here);
        Self { queue: Queue::default(), floor, presence, clock, at: Instant::now() }
    }

    fn waits(&mut self, announcement: Announcement) -> AnnouncementId {
        self.queue.push(announcement, None).0
    }

    fn now(&self) -> Now {
        Now { clock: self.clock.clone(), at: self.at }
    }

    fn decides_at(&self, place: &str) -> Decision {
        let place = Place::named(place);
        let situation = Situation { place: &place, floor: self.floor, presence: self.presence };
        decide(self.queue.waiting(), &situation, &AnnounceConfig::default().quiet(), &self.now())
    }

    fn decides(&self) -> Decision {
        self.decides_at("kitchen")
    }
}

fn some(priority: Priority) -> Announcement {
    Announcement::new(Origin::Impulse, priority, "It may rain.")
}

fn ring() -> Announcement {
    let if_unheard = IfUnheard::Repeat(Duration::from_secs(1));
    Announcement { if_unheard, ..Announcement::new(Origin::Timer, Priority::Ring, "Pasta timer.") }
}

#[test]
fn what_is_more_urgent_comes_first_and_then_what_is_older() {
    let mut bench = Bench::at(12);
    let wanted = [Priority::Background, Priority::Notice, Priority::Critical, Priority::Notice];
    let ids = wanted.map(|priority| bench.waits(some(priority)));
    for (place, next) in [2, 1, 3, 0].into_iter().enumerate() {
        assert_eq!(bench.decides(), Decision::Speak(ids[next]), "as number {place}");
        bench.queue.remove(ids[next]).unwrap();
    }
    assert_eq!(bench.decides(), Decision::Wait(Hold::Nothing, None));
}

#[test]
fn nothing_is_said_while_somebody_has_the_floor_however_urgent() {
    let mut bench = Bench::at(12);
    bench.waits(some(Priority::Critical));
    bench.waits(ring());
    for floor in [Floor::User, Floor::Answer, Floor::FollowUp] {
        bench.floor = floor;
        assert_eq!(bench.decides(), Decision::Wait(Hold::Floor(floor), None));
    }
}

#[test]
fn in_quiet_hours_only_danger_and_what_the_user_set_to_ring_is_heard() {
    let verdict = |announcement: &Announcement| {
        let mut bench = Bench::at(3);
        let id = bench.waits(announcement.clone());
        let quiet = Decision::Wait(Hold::Quiet, Some(bench.at + Duration::from_secs(4 * 3600)));
        let decision = bench.decides();
        assert!([Decision::Speak(id), quiet].contains(&decision), "{decision:?}");
        decision == Decision::Speak(id)
    };
    assert!(verdict(&ring()));
    assert!(verdict(&Announcement { origin: Origin::Alert, ..some(Priority::Critical) }));
    for priority in [Priority::Background, Priority::Notice, Priority::Reminder] {
        assert!(!verdict(&some(priority)), "{priority:?}");
    }
    assert!(!verdict(&Announcement { origin: Origin::Agent, ..ring() }), "an agent wakes nobody");
    let missed = Announcement { priority: Priority::Reminder, ..ring() };
    assert!(!verdict(&missed), "what is over can wait");
    let mut morning = Bench::at(7);
    let id = morning.waits(some(Priority::Background));
    assert_eq!(morning.decides(), Decision::Speak(id));
}

#[test]
fn between_two_rings_nothing_less_urgent_is_said() {
    let mut bench = Bench::at(12);
    let notice = bench.waits(some(Priority::Notice));
    let rings = bench.waits(ring());
    assert_eq!(bench.decides(), Decision::Speak(rings));
    bench.queue.begin(rings);
    assert_eq!(bench.decides(), Decision::Wait(Hold::Ringing, None), "it is being said elsewhere");
    bench.queue.heard(rings, bench.at);
    let again = bench.at + Duration::from_secs(1);
    assert_eq!(bench.decides(), Decision::Wait(Hold::NotYet, Some(again)));
    let fire = bench.waits(some(Priority::Critical));
    assert_eq!(bench.decides(), Decision::Speak(fire));
    bench.queue.remove(fire);
    bench.at = again;
    assert_eq!(bench.decides(), Decision::Speak(rings));
    bench.queue.remove(rings);
    assert_eq!(bench.decides(), Decision::Speak(notice));
}

#[test]
fn what_has_expired_is_dropped_before_anything_is_said() {
    let mut bench = Bench::at(3);
    let soon = Some((&bench.clock + 10.minutes()).timestamp());
    let short = bench.waits(Announcement { expires: soon, ..some(Priority::Notice) });
    let long = bench.waits(some(Priority::Notice));
    let until = bench.at + Duration::from_secs(600);
    assert_eq!(bench.decides(), Decision::Wait(Hold::Quiet, Some(until)), "it expires before the morning");
    bench.clock = &bench.clock + 10.minutes();
    bench.floor = Floor::User;
    assert_eq!(bench.decides(), Decision::Expire(vec![short]), "whoever speaks");
    bench.queue.expire(short);
    bench.clock = &bench.clock + 4.hours();
    bench.floor = Floor::Free;
    assert_eq!(bench.decides(), Decision::Speak(long));
    assert_eq!(bench.queue.counts().expired, 1);
}

#[test]
fn what_belongs_to_a_room_is_said_there_alone() {
    let mut bench = Bench::at(12);
    let place = Some(Place::named("bath"));
    let id = bench.waits(Announcement { place, ..some(Priority::Notice) });
    assert_eq!(bench.decides_at("kitchen"), Decision::Wait(Hold::Nothing, None));
    assert_eq!(bench.decides_at("bath"), Decision::Speak(id));
    let anywhere = bench.waits(ring());
    bench.queue.begin(anywhere);
    assert_eq!(
        bench.decides_at("bath"),
        Decision::Wait(Hold::Ringing, None),
        "it rings in one room at a time"
    );
}

#[test]
fn to_nobody_only_what_is_urgent_is_said() {
    let heard = |presence, priority| {
        let mut bench = Bench::at(12);
        bench.presence = presence;
        let id = bench.waits(some(priority));
        let decision = bench.decides();
        let held = Decision::Wait(Hold::Presence(presence), None);
        assert!([Decision::Speak(id), held].contains(&decision), "{decision:?}");
        decision == Decision::Speak(id)
    };
    let all =
        [Priority::Background, Priority::Notice, Priority::Reminder, Priority::Ring, Priority::Critical];
    for (presence, expected) in [
        (Presence::Here, [true; 5]),
        (Presence::Muted, [false, true, true, true, true]),
        (Presence::Away, [false, false, false, true, true]),
    ] {
        assert_eq!(all.map(|priority| heard(presence, priority)), expected, "{presence:?}");
    }
}
