//! Phrases about timers, alarms and reminders, and what is understood of them, word for word.

use super::*;
use joi_language::values::{ClockSaid, Day, DayPart, Days, Exactness, Said};

/// Returns an order in a form that a table can hold: `set timer "pasta" 570 s`.
pub(super) fn shown(order: &ScheduleOrder) -> String {
    let words = match order {
        ScheduleOrder::SetHouse { .. } | ScheduleOrder::Finish(_) => vec!["house".to_owned()],
        ScheduleOrder::Set(wanted) => {
            vec![
                "set".into(),
                wanted.kind.name().into(),
                quoted(wanted.name.as_deref()),
                when_shown(wanted.when.as_ref()),
            ]
        }
        ScheduleOrder::Amend { wanted, .. } => vec!["amend".into(), when_shown(wanted.when.as_ref())],
        ScheduleOrder::Withdraw { .. } => vec!["withdraw".into()],
        ScheduleOrder::List(kind) => {
            vec!["list".into(), kind.map(|k| k.name().to_owned()).unwrap_or_default()]
        }
        ScheduleOrder::Left(which) => vec!["left".into(), which_shown(which)],
        ScheduleOrder::Cancel(which) => vec!["cancel".into(), which_shown(which)],
        ScheduleOrder::Skip(which) => vec!["skip".into(), which_shown(which)],
        ScheduleOrder::Add { which, seconds } => {
            vec!["add".into(), format!("{seconds} s"), which_shown(which)]
        }
        ScheduleOrder::Move { which, when } => {
            vec!["move".into(), which_shown(which), when_shown(when.as_ref())]
        }
        ScheduleOrder::Snooze { which, seconds } => {
            vec!["snooze".into(), seconds.map(|s| format!("{s} s")).unwrap_or_default(), which_shown(which)]
        }
        ScheduleOrder::Pause(which) => vec!["pause".into(), which_shown(which)],
        ScheduleOrder::Resume(which) => vec!["resume".into(), which_shown(which)],
        ScheduleOrder::Restart(which) => vec!["restart".into(), which_shown(which)],
        ScheduleOrder::Silence => vec!["silence".into()],
    };
    words.into_iter().filter(|word: &String| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn quoted(name: Option<&str>) -> String {
    name.map(|name| format!("\"{name}\"")).unwrap_or_default()
}

fn clock_shown(clock: ClockSaid, part: Option<DayPart>) -> String {
    let mark = if clock.exactness == Exactness::Exact { "!" } else { "" };
    format!("{}:{:02}{mark}{}", clock.hour, clock.minute, part.map(part_shown).unwrap_or_default())
}

fn part_shown(part: DayPart) -> String {
    format!(" {part:?}").to_lowercase()
}

fn when_shown(when: Option<&When>) -> String {
    match when {
        None => "?".into(),
        Some(When::In(seconds)) => format!("{seconds} s"),
        Some(When::At(Said { clock, part, day, days })) => {
            let clock = match clock {
                Some(clock) => clock_shown(*clock, *part),
                None => part.map(part_shown).unwrap_or_default(),
            };
            let day = day.map(day_shown).unwrap_or_default();
            let days = if days.is_none() { String::new() } else { format!(" {}", days_shown(*days)) };
            format!("at {}", format!("{clock}{day}{days}").trim_start())
        }
    }
}

fn day_shown(day: Day) -> String {
    match day {
        Day::Ahead(days) => format!(" +{days}"),
        Day::Weekday(weekday) => format!(" {weekday:?}").to_lowercase(),
        Day::Date(month, day) => format!(" {day}.{month}."),
        Day::OfMonth(day) => format!(" {day}."),
    }
}

fn days_shown(days: Days) -> String {
    joi_language::values::words::days(days, english())
}

fn which_shown(which: &Which) -> String {
    let words = [
        if which.many == Many::All { "all".to_owned() } else { String::new() },
        which.kind.map(|kind| kind.name().to_owned()).unwrap_or_default(),
        quoted(which.name.as_deref()),
        which.length_s.map(|length| format!("of {length} s")).unwrap_or_default(),
        which.clock.map(|(clock, part)| format!("at {}", clock_shown(clock, part))).unwrap_or_default(),
        which.day.map(|day| format!("on{}", day_shown(day))).unwrap_or_default(),
        which.rank.map(|rank| format!("ranked {rank:?}")).unwrap_or_default(),
    ];
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

pub(super) fn rows(table: &str) -> impl Iterator<Item = (&str, &str)> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_once('\t').unwrap())
}

pub(super) fn understood(language: &Language, text: &str) -> String {
    match intents::match_intent(language, text).map(|quick| quick.what) {
        None => "-".into(),
        Some(Intent::Schedule(order)) => shown(&order),
        Some(Intent::Home(order)) => super::home::shown(&order),
        Some(other) => format!("{other:?}"),
    }
}

/// Every phrase of a table of at least so many is understood as it says.
pub(super) fn all_are_understood(language: &Language, table: &str, least: usize) {
    let wrong: Vec<_> = rows(table)
        .map(|(phrase, expected)| (phrase, understood(language, phrase), expected))
        .filter(|(_, told, expected)| told != expected)
        .collect();
    assert_eq!(wrong, []);
    assert!(rows(table).count() >= least);
}

/// Put into any of these frames, none of the phrases is understood as an order.
pub(super) fn none_acts<'a>(phrases: impl Iterator<Item = &'a str>, frames: &[&str]) {
    let framed = |phrase: &str| frames.iter().map(|frame| frame.replace('…', phrase)).collect::<Vec<_>>();
    let acted: Vec<_> = phrases
        .flat_map(framed)
        .map(|sentence| (understood(english(), &sentence), sentence))
        .filter(|(told, _)| told != "-")
        .collect();
    assert_eq!(acted, []);
}

