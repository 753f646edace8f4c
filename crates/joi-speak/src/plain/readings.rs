//! PURE: readings of what espeak-ng pronounces badly by itself.
//!
//! One block of plain text goes through a fixed list of passes, from the most special (addresses, dates) to
//! the most general (signs), so that a later pass sees only what an earlier one left. Each pass is a list of
//! patterns, made once for a language from the words of its `readings.toml`; the tables of examples in `tests`
//! specify them. A language without that file has its figures and signs left to the voice.

mod address;
mod date;
mod money;
mod number;
mod ordinal;
mod sign;
mod unit;
mod word;

use std::sync::Arc;

use regex::{Captures, Regex};

use joi_language::readings::{FigureSigns, ReadingWords};

/// The passes of one language.
#[derive(Debug)]
pub(super) struct Readings(Option<Passes>);

#[derive(Debug)]
struct Passes {
    address: address::Addresses,
    date: date::Dates,
    ordinal: ordinal::Ordinals,
    number: number::NumberPass,
    money: money::Money,
    unit: unit::UnitReadings,
    word: word::WordReadings,
    sign: sign::SignReadings,
}

impl Readings {
    /// The passes of a language with these words, if it has any.
    pub(super) fn new(words: Option<&Arc<ReadingWords>>) -> Self {
        Self(words.map(|words| Passes {
            address: address::Addresses::new(words),
            date: date::Dates::new(words),
            ordinal: ordinal::Ordinals::new(words),
            number: number::NumberPass::new(words),
            money: money::Money::new(words),
            unit: unit::UnitReadings::new(words),
            word: word::WordReadings::new(words),
            sign: sign::SignReadings::new(words),
        }))
    }

    /// The block as it is said.
    pub(super) fn read(&self, text: &str) -> String {
        let text = sign::plain_characters(text);
        let Some(passes) = &self.0 else { return sign::tidy(&sign::without_marks(&text)) };
        let text = passes.address.read(&text);
        let text = passes.date.read(&text);
        let text = passes.ordinal.read(&text);
        let text = passes.number.read_identifiers(&text);
        let text = passes.unit.read_decimals(&text);
        let text = passes.money.read(&text);
        let text = passes.unit.read(&text);
        let text = passes.word.read(&text);
        let text = passes.number.read(&text);
        passes.sign.read(&passes.unit.read_ones(&text))
    }
}

/// A number as it is written: thousands in threes, decimals behind their sign.
fn number(figures: &FigureSigns) -> String {
    let (decimal, thousands) = (regex::escape(&figures.decimal), regex::escape(&figures.thousands));
    format!(r"(?:\d{{1,3}}(?:{thousands}\d{{3}})+|\d+)(?:{decimal}\d+)?")
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
#[expect(
    clippy::expect_used,
    reason = "the patterns are constants, words of the languages in them are escaped"
)]
fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("a constant pattern")
}

/// An alternation of `words`, longest first; one that matches nothing when there are none.
fn any<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let mut words: Vec<&str> = words.into_iter().collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    match words.as_slice() {
        [] => r"[^\s\S]".to_owned(),
        words => words.iter().map(|word| regex::escape(word)).collect::<Vec<_>>().join("|"),
    }
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
