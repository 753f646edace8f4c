//! Compiles the patterns of the passes and replaces their matches.
//!
//! In: words of a language and a block of text. Out: the text with words in place of the matches. A match may look at the
//! characters [`Around`] it. Pure: no I/O, no clock.

use regex::{Captures, Regex};

use joi_language::FigureSigns;

/// Returns the pattern of a number as it is written: thousands in threes, decimals behind their sign.
pub(super) fn number(figures: &FigureSigns) -> String {
    let (decimal, thousands) = (regex::escape(&figures.decimal), regex::escape(&figures.thousands));
    format!(r"(?:\d{{1,3}}(?:{thousands}\d{{3}})+|\d+)(?:{decimal}\d+)?")
}

/// The characters next to a match.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around<'t> {
    /// Everything before the match.
    pub(super) before: &'t str,
    /// Everything after the match.
    pub(super) after: &'t str,
}

impl Around<'_> {
    /// Returns the character right before.
    pub(super) fn last(self) -> Option<char> {
        self.before.chars().next_back()
    }

    /// Returns the character right behind.
    pub(super) fn next(self) -> Option<char> {
        self.after.chars().next()
    }

    /// Returns whether the match is a word of its own: neither letters nor digits touch it.
    pub(super) fn is_apart(self) -> bool {
        let touches = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !touches(self.last()) && !touches(self.next())
    }

    /// Returns whether the match is a number of its own: no further digits, points or letters belong to it.
    pub(super) fn is_whole_number(self) -> bool {
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

    /// Returns whether a sentence ends here, when the match has swallowed its full stop.
    pub(super) fn ends_sentence(self) -> bool {
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
pub(super) fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("a constant pattern")
}

/// Returns an alternation of `words`, longest first; one that matches nothing when there are none.
pub(super) fn any<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let mut words: Vec<&str> = words.into_iter().collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    match words.as_slice() {
        [] => r"[^\s\S]".to_owned(),
        words => words.iter().map(|word| regex::escape(word)).collect::<Vec<_>>().join("|"),
    }
}

/// Replaces each match by the words that `say` returns for it. Where it returns none, the text stays, and the search goes
/// on behind the match's first character.
pub(super) fn replace(
    text: &str,
    pattern: &Regex,
    say: impl Fn(&Captures<'_>, Around<'_>) -> Option<String>,
) -> String {
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

/// Returns a capture group's text, empty when the group took no part.
pub(super) fn group<'t>(captures: &Captures<'t>, name: &str) -> &'t str {
    captures.name(name).map_or("", |found| found.as_str())
}

/// Returns the digits of `text`, one by one.
pub(super) fn digits(text: &str) -> String {
    let digits: Vec<String> = text.chars().filter(char::is_ascii_digit).map(String::from).collect();
    digits.join(" ")
}
