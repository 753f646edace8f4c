use proptest::prelude::*;

use super::*;
use joi_language::testing::{english, german};

/// Everything a whole text is cut into.
fn segments(text: &str) -> Vec<String> {
    segments_in(english(), text)
}

fn segments_in(language: &Language, text: &str) -> Vec<String> {
    let mut segmenter = Segmenter::new(language);
    let mut all = segmenter.push(text);
    all.extend(segmenter.finish());
    all
}

#[test]
fn sentences_are_cut_as_soon_as_the_space_behind_them_is_there() {
    let mut segmenter = Segmenter::new(english());
    assert_eq!(segmenter.push("The sky is blue."), [] as [&str; 0]);
    assert_eq!(segmenter.push(" Because"), ["The sky is blue. "]);
    assert_eq!(segmenter.push(" of the air! Is it"), ["Because of the air! "]);
    assert_eq!(segmenter.finish().as_deref(), Some("Is it"));
}

#[test]
fn the_first_segment_may_be_a_clause_the_others_are_sentences() {
    assert_eq!(
        segments(
            "Sunlight is made of many colours, and the air scatters blue the most. It does so, of course, by day."
        ),
        [
            "Sunlight is made of many colours, ",
            "and the air scatters blue the most. ",
            "It does so, of course, by day."
        ]
    );
    // Too short to be worth a breath.
    assert_eq!(
        segments("Well, it is late and dark, my friend."),
        ["Well, it is late and dark, ", "my friend."]
    );
}

#[test]
fn an_answer_without_a_comma_is_opened_in_front_of_a_phrase_behind_six_words() {
    let mut segmenter = Segmenter::new(english());
    assert_eq!(segmenter.push("The sea is salty and cold water flows "), [] as [&str; 0]);
    assert_eq!(segmenter.opening(), None, "the word behind six begins no phrase");
    assert_eq!(segmenter.push("from "), [] as [&str; 0]);
    assert_eq!(segmenter.opening().as_deref(), Some("The sea is salty and cold water flows, "));
    assert_eq!(segmenter.opening(), None, "once");
    assert_eq!(segmenter.push("the poles to us. But"), ["from the poles to us. "]);
    assert_eq!(segmenter.push(" the moon goes round us all the time and "), [] as [&str; 0]);
    assert_eq!(segmenter.opening(), None, "it is no longer silent");
    // A text that arrives whole is one segment.
    let mut segmenter = Segmenter::new(english());
    assert_eq!(segmenter.push("The lamp over there is off now and cold."), [] as [&str; 0]);
    assert_eq!(segmenter.opening(), None);
}

#[test]
fn abbreviations_initials_decimals_and_dates_are_not_the_end() {
    for whole in [
        "Ask Dr. Smith at 3.5 p.m. about it.",
        "J. R. R. Tolkien wrote it.",
        "Mr. and Mrs. Jones, e.g. in Jan. 2024, live in the U.S. today.",
        "See No. 5, fig. 3 or p. 12 in St. John vs. the state.",
        "Well ... perhaps so.",
        "It costs $5.99 at example.com/a.b or 192.168.1.10 today.",
    ] {
        let after_first = format!("Yes. {whole}");
        assert_eq!(segments(&after_first), ["Yes. ", whole], "{whole}");
    }
    assert_eq!(
        segments("On March 4, 2026 it was the day of all days."),
        ["On March 4, 2026 it was the day of all days."]
    );
}

#[test]
fn what_may_be_an_end_waits_for_what_follows() {
    assert_eq!(
        segments("Yes. It is 5 p.m. The shop is open until 6 p.m. on Sat. and so on."),
        ["Yes. ", "It is 5 p.m. ", "The shop is open until 6 p.m. on Sat. and so on."]
    );
    assert_eq!(
        segments("The answer is no. But it may change."),
        ["The answer is no. ", "But it may change."]
    );
    assert_eq!(
        segments("Apples, pears etc. Then bread… Then milk."),
        ["Apples, pears etc. ", "Then bread… ", "Then milk."]
    );
    assert_eq!(
        segments("She said \"Stop.\" He did (at once.) So."),
        ["She said \"Stop.\" ", "He did (at once.) ", "So."]
    );
}

#[test]
fn links_and_code_stay_whole() {
    for whole in [
        "Read [the manual. It is long](https://example.com/a_(b).html \"A title. Really\") first.",
        "Type `ls. Then cd` and then go.",
        "Use ``a ` b. C`` now.",
    ] {
        assert_eq!(segments(whole), [whole], "{whole}");
    }
    assert_eq!(
        segments("Try this:\n```sh\nls. \n\ncd. x\n```\nDone. Good."),
        ["Try this:\n", "```sh\nls. \n\ncd. x\n```\n", "Done. ", "Good."]
    );
}

