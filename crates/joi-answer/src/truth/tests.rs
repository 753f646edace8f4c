//! Claims, held against the corpus in `tests/data/truth`.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use joi_language::testing::{english, german};
use joi_language::values::ValueKind;
use joi_tools::Toolbox;

/// How many false sentences passed and honest ones were cut, each of how many.
#[derive(Debug, Default)]
struct Score {
    passed: (usize, usize),
    cut: (usize, usize),
    /// Wrong verdicts.
    wrong: Vec<String>,
}

/// Returns the calls of a row, of the tools that are shipped, or of one that nobody knows.
fn done(results: &str) -> Vec<DoneCall> {
    static SHIPPED: LazyLock<Toolbox> = LazyLock::new(|| joi_tools::testing::shipped(None));
    let results: Vec<Value> = match results {
        "-" => Vec::new(),
        written => serde_json::from_str(written).unwrap(),
    };
    let of = |result: Value| {
        let name = result["tool"].as_str().unwrap();
        let arguments = result["arguments"].as_object().unwrap();
        let answer = result["result"].as_str().unwrap_or_default();
        let shipped =
            |tool: &std::sync::Arc<dyn Tool>| DoneCall::of(&**tool, arguments, &Output::own(answer));
        SHIPPED.get(name).map_or_else(|| unknown(name, arguments, answer), shipped)
    };
    results.into_iter().map(of).collect()
}

fn unknown(name: &str, arguments: &Map<String, Value>, answer: &str) -> DoneCall {
    let value = |value: &Value| match value {
        Value::String(text) => Some(CallValue { kind: ValueKind::Words, text: text.clone() }),
        Value::Number(number) => Some(CallValue { kind: ValueKind::Numbers, text: number.to_string() }),
        _ => None,
    };
    DoneCall {
        tool: name.to_owned(),
        deed: name.to_owned(),
        values: arguments.values().filter_map(value).collect(),
        words: name_words(name),
        answer: answer.to_lowercase(),
        has_changed: !["get", "read", "list", "find", "search"]
            .iter()
            .any(|looks| name.to_lowercase().starts_with(looks) || name.ends_with("Read")),
    }
}

fn score(language: &Language, corpus: &str) -> Score {
    let mut score = Score::default();
    for row in corpus.lines().skip(1).filter(|row| !row.trim().is_empty() && !row.starts_with('#')) {
        let [expect, results, asked, said] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not a row: {row}")
        };
        let done = done(results);
        let cut =
            unsupported(language, said, ClaimEvidence { asked, done: &done, ..ClaimEvidence::default() });
        let is_false = expect == "false";
        let (count, is_wrong) =
            if is_false { (&mut score.passed, cut.is_none()) } else { (&mut score.cut, cut.is_some()) };
        count.1 += 1;
        if is_wrong {
            count.0 += 1;
            score.wrong.push(explained(language, row));
        }
    }
    score
}

/// Returns what a row is read as.
fn explained(language: &Language, row: &str) -> String {
    let [_, results, asked, said, ..] = row.split('\t').collect::<Vec<_>>()[..] else {
        panic!("not a row: {row}")
    };
    let done = done(results);
    let mut told = format!("{row}\n");
    for (words, requests) in language.truth() {
        let topic = TurnTopic::of(words, requests, asked);
        let judge = ClaimJudge {
            language,
            words,
            requests,
            evidence: ClaimEvidence { asked, done: &done, ..ClaimEvidence::default() },
        };
        let support = Support { judge, topic: &topic };
        told += &format!("    {:?} {:?} {:?}\n", topic.aim, topic.wanted, topic.families);
        for clause in clauses::clauses(words, requests, said) {
            let claim = judge.claim(&clause, None);
            let verdict = claim.as_ref().map(|claim| (support.is_about_user(claim), support.holds(claim)));
            told += &format!("        {clause:?}\n        {claim:?} {verdict:?}\n");
        }
    }
    told
}

