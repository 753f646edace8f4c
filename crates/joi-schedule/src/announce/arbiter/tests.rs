//! What may be said when: whole situations, decided without any clock.

use std::time::Duration;

use jiff::ToSpan as _;
use jiff::civil::date;
use jiff::tz::TimeZone;

use super::super::queue::AnnouncementQueue;
use super::super::{AnnounceConfig, Announcement, AnnouncementOutcome, IfUnheard};
use super::*;

/// A queue, and the situation it is asked in.
struct Bench {
    queue: AnnouncementQueue,
    floor: Floor,
    presence: Presence,
    clock: Zoned,
    at: Instant,
}

impl Bench {
    fn at(hour: i8) -> Self {
        let clock = date(2026, 3, 4).at(hour, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap();
        let (floor, presence) = (Floor::Free, Presence::Here);
        Self { queue: AnnouncementQueue::default(), floor, presence, clock, at: Instant::now() }
    }

    fn waits(&mut self, announcement: Announcement) -> AnnouncementId {
        self.queue.push(announcement, None, self.at).0
    }

    fn now(&self) -> Now {
        Now { clock: self.clock.clone(), at: self.at }
    }

    fn decides_at(&self, place: &str) -> AnnouncementDecision {
        let place = Place::named(place);
        let situation = Situation { place: &place, floor: self.floor, presence: self.presence };
        decide(self.queue.waiting(), &situation, &AnnounceConfig::default().quiet(), &self.now())
    }

    fn decides(&self) -> AnnouncementDecision {
        self.decides_at("kitchen")
    }
}

fn some(priority: AnnouncementPriority) -> Announcement {
    Announcement::new(AnnouncementOrigin::Impulse, priority, "It may rain.")
}

fn ring() -> Announcement {
    let if_unheard = IfUnheard::Repeat(Duration::from_secs(1));
    Announcement {
        if_unheard,
        ..Announcement::new(AnnouncementOrigin::Timer, AnnouncementPriority::Ring, "Pasta timer.")
    }
}

#[test]
fn what_is_more_urgent_comes_first_and_then_what_is_older() {
    let mut bench = Bench::at(12);
    let wanted = [
        AnnouncementPriority::Background,
        AnnouncementPriority::Notice,
        AnnouncementPriority::Critical,
        AnnouncementPriority::Notice,
    ];
    let ids = wanted.map(|priority| bench.waits(some(priority)));
    for (place, next) in [2, 1, 3, 0].into_iter().enumerate() {
        assert_eq!(bench.decides(), AnnouncementDecision::Speak(ids[next]), "as number {place}");
        bench.queue.remove(ids[next], AnnouncementOutcome::Withdrawn).unwrap();
    }
    assert_eq!(bench.decides(), AnnouncementDecision::Wait(HoldReason::Nothing, None));
}

#[test]
fn nothing_is_said_while_somebody_has_the_floor_but_a_danger_into_what_she_says_herself() {
    let mut bench = Bench::at(12);
    bench.waits(ring());
    let user = Floor::User { since: bench.at };
    for floor in [user, Floor::Answer, Floor::FollowUp] {
        bench.floor = floor;
        assert_eq!(bench.decides(), AnnouncementDecision::Wait(HoldReason::Floor(floor), None));
    }
    let fire = bench.waits(some(AnnouncementPriority::Critical));
    for floor in [Floor::Answer, Floor::FollowUp] {
        bench.floor = floor;
        assert_eq!(bench.decides(), AnnouncementDecision::Speak(fire));
    }
    bench.floor = user;
    let soon = Some(bench.at + SENTENCE);
    assert_eq!(bench.decides(), AnnouncementDecision::Wait(HoldReason::Floor(user), soon));
    bench.queue.begin(fire);
    bench.waits(some(AnnouncementPriority::Critical));
    bench.floor = Floor::Answer;
    let held = AnnouncementDecision::Wait(HoldReason::Floor(Floor::Answer), None);
    assert_eq!(bench.decides(), held, "one danger does not interrupt another");
}

#[test]
fn a_call_without_words_holds_a_danger_back_for_less_than_two_seconds() {
    let mut bench = Bench::at(12);
    bench.waits(some(AnnouncementPriority::Ring));
    let since = bench.at;
    bench.floor = Floor::Called { since };
    let held = |until| AnnouncementDecision::Wait(HoldReason::Floor(Floor::Called { since }), until);
    assert_eq!(bench.decides(), held(None), "a ring waits for the end of the listening");
    let fire = bench.waits(some(AnnouncementPriority::Critical));
    assert_eq!(bench.decides(), held(Some(since + CALL)), "he may be about to speak");
    assert!(CALL < Duration::from_secs(2));
    bench.at = since + CALL;
    assert_eq!(bench.decides(), AnnouncementDecision::Speak(fire));
    bench.floor = Floor::User { since: bench.at };
    let held = AnnouncementDecision::Wait(HoldReason::Floor(bench.floor), Some(bench.at + SENTENCE));
    assert_eq!(bench.decides(), held, "he says something");
    bench.floor = Floor::Heard;
    assert_eq!(bench.decides(), AnnouncementDecision::Speak(fire), "his words are over");
}

#[test]
fn a_new_danger_waits_two_seconds_for_the_end_of_a_sentence_and_one_that_was_announced_until_its_end() {
    let mut bench = Bench::at(3);
    let began = bench.at;
    let user = Floor::User { since: began };
    let held = |until| AnnouncementDecision::Wait(HoldReason::Floor(user), until);
    bench.floor = user;
    // He has been speaking for a second, and goes on for long.
    bench.at += Duration::from_secs(1);
    let alarm = Announcement {
        if_unheard: IfUnheard::Repeat(Duration::from_secs(10)),
        ..some(AnnouncementPriority::Critical)
    };
    let fire = bench.waits(alarm.clone());
    let told_at = bench.at + SENTENCE;
    assert_eq!(bench.decides(), held(Some(told_at)));
    bench.at = told_at - Duration::from_millis(1);
    assert_eq!(bench.decides(), held(Some(told_at)));
    bench.at = told_at;
    assert_eq!(bench.decides(), AnnouncementDecision::Speak(fire), "two seconds after it was noticed");
    // It waited for something else, and he has begun only now.
    let now = told_at + Duration::from_secs(5);
    (bench.at, bench.floor) = (now, Floor::User { since: now });
    let later = AnnouncementDecision::Wait(HoldReason::Floor(bench.floor), Some(now + SENTENCE));
    assert_eq!(bench.decides(), later, "he may be saying that he has heard it");
    bench.queue.begin(fire);
    bench.queue.heard(fire, now);
    bench.at = now + Duration::from_secs(30);
    let told = AnnouncementDecision::Wait(HoldReason::Floor(bench.floor), None);
    assert_eq!(bench.decides(), told, "told before, it waits for his end");
    let gas = bench.waits(alarm);
    bench.at += SENTENCE;
    assert_eq!(bench.decides(), AnnouncementDecision::Speak(gas), "a further one");
    bench.waits(some(AnnouncementPriority::Ring));
    bench.queue.remove(gas, AnnouncementOutcome::Withdrawn);
    assert_eq!(bench.decides(), told, "a ring is no danger");
}

#[test]
fn whoever_calls_during_an_alarm_can_say_that_he_has_heard_it_and_a_new_one_does_not_wait() {
    let mut bench = Bench::at(12);
    let alarm = || Announcement {
        if_unheard: IfUnheard::Repeat(Duration::from_secs(10)),
        ..some(AnnouncementPriority::Critical)
    };
    let fire = bench.waits(alarm());
    bench.queue.begin(fire);
    let since = bench.at;
    let until = since + Duration::from_secs(10);
    bench.queue.interrupted(fire, until);
    for floor in [Floor::Called { since }, Floor::User { since }, Floor::Heard] {
        bench.floor = floor;
        assert!(matches!(bench.decides(), AnnouncementDecision::Wait(HoldReason::Floor(_), _)), "{floor:?}");
    }
    bench.floor = Floor::Answer;
    let held = AnnouncementDecision::Wait(HoldReason::NotYet, Some(until));
    assert_eq!(bench.decides(), held, "the answer may be the end of the alarm");
    for floor in [Floor::Free, Floor::FollowUp, Floor::Called { since: since - CALL }] {
        bench.floor = floor;
        assert_eq!(
            bench.decides(),
            AnnouncementDecision::Speak(fire),
            "calling does not silence it: {floor:?}"
        );
    }
    let gas = bench.waits(alarm());
    bench.floor = Floor::Heard;
    assert_eq!(bench.decides(), AnnouncementDecision::Speak(gas), "one that was not told yet");
    bench.queue.remove(gas, AnnouncementOutcome::Withdrawn);
    bench.floor = Floor::Answer;
    bench.at = until;
    assert_eq!(bench.decides(), AnnouncementDecision::Speak(fire), "and not for ever");
    // Between two times it is announced.
    bench.queue.begin(fire);
    bench.queue.heard(fire, bench.at);
    bench.at += Duration::from_secs(9);
    let later = bench.at + Duration::from_secs(10);
    bench.queue.called(|_| true, later);
    assert_eq!(bench.decides(), AnnouncementDecision::Wait(HoldReason::NotYet, Some(later)));
}

#[test]
fn in_quiet_hours_only_danger_and_what_the_user_set_to_ring_is_heard() {
    let verdict = |announcement: &Announcement| {
        let mut bench = Bench::at(3);
        let id = bench.waits(announcement.clone());
        let quiet =
            AnnouncementDecision::Wait(HoldReason::Quiet, Some(bench.at + Duration::from_secs(4 * 3600)));
        let decision = bench.decides();
        assert!([AnnouncementDecision::Speak(id), quiet].contains(&decision), "{decision:?}");
        decision == AnnouncementDecision::Speak(id)
    };
    assert!(verdict(&ring()));
    assert!(verdict(&Announcement {
        origin: AnnouncementOrigin::Alert,
        ..some(AnnouncementPriority::Critical)
    }));
    for priority in
        [AnnouncementPriority::Background, AnnouncementPriority::Notice, AnnouncementPriority::Reminder]
    {
        assert!(!verdict(&some(priority)), "{priority:?}");
    }
    assert!(!verdict(&Announcement { origin: AnnouncementOrigin::Agent, ..ring() }), "an agent wakes nobody");
    let missed = Announcement { priority: AnnouncementPriority::Reminder, ..ring() };
    assert!(!verdict(&missed), "what is over can wait");
    let mut morning = Bench::at(7);
    let id = morning.waits(some(AnnouncementPriority::Background));
    assert_eq!(morning.decides(), AnnouncementDecision::Speak(id));
}

#[test]
fn between_two_rings_nothing_less_urgent_is_said() {
    let mut bench = Bench::at(12);
    let notice = bench.waits(some(AnnouncementPriority::Notice));
    let rings = bench.waits(ring());
    assert_eq!(bench.decides(), AnnouncementDecision::Speak(rings));
    bench.queue.begin(rings);
    assert_eq!(
        bench.decides(),
        AnnouncementDecision::Wait(HoldReason::Ringing, None),
        "it is being said elsewhere"
    );
    bench.queue.heard(rings, bench.at);
    let again = bench.at + Duration::from_secs(1);
    assert_eq!(bench.decides(), AnnouncementDecision::Wait(HoldReason::NotYet, Some(again)));
    let fire = bench.waits(some(AnnouncementPriority::Critical));
    assert_eq!(bench.decides(), AnnouncementDecision::Speak(fire));
    bench.queue.remove(fire, AnnouncementOutcome::Withdrawn);
    bench.at = again;
    assert_eq!(bench.decides(), AnnouncementDecision::Speak(rings));
    bench.queue.remove(rings, AnnouncementOutcome::Withdrawn);
    assert_eq!(bench.decides(), AnnouncementDecision::Speak(notice));
}

#[test]
fn what_has_expired_is_dropped_before_anything_is_said() {
    let mut bench = Bench::at(3);
    let soon = Some((&bench.clock + 10.minutes()).timestamp());
    let short = bench.waits(Announcement { expires: soon, ..some(AnnouncementPriority::Notice) });
    let long = bench.waits(some(AnnouncementPriority::Notice));
    let until = bench.at + Duration::from_secs(600);
    assert_eq!(
        bench.decides(),
        AnnouncementDecision::Wait(HoldReason::Quiet, Some(until)),
        "it expires before the morning"
    );
    bench.clock = &bench.clock + 10.minutes();
    bench.floor = Floor::User { since: bench.at };
    assert_eq!(bench.decides(), AnnouncementDecision::Expire(vec![short]), "whoever speaks");
    bench.queue.expire(short);
    bench.clock = &bench.clock + 4.hours();
    bench.floor = Floor::Free;
    assert_eq!(bench.decides(), AnnouncementDecision::Speak(long));
    assert_eq!(bench.queue.counts().expired, 1);
}

#[test]
fn what_belongs_to_a_room_is_said_there_alone() {
    let mut bench = Bench::at(12);
    let place = Some(Place::named("bath"));
    let id = bench.waits(Announcement { place, ..some(AnnouncementPriority::Notice) });
    assert_eq!(bench.decides_at("kitchen"), AnnouncementDecision::Wait(HoldReason::Nothing, None));
    assert_eq!(bench.decides_at("bath"), AnnouncementDecision::Speak(id));
    let anywhere = bench.waits(ring());
    bench.queue.begin(anywhere);
    assert_eq!(
        bench.decides_at("bath"),
        AnnouncementDecision::Wait(HoldReason::Ringing, None),
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
        let held = AnnouncementDecision::Wait(HoldReason::Presence(presence), None);
        assert!([AnnouncementDecision::Speak(id), held].contains(&decision), "{decision:?}");
        decision == AnnouncementDecision::Speak(id)
    };
    let all = [
        AnnouncementPriority::Background,
        AnnouncementPriority::Notice,
        AnnouncementPriority::Reminder,
        AnnouncementPriority::Ring,
        AnnouncementPriority::Critical,
    ];
    for (presence, expected) in [
        (Presence::Here, [true; 5]),
        (Presence::Muted, [false, true, true, true, true]),
        (Presence::Away, [false, false, false, true, true]),
    ] {
        assert_eq!(all.map(|priority| heard(presence, priority)), expected, "{presence:?}");
    }
}

#[test]
fn without_a_loudspeaker_everything_waits_and_what_expires_meanwhile_is_dropped() {
    let mut bench = Bench::at(12);
    bench.floor = Floor::Speechless;
    let expires = Some((&bench.clock + 1.hour()).timestamp());
    bench.waits(Announcement { expires, ..some(AnnouncementPriority::Critical) });
    bench.waits(ring());
    let until = Some(bench.at + Duration::from_secs(3600));
    let waits = AnnouncementDecision::Wait(HoldReason::Floor(Floor::Speechless), until);
    assert_eq!(bench.decides(), waits);
    bench.clock = &bench.clock + 1.hour();
    assert!(matches!(bench.decides(), AnnouncementDecision::Expire(_)));
}
