//! The outbox with a carrier that does as its test says: rates, order, faults, the end of the program at any point.

mod hangs;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::carrier::Parcel;
use super::letter::{Letter, LetterState};
use super::*;
use crate::testing::outbox;
use joi_base::clock::ManualClock;
use joi_base::pulse::Heart;
use joi_language::Language;
use joi_store::Store;

pub(super) fn minutes(count: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_mins(count)
}

/// Returns a message that waits, posted at the first moment.
pub(super) fn letter(urgency: Urgency) -> Letter {
    Letter::new(&outgoing(urgency, "words"), CarrierName::Signal, minutes(0))
}

pub(super) fn english() -> Arc<Language> {
    Arc::new(Language::load("en").unwrap())
}

fn outgoing(urgency: Urgency, text: &str) -> Outgoing {
    Outgoing { audience: Audience::Owner, text: text.to_owned(), urgency, key: None, expires: None }
}

/// What the carrier does with the next message.
enum Deed {
    Says(Result<Option<MessageStamp>, CarryFault>),
    /// Nothing is heard of it again.
    Hangs,
}

struct Double {
    name: CarrierName,
    link: watch::Sender<CarrierLink>,
    carried: Mutex<Vec<Parcel>>,
    deeds: Mutex<VecDeque<Deed>>,
}

impl Double {
    fn new(name: CarrierName) -> Arc<Self> {
        let link = watch::channel(CarrierLink::Up).0;
        Arc::new(Self { name, link, carried: Mutex::default(), deeds: Mutex::default() })
    }

    fn does(&self, deed: Deed) {
        self.deeds.lock().unwrap().push_back(deed);
    }

    fn texts(&self) -> Vec<String> {
        self.carried.lock().unwrap().iter().map(|parcel| parcel.text.0.clone()).collect()
    }
}

impl Carrier for Double {
    fn name(&self) -> CarrierName {
        self.name
    }

    fn link(&self) -> watch::Receiver<CarrierLink> {
        self.link.subscribe()
    }

    fn carry(&self, parcel: Parcel) -> BoxFuture<'static, Result<Option<MessageStamp>, CarryFault>> {
        self.carried.lock().unwrap().push(parcel);
        match self.deeds.lock().unwrap().pop_front() {
            None => async { Ok(None) }.boxed(),
            Some(Deed::Says(outcome)) => async { outcome }.boxed(),
            Some(Deed::Hangs) => std::future::pending().boxed(),
        }
    }
}

/// An outbox whose task can be killed and started again.
struct Bench {
    outbox: Outbox,
    clock: Arc<ManualClock>,
    signal: Arc<Double>,
    ntfy: Arc<Double>,
    carriers: Vec<CarrierName>,
    task: Option<JoinHandle<()>>,
}

impl Bench {
    fn new(carriers: &[CarrierName]) -> Self {
        let clock = Arc::new(ManualClock::at(minutes(0).to_zoned(jiff::tz::TimeZone::UTC)));
        let outbox = outbox(Store::in_memory().unwrap(), clock.clone(), carriers);
        let (signal, ntfy) = (Double::new(CarrierName::Signal), Double::new(CarrierName::Ntfy));
        Self { outbox, clock, signal, ntfy, carriers: carriers.to_vec(), task: None }
    }

    fn signal() -> Self {
        Self::new(&[CarrierName::Signal])
    }

    fn start(&mut self) {
        let all: [Arc<dyn Carrier>; 2] = [self.signal.clone(), self.ntfy.clone()];
        let used = all.into_iter().filter(|carrier| self.carriers.contains(&carrier.name())).collect();
        let dispatcher = Dispatcher::new(self.outbox.clone(), used);
        self.task = Some(tokio::spawn(dispatcher.run(CancellationToken::new(), Heart::unwatched())));
    }

    /// As kill -9 does: nobody gets an answer, and what was in memory is gone.
    fn kill(&mut self) {
        self.task.take().unwrap().abort();
        self.outbox = Outbox::new((*self.outbox.parts).clone());
    }

