use jiff::civil::date;
use proptest::prelude::*;

use jiff::Zoned;

use super::*;
use crate::intents;
use joi_language::testing::{english, german};

const PHRASINGS: &str = include_str!("../../../../tests/data/intents/phrasings.txt");
const CHITCHAT: &str = include_str!("../../../../tests/data/intents/chitchat.txt");

mod amend;
mod frames;
mod grammar;
mod home;
mod inserted;
mod mood;
mod near;
mod phrases;

// English, which most of these tests are about.

fn match_intent(text: &str) -> Option<QuickIntent> {
    intents::match_intent(english(), text)
}

fn near(text: &str) -> Vec<Reading> {
    intents::near(english(), text)
}

fn settled(text: &str) -> Option<Settled> {
    intents::settled(english(), text)
}

fn amended(before: &Settled, text: &str) -> Option<Settled> {
    intents::amended(english(), before, text)
}

fn only_repeats(before: &Settled, text: &str) -> bool {
    intents::only_repeats(english(), before, text)
}

fn completeness(text: &str) -> Completeness {
    intents::completeness(english(), text)
}

fn mood(asked: &str) -> Mood {
    intents::mood(english(), asked)
}

fn complete(order: &ScheduleOrder, question: &ScheduleQuestion, text: &str) -> Option<ScheduleOrder> {
    intents::complete(english(), order, question, text)
}

fn when(text: &str) -> Option<When> {
    intents::when(english(), text)
}

fn is_yes(text: &str) -> bool {
    intents::is_yes(english(), text)
}

fn is_refusal(text: &str) -> bool {
    intents::is_refusal(english(), text)
}

fn answer(what: &Intent, now: &Zoned, last_reply: Option<&str>) -> String {
    intents::answer(english(), what, now, last_reply)
}

fn recognised(text: &str) -> Option<Intent> {
    match_intent(text).map(|intent| intent.what)
}

