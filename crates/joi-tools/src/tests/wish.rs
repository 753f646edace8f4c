//! The corpus of what people say, with the call a careless model makes after it: nothing runs that was not asked for, and
//! plain requests run without a question.

use std::sync::LazyLock;

use serde_json::Value;

use joi_language::Language;
use joi_language::testing::{english, german};
use joi_language::values::ScheduleOrder;
use joi_language::values::{CallValue, ValueKind, Wish};
use joi_understand::intents::{self, Intent, MemoryOrder};
use joi_understand::wish::{CONDITION, UNCLEAR, VALUE, *};

use crate::testing::with_house;
use crate::{Effect, Toolbox};

/// What the corpus says of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Act,
    Ask,
    Talk,
    No,
}

struct Row {
    kind: &'static str,
    expected: Expected,
    asked_back: Option<&'static str>,
    asked: &'static str,
    tool: &'static str,
    arguments: Value,
}

fn rows(text: &'static str) -> Vec<Row> {
    let lines = text.lines().skip(1).filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let row = |line: &'static str| {
        let [kind, expected, asked_back, asked, tool, arguments] =
            line.split('\t').collect::<Vec<_>>().try_into().unwrap_or_else(|_| panic!("six columns: {line}"));
        let expected = match expected {
            "act" => Expected::Act,
            "ask" => Expected::Ask,
            "talk" => Expected::Talk,
            "no" => Expected::No,
            other => panic!("{other} is no expectation"),
        };
        let arguments = serde_json::from_str(arguments).unwrap();
        Row { kind, expected, asked_back: (asked_back != "-").then_some(asked_back), asked, tool, arguments }
    };
    lines.map(row).collect()
}

/// All tools, with the things of the corpora's house.
static TOOLBOX: LazyLock<Toolbox> = LazyLock::new(|| {
    let text = include_str!("../../../../tests/data/consent/house.tsv");
    let things = text.lines().skip(1).filter(|line| !line.starts_with('#') && !line.is_empty());
    let thing = |line: &str| {
        let [label, kind, category] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        (label.to_owned(), kind.to_owned(), category.to_owned())
    };
    with_house(things.map(thing))
});

fn wish_of(row: &Row, language: &Language) -> Wish {
    let tool = TOOLBOX.get(row.tool).unwrap();
    let arguments = row.arguments.as_object().unwrap();
    if tool.effect(arguments) == Effect::Risks && row.asked_back.is_none() {
        // Asked about whatever was said.
        return Wish::Ask("it is asked about, whatever was said");
    }
    let call = CallWords { deed: tool.deed(arguments), values: tool.values(arguments), cues: Vec::new() };
    wish(language, &Utterances { asked: row.asked, asked_back: row.asked_back, dialogue: &[] }, &call)
}

/// What the rule makes of a corpus.
#[derive(Default)]
struct Measured {
    /// Plain requests, and those of them that run at once.
    plain: u32,
    acted: u32,
    /// Talk, and that of it which is asked about: a question that nobody needs.
    talk: u32,
    bothered: Vec<String>,
    /// Requests that do not run at once.
    asked: Vec<String>,
    /// What runs and was not asked for.
    not_asked: Vec<String>,
}

fn measured(text: &'static str, language: &Language) -> Measured {
    let mut measured = Measured::default();
    for row in rows(text) {
        let wish = wish_of(&row, language);
        let told = format!(
            "{:?} {} {:?} {} {} -> {wish:?}",
            row.expected, row.kind, row.asked, row.tool, row.arguments
        );
        let is_plain = matches!(row.kind, "plain" | "polite");
        measured.plain += u32::from(is_plain);
        measured.acted += u32::from(is_plain && wish == Wish::Act);
        measured.talk += u32::from(row.expected == Expected::Talk);
        match (row.expected, wish) {
            (Expected::Act, Wish::Act) => {}
            (Expected::Act, _) => measured.asked.push(told),
            (_, Wish::Act) => measured.not_asked.push(told),
            (Expected::Talk, Wish::Ask(_)) => measured.bothered.push(told),
            _ => {}
        }
    }
    measured
}

