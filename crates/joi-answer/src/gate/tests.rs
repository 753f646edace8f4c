//! The gate under every cutting of its input.

use proptest::prelude::*;

use super::*;

/// Returns what goes out of an answer that comes in as `pieces`, up to its end or refusal.
fn through(pieces: &[&str], ending: AnswerEnding) -> (Vec<String>, Option<ReplyRefusal>) {
    let mut gate = OutputGate::default();
    let mut out = Vec::new();
    for piece in pieces {
        match gate.push(piece) {
            Ok(clause) => out.push(clause),
            Err(refusal) => return (out, Some(refusal)),
        }
    }
    let refusal = gate.finish(ending).map(|last| out.push(last)).err();
    out.retain(|clause| !clause.is_empty());
    (out, refusal)
}

fn clauses(pieces: &[&str]) -> Vec<String> {
    let (out, refusal) = through(pieces, AnswerEnding::Whole);
    assert_eq!(refusal, None);
    out
}

#[test]
fn a_clause_goes_out_when_white_space_follows_its_end() {
    assert_eq!(
        clauses(&["It is 3", ".5 degrees", ", so", " dress warmly.", " Bye."]),
        ["It is 3.5 degrees, ", "so dress warmly. ", "Bye."]
    );
    assert_eq!(clauses(&["One line\nand another"]), ["One line\n", "and another"]);
}

#[test]
fn a_clause_without_an_end_goes_out_when_it_gets_long() {
    let words = "and on ".repeat(60);
    let out = clauses(&words.split_inclusive(' ').collect::<Vec<_>>());
    assert!(out.len() > 1 && out.iter().all(|clause| clause.len() < LONGEST_WAIT + 10), "{out:?}");
    assert_eq!(out.concat().trim_end(), words.trim_end());
}

// Not only at its end: a model in a circle writes on to its limit
#[test]
fn letters_in_circles_end_the_answer_before_they_are_said() {
    let circle = "abc".repeat(300);
    let pieces: Vec<&str> =
        ["Well, "].into_iter().chain(circle.as_bytes().chunks(3).map(|_| "abc")).collect();
    let (said, refusal) = through(&pieces[..100], AnswerEnding::Whole);
    assert_eq!((said.concat(), refusal), ("Well, ".to_owned(), Some(Malformed::Loops.into())));
    let mut gate = OutputGate::default();
    let ends = pieces.iter().position(|piece| gate.push(piece).is_err());
    assert!(ends.is_some_and(|at| at < 100), "{ends:?}");
    assert_eq!(
        through(&["Well. abc ", &circle[..90], " so"], AnswerEnding::Whole).1,
        Some(Malformed::Loops.into())
    );
}

#[test]
fn a_cut_answer_ends_with_its_last_sentence_unless_it_is_its_first() {
    assert_eq!(through(&["One. Two. Thr"], AnswerEnding::Cut), (vec!["One. Two. ".into()], None));
    assert_eq!(through(&["One. ", "Two"], AnswerEnding::Cut), (vec!["One. ".into()], None));
    assert_eq!(through(&["One. ", "Two."], AnswerEnding::Cut).0.concat(), "One. Two.");
    assert_eq!(through(&["Only so much of"], AnswerEnding::Cut), (vec!["Only so much of".into()], None));
}

#[test]
fn what_must_not_go_out_ends_the_answer_before_it() {
    let refused = |text: &str| {
        let (out, refusal) = through(&[text], AnswerEnding::Whole);
        (out.concat(), refusal)
    };
    let call = r#"{"name": "set_light", "arguments": {"room": "kitchen"}}"#;
    assert_eq!(refused(call), (String::new(), Some(Malformed::ToolCall.into())));
    assert_eq!(
        refused("Your card is 4111 1111 1111 1111, sir."),
        (String::new(), Some(ReplyRefusal::Secret))
    );
    assert_eq!(
        refused("Sure. Your card is 4111 1111 1111 1111."),
        ("Sure. ".into(), Some(ReplyRefusal::Secret))
    );
    assert_eq!(refused("I see [REDACTED_EMAIL]."), (String::new(), Some(Malformed::Label.into())));
    assert_eq!(refused(" \n"), (String::new(), Some(ReplyRefusal::Empty)));
    assert_eq!(refused("…"), (String::new(), Some(ReplyRefusal::Empty)));
}

#[test]
fn a_context_line_or_mark_that_the_model_repeats_is_dropped() {
    let line = "[Context: Sunday, 22 November 2026, 14:05, Europe/Vienna. Location: Vienna, Austria]";
    let pieces: Vec<&str> = line.split_inclusive(' ').chain(["\n\nIt is two.", " Yes."]).collect();
    assert_eq!(clauses(&pieces), ["It is two. ", "Yes."]);
    assert_eq!(
        clauses(&["[2 hou", "rs ago] You asked, and", " I said so."]).concat(),
        "You asked, and I said so."
    );
    assert_eq!(clauses(&["[sic] is Latin, you know."]).concat(), "[sic] is Latin, you know.");
    assert_eq!(through(&[line], AnswerEnding::Whole), (vec![], Some(ReplyRefusal::Empty)));
    assert_eq!(through(&["[Context: Sunday, 22"], AnswerEnding::Cut), (vec![], Some(ReplyRefusal::Empty)));
}

#[test]
fn what_was_done_before_recited_without_its_bracket_is_no_answer() {
    for recited in ["Done since: cancel the timer: Timer cancelled.", " done since: volume 30", "Done since:"]
    {
        let letters: Vec<&str> = recited.split_inclusive(|_| true).collect();
        for pieces in [&[recited][..], &letters] {
            let (out, refusal) = through(pieces, AnswerEnding::Whole);
            assert_eq!((out.concat(), refusal), (String::new(), Some(Vacancy::Recited.into())), "{recited}");
        }
    }
    assert_eq!(
        clauses(&["[Done since: volume 30: Volume at 30 percent]", " It is loud."]).concat(),
        "It is loud."
    );
    for answer in ["Done", "Done. Since when?", "Done since this morning.", "D"] {
        assert_eq!(clauses(&answer.split_inclusive(|_| true).collect::<Vec<_>>()).concat(), answer);
    }
}

#[test]
fn an_answer_that_never_ends_is_cut_at_five_hundred_tokens() {
    let (out, refusal) = through(&["word. "; 1_000], AnswerEnding::Whole);
    assert!(matches!(refusal, Some(ReplyRefusal::TooLong { .. })), "{refusal:?}");
    let out = out.concat();
    assert!((check::MAX_TOKENS - 5..=check::MAX_TOKENS).contains(&check::estimated_tokens(&out)));
}

proptest! {
    #[test]
    fn how_an_answer_is_cut_into_pieces_changes_nothing_of_it(
        words in "[a-zA-Z0-9 .,!?\n]{0,120}",
        lengths in prop::collection::vec(1usize..9, 1..120),
    ) {
        let mut pieces = Vec::new();
        let (mut rest, mut lengths) = (words.as_str(), lengths.into_iter().cycle());
        while !rest.is_empty() {
            let (piece, later) = rest.split_at(lengths.next().unwrap().min(rest.len()));
            pieces.push(piece);
            rest = later;
        }
        let (out, refusal) = through(&pieces, AnswerEnding::Whole);
        let (whole, its_refusal) = through(&[&words], AnswerEnding::Whole);
        let (out, whole) = (out.concat(), whole.concat());
        prop_assert_eq!((out.trim_end(), refusal.is_some()), (whole.trim_end(), its_refusal.is_some()));
        if refusal.is_none() {
            prop_assert_eq!(out.trim_end(), words.trim());
        }
    }
}
