//! What orders and moments decide, without a database.

use super::*;

fn due(said: Said, kind: EntryKind, bias: Bias, now: &Zoned) -> String {
    match joi_language::values::moment::resolve(&said, kind, bias, now) {
        Ok((at, days)) if days.is_none() => at.strftime("%a %d.%m. %H:%M").to_string(),
        Ok((at, days)) => format!("{} {}", at.strftime("%a %d.%m. %H:%M"), words::days(days, english())),
        Err(refusal) => format!("{refusal:?}"),
    }
}

#[test]
fn a_time_as_it_is_said_becomes_the_likely_moment() {
    let now = at(20, 0);
    let on = |day| Said { day: Some(day), ..Said::default() };
    let daily = |days| Said { days, ..Said::default() };
    let said = |clock: ClockSaid, rest: Said| Said { clock: Some(clock), ..rest };
    let (alarm, reminder) = ((EntryKind::Alarm, Bias::Morning), (EntryKind::Reminder, Bias::ByDay));
    for (said, (kind, bias), expected) in [
        (said(clock(7, 0), Said::default()), alarm, "Thu 05.03. 07:00"),
        (said(clock(9, 0), Said::default()), reminder, "Wed 04.03. 21:00"),
        (said(clock(3, 0), Said::default()), reminder, "Thu 05.03. 15:00"),
        (said(clock(9, 0), Said::default()), (EntryKind::Alarm, Bias::Next), "Wed 04.03. 21:00"),
        (said(clock(12, 0), on(Day::Ahead(1))), reminder, "Thu 05.03. 12:00"),
        (said(clock(5, 0), on(Day::Ahead(1))), reminder, "Thu 05.03. 17:00"),
        (said(clock(7, 30), on(Day::Weekday(Weekday::Monday))), alarm, "Mon 09.03. 07:30"),
        (said(clock(9, 0), on(Day::Weekday(Weekday::Wednesday))), reminder, "Wed 04.03. 21:00"),
        (said(clock(7, 0), on(Day::Weekday(Weekday::Wednesday))), reminder, "Wed 11.03. 07:00"),
        (said(clock(6, 30), daily(Days::WEEKDAYS)), alarm, "Thu 05.03. 06:30 on weekdays"),
        (said(clock(6, 30), daily(Days::WEEKEND)), alarm, "Sat 07.03. 06:30 on weekends"),
        (said(clock(4, 0), on(Day::Date(12, 24))), reminder, "Thu 24.12. 16:00"),
        (said(clock(9, 0), on(Day::Date(1, 6))), reminder, "Wed 06.01. 09:00"),
        (on(Day::Ahead(1)), reminder, "Thu 05.03. 09:00"),
        (Said { part: Some(DayPart::Night), ..on(Day::Ahead(0)) }, reminder, "Wed 04.03. 21:00"),
        (on(Day::Ahead(1)), alarm, "NoMoment"),
        (Said { part: Some(DayPart::Morning), ..said(clock(5, 0), on(Day::Ahead(0))) }, alarm, "IsOver"),
        (said(clock(9, 0), on(Day::Date(2, 30))), reminder, "IsOver"),
    ] {
        assert_eq!(due(said, kind, bias, &now), expected, "{said:?}");
    }
}

#[test]
fn a_clock_change_moves_the_moment_and_not_the_time_on_the_wall() {
    let weekly = Entry {
        is_foreign: false,
        id: EntryId(1),
        kind: EntryKind::Alarm,
        name: None,
        set_at: Timestamp::UNIX_EPOCH,
        length_s: None,
        due: Due::Wall(date(2026, 3, 28).at(2, 30, 0, 0)),
        days: Days::DAILY,
        skips: None,
        does: Vec::new(),
        state: EntryState::Waiting,
        silenced_at: None,
        in_doubt: false,
        place: None,
    };
    // On 29 March 2026 the clocks of Vienna went from 2:00 to 3:00, on 25 October from 3:00 back to 2:00.
    let zone = vienna();
    let moment = |month, day, hour| {
        let due = Due::Wall(date(2026, month, day).at(hour, 30, 0, 0));
        due.moment(&zone).to_zoned(zone.clone()).strftime("%H:%M %:z").to_string()
    };
    assert_eq!(moment(3, 28, 2), "02:30 +01:00");
    assert_eq!(moment(3, 29, 2), "03:30 +02:00", "there is no 2:30");
    assert_eq!(moment(10, 25, 2), "02:30 +02:00", "the first of two");
    let night = date(2026, 3, 28).at(12, 0, 0, 0).to_zoned(zone.clone()).unwrap();
    assert_eq!(weekly.next_after(&night), Some(date(2026, 3, 29).at(2, 30, 0, 0)));
    let between = date(2026, 10, 25).at(2, 45, 0, 0).to_zoned(zone).unwrap();
    assert_eq!(weekly.next_after(&between), Some(date(2026, 10, 26).at(2, 30, 0, 0)), "it rings once");
}