    fn at(&self, now: Timestamp) {
        self.clock.set(now.to_zoned(jiff::tz::TimeZone::UTC));
    }

    async fn post(&self, urgency: Urgency, text: &str) -> OutgoingId {
        self.outbox.post(outgoing(urgency, text)).await.unwrap()
    }

    /// Lets everything happen that happens within so many seconds of both clocks.
    async fn pass(&self, seconds: i64) {
        for _ in 0..seconds {
            self.at(self.outbox.now() + SignedDuration::from_secs(1));
            self.settle().await;
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        self.settle().await;
    }

    /// Lets the task do all that it can do now.
    async fn settle(&self) {
        self.outbox.shared.posted.notify_one();
        for _ in 0..200 {
            // Each a round trip through the database's thread, in which the task gets on.
            let _ = self.outbox.counts().await;
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_posted_is_sent_once_and_its_words_are_erased() {
    let mut bench = Bench::signal();
    bench.start();
    let id = bench.post(Urgency::Direct, "Hello.").await;
    bench.settle().await;
    assert_eq!(bench.signal.texts(), ["Hello."]);
    assert_eq!(bench.outbox.state(id).await.unwrap(), Some(LetterState::Sent));
    let rows = bench.outbox.parts.store.outgoing().await.unwrap();
    assert!(rows.iter().all(|row| !row.message.contains("Hello")), "{rows:?}");
}

#[tokio::test(start_paused = true)]
async fn an_alert_goes_by_every_carrier_and_an_answer_by_one() {
    let mut bench = Bench::new(&[CarrierName::Ntfy, CarrierName::Signal]);
    bench.start();
    bench.post(Urgency::Critical, "Smoke!").await;
    bench.post(Urgency::Direct, "Hello.").await;
    bench.settle().await;
    assert_eq!(bench.signal.texts(), ["Smoke!", "Hello."]);
    assert_eq!(bench.ntfy.texts(), ["Smoke!"]);
}

#[tokio::test(start_paused = true)]
async fn the_same_key_within_a_day_is_the_same_message() {
    let mut bench = Bench::signal();
    bench.start();
    let smoke = || Outgoing { key: Some("smoke/1".into()), ..outgoing(Urgency::Critical, "Smoke!") };
    bench.outbox.post(smoke()).await.unwrap();
    bench.settle().await;
    bench.outbox.post(smoke()).await.unwrap();
    bench.settle().await;
    assert_eq!(bench.signal.texts().len(), 1);
    bench.at(minutes(24 * 60 + 1));
    bench.outbox.post(smoke()).await.unwrap();
    bench.settle().await;
    assert_eq!(bench.signal.texts().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_sixty_first_answer_waits_and_the_owner_learns_once_until_when() {
    let mut bench = Bench::signal();
    bench.start();
    for n in 0..63 {
        bench.post(Urgency::Direct, &format!("Answer {n}.")).await;
    }
    for _ in 0..40 {
        bench.settle().await;
    }
    let sent = bench.signal.texts();
    assert_eq!(sent.len(), 60);
    let told: Vec<_> = sent.iter().filter(|text| text.contains("1 AM")).collect();
    assert_eq!(told, ["Answer 59.\n\n(That was my last message for now; the next ones come from 1 AM on.)"]);
    assert_eq!(bench.outbox.counts().await.unwrap().direct, 60);
    bench.post(Urgency::Critical, "Smoke!").await;
    bench.settle().await;
    assert_eq!(bench.signal.texts().last().unwrap(), "Smoke!");
    bench.at(minutes(60));
    bench.settle().await;
    let late = bench.signal.texts().split_off(61);
    assert_eq!(late.len(), 3, "{late:?}");
    assert!(late[0].ends_with("Answer 60.") && late[0].starts_with("(From today at midnight.)"), "{late:?}");
}

#[tokio::test(start_paused = true)]
async fn a_carrier_that_is_down_gets_nothing_and_everything_once_it_is_up() {
    let mut bench = Bench::signal();
    bench.signal.link.send_replace(CarrierLink::Down("no daemon".into()));
    bench.start();
    bench.post(Urgency::Direct, "one").await;
    bench.post(Urgency::Critical, "Smoke!").await;
    bench.settle().await;
    assert_eq!(bench.signal.texts(), [""; 0]);
    assert_eq!(bench.outbox.counts().await.unwrap().waiting, 2);
    bench.signal.link.send_replace(CarrierLink::Up);
    bench.settle().await;
    assert_eq!(bench.signal.texts(), ["Smoke!", "one"]);
}

#[tokio::test(start_paused = true)]
async fn an_alert_does_not_wait_for_an_answer_that_hangs() {
    let mut bench = Bench::signal();
    bench.signal.does(Deed::Hangs);
    bench.start();
    bench.post(Urgency::Direct, "slow").await;
    bench.settle().await;
    bench.post(Urgency::Critical, "Smoke!").await;
    bench.settle().await;
    assert_eq!(bench.signal.texts(), ["slow", "Smoke!"]);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_program_at_any_point_loses_no_alert_and_marks_the_one_that_may_be_doubled() {
    // Before the task saw it.
    let mut bench = Bench::signal();
    bench.post(Urgency::Critical, "Smoke!").await;
    bench.start();
    bench.kill();
    bench.start();
    bench.settle().await;
    assert_eq!(bench.signal.texts(), ["Smoke!"]);

    // While the carrier has it, and several more wait behind it.
    let mut bench = Bench::signal();
    bench.signal.does(Deed::Hangs);
    bench.start();
    for text in ["Smoke!", "Water!", "Gas!"] {
        bench.post(Urgency::Critical, text).await;
    }
    bench.settle().await;
    assert_eq!(bench.signal.texts(), ["Smoke!"]);
    bench.kill();
    bench.start();
    bench.pass(10).await;
    let texts = bench.signal.texts();
    assert_eq!(texts, ["Smoke!", "Water!", "Gas!", "(You may have had this already.) Smoke!"]);

    // After it was sent.
    bench.kill();
    bench.start();
    bench.pass(10).await;
    assert_eq!(bench.signal.texts().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_not_sent_comes_again_in_its_place_and_one_in_doubt_once_with_a_mark() {
    let mut bench = Bench::signal();
    bench.signal.does(Deed::Says(Err(CarryFault::Unsent("the daemon died".into()))));
    bench.start();
    bench.post(Urgency::Direct, "one").await;
    bench.post(Urgency::Direct, "two").await;
    bench.pass(3).await;
    assert_eq!(bench.signal.texts(), ["one", "one", "two"]);
    for _ in 0..2 {
        bench.signal.does(Deed::Says(Err(CarryFault::Unknown("the daemon died".into()))));
    }
    let id = bench.post(Urgency::Direct, "three").await;
    bench.pass(20).await;
    assert_eq!(bench.signal.texts()[3..], ["three", "(You may have had this already.) three"]);
    assert_eq!(bench.outbox.state(id).await.unwrap(), Some(LetterState::GivenUp));
    assert_eq!(bench.outbox.counts().await.unwrap().given_up, 1);
}

#[tokio::test(start_paused = true)]
async fn a_database_that_can_not_be_written_keeps_no_alert_from_being_sent_and_refuses_an_answer() {
    let mut bench = Bench::signal();
    bench.start();
    bench.settle().await;
    bench.outbox.parts.store.break_outgoing().await;
    assert!(bench.outbox.post(outgoing(Urgency::Direct, "Hello.")).await.is_err());
    let smoke = Outgoing { key: Some("smoke".into()), ..outgoing(Urgency::Critical, "Smoke!") };
    for _ in 0..2 {
        bench.outbox.post(smoke.clone()).await.unwrap();
        bench.pass(1).await;
    }
    assert_eq!(bench.signal.texts(), ["Smoke!"], "the second one comes when the first was sent");
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_jumps_by_a_day_loses_no_alert() {
    for jump in [24 * 60, -24 * 60] {
        let mut bench = Bench::signal();
        bench.signal.does(Deed::Says(Err(CarryFault::Unsent("down".into()))));
        bench.start();
        bench.post(Urgency::Critical, "Smoke!").await;
        bench.settle().await;
        bench.at(minutes(jump));
        bench.settle().await;
        let texts = bench.signal.texts();
        assert_eq!(texts.len(), 2, "{jump}: {texts:?}");
        assert!(texts[1].ends_with("Smoke!"));
    }
}

#[tokio::test(start_paused = true)]
async fn too_many_that_wait_cost_the_least_urgent_and_never_an_alert() {
    let bench = Bench::signal();
    let alert = bench.post(Urgency::Critical, "Smoke!").await;
    let unasked = bench.post(Urgency::Proactive, "By the way.").await;
    let first = bench.post(Urgency::Direct, "first").await;
    for _ in 0..299 {
        bench.post(Urgency::Direct, "more").await;
    }
    let state = |id| bench.outbox.state(id);
    assert_eq!(state(alert).await.unwrap(), Some(LetterState::Waiting));
    assert_eq!(state(unasked).await.unwrap(), Some(LetterState::GivenUp));
    assert_eq!(state(first).await.unwrap(), Some(LetterState::GivenUp));
    assert_eq!(bench.outbox.counts().await.unwrap().waiting, 300);
}

#[tokio::test(start_paused = true)]
async fn alerts_that_wait_give_way_to_no_answer() {
    let bench = Bench::signal();
    let first = bench.post(Urgency::Critical, "Smoke!").await;
    for _ in 0..299 {
        bench.post(Urgency::Critical, "more").await;
    }
    let refused = bench.post(Urgency::Direct, "answer").await;
    assert_eq!(bench.outbox.state(first).await.unwrap(), Some(LetterState::Waiting));
    assert_eq!(bench.outbox.state(refused).await.unwrap(), None);
    bench.post(Urgency::Critical, "newest").await;
    assert_eq!(bench.outbox.state(first).await.unwrap(), Some(LetterState::GivenUp));
    assert_eq!(bench.outbox.counts().await.unwrap().waiting, 300);
}

#[tokio::test]
async fn without_a_carrier_nothing_is_kept() {
    let bench = Bench::new(&[]);
    assert_eq!(bench.post(Urgency::Critical, "Smoke!").await, OutgoingId(0));
    assert!(!bench.outbox.has_carriers());
    assert_eq!(bench.outbox.counts().await.unwrap(), OutboxCounts::default());
}

proptest::proptest! {
    #[test]
    fn foreign_bytes_in_the_place_of_a_stored_message_cost_only_that_message(
        text in joi_base::testing::damaged_text(&serde_json::to_string(&letter(Urgency::Critical)).unwrap()),
        json in joi_base::testing::damaged_json(&serde_json::json!(Letter {
            not_before: Some(minutes(3)),
            handed: Some(minutes(1)),
            ..letter(Urgency::Direct)
        })),
    ) {
        let stored = [serde_json::from_str::<Letter>(&text), serde_json::from_value(json)];
        let mut letters: Vec<_> = stored.into_iter().flatten().map(|read| (OutgoingId(1), read)).collect();
        for (_, read) in &letters {
            let now = minutes(5).to_zoned(jiff::tz::TimeZone::UTC);
            wording::worded(read, Some(minutes(7)), joi_language::testing::english(), &now);
            outcome::after(read.clone(), &Err(CarryFault::Unknown("x".into())), minutes(5));
        }
        letters.push((OutgoingId(2), letter(Urgency::Critical)));
        let (up, limits) = ([CarrierName::Signal], OutboundConfig::default());
        let step = decide::next(&decide::OutboxView {
            letters: &letters,
            up: &up,
            busy: &[],
            limits: &limits,
            now: minutes(5),
        });
        proptest::prop_assert!(!matches!(step, decide::SendStep::Wait(_)), "the sound one goes out: {:?}", step);
    }
}