/// Talk about an order that does not give it.
pub(super) const FRAMES: [&str; 7] = [
    "Don't …",
    "Never …",
    "Did you …",
    "Why did you …",
    "How do I …",
    "What happens if I say …",
    "She said …",
];
const TIMERS: &str = include_str!("../../../../../tests/data/intents/timers.en.tsv");

#[test]
fn every_phrase_is_understood_word_for_word() {
    all_are_understood(english(), TIMERS, 220);
    let timers = include_str!("../../../../../tests/data/intents/timers.de.tsv");
    all_are_understood(german(), timers, 590);
}

#[test]
fn negations_and_questions_about_any_phrase_never_act() {
    let phrases = rows(TIMERS).map(|(phrase, _)| phrase);
    none_acts(phrases.filter(|phrase| !phrase.starts_with("Don't")), &FRAMES);
}

#[test]
fn what_was_asked_back_is_completed_by_the_answer() {
    let order = |text: &str| match match_intent(text) {
        Some(QuickIntent { what: Intent::Schedule(order), .. }) => order,
        other => panic!("{other:?}"),
    };
    let completed = |text: &str, question: &ScheduleQuestion, answer: &str| {
        complete(&order(text), question, answer).map_or("-".into(), |order| shown(&order))
    };
    let which = ScheduleQuestion::Which(vec![]);
    for (text, question, answer, expected) in [
        (
            "set a pasta timer",
            &ScheduleQuestion::Length,
            "nine and a half minutes",
            "set timer \"pasta\" 570 s",
        ),
        ("set a timer", &ScheduleQuestion::Length, "Ten minutes, please.", "set timer 600 s"),
        ("set a timer", &ScheduleQuestion::Length, "I don't know", "-"),
        (
            "remind me to call Ann",
            &ScheduleQuestion::Moment,
            "Tomorrow at noon.",
            "set reminder \"call Ann\" at 12:00! +1",
        ),
        (
            "remind me to call Ann",
            &ScheduleQuestion::Moment,
            "in ten minutes",
            "set reminder \"call Ann\" 600 s",
        ),
        (
            "set an alarm for tomorrow morning",
            &ScheduleQuestion::Moment,
            "at seven",
            "set alarm at 7:00 morning +1",
        ),
        (
            "set an alarm for Friday",
            &ScheduleQuestion::Moment,
            "on Monday at eight",
            "set alarm at 8:00 monday",
        ),
        ("remind me at nine", &ScheduleQuestion::Text, "to call Ann", "set reminder \"call Ann\" at 9:00"),
        (
            "remind me at nine",
            &ScheduleQuestion::Text,
            "The laundry.",
            "set reminder \"The laundry\" at 9:00",
        ),
        ("remind me at nine", &ScheduleQuestion::Text, "no", "-"),
        ("remind me at nine", &ScheduleQuestion::Text, "what is the time", "-"),
        ("pause the one hour timer", &which, "the second one", "pause timer of 3600 s ranked Nth(2)"),
        ("wake me up", &ScheduleQuestion::Moment, "at half past six", "set alarm at 6:30"),
        ("change the alarm", &ScheduleQuestion::Moment, "seven", "move alarm at 7:00"),
        ("cancel the timer", &which, "the pasta one", "cancel timer \"pasta\""),
        ("cancel the timer", &which, "Pasta.", "cancel timer \"Pasta\""),
        ("cancel the timer", &which, "all of them", "cancel all timer"),
        ("cancel the timer", &which, "the ten minute timer", "cancel timer of 600 s"),
        ("add two minutes to the timer", &which, "the rice timer", "add 120 s timer \"rice\""),
    ] {
        assert_eq!(completed(text, question, answer), expected, "{text} / {answer}");
    }
}