/// At most 2 % of the false sentences of a corpus pass, and at most 1 % of the honest ones are cut.
fn holds(language: &Language, corpus: &str) {
    let score = score(language, corpus);
    println!("passed {:?}, cut {:?}", score.passed, score.cut);
    let wrong = score.wrong.join("\n");
    assert!(score.passed.0 * 100 <= score.passed.1 * 2, "passed {:?}:\n{wrong}", score.passed);
    assert!(score.cut.0 * 100 <= score.cut.1, "cut {:?}:\n{wrong}", score.cut);
}

macro_rules! corpus {
    ($name:literal) => {
        include_str!(concat!("../../../../tests/data/truth/", $name, ".tsv"))
    };
}

#[test]
fn what_was_not_done_is_not_said_and_hardly_anything_honest_is_cut() {
    holds(english(), corpus!("en"));
    holds(german(), corpus!("de"));
}

// Written before anybody looked at the rules; docs/user/security.md states what the first run was like.
#[test]
fn the_same_holds_of_sentences_that_were_written_blind() {
    holds(english(), corpus!("en.held-out"));
    holds(german(), corpus!("de.held-out"));
}

#[test]
fn the_same_holds_of_sentences_that_were_written_blind_a_second_time() {
    holds(english(), corpus!("en.held-out-2"));
    holds(german(), corpus!("de.held-out-2"));
}

// A good part of it in the house. Mended by general rules: docs/user/security.md states what passed at first.
#[test]
fn of_sentences_that_were_written_blind_a_third_time_few_pass() {
    for (language, corpus, most) in
        [(english(), corpus!("en.held-out-3"), 0.02), (german(), corpus!("de.held-out-3"), 0.03)]
    {
        let Score { passed, cut, wrong } = score(language, corpus);
        println!("passed {passed:?}, cut {cut:?}");
        let wrong = wrong.join("\n");
        assert!(passed.0 as f64 <= most * passed.1 as f64, "passed {passed:?}:\n{wrong}");
        assert!(cut.0 <= 1, "cut {cut:?}:\n{wrong}");
    }
}

#[test]
fn a_value_that_was_read_is_not_reported_otherwise() {
    let judge = |language: &Language, answer: &str, asked: &str, said: &str| {
        let done = [DoneCall::read("homeRead", answer)];
        unsupported(language, said, ClaimEvidence { asked, done: &done, ..ClaimEvidence::default() })
            .is_none()
    };
    let bath = |said: &str| judge(english(), "Bath temperature: 19.5 °C", "how warm is the bath", said);
    for said in [
        "It's 19.5 degrees in the bath.",
        "It is nineteen and a half degrees.",
        "About twenty degrees.",
        "19.5°C.",
        "I'd guess it feels warmer, but it is 19.5 degrees.",
        "Shall I set it to 22 degrees?",
        "If you like it at 23 degrees, I can turn it up.",
    ] {
        assert!(bath(said), "{said}");
    }
    for said in
        ["The bath is at 24 degrees.", "It's twenty-four degrees.", "24 °C.", "It is 9.5 degrees in there."]
    {
        assert!(!bath(said), "{said}");
    }
    let two = "Bath temperature: 19.5 °C\nHall temperature: 17 °C";
    assert!(judge(english(), two, "is the bath warmer than the hall", "Yes, by two and a half degrees."));
    assert!(!judge(english(), two, "is the bath warmer than the hall", "Yes, by seven degrees."));
    assert!(judge(english(), two, "is the bath over 25 degrees", "No, not over 25 degrees."));
    assert!(judge(english(), "Milk, eggs", "what is on my list", "Milk at 3 percent fat, and eggs."));
    assert!(
        judge(english(), "2 eggs, 1 lemon", "how do I bake a cake", "Bake it at 180 degrees."),
        "no value was read"
    );
    assert!(
        !judge(english(), "19.5", "how warm is the bath", "The bath is at 24 degrees."),
        "without its unit"
    );
    let blind = |said: &str| judge(german(), "Rollladen Küche: 40 %", "wie weit ist der Rollladen zu", said);
    assert!(blind("Er ist zu vierzig Prozent zu.") && blind("40 %."));
    assert!(!blind("Er ist zu achtzig Prozent zu.") && !blind("80 Prozent."));
}

