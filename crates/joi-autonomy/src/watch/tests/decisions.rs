//! When a watch acts, and when it does not: each boundary one step before and behind.

use super::super::look::{GONE_AFTER, IN_TIME, LEAST_APART};
use super::*;
use joi_language::values::LaterOutcome;

fn door(state: &str) -> House {
    house(&[("Door", "Contact", state), ("Lamp", "Switch", "OFF")])
}

fn opens() -> NewWatch {
    notice(condition(WatchTest::Open, &["Door"]))
}

#[test]
fn a_change_is_reported_once_and_a_state_is_not() {
    let mut looker = Looker::begun(opens(), 0, &door("CLOSED"));
    assert_eq!(looker.sees(1, Some(&door("CLOSED"))), 0);
    assert_eq!(looker.sees(2, Some(&door("OPEN"))), 1);
    assert_eq!(looker.said, ["Door is open."]);
    assert!(looker.watch.is_none(), "once is over");

    let mut open = Looker::begun(opens(), 0, &door("OPEN"));
    for (second, state, acts) in [(1, "OPEN", 0), (2, "CLOSED", 0), (3, "OPEN", 1)] {
        assert_eq!(open.sees(second, Some(&door(state))), acts, "{second}");
    }
}

#[test]
fn a_change_while_the_house_was_away_counts_and_an_unknown_state_does_not() {
    let mut looker = Looker::begun(opens(), 0, &door("CLOSED"));
    assert_eq!(looker.sees(1, None), 0);
    assert_eq!(looker.sees(2, Some(&door("NULL"))), 0);
    assert_eq!(looker.sees(3, Some(&door("UNDEF"))), 0);
    assert_eq!(looker.sees(4, Some(&door("OPEN"))), 1, "it has opened, whenever that was");
    let mut unseen = Looker::begun(opens(), 0, &door("NULL"));
    assert_eq!(unseen.sees(1, Some(&door("OPEN"))), 0, "nobody knows whether it was open before");
    assert_eq!(unseen.sees(2, Some(&door("CLOSED"))), 0);
    assert_eq!(unseen.sees(3, Some(&door("OPEN"))), 1);
}

#[test]
fn a_condition_that_has_to_last_counts_from_the_change_and_anew_after_a_break() {
    let lasts = || notice(WatchCondition { for_s: 600, ..condition(WatchTest::Open, &["Door"]) });
    let mut looker = Looker::begun(lasts(), 0, &door("CLOSED"));
    assert_eq!(looker.sees(10, Some(&door("OPEN"))), 0);
    assert_eq!(looker.next, Some(at(610)));
    assert_eq!(looker.sees(609, Some(&door("OPEN"))), 0);
    assert_eq!(looker.sees(610, None), 0, "a state that is unknown is no ten minutes of it");
    assert_eq!(looker.sees(611, Some(&door("OPEN"))), 1);
    assert_eq!(looker.said, ["Door has been open for 10 minutes."]);

    let mut broken = Looker::begun(lasts(), 0, &door("CLOSED"));
    for (second, state, acts) in
        [(10, "OPEN", 0), (609, "CLOSED", 0), (611, "OPEN", 0), (1210, "OPEN", 0), (1211, "OPEN", 1)]
    {
        assert_eq!(broken.sees(second, Some(&door(state))), acts, "{second}");
    }
    let mut open = Looker::begun(lasts(), 5, &door("OPEN"));
    assert_eq!(open.sees(604, Some(&door("OPEN"))), 0, "it counts from when it was asked");
    assert_eq!(open.sees(605, Some(&door("OPEN"))), 1);
}

