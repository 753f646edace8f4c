//! What comes back every month: the next such day, over short months and changes of clocks, and how it is stored.

use super::*;
use joi_language::values::entry::next_on;

fn on(week: Option<u8>, day: Weekday) -> Days {
    Days::monthly(MonthRule::Weekday(week, day)).unwrap()
}

fn day(day: u8) -> Days {
    Days::monthly(MonthRule::Day(day)).unwrap()
}

#[test]
fn a_day_of_every_month_is_the_next_one_there_is() {
    // Wednesday, 4 March 2026, 20:00.
    let now = at(20, 0);
    for (days, expected) in [
        (on(Some(1), Weekday::Monday), "Mon 06.04. 09:00 on the first Monday of every month"),
        (on(Some(2), Weekday::Wednesday), "Wed 11.03. 09:00 on the second Wednesday of every month"),
        (on(Some(4), Weekday::Sunday), "Sun 22.03. 09:00 on the fourth Sunday of every month"),
        (on(None, Weekday::Friday), "Fri 27.03. 09:00 on the last Friday of every month"),
        (day(1), "Wed 01.04. 09:00 on the 1st of every month"),
        (day(4), "Sat 04.04. 09:00 on the 4th of every month"),
        (day(30), "Mon 30.03. 09:00 on the 30th of every month"),
        (day(31), "Tue 31.03. 09:00 on the last day of every month"),
    ] {
        let said = Said { days, ..Said::default() };
        let (at, days) =
            joi_language::values::moment::resolve(&said, EntryKind::Reminder, Bias::ByDay, &now).unwrap();
        let told = format!("{} {}", at.strftime("%a %d.%m. %H:%M"), words::days(days, english()));
        assert_eq!(told, expected);
    }
    assert_eq!(words::days(on(None, Weekday::Friday), german()), "am letzten Freitag jedes Monats");
    assert_eq!(words::days(day(15), german()), "am 15. jedes Monats");
    assert_eq!(Days::monthly(MonthRule::Day(32)), None);
    assert_eq!(Days::monthly(MonthRule::Weekday(Some(5), Weekday::Monday)), None);
}

/// The dates on which it comes back, one after the other.
fn dates(days: Days, from: Zoned, count: usize) -> Vec<String> {
    let mut now = from;
    let next = || {
        let at = next_on(days, date(2026, 1, 1).at(2, 30, 0, 0).time(), &now)?;
        now = Due::Wall(at).moment(&vienna()).to_zoned(vienna());
        Some(at.strftime("%d.%m.").to_string())
    };
    std::iter::from_fn(next).take(count).collect()
}

#[test]
fn shorter_months_have_their_last_day_and_no_change_of_clocks_loses_one() {
    let from = |year| date(year, 1, 31).at(12, 0, 0, 0).to_zoned(vienna()).unwrap();
    assert_eq!(dates(day(31), from(2026), 5), ["28.02.", "31.03.", "30.04.", "31.05.", "30.06."]);
    assert_eq!(dates(day(30), from(2028), 2), ["29.02.", "30.03."], "a leap year");
    // On 29 March 2026 there was no 2:30 in Vienna, on 25 October there were two.
    assert_eq!(dates(day(29), from(2026), 3), ["28.02.", "29.03.", "29.04."]);
    assert_eq!(dates(on(None, Weekday::Sunday), from(2026), 3), ["22.02.", "29.03.", "26.04."]);
    let september = date(2026, 9, 30).at(12, 0, 0, 0).to_zoned(vienna()).unwrap();
    assert_eq!(dates(on(None, Weekday::Sunday), september, 2), ["25.10.", "29.11."], "it rings once");
}

#[test]
fn what_was_stored_before_is_read_as_it_was() {
    for (stored, days) in
        [("0", Days::NONE), ("31", Days::WEEKDAYS), ("96", Days::WEEKEND), ("127", Days::DAILY)]
    {
        assert_eq!(serde_json::from_str::<Days>(stored).unwrap(), days);
        assert_eq!(serde_json::to_string(&days).unwrap(), stored);
        assert_eq!(days.month_rule(), None);
    }
    for days in [on(Some(1), Weekday::Monday), on(None, Weekday::Sunday), day(1), day(31)] {
        let stored = serde_json::to_string(&days).unwrap();
        assert_eq!(serde_json::from_str::<Days>(&stored).unwrap(), days, "{stored}");
    }
}

#[test]
fn a_reminder_of_every_month_is_listed_and_waits_for_the_next_month_once_it_was_heard() {
    let mut table = Table::at(at(20, 0));
    let said = Said { days: on(Some(1), Weekday::Monday), ..Said::default() };
    table.order(&ScheduleOrder::Set(NewEntry {
        kind: EntryKind::Reminder,
        name: Some("water the plants".into()),
        when: Some(When::At(said)),
        bias: Bias::ByDay,
        is_foreign: false,
    }));
    let told = table.say(&ScheduleOrder::List(Some(EntryKind::Reminder)));
    assert!(told.contains("at 9 AM on the first Monday of every month") && told.contains("water"), "{told}");
    table.now = date(2026, 4, 6).at(9, 0, 0, 0).to_zoned(vienna()).unwrap();
    table.look(false);
    assert_eq!(table.rings(), [1]);
    table.order(&ScheduleOrder::Silence);
    assert_eq!(table.entries[0].due, Due::Wall(date(2026, 5, 4).at(9, 0, 0, 0)));
}

proptest! {
    #[test]
    fn the_next_day_of_a_month_is_the_first_there_is(
        week in proptest::option::of(1_u8..=4),
        weekday in 0_i8..7,
        of_month in 1_u8..=31,
        by_week in proptest::bool::ANY,
        ahead in 0_i64..2_000,
    ) {
        let weekday = Weekday::from_monday_zero_offset(weekday).unwrap();
        let days = if by_week { on(week, weekday) } else { day(of_month) };
        let now = at(20, 0).checked_add(ahead.days()).unwrap();
        let next = next_on(days, date(2026, 1, 1).at(9, 0, 0, 0).time(), &now).unwrap().date();
        prop_assert!(next > now.date() && days.is_on(next));
        let mut between = now.date().tomorrow().unwrap();
        while between < next {
            prop_assert!(!days.is_on(between), "{between}");
            between = between.tomorrow().unwrap();
        }
    }
}