macro_rules! corpus {
    ($name:literal) => {
        include_str!(concat!("../../../../tests/data/consent/", $name, ".tsv"))
    };
}

/// What must hold of a corpus: nothing runs that was not asked for, of plain requests so many run without a question, and
/// about no more than so much of the talk a question is asked.
fn holds(text: &'static str, language: &Language, least: f64, most_bothered: f64) {
    let Measured { plain, acted, talk, bothered, asked, not_asked } = measured(text, language);
    assert!(not_asked.is_empty(), "run and not asked for:\n{}", not_asked.join("\n"));
    let acted = f64::from(acted) / f64::from(plain);
    println!("{}: {acted:.3} of {plain} plain requests ran", language.code());
    assert!(acted >= least, "{acted:.3} of the plain requests ran; not run:\n{}", asked.join("\n"));
    let share = bothered.len() as f64 / f64::from(talk);
    assert!(share <= most_bothered, "{share:.3} of the talk is asked about:\n{}", bothered.join("\n"));
}

#[test]
fn nothing_runs_that_was_not_asked_for_and_plain_requests_run_without_a_question() {
    holds(corpus!("en"), english(), 0.97, 0.16);
    holds(corpus!("de"), german(), 0.97, 0.19);
}

// Not tuned with: what was never seen may be asked about more often, and runs no more.
#[test]
fn utterances_that_nobody_tuned_with_are_asked_about_rather_than_run() {
    holds(corpus!("en.held-out"), english(), 0.90, 0.06);
    holds(corpus!("de.held-out"), german(), 0.85, 0.10);
}

#[test]
fn utterances_of_a_second_time_that_nobody_tuned_with_run_nothing_unasked() {
    holds(corpus!("en.held-out-2"), english(), 0.90, 0.10);
    holds(corpus!("de.held-out-2"), german(), 0.95, 0.01);
}

// Half of it in the house
#[test]
fn utterances_of_a_third_time_that_nobody_tuned_with_run_nothing_unasked() {
    holds(corpus!("en.held-out-3"), english(), 0.80, 0.27);
    holds(corpus!("de.held-out-3"), german(), 0.80, 0.28);
}

#[test]
fn utterances_of_a_fourth_time_that_nobody_tuned_with_run_nothing_unasked() {
    holds(corpus!("en.held-out-4"), english(), 0.69, 0.20);
    holds(corpus!("de.held-out-4"), german(), 0.61, 0.26);
}

