//! The queue with a database: what is kept, what is lost, who is notified.

use jiff::ToSpan as _;
use jiff::civil::date;
use jiff::tz::TimeZone;

use super::*;
use joi_base::clock::ManualClock;
use joi_language::testing::english;

fn noon() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(date(2026, 3, 4).at(12, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap()))
}

fn over(path: &std::path::Path, clock: &Arc<ManualClock>) -> Announcer {
    let store = Store::open(path).unwrap();
    Announcer::new(&AnnounceConfig::default(), Some(store), Arc::clone(clock) as Arc<dyn Clock>)
}

fn some(text: &str, if_unheard: IfUnheard) -> Announcement {
    Announcement {
        if_unheard,
        ..Announcement::new(AnnouncementOrigin::Agent, AnnouncementPriority::Notice, text)
    }
}

/// Returns the next announcement when nobody speaks.
async fn next(announcer: &Announcer) -> Next {
    let place = Place::named("home");
    announcer.next(&Situation { place: &place, floor: Floor::Free, presence: Presence::Here }).await
}

fn texts(announcer: &Announcer) -> Vec<String> {
    let now = announcer.now();
    let told = |waiting: WaitingAnnouncement| waiting.announcement.wording.text(english(), &now).0;
    announcer.waiting().into_iter().map(told).collect()
}

/// After a restart.
async fn restored(path: &std::path::Path, clock: &Arc<ManualClock>) -> Announcer {
    let announcer = over(path, clock);
    announcer.restore().await.unwrap();
    announcer
}

#[tokio::test]
async fn what_is_to_be_kept_survives_restarts_until_it_was_heard() {
    let folder = tempfile::tempdir().unwrap();
    let (path, clock) = (folder.path().join("joi.db"), noon());
    let before = over(&path, &clock);
    let expires = Some((&clock.now() + 1.hour()).timestamp());
    let kept = Announcement {
        expires,
        place: Some(Place::named("home")),
        ..some("The report is done.", IfUnheard::Keep)
    };
    before.announce(kept.clone()).await;
    before.announce(some("for now", IfUnheard::Drop)).await;
    before.announce(some("ring", IfUnheard::Repeat(Duration::ZERO))).await;
    // It was being said when the power failed.
    assert!(matches!(next(&before).await, Next::Say(..)));
    drop(before);

    let after = restored(&path, &clock).await;
    let Next::Say(id, announcement) = next(&after).await else { panic!("it is said") };
    assert_eq!(announcement, kept);
    after.cut_short(id).await;
    assert_eq!(texts(&restored(&path, &clock).await), ["The report is done."], "it was not heard");
    let Next::Say(id, _) = next(&after).await else { panic!("it is said again") };
    after.heard(id, Instant::now()).await;
    assert_eq!(texts(&restored(&path, &clock).await), [""; 0]);
    assert_eq!(after.counts(), Counts { heard: 1, ..Counts::default() });
}

#[tokio::test]
async fn what_expired_while_she_was_off_is_never_said_and_leaves_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let (path, clock) = (folder.path().join("joi.db"), noon());
    let expires = Some((&clock.now() + 1.hour()).timestamp());
    let before = over(&path, &clock);
    before.announce(Announcement { expires, ..some("The bus leaves.", IfUnheard::Keep) }).await;
    before.announce(some("withdrawn", IfUnheard::Keep)).await;
    before.withdraw(before.waiting()[1].id).await;
    clock.set(&clock.now() + 2.hours());
    let after = restored(&path, &clock).await;
    assert_eq!(texts(&after), ["The bus leaves."]);
    assert_eq!(next(&after).await, Next::Wait(HoldReason::Nothing, None));
    assert_eq!(after.counts().expired, 1);
    assert_eq!(texts(&restored(&path, &clock).await), [""; 0]);
}

#[tokio::test]
async fn two_rooms_never_say_the_same_at_once_and_silence_in_one_is_for_both() {
    let announcer = Announcer::new(&AnnounceConfig::default(), None, noon());
    let mut changes = announcer.changes();
    let ring = Announcement {
        priority: AnnouncementPriority::Ring,
        ..some("ring", IfUnheard::Repeat(Duration::ZERO))
    };
    announcer.announce(ring).await;
    assert!(changes.has_changed().unwrap());
    changes.mark_unchanged();
    let Next::Say(id, _) = next(&announcer).await else { panic!("it rings") };
    assert_eq!(next(&announcer).await, Next::Wait(HoldReason::Nothing, None));
    announcer.silence(&Place::named("bath"));
    assert!(changes.has_changed().unwrap(), "whoever says it is told");
    announcer.heard(id, Instant::now()).await;
    assert_eq!(announcer.waiting(), []);
}