#[test]
fn what_goes_on_after_it_was_set_changes_that_one_and_counts_from_its_beginning() {
    let wanted = |name: Option<&str>, seconds| match timer(name, seconds) {
        ScheduleOrder::Set(wanted) => wanted,
        other => panic!("{other:?}"),
    };
    let amend = |name, from, to, since| ScheduleOrder::Amend {
        before: wanted(name, from),
        since,
        wanted: wanted(name, to),
    };
    let mut table = Table::at(at(17, 0));
    let since = table.now.timestamp();
    table.order(&timer(None, 600));
    table.later(60).order(&timer(None, 540));
    table.later(5);
    assert_eq!(table.say(&amend(None, 540, 570, since)), "Timer, 9 minutes 30 seconds.");
    let due: Vec<(i64, String)> =
        table.entries.iter().map(|entry| (entry.id.0, format!("{:?}", entry.due))).collect();
    let at = |seconds: i64| format!("{:?}", Due::Moment(since + seconds.seconds()));
    assert_eq!(due, [(1, at(600)), (2, at(60 + 570))], "the newer one, from when it was set");
    // It is not there, was called otherwise, was set long before, or rings already: it is set.
    let now = table.now.timestamp();
    for (name, since) in [(Some("rice"), since), (None, now)] {
        let before = table.entries.len();
        table.order(&amend(name, 540, 570, since));
        assert_eq!(table.entries.len(), before + 1);
    }
    assert_eq!(
        table.say(&amend(None, 540, 90_000, since)),
        "A timer lasts 24 hours at most. Set an alarm instead."
    );
}