#[test]
fn no_quick_command_is_heard_in_talk() {
    let acts = |intent: &Intent| match intent {
        Intent::Schedule(order) => !matches!(order, ScheduleOrder::List(_) | ScheduleOrder::Left(_)),
        Intent::Volume(_) => true,
        Intent::Memory(order) => matches!(order, MemoryOrder::Remember { .. }),
        _ => false,
    };
    for (text, language) in [
        (corpus!("en"), english()),
        (corpus!("en.held-out"), english()),
        (corpus!("en.held-out-2"), english()),
        (corpus!("en.held-out-3"), english()),
        (corpus!("en.held-out-4"), english()),
        (corpus!("de"), german()),
        (corpus!("de.held-out"), german()),
        (corpus!("de.held-out-2"), german()),
        (corpus!("de.held-out-3"), german()),
        (corpus!("de.held-out-4"), german()),
    ] {
        let talk =
            rows(text).into_iter().filter(|row| row.expected == Expected::Talk && row.asked_back.is_none());
        let heard =
            talk.filter_map(|row| Some((row.asked, intents::match_intent(language, row.asked)?.what)));
        let wrong: Vec<_> = heard.filter(|(_, intent)| acts(intent)).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

#[test]
fn only_what_is_to_stay_is_acknowledged_without_being_looked_at() {
    for (stays, text) in [
        (true, "leave my shopping list alone"),
        (true, "No, leave my alarm as it is."),
        (true, "please don't delete my notes"),
        (true, "lass meine Einkaufsliste in Ruhe"),
        (true, "Finger weg von den Timern!"),
        (true, "lösch bloß nicht meine Notizen"),
        (false, "leave a note on my list to be early"),
        (false, "keep a list of what I say"),
        (false, "leave me alone"),
        (false, "don't cancel my alarm, set it to eight"),
        (false, "what's on my shopping list"),
        (false, "I don't have a list"),
        (false, "was steht auf meiner Liste"),
        (false, "lass mich nicht vergessen, die Liste zu drucken"),
    ] {
        assert_eq!(joi_understand::wish::stays(english(), text), stays, "{text}");
    }
    for (text, language) in [
        (corpus!("en"), english()),
        (corpus!("en.held-out"), english()),
        (corpus!("de"), german()),
        (corpus!("de.held-out"), german()),
    ] {
        let asks = |row: &Row| row.expected == Expected::Act || matches!(row.kind, "question" | "reported");
        let wrong: Vec<_> =
            rows(text).into_iter().filter(|row| asks(row) && stays(language, row.asked)).collect();
        assert!(wrong.is_empty(), "{:?}", wrong.iter().map(|row| row.asked).collect::<Vec<_>>());
    }
}

#[test]
fn the_corpus_is_as_large_as_it_should_be() {
    let all: Vec<Row> = [corpus!("en"), corpus!("de")].into_iter().flat_map(rows).collect();
    let kinds: std::collections::BTreeSet<&str> = all.iter().map(|row| row.kind).collect();
    assert!(all.len() >= 400 && kinds.len() >= 10, "{} rows of {kinds:?}", all.len());
}

proptest::proptest! {
    #[test]
    fn any_part_of_any_words_is_read_without_panic(asked in "\\PC{0,80}", from in 0_usize..40, length in 0_usize..40) {
        let at = |chars: usize| asked.char_indices().nth(chars).map_or(asked.len(), |(at, _)| at);
        let _ = is_asked_within(english(), &asked, &asked[at(from)..at(from + length)]);
        proptest::prop_assert!(!is_asked_within(english(), &asked, "another text, which is no slice of it"));
    }

    #[test]
    fn any_words_are_read_without_panic(asked in "\\PC{0,120}", back in "\\PC{0,40}", value in "\\PC{0,30}") {
        for (deed, kind) in [("timers set", ValueKind::When), ("lists add", ValueKind::Words), ("lamp", ValueKind::Numbers)] {
            let values = vec![CallValue { kind, text: value.clone() }];
            let call = CallWords { deed: deed.to_owned(), values, cues: vec!["lamp"] };
            let _ = wish(english(), &Utterances { asked: &asked, asked_back: Some(&back), dialogue: &[] }, &call);
        }
        let _ = refusal(english(), &asked);
    }
}

#[test]
fn a_deed_no_language_knows_is_asked_for_by_the_words_of_its_tool() {
    let wish = |asked: &str, what: &str| {
        let values = vec![CallValue { kind: ValueKind::Words, text: what.to_owned() }];
        let call = CallWords { deed: "lamp".into(), values, cues: vec!["lamp", "light"] };
        wish(english(), &Utterances { asked, ..Utterances::default() }, &call)
    };
    assert_eq!(wish("turn the lamp on", "on"), Wish::Act);
    assert_eq!(wish("read the page, then the lamp on", "on"), Wish::Act);
    assert_eq!(wish("turn the lamp on", "off"), Wish::Ask(VALUE));
    assert_eq!(wish("the lamp please", "on"), Wish::Ask(VALUE));
    assert_eq!(wish("turn on the radio", "on"), Wish::Ask(UNCLEAR));
    for talk in [
        "is the lamp on",
        "don't turn the lamp on",
        "if I turn the lamp on it flickers",
        "she said turn the lamp on",
    ] {
        assert!(matches!(wish(talk, "on"), Wish::Talk(_)), "{talk}");
    }
}

#[test]
fn a_refusal_never_leaves_what_was_refused_without_its_no() {
    for (said, instead) in [
        ("no, set it to eight", "set it to eight"),
        ("Nope. Make it fifteen minutes.", "Make it fifteen minutes."),
        ("don't, set a timer for ten minutes", "set a timer for ten minutes"),
        ("don't cancel it, set a timer for ten minutes", "don't cancel it, set a timer for ten minutes"),
        ("never cancel my alarm, set a timer", "never cancel my alarm, set a timer"),
        (
            "please do not clear the list, add milk to the list",
            "please do not clear the list, add milk to the list",
        ),
    ] {
        assert_eq!(refusal(english(), said), Some(Refusal::Instead(instead)), "{said}");
    }
    for said in ["no way, I need my alarm", "don't cancel it", "not now", "leave them alone"] {
        assert_eq!(refusal(english(), said), Some(Refusal::Plain), "{said}");
    }
    assert_eq!(refusal(english(), "what time is it"), None);
}

#[test]
fn a_wish_and_a_polite_request_may_depend_on_something_too() {
    let values = vec![CallValue { kind: ValueKind::When, text: "10 minutes".into() }];
    let call = CallWords { deed: "timers set".into(), values, cues: Vec::new() };
    for asked in
        ["I want a timer for ten minutes if it rains", "could you set a timer for ten minutes if it rains"]
    {
        let said = Utterances { asked, ..Utterances::default() };
        assert_eq!(wish(english(), &said, &call), Wish::Ask(CONDITION), "{asked}");
    }
}

#[test]
fn words_that_only_report_differ_from_those_that_want_something() {
    for told in [
        "It's news for nine minutes.",
        "It's raining.",
        "My sister likes the news online",
        "He looked up the latest news.",
    ] {
        assert!(only_reports(english(), told), "{told}");
    }
    for wanted in [
        "news please",
        "What's in the news?",
        "I'd like the latest news",
        "I need the weather for tomorrow",
        "It's cold, how warm will it be tomorrow?",
        "you should look up the news",
        "search the web for cake recipes",
        "is it raining",
        "weather in Rome",
    ] {
        assert!(!only_reports(english(), wanted), "{wanted}");
    }
    assert!(only_reports(german(), "Es regnet schon wieder."));
    assert!(!only_reports(german(), "Wie wird das Wetter morgen?"));
    assert!(!only_reports(german(), "such im Internet nach Kuchenrezepten"));
}

#[test]
fn an_order_asks_and_reports_nothing_beside_it() {
    for (asked, is_order) in [
        ("cancel the pasta timer", true),
        ("cancel the timer and lock the front door", true),
        ("put milk on the list, please", true),
        ("can still the pasta timer", false),
        ("is the pasta timer still running", false),
        ("cancel the timer, or is it over?", false),
        ("I cancelled the timer", false),
        ("don't cancel the timer", false),
        ("why is the sky blue", false),
        ("tell me something about whales", false),
    ] {
        assert_eq!(orders(english(), asked), is_order, "{asked}");
    }
    assert!(orders(german(), "lösch den Timer") && !orders(german(), "läuft der Timer noch?"));
}

#[test]
fn what_only_asks_wants_no_deed() {
    for (asked, only) in [
        ("is the pasta timer still running", true),
        ("my wife said clear the shopping list", true),
        ("can you cancel the pasta timer?", false),
        ("the light in the hall off", false),
        ("how late is it, and cancel the timer", false),
        ("I keep a shopping list", false),
        ("", false),
    ] {
        assert_eq!(only_asks(english(), asked), only, "{asked}");
    }
}
