//! Times anywhere in a command, disfluencies, and which of several is meant.

use super::*;
use joi_language::values::{Days, EntryKind, Rank, Said};
use jiff::civil::Weekday;

/// Returns the kind, name and time of what is set.
fn set(language: &Language, said: &str) -> Option<(EntryKind, Option<String>, Option<When>)> {
    match intents::match_intent(language, said)?.what {
        Intent::Schedule(ScheduleOrder::Set(wanted)) => Some((wanted.kind, wanted.name, wanted.when)),
        _ => None,
    }
}

/// Returns which entry is to be cancelled.
fn cancelled(language: &Language, said: &str) -> Option<Which> {
    match intents::match_intent(language, said)?.what {
        Intent::Schedule(ScheduleOrder::Cancel(which)) => Some(which),
        _ => None,
    }
}

fn said(when: Option<When>) -> Said {
    match when {
        Some(When::At(said)) => said,
        other => panic!("no moment: {other:?}"),
    }
}

#[test]
fn a_time_may_stand_anywhere_and_none_of_its_words_is_dropped() {
    for (text, kind, name, seconds) in [
        ("for the rice, twenty minutes, start a timer", EntryKind::Timer, Some("rice"), 1200),
        ("um set a timer for uh four minutes", EntryKind::Timer, None, 240),
        ("could I get a timer going for like twelve minutes", EntryKind::Timer, None, 720),
        ("in forty minutes remind me to check the cake", EntryKind::Reminder, Some("check the cake"), 2400),
    ] {
        let expected = Some((kind, name.map(str::to_owned), Some(When::In(seconds))));
        assert_eq!(set(english(), text), expected, "{text}");
    }
    let of = |text| said(set(english(), text).unwrap().2);
    let tuesday = of("remind me to stretch every tuesday night");
    assert_eq!((tuesday.days, tuesday.part), (Days::on(Weekday::Tuesday), Some(DayPart::Night)));
    let three = of("remind me to swim every monday wednesday and friday");
    let days = [Weekday::Wednesday, Weekday::Friday].map(Days::on);
    assert_eq!(three.days, days.into_iter().fold(Days::on(Weekday::Monday), Days::and));
    let once = of("I need to be up by six thirty on Friday");
    assert_eq!((once.day, once.days), (Some(Day::Weekday(Weekday::Friday)), Days::NONE));
}

#[test]
fn a_time_within_a_text_is_a_part_of_it() {
    for (text, name) in [
        ("remind me to buy plates for 7 people", "buy plates for 7 people"),
        ("remind me to um call Ann", "call Ann"),
    ] {
        assert_eq!(set(english(), text).unwrap().1.as_deref(), Some(name), "{text}");
    }
}

#[test]
fn words_that_no_reading_explains_leave_it_to_the_model() {
    for text in [
        "I need an alarm at 6 am every day except Sunday",
        "remind me to take the pills at 6:30 and at 20:00",
        "I have to get up at six tomorrow",
        "set an alarm for six and for the purple elephant",
    ] {
        assert_eq!(set(english(), text), None, "{text}");
    }
}

#[test]
fn one_of_several_is_known_by_its_place_its_part_of_the_day_or_its_days() {
    let alarm = Which::of(Some(EntryKind::Alarm));
    for (text, expected) in [
        ("cancel the latest alarm", Which { rank: Some(Rank::Latest), ..alarm.clone() }),
        ("turn off the next alarm", Which { rank: Some(Rank::Soonest), ..alarm.clone() }),
        ("delete the second alarm", Which { rank: Some(Rank::Nth(2)), ..alarm.clone() }),
        ("cancel the evening alarm", Which { part: Some(DayPart::Evening), ..alarm.clone() }),
        ("cancel the Saturday alarm", Which { day: Some(Day::Weekday(Weekday::Saturday)), ..alarm.clone() }),
    ] {
        assert_eq!(cancelled(english(), text), Some(expected), "{text}");
    }
    for (text, expected) in [
        ("lösch den nächsten Wecker", Which { rank: Some(Rank::Soonest), ..alarm.clone() }),
        ("lösch den Abendwecker", Which { part: Some(DayPart::Evening), ..alarm.clone() }),
        ("lösch den Samstagswecker", Which { day: Some(Day::Weekday(Weekday::Saturday)), ..alarm.clone() }),
    ] {
        assert_eq!(cancelled(german(), text), Some(expected), "{text}");
    }
}

#[test]
fn an_alarm_is_moved_from_one_time_to_another() {
    for text in ["change the half past six alarm to quarter to seven", "move my 6:30 to 6:45"] {
        let Some(Intent::Schedule(ScheduleOrder::Move { which, when })) = recognised(text) else {
            panic!("{text}: {:?}", recognised(text))
        };
        let (clock, _) = which.clock.unwrap();
        assert_eq!((clock.hour, clock.minute), (6, 30), "{text}");
        let clock = said(when).clock.unwrap();
        assert_eq!((clock.hour, clock.minute), (6, 45), "{text}");
    }
}
