//! The schedule over a database, with the task that rings, a paused clock and no sound.

use std::path::Path;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::*;
use crate::announce::{AnnounceConfig, Announcer};
use crate::ringer::{Ring, Ringer};
use joi_base::pulse::Heart;

/// The wall's clock, as fast as Tokio's, which is paused.
pub(super) struct Wall {
    began: Zoned,
    at: tokio::time::Instant,
    set: std::sync::Mutex<SignedDuration>,
}

impl Wall {
    pub(super) fn at(began: Zoned) -> Arc<Self> {
        Arc::new(Self { began, at: tokio::time::Instant::now(), set: std::sync::Mutex::default() })
    }

    fn put_forward(&self, by: SignedDuration) {
        *self.set.lock().unwrap() += by;
    }
}

impl Clock for Wall {
    fn now(&self) -> Zoned {
        let passed = SignedDuration::try_from(self.at.elapsed()).unwrap();
        self.began.checked_add(passed + *self.set.lock().unwrap()).unwrap()
    }

    fn steady(&self) -> Duration {
        self.at.elapsed()
    }
}

pub(super) fn schedule(file: &Path, clock: Arc<dyn Clock>) -> Schedule {
    let store = Store::open(file).unwrap();
    let (config, is_synchronised) = (TimersConfig::default(), || false);
    Schedule::new(ScheduleParts {
        store,
        clock,
        config,
        languages: in_english(),
        is_synchronised,
        wake_up: None,
    })
}

/// The announcements of a running task.
pub(super) struct Alerts {
    pub(super) rings: tokio::sync::watch::Receiver<Vec<Ring>>,
    pub(super) announcer: Announcer,
    changes: tokio::sync::watch::Receiver<()>,
}

impl Alerts {
    /// The next thing that is announced; it counts as heard then.
    pub(super) async fn announced(&mut self) -> String {
        loop {
            if let Some(first) = self.announcer.waiting().into_iter().next() {
                self.announcer.withdraw(first.id).await;
                return first.announcement.wording.text(english(), &self.announcer.now()).0;
            }
            let changed = tokio::time::timeout(Duration::from_secs(90_000), self.changes.changed()).await;
            changed.expect("something is announced within a day").unwrap();
        }
    }
}

pub(super) fn watch(schedule: &Schedule) -> (Alerts, CancellationToken) {
    watch_with(schedule, None)
}

/// The same with somebody who commands a house.
pub(super) fn watch_with(
    schedule: &Schedule,
    hand: Option<Arc<dyn HouseHand>>,
) -> (Alerts, CancellationToken) {
    let clock = Arc::clone(&schedule.parts.clock);
    let announcer = Announcer::new(&AnnounceConfig::default(), None, clock);
    let (ringer, rings) = Ringer::new(schedule.clone(), announcer.clone(), Heart::unwatched());
    let stop = CancellationToken::new();
    tokio::spawn(ringer.with_hand(hand).run(stop.clone()));
    (Alerts { rings, changes: announcer.changes(), announcer }, stop)
}