#[test]
fn what_was_understood_is_said_and_all_can_be_changed_by_name() {
    let mut table = Table::at(at(17, 0));
    let mut told = Vec::new();
    let half_past_six = Said { clock: Some(clock(6, 30)), days: Days::WEEKDAYS, ..Said::default() };
    let noon = ClockSaid { hour: 12, minute: 0, exactness: Exactness::Exact };
    let tomorrow = Said { clock: Some(noon), day: Some(Day::Ahead(1)), ..Said::default() };
    let any = Which::of(Some(EntryKind::Timer));
    for order in [
        timer(Some("pasta"), 570),
        alarm(half_past_six),
        reminder("call Ann", tomorrow),
        ScheduleOrder::Left(called("pastor")),
        ScheduleOrder::Add { which: called("pasta"), seconds: 120 },
        timer(None, 300),
        ScheduleOrder::Cancel(any.clone()),
        ScheduleOrder::Left(Which { many: Many::All, ..any.clone() }),
        ScheduleOrder::Move {
            which: Which::of(Some(EntryKind::Alarm)),
            when: Some(When::At(Said { clock: Some(clock(7, 0)), ..Said::default() })),
        },
        ScheduleOrder::List(None),
        ScheduleOrder::Cancel(called("rice")),
        ScheduleOrder::Add { which: called("pasta"), seconds: -3_600 },
        timer(None, 90_000),
        ScheduleOrder::Set(NewEntry {
            kind: EntryKind::Timer,
            name: None,
            when: None,
            bias: Bias::Next,
            is_foreign: false,
        }),
        ScheduleOrder::Snooze { which: Which::default(), seconds: None },
        ScheduleOrder::Cancel(Which { many: Many::All, ..any }),
        ScheduleOrder::List(Some(EntryKind::Timer)),
        ScheduleOrder::Cancel(Which { many: Many::All, ..Which::default() }),
        ScheduleOrder::List(None),
    ] {
        told.push(table.say(&order));
    }
    insta::assert_snapshot!(told.join("\n"), @r"
    Pasta timer, 9 minutes 30 seconds.
    Alarm at 6:30 AM on weekdays.
    Reminder tomorrow at noon: call Ann.
    9 minutes 30 seconds left on the pasta timer.
    Pasta timer, 11 minutes 30 seconds left.
    Timer, 5 minutes.
    Which one: the pasta timer or the 5 minute timer?
    5 minute timer: 5 minutes. Pasta timer: 11 minutes 30 seconds.
    Alarm at 7 AM on weekdays.
    5 minute timer: 5 minutes left. Pasta timer: 11 minutes 30 seconds left. Alarm at 7 AM on weekdays. Reminder tomorrow at noon: call Ann.
    There is no timer called rice.
    That time is over already.
    A timer lasts 24 hours at most. Set an alarm instead.
    For how long?
    Nothing is ringing.
    2 timers cancelled.
    There are no timers.
    All 2 cancelled.
    There are no timers, alarms or reminders.
    ");
}

#[test]
fn a_ring_goes_on_until_it_is_answered_and_can_be_snoozed() {
    let mut table = Table::at(at(17, 0));
    table.order(&timer(Some("pasta"), 60));
    assert_eq!(table.look(true).next, Some(table.now.timestamp() + SignedDuration::from_secs(60)));
    table.later(60);
    assert_eq!(table.look(false).ringing.len(), 1);
    table.later(300);
    assert_eq!(table.look(false).ringing.len(), 1, "it still rings");
    assert_eq!(
        table.say(&ScheduleOrder::Snooze { which: Which::default(), seconds: None }),
        "Pasta timer again in 10 minutes."
    );
    assert_eq!(table.look(false).ringing, []);
    table.later(600);
    assert_eq!(table.look(false).ringing.len(), 1);
    assert!(matches!(table.order(&ScheduleOrder::Silence), OrderReport::Silenced(_)));
    assert_eq!(table.look(false).ringing, []);
    assert_eq!(
        table.say(&ScheduleOrder::Snooze { which: Which::default(), seconds: Some(60) }),
        "Pasta timer again in 1 minute."
    );
    table.later(60);
    assert_eq!(table.look(false).ringing.len(), 1, "what was just silenced can be snoozed");
    table.order(&ScheduleOrder::Silence);
    table.later(601);
    table.look(false);
    assert_eq!(table.entries, [], "and is forgotten in the end");
}

#[test]
fn an_alarm_on_weekdays_comes_back_also_when_snoozed_or_missed() {
    let mut table = Table::at(at(17, 0));
    let said = Said { clock: Some(clock(6, 30)), days: Days::WEEKDAYS, ..Said::default() };
    table.order(&alarm(said));
    let next = |table: &Table| {
        table.entries[0].due.moment(&vienna()).to_zoned(vienna()).strftime("%a %H:%M").to_string()
    };
    assert_eq!(next(&table), "Thu 06:30");
    table.now = date(2026, 3, 5).at(6, 30, 0, 0).to_zoned(vienna()).unwrap();
    table.look(false);
    assert_eq!(table.rings(), [1]);
    table.order(&ScheduleOrder::Snooze { which: Which::default(), seconds: Some(300) });
    assert_eq!((next(&table), table.entries.len()), ("Fri 06:30".into(), 2));
    table.later(300);
    table.look(false);
    assert_eq!(table.rings(), [2], "the snoozed one");
    table.order(&ScheduleOrder::Silence);
    table.now = date(2026, 3, 6).at(6, 30, 0, 0).to_zoned(vienna()).unwrap();
    table.look(false);
    assert_eq!(table.rings(), [1]);
    table.later(15 * 60);
    assert_eq!(table.look(false).ringing, [], "nobody answers for fifteen minutes");
    assert_eq!(next(&table), "Mon 06:30");
}

#[test]
fn entries_due_while_the_power_was_off_are_announced_or_ring_late() {
    let mut table = Table::at(at(17, 0));
    table.order(&timer(Some("long ago"), 60));
    table.order(&timer(Some("just now"), 3_500));
    table.later(3_600);
    let seen = table.look(true);
    assert_eq!(seen.missed.iter().map(|entry| entry.id.0).collect::<Vec<_>>(), [1]);
    assert_eq!(
        words::missed(&seen.missed, table.now.time_zone()).sentence(english(), &table.now),
        "You missed something: the long ago timer was due today at 5:01 PM."
    );
    assert_eq!(table.rings(), [2], "a little late is better than never");
    assert_eq!(table.entries.len(), 1, "what was told is gone");
    table.later(15 * 60);
    assert_eq!(table.look(false).missed, []);
    assert_eq!(
        table.entries[0].state,
        EntryState::Missed,
        "nobody was there: kept for the list and the next start"
    );
    assert_eq!(table.look(true).missed.len(), 1);
    assert_eq!(table.entries, []);
}

#[test]
fn a_clock_behind_its_past_makes_alarms_wait_and_timers_run() {
    let now = at(17, 0);
    let earlier = |minutes: i64| Some(now.timestamp() + SignedDuration::from_mins(minutes));
    assert_eq!(watch::trust(now.timestamp(), None, false), Trust::Right);
    assert_eq!(watch::trust(now.timestamp(), earlier(1), false), Trust::Right, "set back by a minute");
    assert_eq!(watch::trust(now.timestamp(), earlier(60), false), Trust::Behind);
    assert_eq!(watch::trust(now.timestamp(), earlier(60), true), Trust::Right, "set over the network");

    let mut table = Table::at(now.clone());
    table.order(&timer(Some("from before"), 1));
    table.order(&timer(Some("in doubt"), 600));
    table.entries[1].in_doubt = true;
    table.later(60);
    let seen = table.look_with(true, Trust::Behind, ClockJump::NONE);
    assert_eq!((seen.ringing, seen.missed), (vec![], vec![]), "nothing is known of what was set before");
    // A year later in truth; the timer has still nine minutes to go.
    table.now = table.now.checked_add(1.year()).unwrap();
    let by = table.now.timestamp().duration_since(now.timestamp()) - SignedDuration::from_secs(60);
    let jump = ClockJump { by, before: Trust::Behind, through: Some(table.entries[1].id) };
    let seen = table.look_with(false, Trust::Right, jump);
    assert!(!table.entries[0].in_doubt && seen.missed.len() == 1, "what was passed over is announced");
    assert_eq!(seen.next, Some(table.now.timestamp() + SignedDuration::from_secs(540)));
}

#[derive(Debug, Clone)]
enum Act {
    Set(u32),
    Later(i64),
    Look,
    Cancel(usize),
    Snooze,
    Pause,
    Resume,
    Silence,
}

fn of_all() -> Which {
    Which { many: Many::All, ..Which::of(Some(EntryKind::Timer)) }
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        (1_u32..5_000).prop_map(Act::Set),
        (0_i64..2_000).prop_map(Act::Later),
        Just(Act::Look),
        (0_usize..10).prop_map(Act::Cancel),
        Just(Act::Snooze),
        Just(Act::Pause),
        Just(Act::Resume),
        Just(Act::Silence),
    ]
}