#[test]
fn a_bracket_that_is_never_closed_does_not_hold_the_answer_back() {
    let text = format!("An open [ bracket. {}", "And on it goes. ".repeat(80));
    let cut = segments(&text);
    assert!(cut.len() > 20, "{}", cut.len());
    assert_eq!(cut.concat(), text);
}

#[test]
fn lists_headings_and_tables_are_cut_at_their_lines() {
    assert_eq!(
        segments("# Tea\n\nYou need:\n- water\n- leaves\n\n1. Boil it.\n2. Pour it. Wait.\n3. Drink.\n"),
        [
            "# Tea\n",
            "\nYou need:\n",
            "- water\n",
            "- leaves\n",
            "\n1. Boil it.\n2. Pour it. ",
            "Wait.\n",
            "3. Drink.\n"
        ]
    );
    let table = "| a | b |\n|---|---|\n| 1. x | 2 |\n\n";
    assert_eq!(segments(&format!("Look:\n\n{table}So.")), ["Look:\n", &format!("\n{table}"), "So."]);
}

#[test]
fn a_flood_without_an_end_is_cut_at_spaces() {
    let text = "word ".repeat(400);
    let cut = segments(&text);
    assert!(cut.iter().all(|s| s.len() < 340), "{:?}", cut.iter().map(String::len).collect::<Vec<_>>());
    assert_eq!(cut.concat(), text);
}

/// Text made of what is dangerous to cut.
fn awkward() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("Dr. "),
        Just("3.5 "),
        Just("the sky, "),
        Just("is blue. "),
        Just("e.g. "),
        Just("U.S. "),
        Just("\n"),
        Just("\n\n"),
        Just("1. "),
        Just("2. "),
        Just("- "),
        Just("[a. b](c d) "),
        Just("`x. y` "),
        Just("```\n"),
        Just("**bold. text** "),
        Just("| a | b |\n"),
        Just("wait... "),
        Just("… "),
        Just("Why? "),
        Just("é中🙂 "),
        Just("["),
        Just("`"),
        Just("a"),
        Just("."),
        Just(" "),
        Just("# "),
        Just("\t"),
        Just("99) ")
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn nothing_is_lost_and_the_pieces_do_not_matter(text in awkward(), sizes in proptest::collection::vec(1..9usize, 1..20)) {
        let whole = segments(&text);
        let joined = whole.concat();
        prop_assert!(text.starts_with(&joined));
        prop_assert_eq!(text[joined.len()..].trim(), "");

        let mut segmenter = Segmenter::new(english());
        let mut chunked = Vec::new();
        let chars: Vec<char> = text.chars().collect();
        let mut at = 0;
        for size in sizes.iter().cycle() {
            if at >= chars.len() {
                break;
            }
            let end = (at + size).min(chars.len());
            chunked.extend(segmenter.push(&chars[at..end].iter().collect::<String>()));
            at = end;
        }
        chunked.extend(segmenter.finish());
        prop_assert_eq!(&chunked, &whole);
        prop_assert!(whole.iter().all(|s| !s.trim().is_empty()));
    }
}

#[test]
fn a_long_block_of_code_or_a_long_table_is_looked_through_once() {
    let code = |count: usize| format!("Look:\n```\n{}```\nDone.\n", "let a = 1;\n".repeat(count));
    let table = |count: usize| "| one | two |\n".repeat(count);
    for text in [code as fn(usize) -> String, table] {
        let factor = joi_base::testing::growth(|size| {
            let text = text(size * 1_000);
            move || {
                let mut segmenter = Segmenter::new(english());
                let mut all = segmenter.push(&text).concat();
                all.push_str(&segmenter.finish().unwrap_or_default());
                assert_eq!(all.trim_end(), text.trim_end());
            }
        });
        assert!(factor < 8.0, "four times the text took {factor:.1} times as long");
    }
}

#[test]
fn german_sentences_end_neither_behind_an_ordinal_nor_behind_an_abbreviation() {
    let cut = |text: &str| segments_in(german(), text);
    for whole in [
        "Heute ist Mittwoch, der 4. März 2026.",
        "Obst, z. B. Äpfel, d. h. etwas Gesundes.",
        "Das kostet ca. 5 Euro inkl. Steuer bei Dr. Müller.",
        "Es sind 3 Mio. Menschen.",
    ] {
        assert_eq!(cut(whole).len(), 1, "{:?}", cut(whole));
    }
    assert_eq!(
        cut("Das war im Jahr 1984. Danach kam nichts. Oder doch?"),
        ["Das war im Jahr 1984. ", "Danach kam nichts. ", "Oder doch?"]
    );
}
