//! Times anywhere in a command, disfluencies, and which of several is meant.

use super::*;
use jiff::civil::Weekday;
use joi_language::values::{Days, EntryKind, Rank, Said};

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
fn days_and_particles_are_no_names_and_a_remark_is_no_part_of_a_command() {
    let (_, name, when) = set(english(), "weekend alarm nine am").unwrap();
    let days = Days::from_to(Weekday::Saturday, Weekday::Sunday);
    assert_eq!((name, said(when).days), (None, days));
    let (_, name, _) = set(english(), "set me an alarm for like eight fifteen am tomorrow").unwrap();
    assert_eq!(name, None);
    for (language, text) in
        [(english(), "no alarm tomorrow, it's my day off"), (german(), "morgen kein Wecker, ich habe frei")]
    {
        let what = intents::match_intent(language, text).map(|quick| quick.what);
        assert!(matches!(what, Some(Intent::Schedule(ScheduleOrder::Skip(_)))), "{text}: {what:?}");
    }
    // A request to keep something else is more than a remark.
    assert_eq!(intents::match_intent(english(), "forget my locker number, it's another one now"), None);
}

#[test]
fn a_day_of_the_month_needs_no_month() {
    for (language, text, name) in [
        (english(), "remind me on the 15th to pay the rent", "pay the rent"),
        (english(), "set me a reminder for the fifteenth to pay the rent", "pay the rent"),
        (german(), "erinnere mich am fünfzehnten an die Miete", "die Miete"),
    ] {
        let (kind, text_of, when) = set(language, text).unwrap();
        assert_eq!((kind, text_of.as_deref()), (EntryKind::Reminder, Some(name)), "{text}");
        assert_eq!(said(when).day, Some(Day::OfMonth(15)), "{text}");
    }
    let (_, _, when) = set(english(), "remind me every month on the 15th to pay the rent").unwrap();
    assert_eq!(said(when).day, None, "a series");
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
        // What it belongs to stands elsewhere.
        "set its timer for six minutes",
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

#[test]
fn quiet_is_wished_for_a_while_or_until_a_moment_in_any_order() {
    let wish = |language: &Language, text: &str| match intents::match_intent(language, text)?.what {
        Intent::Quiet(wish) => Some(wish),
        _ => None,
    };
    for (language, text, seconds) in [
        (english(), "do not disturb for two hours", 7200),
        (english(), "for the next half hour be quiet please", 1800),
        (german(), "stör mich eine Stunde lang nicht", 3600),
        (german(), "sei die nächsten zehn Minuten still", 600),
    ] {
        assert_eq!(wish(language, text), Some(QuietWish::For(seconds)), "{text}");
    }
    for (language, text, hour) in
        [(english(), "no messages until noon", 12), (german(), "keine Ansagen bis 18 Uhr", 18)]
    {
        let Some(QuietWish::Until(said)) = wish(language, text) else { panic!("{text}") };
        assert_eq!(said.clock.map(|clock| clock.hour), Some(hour), "{text}");
    }
    assert_eq!(recognised("be quiet"), Some(Intent::Stop));
}

#[test]
fn an_alarm_is_left_out_once() {
    for (language, text, day) in [
        (english(), "skip the alarm on Friday", Some(Day::Weekday(Weekday::Friday))),
        (english(), "no alarm tomorrow please", Some(Day::Ahead(1))),
        (english(), "skip the next alarm", None),
        (german(), "lass den Wecker morgen ausfallen", Some(Day::Ahead(1))),
        (german(), "morgen kein Wecker", Some(Day::Ahead(1))),
    ] {
        let Some(Intent::Schedule(ScheduleOrder::Skip(which))) =
            intents::match_intent(language, text).map(|quick| quick.what)
        else {
            panic!("{text}: {:?}", intents::match_intent(language, text))
        };
        assert_eq!((which.kind, which.day), (Some(EntryKind::Alarm), day), "{text}");
    }
}

#[test]
fn an_amount_of_the_volume_is_no_step_and_no_tenth() {
    for (language, text, points) in [
        (english(), "turn the volume down by 30 percent", -30),
        (english(), "volume up by five", 5),
        (english(), "ten percent louder", 10),
        (german(), "dreh die Lautstärke um 15 Prozent hoch", 15),
        (german(), "zwanzig Prozent leiser", -20),
    ] {
        let volume = intents::match_intent(language, text).map(|quick| quick.what);
        assert_eq!(volume, Some(Intent::Volume(VolumeChange::By(points))), "{text}");
    }
    assert_eq!(recognised("volume seven"), Some(Intent::Volume(VolumeChange::Set(70))));
}

#[test]
fn what_is_to_be_remembered_or_done_from_now_on_is_asked_about_or_done() {
    for text in ["remember this", "remember this song", "keep in mind", "make a note", "remember this: yes"] {
        assert_eq!(recognised(text), Some(Intent::Memory(MemoryOrder::What)), "{text}");
    }
    assert_eq!(recognised("from now on louder"), Some(Intent::Volume(VolumeChange::Up)));
    let fact = intents::to_remember(english(), "Ann likes green tea");
    assert!(matches!(fact, Some(MemoryOrder::Remember { .. })), "{fact:?}");
    for text in ["remember the spare key hangs behind the boiler", "keep in mind Bob's train arrives at nine"]
    {
        let known = recognised(text);
        assert!(matches!(known, Some(Intent::Memory(MemoryOrder::Remember { .. }))), "{text}: {known:?}");
    }
    for text in ["remember the milk", "remember the good old days in Rome", "remember the key that hangs"] {
        let known = recognised(text);
        assert!(!matches!(known, Some(Intent::Memory(MemoryOrder::Remember { .. }))), "{text}: {known:?}");
    }
    for text in ["yes", "what is the time", "no"] {
        assert_eq!(intents::to_remember(english(), text), None, "{text}");
    }
}

#[test]
fn a_bare_number_is_no_time_among_other_words() {
    for text in ["at nine", "9 PM", "half past six", "tomorrow at seven", "in ten minutes"] {
        assert!(intents::clear_when(english(), text).is_some(), "{text}");
    }
    for text in ["nine", "7", "7 please"] {
        assert_eq!(intents::clear_when(english(), text), None, "{text}");
    }
    assert!(intents::holds_time(english(), "I am off on Friday"));
    assert!(!intents::holds_time(english(), "I am making pasta"));
}