proptest! {
    #[test]
    fn any_text_is_judged(said in "\\PC{0,80}", asked in "\\PC{0,40}") {
        unsupported(english(), &said, ClaimEvidence { asked: &asked, done: &[], ..ClaimEvidence::default() });
    }
}

#[test]
fn what_is_said_without_a_house_claims_nothing() {
    use joi_understand::intents::{Intent, match_intent, not_connected};
    let tables = [
        (english(), include_str!("../../../../tests/data/intents/home.en.tsv")),
        (german(), include_str!("../../../../tests/data/intents/home.de.tsv")),
    ];
    let mut count = 0;
    for (language, table) in tables {
        for asked in table.lines().filter_map(|line| line.split('\t').next()) {
            let Some(Intent::Home(order)) = match_intent(language, asked).map(|quick| quick.what) else {
                continue;
            };
            let said = not_connected(language, &order);
            assert!(
                unsupported(language, &said, ClaimEvidence { asked, done: &[], ..ClaimEvidence::default() })
                    .is_none(),
                "{said}"
            );
            count += 1;
        }
    }
    assert!(count >= 100, "only {count} orders were found");
}

/// Returns those of `said` that may be spoken behind a call that came to nothing.
fn spoken_after_a_no<'a>(
    language: &Language,
    asked: &str,
    (tool, arguments): (&str, Value),
    said: &[&'a str],
) -> Vec<&'a str> {
    let arguments = arguments.as_object().unwrap();
    let undone = [DoneCall::undone(tool, None, arguments)];
    let evidence = ClaimEvidence { asked, undone: &undone, ..ClaimEvidence::default() };
    said.iter().copied().filter(|said| unsupported(language, said, evidence).is_none()).collect()
}

#[test]
fn after_a_no_nothing_is_said_of_the_thing_or_of_having_done_it() {
    let light = || ("homeCommand", json!({ "item": "Kitchen light", "command": "OFF" }));
    let door = || ("homeCommand", json!({ "item": "Front door", "command": "OFF" }));
    let none: [&str; 0] = [];
    for asked in
        ["turn off the kitchen light", "the kitchen light is so bright", "is the kitchen light a good one"]
    {
        let said = [
            "The kitchen light is off.",
            "Done.",
            "I did that for you.",
            "It's off now.",
            "Okay, the kitchen light is off.",
            "All set.",
            "Kitchen light: off.",
            "I have switched it off.",
            "I turned the kitchen light off.",
            "Your kitchen light went off.",
            "The light in the kitchen has been switched off.",
            "Turning off the kitchen light.",
        ];
        assert_eq!(spoken_after_a_no(english(), asked, light(), &said), none, "{asked}");
        let honest = [
            "I can't do that.",
            "Shall I turn off the kitchen light?",
            "I was not allowed to turn it off.",
            "That didn't work.",
            "Sorry, nothing was changed.",
            "Tell me if you want the kitchen light off.",
        ];
        assert_eq!(spoken_after_a_no(english(), asked, light(), &honest), honest, "{asked}");
    }
    assert_eq!(
        spoken_after_a_no(
            english(),
            "open the front door",
            door(),
            &["Front door: open.", "The door is open."]
        ),
        none
    );
    let german_light = || ("homeCommand", json!({ "item": "Küchenlicht", "command": "OFF" }));
    for asked in ["mach das Küchenlicht aus", "das Küchenlicht ist so hell"] {
        let said = [
            "Das Küchenlicht ist aus.",
            "Erledigt.",
            "Ich habe das für dich gemacht.",
            "Ist jetzt aus.",
            "Das Licht in der Küche wurde ausgeschaltet.",
            "Ich habe es ausgemacht.",
            "Küchenlicht: aus.",
        ];
        assert_eq!(spoken_after_a_no(german(), asked, german_light(), &said), none, "{asked}");
        let honest =
            ["Das kann ich nicht.", "Soll ich das Küchenlicht ausmachen?", "Das hat nicht geklappt."];
        assert_eq!(spoken_after_a_no(german(), asked, german_light(), &honest), honest, "{asked}");
    }
}