#[tokio::test]
async fn at_night_one_asks_again_within_a_minute_because_clocks_are_set() {
    let clock = noon();
    clock.set(date(2026, 3, 4).at(23, 30, 0, 0).to_zoned(TimeZone::UTC).unwrap());
    let announcer = Announcer::new(&AnnounceConfig::default(), None, clock.clone());
    announcer.announce(some("later", IfUnheard::Keep)).await;
    let before = Instant::now();
    let Next::Wait(HoldReason::Quiet, Some(until)) = next(&announcer).await else { panic!("it waits") };
    assert!(until >= before && until <= Instant::now() + AT_LEAST);
    clock.set(date(2026, 3, 5).at(7, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap());
    assert!(matches!(next(&announcer).await, Next::Say(..)));
}

#[tokio::test]
async fn a_disk_that_fails_costs_no_announcement() {
    let store = Store::in_memory().unwrap();
    store.break_announcements().await;
    let announcer = Announcer::new(&AnnounceConfig::default(), Some(store), noon());
    assert!(announcer.restore().await.is_err());
    announcer.announce(some("all the same", IfUnheard::Keep)).await;
    let Next::Say(id, _) = next(&announcer).await else { panic!("it is said") };
    announcer.heard(id, Instant::now()).await;
    assert_eq!(announcer.waiting(), []);
}

#[tokio::test]
async fn a_wish_that_could_not_be_stored_goes_before_what_is_stored() {
    let store = Store::in_memory().unwrap();
    let announcer = Announcer::new(&AnnounceConfig::default(), Some(store.clone()), noon());
    store.make_read_only().await;
    let now = announcer.now();
    let until = now.timestamp().checked_add(SignedDuration::from_hours(2)).unwrap();
    announcer.be_quiet_until(Some(until)).await;
    announcer.read_wish().await;
    assert!(announcer.quiet_until(&now).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_database_that_hangs_keeps_nothing_from_being_said_and_nobody_from_going_on() {
    let store = Store::in_memory().unwrap();
    let clock = noon() as Arc<dyn Clock>;
    let announcer = Announcer::new(&AnnounceConfig::default(), Some(store.clone()), clock);
    let first = announcer.announce(some("It was stored.", IfUnheard::Keep)).await;
    store.hang();
    let began = tokio::time::Instant::now();
    assert!(matches!(next(&announcer).await, Next::Say(id, _) if id == first));
    announcer.heard(first, Instant::now()).await;
    let second = tokio::spawn({
        let announcer = announcer.clone();
        async move { announcer.announce(some("It is not.", IfUnheard::Keep)).await }
    });
    let mut changes = announcer.changes();
    while texts(&announcer).is_empty() {
        changes.changed().await.unwrap();
    }
    let Next::Say(id, _) = next(&announcer).await else { panic!("it is said") };
    announcer.heard(id, Instant::now()).await;
    assert!(began.elapsed() < Duration::from_secs(2), "a danger would have to wait: {:?}", began.elapsed());
    store.answer_again();
    assert_eq!(second.await.unwrap(), id);
    assert_eq!(store.announcements().await.unwrap(), [], "what was heard by then is kept no longer");
}

#[tokio::test]
async fn what_could_not_be_heard_is_said_again_whatever_it_wants() {
    let announcer = Announcer::new(&AnnounceConfig::default(), None, noon());
    for if_unheard in [IfUnheard::Drop, IfUnheard::Keep, IfUnheard::Repeat(Duration::from_secs(60))] {
        let id = announcer.announce(some("It is done.", if_unheard)).await;
        assert!(matches!(next(&announcer).await, Next::Say(..)));
        announcer.unheard(id);
        assert!(matches!(next(&announcer).await, Next::Say(again, _) if again == id), "{if_unheard:?}");
        announcer.withdraw(id).await;
    }
    assert_eq!(announcer.counts(), Counts::default());
}

#[tokio::test]
async fn what_rings_beside_a_danger_is_not_ended_by_a_word_that_is_not_sure() {
    let announcer = Announcer::new(&AnnounceConfig::default(), None, noon());
    let home = Place::named("home");
    assert!(!announcer.only_timers_ring(&home), "nothing rings");
    let ringing = |origin, priority| Announcement {
        if_unheard: IfUnheard::Repeat(Duration::from_secs(10)),
        ..Announcement::new(origin, priority, "it rings")
    };
    announcer.announce(ringing(AnnouncementOrigin::Timer, AnnouncementPriority::Ring)).await;
    assert!(announcer.only_timers_ring(&home));
    announcer.announce(ringing(AnnouncementOrigin::Alert, AnnouncementPriority::Critical)).await;
    assert!(!announcer.only_timers_ring(&home), "a danger");
    announcer.silence(&home);
    assert!(!announcer.only_timers_ring(&home), "a danger alone");
}
