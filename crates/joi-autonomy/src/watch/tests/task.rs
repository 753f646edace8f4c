//! The task over a house made by hand, with a real queue and database: nothing is lost or doubled.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::{broadcast, watch};

use super::*;
use joi_base::clock::{Clock, ManualClock};
use joi_base::message::Origin;
use joi_home::{HomeLink, HomeView, ServerEvent};
use joi_language::testing::english;
use joi_language::values::{HouseHand, LaterOutcome, WatchOrder};
use joi_schedule::announce::{AnnounceConfig, Announcer};
use joi_store::Store;

/// Notes what it is to send.
#[derive(Default)]
struct Hand(Mutex<Vec<String>>);

impl HouseHand for Hand {
    fn obey(&self, commands: Vec<LaterCommand>) -> BoxFuture<'static, LaterOutcome> {
        self.0.lock().unwrap().extend(commands.into_iter().map(|one| format!("{}={}", one.item, one.text)));
        std::future::ready(LaterOutcome::Done).boxed()
    }
}

pub(super) struct Bench {
    store: Store,
    pub(super) clock: Arc<ManualClock>,
    announcer: Announcer,
    pub(super) watches: Watches,
    house: watch::Sender<HomeView>,
    events: broadcast::Sender<ServerEvent>,
    hand: Arc<Hand>,
    task: WatchTask,
}

fn view(house: House) -> HomeView {
    HomeView { house, link: HomeLink::Up { version: "5".into() } }
}

pub(super) async fn bench(store: Store, seconds: i64) -> Bench {
    let clock = Arc::new(ManualClock::at(at(seconds).to_zoned(jiff::tz::TimeZone::UTC)));
    let shown = Arc::clone(&clock) as Arc<dyn Clock>;
    let announcer = Announcer::new(&AnnounceConfig::default(), Some(store.clone()), Arc::clone(&shown));
    announcer.restore().await.unwrap();
    let watches = Watches::new(store.clone(), shown, None);
    let (house, seen) = watch::channel(HomeView::default());
    let (events, received) = broadcast::channel(64);
    let hand = Arc::new(Hand::default());
    let source = HouseSource { view: seen, events: received, hand: Arc::clone(&hand) as Arc<dyn HouseHand> };
    let task = WatchTask::new(watches.clone(), announcer.clone(), source);
    Bench { store, clock, announcer, watches, house, events, hand, task }
}

impl Bench {
    pub(super) async fn add(&mut self, wanted: NewWatch) {
        let words = OrderOrigin { said: "words".into(), origin: Origin::Typing };
        let house = self.house.borrow().house.clone();
        self.watches.obey(WatchOrder::Add(wanted), words, Some(house)).await.unwrap();
        self.task.is_stale = true;
    }

    pub(super) async fn is(&mut self, house: House) {
        self.house.send_replace(view(house));
        self.task.look().await;
    }

    pub(super) fn says(&self) -> Vec<String> {
        let now = self.clock.now();
        self.announcer.waiting().iter().map(|w| w.announcement.wording.text(english(), &now).0).collect()
    }

    async fn kept(&self) -> usize {
        self.store.announcements().await.unwrap().len()
    }
}

fn door(state: &str) -> House {
    house(&[("Door", "Contact", state), ("Bell", "Switch", "OFF"), ("Lamp", "Switch", "OFF")])
}

fn opens() -> NewWatch {
    notice(condition(WatchTest::Open, &["Door"]))
}

#[tokio::test]
async fn a_change_is_announced_once_and_kept_over_a_restart_in_any_moment() {
    let store = Store::in_memory().unwrap();
    let mut before = bench(store.clone(), 0).await;
    before.is(door("CLOSED")).await;
    before.add(opens()).await;
    drop(before);
    // It opens while nobody watches.
    let mut after = bench(store.clone(), 60).await;
    after.is(door("OPEN")).await;
    assert_eq!(after.says(), ["Door is open."]);
    assert_eq!((after.kept().await, after.watches.all().await.unwrap().len()), (1, 0));
    after.is(door("OPEN")).await;
    drop(after);
    let mut last = bench(store, 120).await;
    last.is(door("OPEN")).await;
    assert_eq!(last.says(), ["Door is open."], "it was not heard yet, and is there once");
}