#[test]
fn a_clock_that_is_set_lengthens_and_shortens_nothing() {
    let lasts = notice(WatchCondition { for_s: 600, ..condition(WatchTest::Open, &["Door"]) });
    let open = door("OPEN");
    let sight = |now: i64, moved: i64| Sight {
        house: Some(&open),
        event: None,
        now: at(now),
        moved: SignedDuration::from_secs(moved),
    };
    let mut ahead = Looker::begun(lasts.clone(), 0, &open);
    assert_eq!(ahead.looks(&sight(3_610, 3_600)), 0);
    assert_eq!(ahead.looks(&sight(3_600 + 599, 0)), 0);
    assert_eq!(ahead.looks(&sight(3_600 + 600, 0)), 1);
    let mut behind = Looker::begun(lasts, 0, &open);
    assert_eq!(behind.looks(&sight(-3_590, -3_600)), 0);
    assert_eq!(behind.looks(&sight(-3_600 + 600, 0)), 1);
}

#[test]
fn a_value_acts_below_its_limit_and_has_to_come_back_clearly() {
    let warmth = |degrees: &str| house(&[("Air", "Number:Temperature", degrees)]);
    let mut looker = Looker::begun(always(notice(condition(below(5.0), &["Air"]))), 0, &warmth("7 °C"));
    let steps = [
        (10, "5 °C", 0),
        (20, "4.9 °C", 1),
        (40, "5.2 °C", 0),
        (60, "4.9 °C", 0),
        (80, "5.3 °C", 0),
        (100, "4.9 °C", 1),
        (120, "UNDEF", 0),
        (140, "40 °F", 0),
    ];
    for (second, degrees, acts) in steps {
        assert_eq!(looker.sees(second, Some(&warmth(degrees))), acts, "{second}: {degrees}");
    }
    assert_eq!(looker.said[0], "Air is below 5 °C.");
}

#[test]
fn every_time_is_every_change_but_no_storm() {
    let bell = |state: &str| house(&[("Bell", "Switch", state)]);
    let mut looker = Looker::begun(always(notice(condition(WatchTest::Rings, &["Bell"]))), 0, &bell("OFF"));
    let apart = LEAST_APART.as_secs();
    assert_eq!(looker.sees(1, Some(&bell("ON"))), 1);
    looker.sees(2, Some(&bell("OFF")));
    assert_eq!(looker.sees(apart, Some(&bell("ON"))), 0, "as far as it is the same ring");
    looker.sees(apart, Some(&bell("OFF")));
    assert_eq!(looker.sees(1 + apart, Some(&bell("ON"))), 1);
    assert_eq!(looker.said, ["Bell is ringing."; 2]);
}

#[test]
fn a_state_for_a_moment_counts_though_the_house_shows_it_no_more() {
    let bell = house(&[("Bell", "Switch", "OFF"), ("Other", "Switch", "OFF")]);
    let mut looker = Looker::begun(notice(condition(WatchTest::Rings, &["Bell"])), 0, &bell);
    let on = ItemState::read("ON", &ItemKind::named("Switch"));
    let sight = |item| Sight {
        house: Some(&bell),
        event: Some((item, &on)),
        now: at(1),
        moved: SignedDuration::ZERO,
    };
    assert_eq!(looker.looks(&sight("Other")), 0);
    assert_eq!(looker.looks(&sight("Bell")), 1);
}

#[test]
fn a_bell_that_writes_down_when_it_rang_rings_with_each_new_moment() {
    let bell = |text: &str| house(&[("Bell", "String", text)]);
    let mut looker = Looker::begun(notice(condition(WatchTest::Rings, &["Bell"])), 0, &bell("10:00"));
    assert_eq!(looker.sees(1, Some(&bell("10:00"))), 0);
    assert_eq!(looker.sees(2, Some(&bell("10:05"))), 1);
}

