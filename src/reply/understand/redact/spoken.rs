//! Secrets as people say them: "my password is …", "the door code is four seven one one",
//! "jane dot doe at example dot org".
//!
//! PURE. Speech has no quotes and no `=`, so the words around decide; what people say about a
//! password ("is wrong", "is too short") must stay readable.

use std::ops::Range;

use crate::english;

/// A spoken address; [`email`] decides whether it is one.
pub(super) const EMAIL: &str = r"(?xi) [\w.%+-]+ (?: \s+(?:dot|underscore|dash|hyphen|plus)\s+ [\w.%+-]+ )*
    \s+at\s+ [\w-]+ (?: (?:\s+dot\s+|\.) [\w-]+ )+";

/// What leads to a spoken password.
pub(super) const PASSWORD: &str = r"(?xi) (?-u:\b) (?:
      (?:pass\x20?word|pass\x20?phrase|pass\x20?code) (?:\s+(?:for|to|of|on|at)(?:\s+[\w'-]+){1,5}?)?
      (?: \s+(?:is|was|equals|will\s+be|should\s+be) | ['’]s ) (?:\s+(?:now|set\s+to|called))? :?
    | (?:set|reset|change|changed|make|update|updated) (?:\s+[\w'-]+){0,4}?
      \s+ (?:pass\x20?word|pass\x20?phrase|pass\x20?code) \s+to ) \s+";

/// What leads to a spoken code.
pub(super) const CODE: &str = r"(?xi) (?-u:\b)
    (?:code|pin|combination|otp|2fa|secret|token|api\x20key|session(?:\x20id)?|sid) (?:\s+(?:number|code))?
    (?:\s+(?:for|to|of|on|at)(?:\s+[\w'-]+){1,5}?)?
    (?: \s+(?:is|was|equals|will\s+be|should\s+be|to) | ['’]s ) (?:\s+(?:now|set\s+to))? :? \s+";

/// First words of what people say about a password without saying it.
const ABOUT: [&str; 57] = [
    "about",
    "all",
    "almost",
    "already",
    "also",
    "always",
    "any",
    "asked",
    "at",
    "because",
    "being",
    "broken",
    "case",
    "different",
    "easy",
    "empty",
    "expired",
    "expiring",
    "fine",
    "for",
    "gone",
    "good",
    "hard",
    "in",
    "incorrect",
    "invalid",
    "just",
    "leaked",
    "longer",
    "missing",
    "needed",
    "never",
    "no",
    "not",
    "on",
    "only",
    "probably",
    "protected",
    "required",
    "safe",
    "saved",
    "secure",
    "shown",
    "something",
    "still",
    "stolen",
    "stored",
    "strong",
    "supposed",
    "too",
    "very",
    "weak",
    "what",
    "where",
    "written",
    "wrong",
    "your",
];

/// Words in front of "code" that make it a public one.
const PUBLIC_CODES: [&str; 18] = [
    "area", "bar", "color", "colour", "country", "dial", "dialing", "dress", "error", "exit", "genetic",
    "post", "postal", "product", "return", "source", "status", "zip",
];

/// Words behind a number that make it a measure.
const MEASURES: [&str; 10] =
    ["bytes", "characters", "days", "digits", "letters", "lines", "minutes", "pages", "percent", "words"];

/// Number words beside those with a value of their own.
const MORE_NUMBERS: [&str; 2] = ["oh", "hundred"];

/// A spoken address counts when its local part is spelled out, or the talk is of mail.
pub(super) fn email(text: &str, hit: Range<usize>, secrets: &mut Vec<Range<usize>>) -> usize {
    const REACH: usize = 60;
    let end = hit.end;
    let spells_out = |word: &str| {
        ["dot", "underscore", "dash", "hyphen", "plus"].iter().any(|w| word.eq_ignore_ascii_case(w))
    };
    let is_spelled = text[hit.clone()]
        .split_whitespace()
        .take_while(|word| !word.eq_ignore_ascii_case("at"))
        .any(spells_out);
    let speaks_of_mail =
        |word: &str| ["mail", "email", "e-mail"].iter().any(|w| trimmed(word).eq_ignore_ascii_case(w));
    let reach = text[..hit.start].char_indices().rev().take(REACH).last().map_or(hit.start, |(at, _)| at);
    let before = &text[reach..hit.start];
    if is_spelled || before.split_whitespace().any(speaks_of_mail) {
        secrets.push(hit);
    }
    end
}

/// Everything up to the end of the clause, unless it only speaks about the password.
pub(super) fn password(text: &str, hit: Range<usize>, secrets: &mut Vec<Range<usize>>) -> usize {
    let rest = &text[hit.end..];
    let mut words = rest.split_whitespace().map(|word| trimmed(word).to_lowercase());
    let Some(first) = words.next() else { return hit.end };
    let is_comparison = first == "the" && words.next().is_some_and(|second| second == "same");
    if is_comparison || ABOUT.contains(&first.as_str()) {
        return hit.end;
    }
    let end = hit.end + clause_end(rest);
    // Only by itself: "correct horse battery staple" is a passphrase.
    if ["correct", "right"].iter().any(|word| text[hit.end..end].eq_ignore_ascii_case(word)) {
        return end;
    }
    secrets.push(hit.end..end);
    end
}

/// The digits behind "the code is": three or more, as figures or as words, or a token that mixes both.
pub(super) fn code(text: &str, hit: Range<usize>, secrets: &mut Vec<Range<usize>>) -> usize {
    let before = text[..hit.start].split_whitespace().next_back().map(|w| trimmed(w).to_lowercase());
    if before.is_some_and(|word| PUBLIC_CODES.contains(&word.as_str())) {
        return hit.end;
    }
    let rest = &text[hit.end..];
    let (mut end, mut digits) = (0, 0);
    let mut behind = "";
    for word in rest.split_whitespace() {
        let Some(count) = digits_said(trimmed(word)) else {
            behind = trimmed(word);
            break;
        };
        digits += count;
        let start = word.as_ptr() as usize - rest.as_ptr() as usize;
        end = start + word.trim_end_matches(['.', ',', ';', '!', '?']).len();
        if word.ends_with(['.', ';', '!', '?']) {
            break;
        }
    }
    let is_measure = MEASURES.iter().any(|measure| behind.eq_ignore_ascii_case(measure));
    if digits < 3 || is_measure {
        return hit.end;
    }
    secrets.push(hit.end..hit.end + end);
    hit.end + end
}

fn is_number(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    english::number(&word).is_some() || MORE_NUMBERS.contains(&word.as_str())
}

/// How many digits a word of a spoken code stands for; nothing when it can't belong to one.
fn digits_said(word: &str) -> Option<usize> {
    let written = word.bytes().filter(u8::is_ascii_digit).count();
    let is_letter = word.chars().count() == 1 && !matches!(word, "a" | "A" | "I");
    match written {
        0 if is_number(word) => Some(1),
        0 if is_letter => Some(0),
        0 => None,
        // A time of day or a decimal is no code; letters among the digits make one.
        _ if word.contains([':', '.', '/', '%', '$', '€', '£']) => None,
        _ => Some(written + word.bytes().filter(u8::is_ascii_alphabetic).count()),
    }
}

/// Where a clause ends: at a line break, or at punctuation with white space or nothing behind it.
pub(super) fn clause_end(rest: &str) -> usize {
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let closes = matches!(c, '.' | ',' | ';' | '!' | '?');
        if c == '\n' || (closes && chars.peek().is_none_or(|(_, next)| next.is_whitespace())) {
            return at;
        }
    }
    rest.trim_end().len()
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}