fn lines(list: &str) -> impl Iterator<Item = &str> {
    list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Returns the intent a section of the list of phrasings stands for.
fn section(name: &str) -> Intent {
    match name {
        "time" => Intent::Time,
        "date" => Intent::Date,
        "stop" => Intent::Stop,
        "repeat" => Intent::Repeat,
        "thanks" => Intent::Thanks,
        "never mind" => Intent::NeverMind,
        "cancel that" => Intent::TakeBack(TakingBack::Cancel),
        "undo" => Intent::TakeBack(TakingBack::Undo),
        "coin" => Intent::Chance(Chance::Coin),
        "die" => Intent::Chance(Chance::Die),
        "abilities" => Intent::Herself(Herself::Abilities),
        "nature" => Intent::Herself(Herself::Nature),
        "hears" => Intent::Herself(Herself::Hears),
        "home again" => Intent::HomeAgain,
        "goodbye" => Intent::Goodbye,
        "good night" => Intent::GoodNight,
        "not now" => Intent::Quiet(QuietWish::NotNow),
        "quiet until tomorrow" => Intent::Quiet(QuietWish::UntilTomorrow),
        "going to sleep" => Intent::Quiet(QuietWish::Sleep),
        "quiet over" => Intent::Quiet(QuietWish::Over),
        "heard it" => Intent::Quiet(QuietWish::Heard),
        "seen it" => Intent::Quiet(QuietWish::Seen),
        "volume up" => Intent::Volume(VolumeChange::Up),
        "volume down" => Intent::Volume(VolumeChange::Down),
        name => Intent::Volume(VolumeChange::Set(name.strip_prefix("volume ").unwrap().parse().unwrap())),
    }
}

#[test]
fn every_intent_is_recognised_in_many_natural_phrasings() {
    let mut expected: Option<Intent> = None;
    let mut missed = Vec::new();
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for line in lines(PHRASINGS) {
        if let Some(name) = line.strip_prefix("= ") {
            expected = Some(section(name));
            counts.push((name, 0));
            continue;
        }
        if let Some((_, count)) = counts.last_mut() {
            *count += 1;
        }
        if recognised(line) != expected {
            missed.push((line, recognised(line), expected.clone()));
        }
    }
    assert_eq!(missed, []);
    let main =
        ["time", "date", "stop", "repeat", "thanks", "never mind", "volume up", "volume down", "volume 40"];
    let scarce: Vec<_> = counts.iter().filter(|(name, count)| main.contains(name) && *count < 20).collect();
    assert!(scarce.is_empty(), "too few phrasings to trust: {scarce:?}");
}

#[test]
fn conversation_never_triggers_a_command() {
    let triggered: Vec<_> = lines(CHITCHAT).filter_map(|line| Some((line, recognised(line)?))).collect();
    assert_eq!(triggered, []);
    assert!(lines(CHITCHAT).count() >= 1_000);
}

#[test]
fn a_question_about_any_phrasing_does_not_trigger_it() {
    let frames: [fn(&str) -> String; 6] = [
        |p| format!("What does {p} mean?"),
        |p| format!("Why did you say {p}"),
        |p| format!("My brother said {p}"),
        |p| format!("How do I say {p} in French?"),
        |p| format!("Don't {p}"),
        |p| format!("{p} or else I will call my mother"),
    ];
    let phrasings = lines(PHRASINGS).filter(|line| !line.starts_with("= "));
    let triggered: Vec<_> = phrasings
        .flat_map(|phrasing| frames.iter().map(move |frame| frame(phrasing)))
        .filter_map(|sentence| recognised(&sentence).map(|intent| (sentence, intent)))
        .collect();
    assert_eq!(triggered, []);
}

#[test]
fn the_reason_quotes_the_phrasing_and_not_the_user() {
    let intent = match_intent("Jarvis, the current TIME, please!").unwrap();
    let reason = r#"the whole utterance is "[the] current time""#.to_owned();
    assert_eq!(intent, QuickIntent { what: Intent::Time, reason });
}

#[test]
fn answers_are_short_and_stop_has_none() {
    let say = |what, hour, minute| {
        let now = date(2026, 5, 7).at(hour, minute, 30, 0).to_zoned(jiff::tz::TimeZone::UTC).unwrap();
        answer(&what, &now, None)
    };
    let cases = [
        (say(Intent::Time, 0, 0), "It's midnight."),
        (say(Intent::Time, 0, 5), "It's 12:05 AM."),
        (say(Intent::Time, 9, 5), "It's 9:05 AM."),
        (say(Intent::Time, 12, 0), "It's noon."),
        (say(Intent::Time, 15, 0), "It's 3 PM."),
        (say(Intent::Time, 23, 59), "It's 11:59 PM."),
        (say(Intent::Date, 9, 5), "It's Thursday, May 7th, 2026."),
        (say(Intent::DateOf(Day::Ahead(1)), 9, 5), "That's Friday, May 8th, 2026."),
        (say(Intent::DateOf(Day::Ahead(-1)), 9, 5), "That was Wednesday, May 6th, 2026."),
        (
            say(Intent::DateOf(Day::Weekday(jiff::civil::Weekday::Monday)), 9, 5),
            "That's Monday, May 11th, 2026, in 4 days.",
        ),
        (say(Intent::DateOf(Day::Date(5, 6)), 9, 5), "That's Thursday, May 6th, 2027, in 364 days."),
        (say(Intent::DateOf(Day::Date(2, 31)), 9, 5), "There is no such day."),
        (say(Intent::Greeting(DayPart::Morning), 9, 5), "Good morning."),
        (say(Intent::Greeting(DayPart::Evening), 9, 5), "Good evening."),
        (say(Intent::Stop, 9, 5), ""),
        (say(Intent::Repeat, 9, 5), "I haven't said anything yet."),
        (say(Intent::Volume(VolumeChange::Up), 9, 5), "Louder."),
        (say(Intent::Volume(VolumeChange::Down), 9, 5), "Quieter."),
        (say(Intent::Volume(VolumeChange::Set(40)), 9, 5), "Volume at 40 percent."),
        (say(Intent::Thanks, 9, 5), "You're welcome."),
        (say(Intent::NeverMind, 9, 5), "All right."),
    ];
    for (said, expected) in cases {
        assert_eq!(said, expected);
    }
}

#[test]
fn repeat_says_the_last_answer_again() {
    let now = date(2026, 5, 7).at(9, 5, 0, 0).to_zoned(jiff::tz::TimeZone::UTC).unwrap();
    assert_eq!(answer(&Intent::Repeat, &now, Some("It's noon.")), "It's noon.");
}

#[test]
fn every_day_of_a_month_has_its_ending() {
    let said = |day| {
        let now = date(2026, 1, day).at(9, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC).unwrap();
        answer(&Intent::Date, &now, None).split_whitespace().nth(3).unwrap().to_owned()
    };
    let endings = [1, 2, 3, 4, 11, 12, 13, 20, 21, 22, 23, 24, 30, 31].map(said);
    let expected = [
        "1st,", "2nd,", "3rd,", "4th,", "11th,", "12th,", "13th,", "20th,", "21st,", "22nd,", "23rd,",
        "24th,", "30th,", "31st,",
    ];
    assert_eq!(endings, expected);
}

proptest! {
    #[test]
    fn any_text_is_answered_without_panic(text in "\\PC{0,200}") {
        let _ = match_intent(&text);
    }

    #[test]
    fn words_of_commands_in_any_order_rarely_make_one_and_never_a_panic(
        words in proptest::collection::vec(
            prop::sample::select(vec!["stop", "the", "volume", "up", "please", "can", "you", "hundred", "40%", "a", "bit", "thank"]),
            0..12,
        )
    ) {
        let _ = match_intent(&words.join(" "));
    }
}

#[test]
fn only_a_clear_yes_is_a_yes() {
    for yes in [
        "OK.",
        "Yes.",
        "yes please",
        "Yeah, go on.",
        "Sure.",
        "Please continue",
        "Okay, do it.",
        "go ahead, please",
        "Of course!",
        "Yes, I would.",
        "Sounds good",
        "um, yes",
        "that would be great, thanks",
    ] {
        assert!(is_yes(yes), "{yes}");
    }
    for no in [
        "",
        "No.",
        "yes and what is the weather",
        "no, go on without me",
        "not sure",
        "don't",
        "yes or no",
        "do it yourself",
        "should I go on",
        "maybe",
        "stop",
        "I'm not sure about that",
        "go on holiday",
    ] {
        assert!(!is_yes(no), "{no}");
    }
}

#[test]
fn a_clear_yes_is_said_for_nothing_else() {
    for (language, clear, other) in [
        (
            english(),
            &["Yes.", "yes please", "Yeah, do it.", "okay, do it", "of course", "go ahead", "Yes, I do."][..],
            &["right", "Great.", "fine", "exactly", "okay", "OK.", "alright", "correct", "sounds good", "no"]
                [..],
        ),
        (
            german(),
            &["Ja.", "ja bitte", "ja gerne", "natürlich", "mach das", "ja, mach das"],
            &[
                "gerne",
                "klar",
                "okay",
                "OK.",
                "mach weiter",
                "genau",
                "richtig",
                "sicher",
                "na ja",
                "nein, mach das",
                "nein",
            ],
        ),
    ] {
        for yes in clear {
            assert!(intents::is_clear_yes(language, yes) && intents::is_yes(language, yes), "{yes}");
        }
        for no in other {
            assert!(!intents::is_clear_yes(language, no), "{no}");
        }
    }
}

#[test]
fn a_yes_and_a_no_have_many_words_in_german() {
    for yes in [
        "Okay.",
        "OK",
        "Sicher.",
        "Auf jeden Fall!",
        "Jo",
        "Genau",
        "Mach mal.",
        "Weiter",
        "Gern",
        "Von mir aus.",
    ] {
        assert!(intents::is_yes(german(), yes) && !intents::is_refusal(german(), yes), "{yes}");
    }
    for no in
        ["Nö.", "Nee, danke.", "Lass mal.", "Passt schon.", "Brauchst du nicht", "Bitte nicht", "Doch nicht!"]
    {
        assert!(intents::is_refusal(german(), no) && !intents::is_yes(german(), no), "{no}");
    }
    for other in [
        "",
        "Na ja",
        "Ja und nein",
        "Nein, mach das",
        "Warte, mach das",
        "Moment, mach das",
        "Mach das nicht",
        "Natürlich nicht",
        "Ich weiß nicht",
    ] {
        assert!(!intents::is_yes(german(), other), "{other}");
    }
}

#[test]
fn a_no_is_a_no_and_nothing_else() {
    for no in
        ["No.", "No, thank you.", "nope", "Please don't.", "no, leave it", "Not now.", "no, that is enough"]
    {
        assert!(is_refusal(no) && !is_yes(no), "{no}");
    }
    for other in ["", "no idea", "not sure", "don't stop", "no, tell me about the moon", "yes", "know"] {
        assert!(!is_refusal(other), "{other}");
    }
}
