//! PURE: readings of what espeak-ng pronounces badly by itself.
//!
//! One block of plain text goes through a fixed list of passes, from the most special (addresses, dates) to
//! the most general (signs), so that a later pass sees only what an earlier one left. Each pass is a list of
//! patterns with words; the table of examples in `tests.rs` specifies them. US English, as the voice.

mod address;
mod date;
mod money;
mod number;
mod sign;
mod unit;
mod word;

use regex::{Captures, Regex};

/// A number as it is written: thousands in threes, decimals behind a point.
const NUMBER: &str = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?";

/// The block as it is said.
pub(super) fn read(text: &str) -> String {
    let passes: [fn(&str) -> String; 9] = [
        sign::plain_characters,
        address::read,
        date::read,
        number::read_identifiers,
        money::read,
        unit::read,
        word::read,
        number::read,
        sign::read,
    ];
    passes.iter().fold(text.to_owned(), |text, pass| pass(&text))
}

/// The characters next to a match.
#[derive(Debug, Clone, Copy)]
struct Around<'t> {
    before: &'t str,
    after: &'t str,
}

impl Around<'_> {
    /// The character right before.
    fn last(self) -> Option<char> {
        self.before.chars().next_back()
    }

    /// The character right behind.
    fn next(self) -> Option<char> {
        self.after.chars().next()
    }

    /// Whether the match is a word of its own: neither letters nor digits touch it.
    fn is_apart(self) -> bool {
        let touches = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !touches(self.last()) && !touches(self.next())
    }

    /// Whether the match is a number of its own: no further digits, points or letters belong to it.
    fn is_whole_number(self) -> bool {
        let mut behind = self.after.chars();
        let goes_on = match behind.next() {
            Some('.' | ',' | ':' | '-' | '/') => behind.next().is_some_and(|c| c.is_ascii_digit()),
            c => c.is_some_and(char::is_alphanumeric),
        };
        let mut before = self.before.chars();
        let continues = match before.next_back() {
            Some('.' | ',' | ':' | '-' | '/') => before.next_back().is_some_and(|c| c.is_ascii_digit()),
            c => c.is_some_and(char::is_alphanumeric),
        };
        !goes_on && !continues
    }

    /// Whether a sentence ends here, when the match has swallowed its full stop.
    fn ends_sentence(self) -> bool {
        let rest = self.after.trim_start_matches(['"', '”', ')', '\'', '*']);
        let next = rest.trim_start();
        next.is_empty() || rest.len() > next.len() && next.starts_with(char::is_uppercase)
    }
}

/// Compiles one of the patterns of this folder.
#[expect(clippy::expect_used, reason = "the patterns are constants, and the tests compile every one of them")]
fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("a constant pattern")
}

/// Replaces each match by the words `say` has for it. Where it has none, the text stays, and the search goes
/// on behind the match's first character.
fn replace(text: &str, pattern: &Regex, say: impl Fn(&Captures<'_>, Around<'_>) -> Option<String>) -> String {
    let mut spoken = String::with_capacity(text.len() + 16);
    let (mut copied, mut from) = (0, 0);
    while let Some(captures) = pattern.captures_at(text, from) {
        let Some(found) = captures.get(0) else { break };
        let around = Around { before: &text[..found.start()], after: &text[found.end()..] };
        from = match say(&captures, around) {
            Some(words) => {
                spoken.push_str(&text[copied..found.start()]);
                spoken.push_str(&words);
                copied = found.end();
                found.end().max(found.start() + 1)
            }
            None => found.start() + found.as_str().chars().next().map_or(1, char::len_utf8),
        };
        if from > text.len() {
            break;
        }
    }
    spoken.push_str(&text[copied..]);
    spoken
}

/// A capture group's text, empty when it took no part.
fn group<'t>(captures: &Captures<'t>, name: &str) -> &'t str {
    captures.name(name).map_or("", |found| found.as_str())
}

/// Digits one by one.
fn digits(text: &str) -> String {
    let digits: Vec<String> = text.chars().filter(char::is_ascii_digit).map(String::from).collect();
    digits.join(" ")
}

/// `4` as `4th`.
fn ordinal(number: u32) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}