proptest! {
    #[test]
    fn no_timer_is_lost_doubled_or_early(acts in prop::collection::vec(act(), 0..40)) {
        let mut table = Table::at(at(12, 0));
        let mut expected: Vec<EntryId> = Vec::new();
        for act in acts {
            match act {
                Act::Set(seconds) => match table.order(&timer(None, seconds)) {
                    OrderReport::Set(entry) => expected.push(entry.id),
                    other => prop_assert!(false, "{:?}", other),
                },
                Act::Later(seconds) => drop(table.later(seconds)),
                Act::Look => {
                    let seen = table.look(false);
                    let now = table.now.timestamp();
                    prop_assert!(seen.next.is_none_or(|next| next > now), "it would spin");
                    for entry in &seen.ringing {
                        prop_assert!(entry.due.moment(&vienna()) <= now, "{:?} is early", entry);
                    }
                }
                Act::Cancel(place) if place < expected.len() => {
                    let id = expected[place];
                    let report = table.order(&ScheduleOrder::Cancel(Which { id: Some(id), ..Which::default() }));
                    if matches!(report, OrderReport::Cancelled(_)) {
                        expected.remove(place);
                    }
                }
                Act::Snooze => drop(table.order(&ScheduleOrder::Snooze { which: Which::default(), seconds: None })),
                Act::Pause => drop(table.order(&ScheduleOrder::Pause(of_all()))),
                Act::Resume => drop(table.order(&ScheduleOrder::Resume(of_all()))),
                Act::Silence => drop(table.order(&ScheduleOrder::Silence)),
                Act::Cancel(_) => {}
            }
            let live: Vec<EntryId> =
                table.entries.iter().filter(|entry| entry.is_live()).map(|entry| entry.id).collect();
            let mut unique = live.clone();
            unique.dedup();
            prop_assert_eq!(&unique, &live);
            prop_assert!(live.iter().all(|id| expected.contains(id)), "only what was set is there");
            let waiting = |id: &EntryId| table.entries.iter().any(|entry| entry.id == *id);
            let over = |id: &EntryId| !waiting(id);
            // Whatever is gone was silenced before, and never while it still waited.
            for id in expected.iter().filter(|id| over(id)) {
                prop_assert!(table.next_id > id.0);
            }
        }
    }
}