async fn rings(alerts: &mut Alerts, many: usize) -> Vec<String> {
    let found =
        tokio::time::timeout(Duration::from_secs(7_200), alerts.rings.wait_for(|rings| rings.len() == many))
            .await;
    let rings = found.expect("they ring within two hours").unwrap();
    rings.iter().map(|ring| ring.says.0.clone()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_timer_rings_when_it_is_due_until_it_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let wall = Wall::at(at(17, 0));
    let schedule = schedule(&folder.path().join("joi.db"), wall.clone());
    let (mut alerts, _stop) = watch(&schedule);
    assert!(matches!(schedule.obey(timer(Some("pasta"), 570)).await.unwrap().report, OrderReport::Set(_)));
    assert_eq!(rings(&mut alerts, 1).await, ["Pasta timer."]);
    let late = wall.now().timestamp().duration_since(at(17, 0).timestamp()) - SignedDuration::from_secs(570);
    assert!(late >= SignedDuration::ZERO && late < SignedDuration::from_secs(1), "{late:?}");
    assert_eq!(alerts.announcer.waiting().len(), 1, "it is announced");
    schedule.obey(ScheduleOrder::Silence).await.unwrap();
    assert_eq!(rings(&mut alerts, 0).await, [""; 0]);
    assert_eq!(alerts.announcer.waiting(), [], "and withdrawn");
}

#[tokio::test(start_paused = true)]
async fn the_task_that_follows_one_that_failed_is_heard_by_the_same_listeners() {
    let folder = tempfile::tempdir().unwrap();
    let schedule = schedule(&folder.path().join("joi.db"), Wall::at(at(17, 0)));
    let announcer = Announcer::new(&AnnounceConfig::default(), None, Arc::clone(&schedule.parts.clock));
    let (ringer, shown) = Ringer::new(schedule.clone(), announcer.clone(), Heart::unwatched());
    let mut alerts = Alerts { rings: shown, changes: announcer.changes(), announcer };
    schedule.obey(timer(Some("pasta"), 570)).await.unwrap();
    let first = tokio::spawn(ringer.again(Heart::unwatched()).run(CancellationToken::new()));
    first.abort();
    assert!(first.await.is_err());
    tokio::spawn(ringer.again(Heart::unwatched()).run(CancellationToken::new()));
    assert_eq!(rings(&mut alerts, 1).await, ["Pasta timer."]);
    assert_eq!(alerts.announcer.waiting().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn everything_outlives_a_restart_and_missed_entries_are_announced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("joi.db");
    let clock = Arc::new(ManualClock::at(at(17, 0)));
    let first = schedule(&file, clock.clone());
    first.obey(timer(Some("egg"), 300)).await.unwrap();
    let said = Said {
        clock: Some(ClockSaid { hour: 7, minute: 0, exactness: Exactness::Either }),
        ..Said::default()
    };
    first.obey(alarm(said)).await.unwrap();
    let before = first.entries().await.unwrap();
    drop(first);
    clock.set(at(18, 0));
    let second = schedule(&file, clock.clone());
    assert_eq!(second.entries().await.unwrap(), before);
    let (mut alerts, stop) = watch(&second);
    assert_eq!(alerts.announced().await, "You missed something: the egg timer was due today at 5:05 PM.");
    stop.cancel();
    assert_eq!(second.entries().await.unwrap(), before[1..], "the alarm waits");
    let third = schedule(&file, clock);
    third.obey(timer(None, 60)).await.unwrap();
    let ids: Vec<_> = third.entries().await.unwrap().iter().map(|entry| entry.id.0).collect();
    assert_eq!(ids, [3, 2], "no number is used twice");
}

#[tokio::test(start_paused = true)]
async fn a_wrong_clock_is_announced_once_and_what_is_set_by_it_rings_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("joi.db");
    let clock = Arc::new(ManualClock::at(at(17, 0)));
    schedule(&file, clock).obey(timer(Some("of old"), 3_600)).await.unwrap();
    // After the power cut the clock shows the day before.
    let yesterday = at(17, 0).checked_sub(24.hours()).unwrap();
    let wall = Wall::at(yesterday);
    let after = schedule(&file, wall.clone());
    let (mut alerts, _stop) = watch(&after);
    assert_eq!(alerts.announced().await, english().sentences().schedule.wrong_clock);
    after.obey(timer(Some("of now"), 300)).await.unwrap();
    tokio::time::sleep(Duration::from_secs(100)).await;
    wall.put_forward(SignedDuration::from_hours(24));
    assert_eq!(rings(&mut alerts, 1).await, ["Of now timer."]);
    let passed = wall.at.elapsed();
    assert!(passed >= Duration::from_secs(300) && passed < Duration::from_secs(361), "{passed:?}");
    assert_eq!(alerts.announced().await, "Of now timer.", "it was told once");
}

#[tokio::test]
async fn two_programs_may_set_timers_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("joi.db");
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::at(at(17, 0)));
    let (one, other) = (schedule(&file, Arc::clone(&clock)), schedule(&file, clock));
    let set = |schedule: Schedule| async move {
        for _ in 0..20 {
            schedule.obey(timer(None, 600)).await.unwrap();
        }
    };
    tokio::join!(set(one.clone()), set(other));
    let mut ids: Vec<_> = one.entries().await.unwrap().iter().map(|entry| entry.id.0).collect();
    ids.sort_unstable();
    assert_eq!(ids, (1..=40).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_person_can_say_that_the_clock_is_right_and_alarms_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("joi.db");
    // The clock was a year ahead, and an alarm was set by it; then it was put right.
    let wrong = at(17, 0).checked_add(365.days()).unwrap();
    schedule(&file, Arc::new(ManualClock::at(wrong))).obey(timer(Some("of old"), 60)).await.unwrap();
    let now = Arc::new(ManualClock::at(at(17, 0)));
    let after = schedule(&file, now.clone());
    let six = ClockSaid { hour: 18, minute: 0, exactness: Exactness::Exact };
    let done = after.obey(alarm(Said { clock: Some(six), ..Said::default() })).await.unwrap();
    assert_eq!(done.trust, Trust::Behind);
    assert!(after.trust_clock().await.unwrap(), "it was in doubt");
    assert!(!after.trust_clock().await.unwrap(), "and is not any more");
    assert_eq!(after.obey(ScheduleOrder::List(None)).await.unwrap().trust, Trust::Right);
    now.set(at(18, 0));
    let (mut alerts, _stop) = watch(&after);
    assert_eq!(rings(&mut alerts, 1).await, ["It's 6 PM."]);
}