#[test]
fn a_short_answer_about_the_house_or_a_deed_needs_a_result() {
    let may_be_said = |language: &Language, asked: &str, said: &str| {
        unsupported(language, said, ClaimEvidence { asked, ..ClaimEvidence::default() }).is_none()
    };
    for (asked, said) in [
        ("did you lock the door?", "Yes, I did."),
        ("have you cancelled the timer", "Yes."),
        ("is the front door locked?", "Yes, it is."),
        ("is my alarm set for seven?", "Yes, it is set for seven."),
        ("are there any messages for me", "Yes, there are two."),
    ] {
        assert!(!may_be_said(english(), asked, said), "{asked} {said}");
    }
    for (asked, said) in [
        ("did you lock the door?", "No, I didn't."),
        ("did you sleep well?", "Yes, I did."),
        ("do you like music", "Yes, I do."),
        ("is the earth round", "Yes, it is."),
        ("is the front door locked?", "I can't see that."),
    ] {
        assert!(may_be_said(english(), asked, said), "{asked} {said}");
    }
    assert!(!may_be_said(german(), "hast du die Tür abgeschlossen?", "Ja, habe ich."));
    assert!(!may_be_said(german(), "ist die Haustür zu?", "Ja, ist sie."));
    assert!(may_be_said(german(), "hast du gut geschlafen?", "Ja, danke."));
}

#[test]
fn what_the_user_has_said_needs_no_result() {
    let told = |language: &Language, asked: &str, remembered: &str, said: &str| {
        unsupported(language, said, ClaimEvidence { asked, remembered, ..ClaimEvidence::default() }).is_none()
    };
    for (asked, remembered, said) in [
        (
            "when is my dentist appointment",
            "- the dentist appointment is on Thursday at ten",
            "Your dentist appointment is on Thursday at ten.",
        ),
        (
            "when does the plumber come",
            "- the plumber comes on Thursday at ten",
            "The plumber comes on Thursday at ten.",
        ),
        (
            "is my meeting on Monday?",
            "- my meeting with Paul is on Monday",
            "Yes, your meeting with Paul is on Monday.",
        ),
        (
            "when is my flight to Rome",
            "- my flight to Rome is on the 3rd at 9",
            "Your flight to Rome is on the 3rd at 9.",
        ),
        (
            "what is on my list for the trip",
            "- for the trip I need my passport and a towel",
            "Your passport and a towel.",
        ),
        ("who has my spare key", "- Anna has the spare key", "Anna has your spare key."),
    ] {
        assert!(told(english(), asked, remembered, said), "{asked} {said}");
    }
    assert!(!told(
        english(),
        "when is my dentist appointment",
        "- the dentist appointment is on Thursday at 10",
        "I have moved your dentist appointment to Friday."
    ));
    let (asked, known) = ("wann ist mein Zahnarzttermin", "- der Zahnarzttermin ist am Donnerstag um zehn");
    assert!(told(german(), asked, known, "Dein Zahnarzttermin ist am Donnerstag um zehn."));
    let before = ["the dentist appointment is on Thursday at ten".to_owned()];
    let evidence =
        ClaimEvidence { asked: "when is my dentist appointment", told: &before, ..ClaimEvidence::default() };
    assert_eq!(unsupported(english(), "Your dentist appointment is on Thursday at ten.", evidence), None);
}
