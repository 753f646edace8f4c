//! Commands to the house that are due: sent in their time, once, and announced when they failed.

use std::sync::Mutex;

use futures_util::future::{BoxFuture, pending, ready};
use tokio::sync::watch;

use super::ringing::{Alerts, Wall, schedule, watch_with};
use super::*;

/// Notes what it is to do, and says that it came to this; without an outcome it never ends.
struct NotedHand {
    seen: watch::Sender<Vec<LaterCommand>>,
    outcome: Mutex<Option<LaterOutcome>>,
}

impl NotedHand {
    fn new(outcome: Option<LaterOutcome>) -> Arc<Self> {
        Arc::new(Self { seen: watch::channel(Vec::new()).0, outcome: Mutex::new(outcome) })
    }

    fn sent(&self) -> Vec<String> {
        self.seen.borrow().iter().map(|one| format!("{}={}", one.item, one.text)).collect()
    }
}

impl HouseHand for NotedHand {
    fn obey(&self, commands: Vec<LaterCommand>) -> BoxFuture<'static, LaterOutcome> {
        self.seen.send_modify(|seen| seen.extend(commands));
        match *self.outcome.lock().unwrap() {
            Some(outcome) => Box::pin(ready(outcome)),
            None => Box::pin(pending()),
        }
    }
}

fn heating(when: When) -> ScheduleOrder {
    let does = vec![LaterCommand { item: "Bath_Heating".into(), text: "OFF".into() }];
    ScheduleOrder::SetHouse { name: "Bath heating off".into(), when, does }
}

async fn until_sent(hand: &NotedHand) {
    hand.seen.subscribe().wait_for(|seen| !seen.is_empty()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_command_is_sent_in_its_time_without_a_word_and_is_gone_then() {
    let folder = tempfile::tempdir().unwrap();
    let wall = Wall::at(at(17, 0));
    let schedule = schedule(&folder.path().join("joi.db"), wall.clone());
    let hand = NotedHand::new(Some(LaterOutcome::Done));
    let (alerts, _stop) = watch_with(&schedule, Some(hand.clone() as Arc<dyn HouseHand>));
    let set = schedule.obey(heating(When::In(600))).await.unwrap();
    assert_eq!(words::reported(&set.report, &set.at, english()), "In 10 minutes: Bath heating off.");
    assert_eq!(words::reported(&set.report, &set.at, german()), "In 10 Minuten: Bath heating off.");
    let listed = schedule.obey(ScheduleOrder::List(None)).await.unwrap();
    assert_eq!(words::reported(&listed.report, &listed.at, english()), "In 10 minutes: Bath heating off.");
    until_sent(&hand).await;
    assert!(wall.now() >= at(17, 10), "not before its time");
    gone(&schedule).await;
    assert_eq!(hand.sent(), ["Bath_Heating=OFF"]);
    assert_eq!((alerts.rings.borrow().len(), alerts.announcer.waiting().len()), (0, 0));
}

/// Waits until there is nothing in the schedule.
async fn gone(schedule: &Schedule) {
    while !schedule.entries().await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_command_can_be_cancelled_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let wall = Wall::at(at(17, 0));
    let schedule = schedule(&folder.path().join("joi.db"), wall.clone());
    let hand = NotedHand::new(Some(LaterOutcome::Done));
    let (_alerts, _stop) = watch_with(&schedule, Some(hand.clone() as Arc<dyn HouseHand>));
    schedule.obey(heating(When::In(600))).await.unwrap();
    let which = Which { name: Some("bath heating".into()), ..Which::of(Some(EntryKind::Timer)) };
    let done = schedule.obey(ScheduleOrder::Cancel(which)).await.unwrap();
    assert_eq!(words::reported(&done.report, &done.at, english()), "Bath heating off cancelled.");
    tokio::time::sleep(std::time::Duration::from_secs(1_200)).await;
    assert_eq!(hand.sent(), [""; 0]);
}

async fn announced(alerts: &mut Alerts) -> String {
    alerts.announced().await
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_announced_and_not_repeated() {
    for (outcome, sentence) in [
        (LaterOutcome::Failed, "This did not work in the house: Bath heating off today at 5:10 PM."),
        (
            LaterOutcome::Unknown,
            "I don't know whether this was done in the house: Bath heating off today at 5:10 PM.",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let schedule = schedule(&folder.path().join("joi.db"), Wall::at(at(17, 0)));
        let hand = NotedHand::new(Some(outcome));
        let (mut alerts, _stop) = watch_with(&schedule, Some(hand.clone() as Arc<dyn HouseHand>));
        schedule.obey(heating(When::In(600))).await.unwrap();
        assert_eq!(announced(&mut alerts).await, sentence);
        tokio::time::sleep(std::time::Duration::from_secs(600)).await;
        assert_eq!(hand.sent().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_command_outlives_a_restart_and_is_not_done_late() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("joi.db");
    let clock = Arc::new(ManualClock::at(at(17, 0)));
    let first = schedule(&file, clock.clone());
    first.obey(heating(When::In(600))).await.unwrap();
    let before = first.entries().await.unwrap();
    drop(first);
    clock.set(at(17, 5));
    let second = schedule(&file, clock.clone());
    assert_eq!(second.entries().await.unwrap(), before, "it is still there");
    drop(second);
    clock.set(at(17, 30));
    let third = schedule(&file, clock);
    let hand = NotedHand::new(Some(LaterOutcome::Done));
    let (mut alerts, _stop) = watch_with(&third, Some(hand.clone() as Arc<dyn HouseHand>));
    assert_eq!(
        announced(&mut alerts).await,
        "This was due in the house and was not done: Bath heating off today at 5:10 PM."
    );
    assert_eq!((hand.sent().len(), third.entries().await.unwrap().len()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_program_that_ends_while_a_command_is_sent_does_not_send_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("joi.db");
    let schedule_at = |moment| schedule(&file, Arc::new(ManualClock::at(moment)) as Arc<dyn Clock>);
    let first = schedule_at(at(17, 0));
    first.obey(heating(When::In(600))).await.unwrap();
    drop(first);
    let hangs = NotedHand::new(None);
    let second = schedule_at(at(17, 10));
    let (_alerts, stop) = watch_with(&second, Some(hangs.clone() as Arc<dyn HouseHand>));
    until_sent(&hangs).await;
    stop.cancel();
    let hand = NotedHand::new(Some(LaterOutcome::Done));
    let third = schedule_at(at(17, 11));
    let (mut alerts, _stop) = watch_with(&third, Some(hand.clone() as Arc<dyn HouseHand>));
    assert!(announced(&mut alerts).await.starts_with("I don't know whether this was done in the house"));
    assert_eq!((hand.sent().len(), third.entries().await.unwrap().len()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn while_the_clock_is_wrong_a_command_waits_and_silence_and_snooze_leave_it_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("joi.db");
    let clock = Arc::new(ManualClock::at(at(17, 0)));
    let before = schedule(&file, clock.clone());
    before.obey(heating(When::In(600))).await.unwrap();
    drop(before);
    // The clock starts in the past: its latest moment is on the disk.
    clock.set(at(3, 0));
    let after = schedule(&file, clock.clone());
    let hand = NotedHand::new(Some(LaterOutcome::Done));
    let (_alerts, _stop) = watch_with(&after, Some(hand.clone() as Arc<dyn HouseHand>));
    assert_eq!(after.obey(ScheduleOrder::Silence).await.unwrap().report, OrderReport::NothingRings);
    tokio::time::sleep(std::time::Duration::from_secs(300)).await;
    assert_eq!((hand.sent().len(), after.entries().await.unwrap().len()), (0, 1));
}