#[test]
fn a_machine_has_finished_when_it_stops_or_writes_so() {
    for (kind, runs, done) in
        [("Switch", "ON", "OFF"), ("String", "Running", "Finished"), ("String", "run", "end")]
    {
        let machine = |state: &str| house(&[("Washer", kind, state)]);
        let mut looker = Looker::begun(notice(condition(WatchTest::Done, &["Washer"])), 0, &machine(done));
        assert_eq!(looker.sees(1, Some(&machine(done))), 0, "it is not running");
        assert_eq!(looker.sees(2, Some(&machine(runs))), 0);
        assert_eq!(looker.sees(3, Some(&machine("paused?"))), 0, "nobody knows that word");
        assert_eq!(looker.sees(4, Some(&machine(done))), 1);
        assert_eq!(looker.said, ["Washer is done."]);
    }
}

#[test]
fn each_of_several_things_counts_by_itself_and_all_of_them_together() {
    let windows = |one: &str, two: &str| house(&[("One", "Contact", one), ("Two", "Contact", two)]);
    let any = notice(condition(WatchTest::Open, &["One", "Two"]));
    let mut looker = Looker::begun(any, 0, &windows("OPEN", "CLOSED"));
    assert_eq!(looker.sees(1, Some(&windows("OPEN", "OPEN"))), 1);
    assert_eq!(looker.said, ["Two is open."]);
    let all = WatchCondition { many: WatchMany::All, ..condition(WatchTest::Closed, &["One", "Two"]) };
    let mut looker = Looker::begun(notice(all), 0, &windows("OPEN", "OPEN"));
    assert_eq!(looker.sees(1, Some(&windows("OPEN", "CLOSED"))), 0);
    assert_eq!(looker.sees(2, Some(&windows("NULL", "CLOSED"))), 0);
    assert_eq!(looker.sees(3, Some(&windows("CLOSED", "CLOSED"))), 1);
    assert_eq!(looker.said, ["One and Two are closed."]);
}

#[test]
fn somebody_at_home_is_a_switch_or_a_word() {
    for (kind, away, home) in
        [("Switch", "OFF", "ON"), ("String", "not_home", "home"), ("String", "Work", "home")]
    {
        let anna = |state: &str| house(&[("Anna", kind, state)]);
        let mut comes = Looker::begun(notice(condition(WatchTest::Home, &["Anna"])), 0, &anna(away));
        assert_eq!(comes.sees(1, Some(&anna(home))), 1);
        let mut leaves = Looker::begun(notice(condition(WatchTest::Away, &["Anna"])), 0, &anna(home));
        assert_eq!(leaves.sees(1, Some(&anna(away))), 1);
        assert_eq!(
            (&comes.said[0], &leaves.said[0]),
            (&"Anna is at home.".into(), &"Anna is not at home.".into())
        );
    }
}

fn sunset(seconds: i64) -> House {
    let written = at(seconds).strftime("%Y-%m-%dT%H:%M:%S.000+0000").to_string();
    house(&[("Sunset", "DateTime", &written), ("Lamp", "Switch", "OFF")])
}

#[test]
fn the_sun_sets_at_its_moment_once_a_day_whatever_its_item_names_by_then() {
    let day = 24 * 3600;
    let wanted = always(notice(condition(WatchTest::Sunset, &["Sunset"])));
    let mut looker = Looker::begun(wanted, 0, &sunset(100));
    assert_eq!(looker.sees(99, Some(&sunset(100))), 0);
    assert_eq!(looker.next, Some(at(100)));
    assert_eq!(looker.sees(99, Some(&sunset(100 + day))), 0, "the server is a second early");
    assert_eq!(looker.sees(100, Some(&sunset(100 + day))), 1);
    assert_eq!(looker.sees(101, Some(&sunset(100 + day))), 0);
    assert_eq!(looker.sees(99 + day, None), 0);
    assert_eq!(looker.sees(100 + day, None), 1, "the sun needs no house");
    let mut past = Looker::begun(notice(condition(WatchTest::Sunset, &["Sunset"])), 200, &sunset(100));
    assert_eq!(past.sees(201, Some(&sunset(100))), 0, "today's is over");
    assert_eq!(past.sees(100 + day - 1, Some(&sunset(100 + day))), 0);
    assert_eq!(past.sees(100 + day, Some(&sunset(100 + day))), 1);
}

