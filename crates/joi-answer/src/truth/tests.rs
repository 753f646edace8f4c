//! Claims, held against the corpus in `tests/data/truth`.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Map, Value};

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
        let cut = unsupported(language, said, ClaimEvidence { asked, done: &done });
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
        let judge = ClaimJudge { language, words, requests, evidence: ClaimEvidence { asked, done: &done } };
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
        unsupported(language, said, ClaimEvidence { asked, done: &done }).is_none()
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
        unsupported(english(), &said, ClaimEvidence { asked: &asked, done: &[] });
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
            assert!(unsupported(language, &said, ClaimEvidence { asked, done: &[] }).is_none(), "{said}");
            count += 1;
        }
    }
    assert!(count >= 100, "only {count} orders were found");
}
