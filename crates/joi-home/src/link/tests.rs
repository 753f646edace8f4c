//! The course of the connection, with time as a value.

use std::time::Duration;

use tokio::time::Instant;

use super::{HomeConnection, LinkAction, LinkEvent, SETTLED_AFTER, SILENT_AFTER};
use crate::fault::HomeFault;

struct Bench {
    connection: HomeConnection,
    now: Instant,
}

fn refused() -> HomeFault {
    HomeFault::Unreachable { address: "oh".into(), why: "connection refused".into() }
}

fn starting() -> HomeFault {
    HomeFault::Starting { why: "status 404".into() }
}

impl Bench {
    fn new() -> Self {
        let now = Instant::now();
        Self { connection: HomeConnection::new(now), now }
    }

    fn on(&mut self, event: LinkEvent) -> LinkAction {
        self.connection.on(event, self.now)
    }

    /// Lets time pass up to the next thing to do. Out: how long, and what.
    fn wait(&mut self) -> (Duration, LinkAction) {
        let due = self.connection.due().expect("something is due");
        let waited = due.saturating_duration_since(self.now);
        self.now = due;
        (waited, self.on(LinkEvent::Tick))
    }

    fn up() -> Self {
        let mut bench = Self::new();
        assert_eq!(bench.wait().1, LinkAction::Open);
        assert_eq!(bench.on(LinkEvent::Opened), LinkAction::Read);
        assert_eq!(bench.on(good()), LinkAction::Believe);
        bench
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        self.on(LinkEvent::Heard);
    }
}

fn good() -> LinkEvent {
    LinkEvent::Read { items: 32, before: 32 }
}

#[test]
fn a_server_that_is_there_is_believed_at_once() {
    Bench::up();
}

#[test]
fn the_house_is_read_after_the_stream_is_open_and_after_every_gap() {
    let mut bench = Bench::up();
    bench.pass(Duration::from_secs(60));
    assert!(matches!(bench.on(LinkEvent::Closed(refused())), LinkAction::Lose(_)));
    assert_eq!(bench.wait(), (Duration::ZERO, LinkAction::Open));
    assert_eq!(bench.on(LinkEvent::Opened), LinkAction::Read);
    assert_eq!(bench.on(good()), LinkAction::Believe);
}

#[test]
fn a_silent_stream_is_dropped_and_a_sign_of_life_keeps_it() {
    let mut bench = Bench::up();
    for _ in 0..10 {
        bench.pass(SILENT_AFTER - Duration::from_millis(1));
        assert_eq!(bench.on(LinkEvent::Tick), LinkAction::Nothing);
    }
    bench.now += SILENT_AFTER;
    assert!(matches!(bench.on(LinkEvent::Tick), LinkAction::Lose(_)));
    assert_eq!(bench.wait(), (Duration::ZERO, LinkAction::Open));
}

#[test]
fn waits_grow_to_two_seconds_so_that_a_server_is_found_within_five() {
    let mut bench = Bench::new();
    let mut longest = Duration::ZERO;
    for _ in 0..10 {
        let (waited, action) = bench.wait();
        assert_eq!(action, LinkAction::Open);
        longest = longest.max(waited);
        assert!(matches!(bench.on(LinkEvent::Closed(refused())), LinkAction::Lose(_)));
    }
    assert_eq!(longest, Duration::from_secs(2));
    assert!(longest + SETTLED_AFTER + Duration::from_millis(500) <= Duration::from_secs(5));
}

#[test]
fn a_server_that_is_back_is_believed_within_five_seconds_however_long_it_was_gone() {
    for (failures, is_reached) in [1, 2, 5, 20, 300].into_iter().flat_map(|n| [(n, false), (n, true)]) {
        let mut bench = Bench::up();
        bench.pass(Duration::from_secs(60));
        bench.on(LinkEvent::Closed(refused()));
        assert_eq!(bench.wait().1, LinkAction::Open);
        if is_reached {
            bench.on(LinkEvent::Opened);
        }
        for _ in 0..failures {
            let fails = if is_reached { LinkEvent::Unread(starting()) } else { LinkEvent::Closed(refused()) };
            bench.on(fails);
            bench.wait();
            bench.on(LinkEvent::Heard);
        }
        // It failed just before it was back: the longest wait there is lies ahead.
        bench.on(if is_reached { LinkEvent::Unread(starting()) } else { LinkEvent::Closed(refused()) });
        let back = bench.now;
        while bench.now - back <= Duration::from_secs(60) {
            if bench.wait().1 == LinkAction::Open {
                bench.on(LinkEvent::Opened);
            }
            if bench.on(good()) == LinkAction::Believe {
                break;
            }
        }
        assert!(
            bench.now - back <= Duration::from_secs(5),
            "{failures} {is_reached}: {:?}",
            bench.now - back
        );
    }
}

#[test]
fn a_stream_that_ends_at_once_again_and_again_does_not_spin() {
    let mut bench = Bench::new();
    let mut opened = 0;
    let end = bench.now + Duration::from_secs(60);
    while bench.now < end {
        bench.wait();
        bench.on(LinkEvent::Opened);
        bench.on(good());
        bench.on(LinkEvent::Closed(refused()));
        opened += 1;
    }
    assert!(opened < 40, "{opened}");
}

