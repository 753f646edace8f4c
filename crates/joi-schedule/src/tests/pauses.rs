//! Timers that stand still, go on, and begin again.

use super::*;

#[test]
fn a_timer_that_stands_still_keeps_its_time_until_it_goes_on() {
    let mut table = Table::at(at(17, 0));
    let any = || Which::of(Some(EntryKind::Timer));
    let pause = |which: Which| ScheduleOrder::Pause(which);
    let resume = |which: Which| ScheduleOrder::Resume(which);
    assert_eq!(table.say(&pause(any())), "There is no timer.");
    table.order(&timer(Some("pasta"), 600));
    assert_eq!(table.say(&resume(any())), "10 minutes left on the pasta timer.", "it runs");
    table.later(100);
    assert_eq!(table.say(&pause(any())), "Pasta timer paused, 8 minutes 20 seconds left.");
    table.later(5_000);
    let seen = table.look(true);
    assert_eq!((seen.ringing, seen.missed, seen.next), (vec![], vec![], None), "nothing becomes due");
    assert_eq!(table.say(&pause(any())), "Pasta timer paused, 8 minutes 20 seconds left.", "once more");
    assert_eq!(
        table.say(&ScheduleOrder::Add { which: called("pasta"), seconds: -60 }),
        "Pasta timer, 7 minutes 20 seconds left."
    );
    table.order(&timer(None, 300));
    assert_eq!(
        table.say(&ScheduleOrder::Left(Which { many: Many::All, ..any() })),
        "5 minute timer: 5 minutes. Pasta timer: paused, 7 minutes 20 seconds left."
    );
    assert_eq!(
        table.say(&ScheduleOrder::List(None)),
        "5 minute timer: 5 minutes left. Pasta timer paused, 7 minutes 20 seconds left."
    );
    assert_eq!(table.say(&pause(called("pasta"))), "Pasta timer paused, 7 minutes 20 seconds left.");
    assert_eq!(
        table.say(&resume(any())),
        "Pasta timer goes on, 7 minutes 20 seconds left.",
        "the other one runs"
    );
    table.later(299);
    assert_eq!(
        table.say(&pause(Which { many: Many::All, ..any() })),
        "5 minute timer paused, 1 second left. Pasta timer paused, 2 minutes 21 seconds left."
    );
    assert_eq!(
        table.say(&pause(any())),
        "5 minute timer: paused, 1 second left. Pasta timer: paused, 2 minutes 21 seconds left."
    );
    assert_eq!(table.say(&resume(called("pasta"))), "Pasta timer goes on, 2 minutes 21 seconds left.");
    table.later(140);
    assert_eq!(table.look(false).ringing, []);
    table.later(1);
    assert_eq!(table.look(false).ringing.len(), 1, "it is due by the time that it stood still");
    assert_eq!(table.say(&pause(called("pasta"))), "The pasta timer is ringing.");
    assert_eq!(
        table.say(&ScheduleOrder::Cancel(Which { length_s: Some(300), ..any() })),
        "5 minute timer cancelled."
    );
}

#[test]
fn a_timer_that_begins_again_has_its_whole_length() {
    let mut table = Table::at(at(17, 0));
    let restart = |which: Which| ScheduleOrder::Restart(which);
    let any = || Which::of(Some(EntryKind::Timer));
    assert_eq!(table.say(&restart(any())), "There is no timer.");
    table.order(&timer(Some("pasta"), 600));
    table.later(100);
    assert_eq!(table.say(&restart(any())), "Pasta timer, 10 minutes left.");
    table.later(500);
    table.say(&ScheduleOrder::Pause(any()));
    assert_eq!(table.say(&restart(called("pasta"))), "Pasta timer, 10 minutes left.", "it runs again");
    table.later(600);
    assert_eq!(table.look(false).ringing.len(), 1);
    assert_eq!(table.say(&restart(any())), "Pasta timer, 10 minutes left.");
    assert_eq!(table.look(false).ringing, [], "it rings no more");
    table.order(&timer(None, 300));
    table.later(60);
    let all = restart(Which { many: Many::All, ..any() });
    let restarted = table.say(&all);
    assert!(restarted.contains("5 minutes left") && restarted.contains("10 minutes left"), "{restarted}");
}