fn cancel_on(day: Day) -> ScheduleOrder {
    ScheduleOrder::Cancel(Which { day: Some(day), ..Which::of(Some(EntryKind::Alarm)) })
}

#[test]
fn an_alarm_is_cancelled_by_its_day_and_one_that_comes_back_is_only_left_out_then() {
    // Wednesday, 4 March 2026, 17:00.
    let mut table = Table::at(at(17, 0));
    let weekdays = Said { clock: Some(clock(6, 30)), days: Days::WEEKDAYS, ..Said::default() };
    let friday =
        Said { clock: Some(clock(8, 0)), day: Some(Day::Weekday(Weekday::Friday)), ..Said::default() };
    table.order(&alarm(weekdays));
    table.order(&alarm(friday));
    assert_eq!(table.say(&cancel_on(Day::Ahead(3))), "There is no alarm on that day.");
    assert_eq!(table.say(&cancel_on(Day::Ahead(1))), "The 6:30 AM alarm won't ring tomorrow.");
    assert_eq!(table.say(&cancel_on(Day::Ahead(1))), "There is no alarm on that day.");
    let due =
        |table: &Table, at: usize| words::moment(wall(&table.entries[at]), Days::NONE, &table.now, english());
    assert_eq!(due(&table, 0), "on Friday at 6:30 AM");
    // Both are due on Friday; the hour decides.
    let both = Which { day: Some(Day::Weekday(Weekday::Friday)), ..Which::of(Some(EntryKind::Alarm)) };
    assert!(matches!(
        table.order(&ScheduleOrder::Cancel(both.clone())),
        OrderReport::Ask(ScheduleQuestion::Which(_))
    ));
    let eight = Which { clock: Some((clock(8, 0), None)), ..both };
    assert_eq!(table.say(&ScheduleOrder::Cancel(eight)), "8 AM alarm cancelled.");
    // A day behind the next one is left out when it comes.
    let monday = cancel_on(Day::Weekday(Weekday::Monday));
    assert_eq!(table.say(&monday), "The 6:30 AM alarm won't ring on Monday.");
    assert_eq!(due(&table, 0), "on Friday at 6:30 AM", "Friday stays");
    let friday = date(2026, 3, 6).at(12, 0, 0, 0).to_zoned(vienna()).unwrap();
    let after = table.entries[0].settled(&friday, EntryState::Over);
    assert_eq!(after.due, Due::Wall(date(2026, 3, 10).at(6, 30, 0, 0)), "Tuesday");
}

fn wall(entry: &Entry) -> jiff::civil::DateTime {
    let Due::Wall(at) = entry.due else { panic!("{entry:?}") };
    at
}
