//! Numbers in words, written in figures: "fifteen percent of eighty" as "15 percent of 80".
//!
//! In: a text in lower case, and the number words of a language. Out: the same text. What is no number stays as it
//! is, and so does an article, which is a number only in front of a unit. Pure: no I/O, no clock.

use super::grammar::numbers::{Numbers, ONE};
use super::grammar::words::Word;

/// `text` with figures for numbers.
pub(super) fn in_figures(text: &str, numbers: &Numbers) -> String {
    let spaced = apart(text);
    let word = |text: &str| Word { text: text.to_owned(), at: 0..0 };
    let words: Vec<Word> = spaced.split_whitespace().map(word).collect();
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(first) = words.get(at) {
        let is_written = first.text.starts_with(|c: char| c.is_ascii_digit());
        let is_article =
            |count: usize| count == 1 && numbers.articles().any(|article| *article == first.text);
        let reads = if is_written { Vec::new() } else { numbers.quantity(&words[at..]) };
        match reads.into_iter().find(|read| !is_article(read.words)) {
            Some(read) => {
                out.push(figures(read.value));
                at += read.words;
            }
            None => {
                out.push(first.text.clone());
                at += 1;
            }
        }
    }
    out.join(" ")
}

/// "twenty-five" in two words; a minus between figures stays.
fn apart(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let is_letter = |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(|c| c.is_alphabetic());
    let joins = |at: usize| letters[at] == '-' && is_letter(at.checked_sub(1)) && is_letter(Some(at + 1));
    (0..letters.len()).map(|at| if joins(at) { ' ' } else { letters[at] }).collect()
}

/// A number in thousandths.
fn figures(value: u32) -> String {
    let (whole, rest) = (value / ONE, value % ONE);
    if rest == 0 { whole.to_string() } else { format!("{whole}.{rest:03}").trim_end_matches('0').to_owned() }
}

#[cfg(test)]
mod tests {
    use crate::testing::{english, german};

    #[test]
    fn numbers_in_words_become_figures() {
        for (said, written) in [
            ("fifteen percent of eighty dollars", "15 percent of 80 dollars"),
            ("twenty-five times a hundred and three", "25 times 103"),
            ("two and a half plus 3.5", "2.5 plus 3.5"),
            ("17 times 23", "17 times 23"),
            ("four hundred and two plus one", "402 plus 1"),
            ("two thousand and fifty minus three thousand", "2050 minus 3000"),
            ("one thousand one hundred plus ninety nine", "1100 plus 99"),
            ("a cat and a dog", "a cat and a dog"),
            ("5 - 3", "5 - 3"),
        ] {
            assert_eq!(english().in_figures(said), written);
        }
        assert_eq!(german().in_figures("fünfzehn prozent von achtzig euro"), "15 prozent von 80 euro");
        assert_eq!(german().in_figures("dreiundzwanzig mal siebzehn"), "23 mal 17");
        assert_eq!(german().in_figures("zweitausendfünfzig plus tausend"), "2050 plus 1000");
        assert_eq!(german().in_figures("eine katze"), "eine katze");
    }
}