#[test]
fn a_name_of_a_stranger_is_announced_as_theirs() {
    let now = at(17, 0);
    let mut table = Table::at(now.clone());
    let named = |order: ScheduleOrder| match order {
        ScheduleOrder::Set(entry) => ScheduleOrder::Set(NewEntry { is_foreign: true, ..entry }),
        other => other,
    };
    table.order(&named(timer(Some("call 555 now!"), 60)));
    table.order(&named(reminder("pay the fee", Said { clock: Some(clock(17, 2)), ..Said::default() })));
    let rings = |at: usize, language| words::rings(&table.entries[at], &now, language);
    assert_eq!(rings(0, english()), "Timer that a text I read named \"call 555 now\".");
    assert_eq!(rings(1, english()), "Reminder that a text I read named \"pay the fee\".");
    assert_eq!(rings(0, german()), "Timer mit dem Namen „call 555 now“ aus einem fremden Text.");
    let missed = words::missed(&table.entries[..1], now.time_zone()).sentence(english(), &now);
    assert_eq!(
        missed,
        "You missed something: the timer that a text I read named \"call 555 now\" was due today at 5:01 PM."
    );
}

fn alarm_at(hour: u8, minute: u8) -> ScheduleOrder {
    alarm(Said { clock: Some(ClockSaid { hour, minute, exactness: Exactness::Exact }), ..Said::default() })
}

// A Pi that gets its time from the network, minutes after its start
#[tokio::test(start_paused = true)]
async fn a_clock_that_is_put_forward_moves_alarms_and_no_running_timer() {
    let folder = tempfile::tempdir().unwrap();
    let wall = Wall::at(at(17, 0));
    let schedule = schedule(&folder.path().join("joi.db"), wall.clone());
    let (mut alerts, _stop) = watch(&schedule);
    schedule.obey(timer(Some("pasta"), 600)).await.unwrap();
    schedule.obey(alarm_at(17, 5)).await.unwrap();
    schedule.obey(alarm_at(17, 30)).await.unwrap();
    tokio::time::sleep(Duration::from_secs(120)).await;
    wall.put_forward(SignedDuration::from_mins(20));
    // It is 17:22. The first alarm was passed over, which is announced; the second one rings in eight minutes.
    let forward = english().sentences().schedule.clock_forward.replace("{length}", "20 minutes");
    assert_eq!(alerts.announced().await, forward);
    assert!(alerts.announced().await.starts_with("You missed something: the 5:05 PM alarm"));
    let passed = wall.at.elapsed();
    assert!(passed < Duration::from_secs(125), "{passed:?}");
    let left = schedule.entries().await.unwrap();
    assert_eq!(left[0].left(&wall.now()).as_secs() / 10, (600 - passed.as_secs() as i64) / 10);
    assert_eq!(rings(&mut alerts, 2).await.len(), 2, "ten past by the steady clock, half past on the wall");
    let passed = wall.at.elapsed().as_secs();
    assert!((600..602).contains(&passed), "{passed} s");
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_put_back_makes_no_running_timer_wait() {
    for minutes in [1, 20, 24 * 60] {
        let folder = tempfile::tempdir().unwrap();
        let wall = Wall::at(at(17, 0));
        let schedule = schedule(&folder.path().join("joi.db"), wall.clone());
        let (mut alerts, _stop) = watch(&schedule);
        schedule.obey(timer(Some("pasta"), 600)).await.unwrap();
        tokio::time::sleep(Duration::from_secs(120)).await;
        wall.put_forward(SignedDuration::from_mins(-minutes));
        assert_eq!(rings(&mut alerts, 1).await, ["Pasta timer."]);
        let passed = wall.at.elapsed().as_secs();
        assert!((600..602).contains(&passed), "{passed} s, by {minutes} min");
        // It goes on ringing for its time, and a jump forward neither ends nor doubles it.
        tokio::time::sleep(Duration::from_secs(60)).await;
        wall.put_forward(SignedDuration::from_hours(30));
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(rings(&mut alerts, 1).await, ["Pasta timer."]);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_set_just_after_the_clock_was_set_counts_from_then() {
    for minutes in [-20, 20] {
        let folder = tempfile::tempdir().unwrap();
        let wall = Wall::at(at(17, 0));
        let schedule = schedule(&folder.path().join("joi.db"), wall.clone());
        let (mut alerts, _stop) = watch(&schedule);
        // Nothing counts yet, so the jump is noticed with the first timer.
        schedule.obey(alarm_at(19, 0)).await.unwrap();
        tokio::time::sleep(Duration::from_secs(30)).await;
        wall.put_forward(SignedDuration::from_mins(minutes));
        let begun = wall.at.elapsed();
        schedule.obey(timer(Some("pasta"), 600)).await.unwrap();
        assert_eq!(rings(&mut alerts, 1).await, ["Pasta timer."]);
        let passed = (wall.at.elapsed() - begun).as_secs();
        assert!((600..602).contains(&passed), "{passed} s, by {minutes} min");
    }
}

#[tokio::test(start_paused = true)]
async fn small_steps_of_the_clock_add_up_and_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let wall = Wall::at(at(17, 0));
    let schedule = schedule(&folder.path().join("joi.db"), wall.clone());
    let (mut alerts, _stop) = watch(&schedule);
    schedule.obey(timer(Some("pasta"), 600)).await.unwrap();
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_secs(1)).await;
        wall.put_forward(SignedDuration::from_millis(300));
    }
    rings(&mut alerts, 1).await;
    let passed = wall.at.elapsed().as_secs_f64();
    assert!((597.9..602.1).contains(&passed), "{passed} s");
}