#[tokio::test]
async fn ten_minutes_go_on_over_a_restart() {
    let store = Store::in_memory().unwrap();
    let lasts = notice(WatchCondition { for_s: 600, ..condition(WatchTest::Open, &["Door"]) });
    let mut before = bench(store.clone(), 0).await;
    before.is(door("CLOSED")).await;
    before.add(lasts).await;
    before.is(door("OPEN")).await;
    drop(before);
    let mut after = bench(store, 599).await;
    after.is(door("OPEN")).await;
    assert_eq!(after.says(), [""; 0]);
    let mut later = bench(after.store.clone(), 600).await;
    later.is(door("OPEN")).await;
    assert_eq!(later.says(), ["Door has been open for 10 minutes."]);
}

#[tokio::test]
async fn a_ring_too_short_to_be_seen_is_noticed_and_one_that_waits_is_not_said_twice() {
    let mut bench = bench(Store::in_memory().unwrap(), 0).await;
    bench.is(door("CLOSED")).await;
    bench.add(always(notice(condition(WatchTest::Rings, &["Bell"])))).await;
    bench.task.look().await;
    let ring = |bench: &Bench| {
        for text in ["ON", "OFF"] {
            bench.events.send(ServerEvent::State { item: "Bell".into(), text: text.into() }).unwrap();
        }
    };
    ring(&bench);
    bench.task.look().await;
    assert_eq!(bench.says(), ["Bell is ringing."]);
    bench.clock.set(at(60).to_zoned(jiff::tz::TimeZone::UTC));
    ring(&bench);
    bench.task.look().await;
    assert_eq!(bench.says().len(), 1);
    assert_eq!(bench.watches.all().await.unwrap().len(), 1, "every time goes on");
}

#[tokio::test]
async fn a_command_is_sent_once_and_one_that_was_on_its_way_at_the_end_is_reported() {
    let store = Store::in_memory().unwrap();
    let mut before = bench(store.clone(), 0).await;
    before.is(door("CLOSED")).await;
    before.add(lamp_on(opens())).await;
    before.is(door("OPEN")).await;
    assert_eq!(*before.hand.0.lock().unwrap(), ["Lamp=ON"]);
    assert!(before.watches.all().await.unwrap()[0].is_sending, "marked before it is sent");
    drop(before);
    let mut after = bench(store, 10).await;
    after.is(door("OPEN")).await;
    assert_eq!(after.hand.0.lock().unwrap().len(), 0);
    assert_eq!(after.says(), ["I was to do this, and don't know whether it was done: Lamp on."]);
    assert_eq!(after.watches.all().await.unwrap().len(), 0);
}

#[tokio::test]
async fn what_somebody_has_ended_meanwhile_is_not_said() {
    let mut bench = bench(Store::in_memory().unwrap(), 0).await;
    bench.is(door("CLOSED")).await;
    bench.add(opens()).await;
    bench.task.look().await;
    let words = OrderOrigin { said: "stop".into(), origin: Origin::Typing };
    bench.watches.obey(WatchOrder::Remove(WatchChoice::All), words, None).await.unwrap();
    bench.is(door("OPEN")).await;
    assert_eq!((bench.says().len(), bench.kept().await), (0, 0));
}

#[tokio::test]
async fn a_disk_that_can_not_be_written_keeps_nothing_from_being_said_and_sends_nothing() {
    let mut bench = bench(Store::in_memory().unwrap(), 0).await;
    bench.is(door("CLOSED")).await;
    bench.add(opens()).await;
    bench.add(lamp_on(notice(condition(WatchTest::Open, &["Door"])))).await;
    bench.task.look().await;
    bench.store.make_read_only().await;
    bench.is(door("OPEN")).await;
    assert_eq!(bench.says(), ["Door is open."]);
    assert_eq!(bench.hand.0.lock().unwrap().len(), 0, "it might be sent again after a restart");
    bench.is(door("OPEN")).await;
    assert_eq!(bench.says().len(), 1);
}

#[tokio::test]
async fn a_clock_that_jumps_makes_nothing_ten_minutes_old() {
    tokio::time::pause();
    let mut bench = bench(Store::in_memory().unwrap(), 0).await;
    bench.is(door("OPEN")).await;
    bench.add(notice(WatchCondition { for_s: 600, ..condition(WatchTest::Open, &["Door"]) })).await;
    bench.task.look().await;
    bench.clock.set(at(7_200).to_zoned(jiff::tz::TimeZone::UTC));
    bench.task.look().await;
    assert_eq!(bench.says(), [""; 0], "the clock was set, and no time has passed");
}
