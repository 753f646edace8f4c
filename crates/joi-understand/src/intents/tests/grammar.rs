//! Numbers, lengths and times of day: what was written in words is read back as it was.

use proptest::prelude::*;

use super::*;
use joi_language::times::length;

/// Returns a number as it is spoken.
fn spoken(number: u32) -> String {
    match number {
        0..100 => english().vocabulary().figures.cardinal(number).unwrap().replace(' ', "-"),
        _ if number.is_multiple_of(100) => format!("{} hundred", spoken(number / 100)),
        _ => format!("{} hundred and {}", spoken(number / 100), spoken(number % 100)),
    }
}

fn read(text: &str) -> Option<u32> {
    match when(text)? {
        When::In(seconds) => Some(seconds),
        When::At(_) => None,
    }
}

#[test]
fn every_number_up_to_999_is_read_in_words_and_in_figures_in_both_languages() {
    for seconds in 1..1_000_u32 {
        assert_eq!(read(&format!("{} seconds", spoken(seconds))), Some(seconds), "{}", spoken(seconds));
        assert_eq!(read(&format!("{seconds} seconds")), Some(seconds));
        assert_eq!(read(&format!("{seconds}s")), Some(seconds));
    }
    let german_length = |text: &str| match intents::match_intent(german(), &format!("Timer {text}"))
        .map(|quick| quick.what)
    {
        Some(Intent::Schedule(ScheduleOrder::Set(wanted))) => wanted.when,
        _ => None,
    };
    for (text, seconds) in [
        ("eine Sekunde", 1),
        ("siebzehn Sekunden", 17),
        ("einundzwanzig Sekunden", 21),
        ("neunundneunzig Sekunden", 99),
        ("hundertfünf Sekunden", 105),
        ("zweihundertzweiundzwanzig Sekunden", 222),
        ("einhundertzwanzig Minuten", 7_200),
        ("zweieinhalb Stunden", 9_000),
        ("eineinhalb Minuten", 90),
        ("eine Dreiviertelstunde", 2_700),
    ] {
        assert_eq!(german_length(text), Some(When::In(seconds)), "{text}");
    }
}

#[test]
fn halves_and_quarters_are_read_wherever_they_stand() {
    for (text, seconds) in [
        ("nine and a half minutes", 570),
        ("nine minutes and a half", 570),
        ("an hour and a half", 5_400),
        ("one and a half hours", 5_400),
        ("two and a quarter hours", 8_100),
        ("half an hour", 1_800),
        ("half a minute", 30),
        ("three quarters of an hour", 2_700),
        ("two minutes thirty", 150),
        ("two hours thirty", 9_000),
        ("1.5 hours", 5_400),
        ("2,5 minutes", 150),
        ("9½ minutes", 570),
        ("a hundred seconds", 100),
        ("an hour, two minutes and three seconds", 3_723),
    ] {
        assert_eq!(read(text), Some(seconds), "{text}");
    }
    for text in [
        "five",
        "five apples",
        "minutes",
        "ten minutes five hours",
        "ten and minutes",
        "half",
        "9:99 minutes",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn a_length_below_zero_is_asked_about_and_never_guessed() {
    let order = |text: &str| match match_intent(text).map(|found| found.what) {
        Some(Intent::Schedule(order)) => Some(order),
        _ => None,
    };
    for text in [
        "set a timer for minus five minutes",
        "set a timer for negative five minutes",
        "set a timer for -5 minutes",
        "set a timer for \u{2212}5 minutes",
        "timer minus ten minutes",
    ] {
        let Some(ScheduleOrder::Set(wanted)) = order(text) else { panic!("{text}: {:?}", order(text)) };
        assert_eq!((wanted.name, wanted.when), (None, Some(When::In(0))), "{text}");
    }
    for text in ["add minus five minutes to the timer", "take -5 minutes off the timer"] {
        assert!(
            matches!(order(text), Some(ScheduleOrder::Move { when: None, .. })),
            "{text}: {:?}",
            order(text)
        );
    }
    assert_eq!(read("-5 minutes"), Some(0), "a tool is told that it is no length");
    assert_eq!(order("set a timer - 5 minutes"), order("set a timer 5 minutes"), "a dash is no sign");
}

proptest! {
    #[test]
    fn any_length_is_read_back_as_it_was_spoken(seconds in 1_u64..86_400) {
        let told = length(seconds, english());
        prop_assert_eq!(read(&told), u32::try_from(seconds).ok(), "{}", told);
        let joined = told.replacen("s ", "s and ", 1);
        prop_assert_eq!(read(&joined), u32::try_from(seconds).ok(), "{}", joined);
    }

    #[test]
    fn any_length_in_words_is_read_back(hours in 0_u32..24, minutes in 0_u32..60, half in any::<bool>()) {
        prop_assume!(hours + minutes > 0);
        let mut parts = Vec::new();
        if hours > 0 {
            parts.push(format!("{} hours", spoken(hours)));
        }
        if minutes > 0 {
            parts.push(format!("{}{} minutes", spoken(minutes), if half { " and a half" } else { "" }));
        }
        let half = if half && minutes > 0 { 30 } else { 0 };
        let expected = hours * 3_600 + minutes * 60 + half;
        prop_assert_eq!(read(&parts.join(" and ")), Some(expected));
    }

    #[test]
    fn any_time_of_day_is_read_back_in_words_and_in_figures(hour in 1_u8..=12, minute in 0_u8..60) {
        let at = |text: String| match when(&text) {
            Some(When::At(said)) => said.clock.map(|clock| (clock.hour, clock.minute)),
            _ => None,
        };
        prop_assert_eq!(at(format!("at {hour}:{minute:02} pm")), Some((hour, minute)));
        let (spoken_hour, spoken_minute) = (spoken(hour.into()), spoken(minute.into()));
        let words = match minute {
            0 => format!("at {spoken_hour} o'clock"),
            1..10 => format!("at {spoken_hour} oh {spoken_minute}"),
            _ => format!("at {spoken_hour} {spoken_minute}"),
        };
        prop_assert_eq!(at(words.clone()), Some((hour, minute)), "{}", words);
        if minute > 0 {
            prop_assert_eq!(at(format!("at {spoken_minute} past {spoken_hour}")), Some((hour, minute)));
        }
    }
}
