//! Converts answers to plain text: without the signs of Markdown, in pieces that one message can hold.
//!
//! In: the words of an answer. Out: what is sent. Nothing is shaped for speech: figures and addresses stay as they are.
//! Pure: no I/O, no clock.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// Bytes of the longest message; the service keeps a longer one as a file.
const LONGEST: usize = 1900;

/// The text without the signs of Markdown.
pub(super) fn plain(markdown: &str) -> String {
    let mut out = String::new();
    let mut lists: Vec<Option<u64>> = Vec::new();
    let mut link = None;
    for event in Parser::new(markdown) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                out.push_str(&text);
            }
            Event::SoftBreak | Event::HardBreak => out.push('\n'),
            Event::Rule => out.push_str("\n\n"),
            Event::Start(Tag::List(first)) => {
                end_line(&mut out);
                lists.push(first);
            }
            Event::Start(Tag::Item) => {
                end_line(&mut out);
                match lists.last_mut() {
                    Some(Some(number)) => {
                        out.push_str(&format!("{number}. "));
                        *number += 1;
                    }
                    _ => out.push_str("• "),
                }
            }
            Event::Start(Tag::Link { dest_url, .. }) => link = Some((dest_url.to_string(), out.len())),
            Event::End(TagEnd::Link) => {
                if let Some((url, from)) = link.take()
                    && out.get(from..) != Some(url.as_str())
                {
                    out.push_str(&format!(" ({url})"));
                }
            }
            Event::End(TagEnd::List(_)) => {
                lists.pop();
                out.push_str(if lists.is_empty() { "\n\n" } else { "" });
            }
            Event::End(TagEnd::Paragraph) if lists.is_empty() => out.push_str("\n\n"),
            Event::End(TagEnd::Heading(_) | TagEnd::CodeBlock) => out.push_str("\n\n"),
            _ => {}
        }
    }
    let mut text = out;
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text.trim().to_owned()
}

fn end_line(out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

/// Pieces that one message can hold, cut between paragraphs, else between sentences, else between words.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = text.trim();
    while rest.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|end| rest.is_char_boundary(*end)).unwrap_or(0);
        let head = &rest[..end];
        let cuts = ["\n\n", "\n", ". ", "! ", "? ", " "];
        // A cut near the beginning would make many small messages.
        let cut = cuts.iter().find_map(|sign| {
            let at = head.rfind(sign)? + sign.trim_end().len();
            (at > LONGEST / 3).then_some(at)
        });
        let (piece, left) = rest.split_at(cut.unwrap_or(end));
        pieces.push(piece.trim().to_owned());
        rest = left.trim();
    }
    if !rest.is_empty() {
        pieces.push(rest.to_owned());
    }
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn signs_of_markdown_are_gone_and_everything_else_stays() {
        let text = "# Tea\n\n**Boil** 1.5 l of `water` at 21:30.\nThen:\n\n1. pour\n2. wait 3 min\n\n- milk\n- sugar\n\n\
                    See [this page](https://example.org/a?b=1).";
        let expected = "Tea\n\nBoil 1.5 l of water at 21:30.\nThen:\n\n1. pour\n2. wait 3 min\n\n• milk\n• sugar\n\n\
                        See this page (https://example.org/a?b=1).";
        assert_eq!(plain(text), expected);
        assert_eq!(plain("It is 5 < 7 and 3 * 4 = 12."), "It is 5 < 7 and 3 * 4 = 12.");
        assert_eq!(plain(""), "");
    }

    #[test]
    fn a_long_answer_is_cut_between_sentences() {
        let sentence = "This is a sentence of some length. ";
        let pieces = split(&sentence.repeat(120));
        assert!(pieces.len() > 1 && pieces.iter().all(|piece| piece.ends_with('.')), "{pieces:?}");
        assert_eq!(split("short"), ["short"]);
        assert_eq!(split("  "), [""; 0]);
    }

    proptest! {
        #[test]
        fn no_word_is_lost_and_no_piece_too_long(text in "[a-zäöü🙂 .\n]{0,6000}") {
            let pieces = split(&text);
            prop_assert!(pieces.iter().all(|piece| piece.len() <= LONGEST && !piece.is_empty()));
            let letters = |text: &str| text.chars().filter(|sign| !sign.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&pieces.concat()), letters(&text));
        }
    }
}