#[test]
fn a_whole_command_differs_from_the_beginning_of_one() {
    use Completeness::{Amendable, Complete, Free, Incomplete, Open, Question, Sentence, Unknown};
    for (text, expected) in [
        ("set a timer for nine minutes", Amendable),
        ("set a timer for nine minutes please", Complete),
        ("set a nine minute timer", Complete),
        ("wake me at half past six", Amendable),
        ("wake me at noon", Amendable),
        ("remind me at noon to call Ann", Open),
        ("turn on the kitchen light", Complete),
        ("what time is it", Complete),
        ("stop", Complete),
        ("cancel all timers", Complete),
        // "Seven thirty", "seven p.m." and "forty two" begin like these; what was set is moved.
        ("set an alarm for seven", Amendable),
        ("Set an alarm for 7.", Amendable),
        ("change the alarm to seven", Free),
        ("set an alarm for seven p.m.", Complete),
        ("set an alarm for seven please", Complete),
        ("set the volume to forty", Amendable),
        ("turn the volume up", Complete),
        ("wake me at half past six on weekdays", Amendable),
        ("set a timer for ten minutes for the eggs", Amendable),
        ("add five minutes", Open),
        ("good morning", Amendable),
        ("what day is tomorrow", Complete),
        ("how much time is left", Complete),
        ("set a timer for", Incomplete),
        ("set a timer", Incomplete),
        ("set a pasta timer for nine and a", Incomplete),
        ("set a timer for twenty", Incomplete),
        ("set a timer for five minutes and", Incomplete),
        ("remind me to call Ann", Incomplete),
        ("remind me to", Incomplete),
        ("wake me at", Incomplete),
        ("please set the", Incomplete),
        ("put milk on the shopping list", Complete),
        ("What is on my shopping list?", Complete),
        ("what is twelve times twelve", Amendable),
        ("remember that the spare key is in the shed", Free),
        ("convert five miles to kilometers", Complete),
        ("what is on the list", Complete),
        ("put milk on the", Incomplete),
        ("tell me about my", Incomplete),
        ("Is it because?", Incomplete),
        ("Why is the sky blue?", Question),
        ("What are you up to?", Question),
        ("Where is the spare key?", Question),
        ("Where is the?", Incomplete),
        ("How long is?", Incomplete),
        ("Set a timer for twenty?", Incomplete),
        ("Can you remind me?", Incomplete),
        ("Can you tell me a story?", Question),
        // Recognisers leave the question mark out.
        ("why is the sky blue", Question),
        ("who painted the Mona Lisa", Question),
        ("Hey Joi, who painted the Mona Lisa.", Question),
        ("tell me a story", Question),
        ("Tell me something about Iceland.", Question),
        ("when was the Eiffel tower built", Question),
        ("when I come home", Unknown),
        ("what is the temperature in", Unknown),
        ("who are you", Unknown),
        ("why", Unknown),
        ("I had a really bad day at work.", Sentence),
        ("I can't sleep.", Sentence),
        ("I had a really bad day at work", Unknown),
        ("I wanted to tell you that.", Unknown),
        ("I was in the garden and", Incomplete),
        ("It was nice...", Unknown),
        ("Oh well.", Unknown),
        ("hello", Unknown),
        ("", Unknown),
    ] {
        assert_eq!(completeness(text), expected, "{text}");
    }
}