#[test]
fn after_a_start_two_good_answers_two_seconds_apart_are_wanted() {
    let mut bench = Bench::new();
    bench.wait();
    bench.on(LinkEvent::Closed(refused()));
    assert_eq!(bench.wait().1, LinkAction::Open);
    assert_eq!(bench.on(LinkEvent::Opened), LinkAction::Read);
    assert_eq!(bench.on(LinkEvent::Unread(starting())), LinkAction::Falter(starting()));
    assert_eq!(bench.wait(), (Duration::from_millis(500), LinkAction::Read));
    assert_eq!(bench.on(good()), LinkAction::BelieveStarting);
    assert_eq!(bench.wait(), (SETTLED_AFTER, LinkAction::Read));
    // It flaps: all anew.
    assert_eq!(bench.on(LinkEvent::Unread(starting())), LinkAction::Falter(starting()));
    assert_eq!(bench.wait().1, LinkAction::Read);
    assert_eq!(bench.on(good()), LinkAction::BelieveStarting);
    assert_eq!(bench.wait().1, LinkAction::Read);
    assert_eq!(bench.on(good()), LinkAction::Believe);
}

#[test]
fn a_fault_while_reading_is_shown_as_it_is_and_the_stream_stays() {
    let proxy = || HomeFault::Proxy { status: 502 };
    let garbled = || HomeFault::Unreadable { why: "status 500, broken".into() };
    for fault in [refused(), starting(), proxy(), garbled()] {
        let mut bench = Bench::up();
        bench.on(LinkEvent::Layout);
        assert_eq!(bench.wait().1, LinkAction::Read);
        assert_eq!(bench.on(LinkEvent::Unread(fault.clone())), LinkAction::Falter(fault.clone()));
        assert_eq!(bench.wait(), (Duration::from_millis(500), LinkAction::Read), "{fault:?}");
        assert_eq!(bench.on(good()), LinkAction::BelieveStarting);
        assert_eq!(bench.wait(), (SETTLED_AFTER, LinkAction::Read));
        assert_eq!(bench.on(good()), LinkAction::Believe);
    }
}

#[test]
fn a_house_that_lost_most_items_is_read_twice_before_it_is_believed() {
    let mut bench = Bench::up();
    bench.on(LinkEvent::Layout);
    assert_eq!(bench.wait().1, LinkAction::Read);
    let empty = LinkEvent::Read { items: 0, before: 32 };
    assert_eq!(bench.on(empty.clone()), LinkAction::Doubt);
    assert_eq!(bench.wait(), (SETTLED_AFTER, LinkAction::Read));
    assert_eq!(bench.on(empty), LinkAction::Believe);
}

#[test]
fn a_burst_of_changes_is_one_reading() {
    let mut bench = Bench::up();
    for _ in 0..500 {
        assert_eq!(bench.on(LinkEvent::Layout), LinkAction::Nothing);
    }
    let (waited, action) = bench.wait();
    assert_eq!(action, LinkAction::Read);
    assert!(waited <= Duration::from_secs(3), "{waited:?}");
    // A change while it is being read is read once more.
    bench.on(LinkEvent::Layout);
    assert_eq!(bench.on(good()), LinkAction::Believe);
    assert!(bench.wait().0 < Duration::from_secs(1));
}

#[test]
fn changes_that_never_end_do_not_put_the_reading_off_for_ever() {
    let mut bench = Bench::up();
    let begun = bench.now;
    loop {
        bench.on(LinkEvent::Layout);
        bench.now += Duration::from_millis(100);
        if bench.on(LinkEvent::Tick) == LinkAction::Read {
            break;
        }
        assert!(bench.now - begun < Duration::from_secs(4), "never read");
    }
}

#[test]
fn what_only_the_owner_can_mend_is_asked_rarely() {
    let mut bench = Bench::up();
    bench.on(LinkEvent::Layout);
    bench.wait();
    assert_eq!(bench.on(LinkEvent::Unread(HomeFault::WrongToken)), LinkAction::Lose(HomeFault::WrongToken));
    assert_eq!(bench.wait(), (Duration::from_secs(30), LinkAction::Open));
}

#[test]
fn a_house_that_can_t_be_read_for_long_is_asked_less_often() {
    let mut bench = Bench::new();
    bench.wait();
    bench.on(LinkEvent::Opened);
    let mut waits = Vec::new();
    for _ in 0..200 {
        bench.on(LinkEvent::Unread(starting()));
        let (waited, action) = bench.wait();
        bench.on(LinkEvent::Heard);
        assert_eq!(action, LinkAction::Read);
        waits.push(waited);
    }
    assert_eq!((waits[0], waits[199]), (Duration::from_millis(500), Duration::from_secs(2)));
}

#[test]
fn metadata_is_read_again_every_ten_minutes() {
    let mut bench = Bench::up();
    let begun = bench.now;
    while bench.connection.on(LinkEvent::Tick, bench.now) != LinkAction::Read {
        bench.pass(Duration::from_secs(10));
        assert!(bench.now - begun <= Duration::from_secs(610), "never");
    }
    assert!(bench.now - begun >= Duration::from_secs(600));
}
