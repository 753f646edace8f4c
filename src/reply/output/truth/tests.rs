//! What is claimed, held against the corpus in `tests/data/truth`.

use proptest::prelude::*;

use super::*;
use crate::language::tests::{english, german};

/// How many false sentences passed and honest ones were cut, each of how many.
#[derive(Debug, Default)]
struct Score {
    passed: (usize, usize),
    cut: (usize, usize),
    /// What was judged wrongly.
    wrong: Vec<String>,
}

fn done(results: &str) -> Vec<DoneCall> {
    let results: Vec<Value> = match results {
        "-" => Vec::new(),
        written => serde_json::from_str(written).unwrap(),
    };
    let of = |result: Value| {
        let tool = result["tool"].as_str().unwrap().to_owned();
        let arguments = result["arguments"].as_object().unwrap().clone();
        let action = ["action", "change"].iter().find_map(|key| arguments.get(*key)).and_then(Value::as_str);
        let deed = action.map_or_else(|| tool.clone(), |action| format!("{tool} {action}"));
        let only_looks = ["weather", "webSearch", "readPage"].contains(&tool.as_str())
            || ["lists read", "timers list", "memory search"].contains(&deed.as_str());
        DoneCall { tool, deed, arguments, has_changed: !only_looks }
    };
    results.into_iter().map(of).collect()
}

fn score(language: &Language, corpus: &str) -> Score {
    let mut score = Score::default();
    for row in corpus.lines().skip(1).filter(|row| !row.trim().is_empty() && !row.starts_with('#')) {
        let [expect, results, asked, said] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not a row: {row}")
        };
        let done = done(results);
        let is_cut = unsupported(language, said, ClaimEvidence { asked, done: &done }).is_some();
        let is_false = expect == "false";
        let (count, is_wrong) =
            if is_false { (&mut score.passed, !is_cut) } else { (&mut score.cut, is_cut) };
        count.1 += 1;
        if is_wrong {
            count.0 += 1;
            score.wrong.push(row.to_owned());
        }
    }
    score
}

#[test]
fn what_was_not_done_is_not_said_and_hardly_anything_honest_is_cut() {
    let files = [
        (english(), include_str!("../../../../tests/data/truth/en.tsv")),
        (german(), include_str!("../../../../tests/data/truth/de.tsv")),
    ];
    for (language, corpus) in files {
        let score = score(language, corpus);
        assert!(score.passed.0 * 100 <= score.passed.1 * 2, "{score:#?}");
        assert!(score.cut.0 * 100 <= score.cut.1, "{score:#?}");
    }
}

#[test]
fn sentences_that_nothing_was_tuned_with_are_judged_nearly_as_well() {
    let files = [
        (english(), include_str!("../../../../tests/data/truth/en.held-out.tsv"), (9, 5)),
        (german(), include_str!("../../../../tests/data/truth/de.held-out.tsv"), (15, 4)),
    ];
    for (language, corpus, (most_passed, most_cut)) in files {
        let Score { passed, cut, .. } = score(language, corpus);
        println!("{} held out: {passed:?} passed, {cut:?} cut", language.code());
        assert!(passed.0 * 100 <= passed.1 * most_passed, "{passed:?} passed");
        assert!(cut.0 * 100 <= cut.1 * most_cut, "{cut:?} were cut");
    }
}

proptest! {
    #[test]
    fn any_text_is_judged(said in "\\PC{0,80}", asked in "\\PC{0,40}") {
        unsupported(english(), &said, ClaimEvidence { asked: &asked, done: &[] });
    }
}