#[test]
fn a_command_is_sent_in_time_once_and_not_again_after_a_restart() {
    let late = IN_TIME.as_secs();
    for (second, sent) in [(100 + late, 1), (101 + late, 0)] {
        let wanted = lamp_on(notice(condition(WatchTest::Sunset, &["Sunset"])));
        let mut looker = Looker::begun(wanted, 0, &sunset(100));
        assert_eq!(looker.sees(second, Some(&sunset(100))), 1);
        assert_eq!((looker.sent, looker.said.len()), (sent, 1 - sent));
        assert_eq!(looker.watch.is_none(), sent == 0);
    }
    let mut looker = Looker::begun(lamp_on(opens()), 0, &door("CLOSED"));
    assert_eq!(looker.sees(1, Some(&door("OPEN"))), 1);
    let sending = looker.watch.clone().unwrap();
    assert_eq!(looker.sees(2, Some(&door("OPEN"))), 0, "it is on its way");
    for (outcome, said) in [
        (LaterOutcome::Done, None),
        (LaterOutcome::Failed, Some("I was to do this, and it didn't work: Lamp on.")),
        (LaterOutcome::Unknown, Some("I was to do this, and don't know whether it was done: Lamp on.")),
    ] {
        let mut ended = Looker { watch: Some(sending.clone()), said: vec![], sent: 0, next: None };
        ended.takes(finished(&sending, outcome));
        assert_eq!((ended.said.first().map(String::as_str), ended.watch.is_none()), (said, true));
    }
    let mut restarted = Looker { watch: Some(sending.clone()), said: vec![], sent: 0, next: None };
    restarted.takes(resumed(&sending).unwrap());
    assert_eq!((restarted.sent, restarted.said.len()), (0, 1), "it is reported, and not sent again");
    let again = finished(&Watch { wanted: always(sending.wanted.clone()), ..sending }, LaterOutcome::Done);
    assert!(again.watch.is_some_and(|watch| !watch.is_sending), "every time goes on");
}

#[test]
fn it_ends_at_its_end_and_not_before() {
    let wanted = NewWatch { until: Some(at(100)), ..opens() };
    let mut looker = Looker::begun(wanted.clone(), 0, &door("CLOSED"));
    assert_eq!(looker.sees(1, Some(&door("CLOSED"))), 0);
    assert_eq!(looker.next, Some(at(100)));
    assert_eq!(looker.sees(99, Some(&door("OPEN"))), 1);
    let mut over = Looker::begun(wanted, 0, &door("CLOSED"));
    assert_eq!(over.sees(100, Some(&door("OPEN"))), 0);
    assert!(over.watch.is_none());
}

#[test]
fn a_thing_that_disappears_is_reported_once_after_a_while_and_is_watched_again_when_it_is_back() {
    let empty = house(&[("Other", "Switch", "ON")]);
    let mut looker = Looker::begun(opens(), 0, &door("CLOSED"));
    let gone = GONE_AFTER.as_secs();
    assert_eq!(looker.sees(1, Some(&empty)), 0);
    assert_eq!(looker.next, Some(at(1 + gone)));
    assert_eq!(looker.sees(gone, None), 0, "a house that is not connected lacks nothing");
    assert_eq!(looker.sees(gone, Some(&empty)), 0);
    assert_eq!(looker.sees(1 + gone, Some(&empty)), 1);
    assert!(looker.said[0].contains("Door"), "{:?}", looker.said);
    assert_eq!(looker.sees(2 * gone, Some(&empty)), 0);
    assert_eq!(looker.sees(3 * gone, Some(&door("CLOSED"))), 0);
    assert_eq!(looker.sees(3 * gone + 1, Some(&door("OPEN"))), 1);
}
