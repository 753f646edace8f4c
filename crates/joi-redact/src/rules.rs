//! The rules of redaction, specific before generic.
//!
//! A rule is a pattern that finds candidates and a reading that says which part of a candidate,
//! if any, is the secret. The patterns are regular expressions of the kind that runs in linear time;
//! what needs more than a pattern (Luhn, quotes, stop words) is code.
//! Pure: no I/O, no clock.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{Label, card, iban, spoken};
use joi_language::secrets::{self, SecretWords};

/// Adds the secrets of the candidate `hit` to the list and says where to search on.
type ByShape = fn(text: &str, hit: Range<usize>, secrets: &mut Vec<Range<usize>>) -> usize;
/// The same with the words of a language.
type ByWords =
    fn(text: &str, hit: Range<usize>, words: &SecretWords, secrets: &mut Vec<Range<usize>>) -> usize;

/// A pattern among the words of a language.
type Pattern = fn(&SecretWords) -> &Regex;

/// How a candidate is read.
#[derive(Clone, Copy)]
enum SecretReader<'a> {
    Shape(ByShape),
    Words(ByWords, &'a SecretWords),
}

/// One rule.
#[derive(Clone, Copy)]
pub(super) struct RedactionRule<'a> {
    label: Label,
    pattern: &'a Regex,
    reading: SecretReader<'a>,
}

impl<'a> RedactionRule<'a> {
    pub(super) fn label(&self) -> Label {
        self.label
    }

    /// Returns whether a secret of this rule looks like one by itself, whatever words stand around it.
    pub(super) fn knows_by_shape(&self) -> bool {
        !matches!(self.label, Label::Email | Label::Secret | Label::OneTimeCode)
    }

    /// Returns the secrets in `text`, in order, without overlap.
    pub(super) fn spans(&self, text: &str) -> Vec<Range<usize>> {
        let mut secrets = Vec::new();
        let mut from = 0;
        while let Some(hit) = self.pattern.find_at(text, from) {
            let next = match self.reading {
                SecretReader::Shape(read) => read(text, hit.range(), &mut secrets),
                SecretReader::Words(read, words) => read(text, hit.range(), words, &mut secrets),
            };
            from = next.max(hit.start() + 1);
            while !text.is_char_boundary(from) {
                from += 1;
            }
        }
        secrets
    }

    /// One rule for each language.
    fn spoken(
        label: Label,
        words: &'a [SecretWords],
        pattern: Pattern,
        read: ByWords,
    ) -> impl Iterator<Item = Self> {
        words.iter().map(move |words| Self {
            label,
            pattern: pattern(words),
            reading: SecretReader::Words(read, words),
        })
    }
}

/// A secret that its shape gives away.
struct Shapes {
    rules: Vec<(Label, Regex, ByShape)>,
    one_time: Regex,
}

impl Shapes {
    /// Written names of secrets, in every language.
    fn keywords(&self) -> impl Iterator<Item = &Regex> {
        self.rules.iter().filter(|(label, ..)| *label == Label::Secret).map(|(_, pattern, _)| pattern)
    }
}

/// Returns the rules for shapes, or nothing when one of them can't be used.
fn shapes() -> Option<&'static Shapes> {
    static SHAPES: LazyLock<Option<Shapes>> = LazyLock::new(|| {
        let compile = |&(label, pattern, reading): &(Label, &str, ByShape)| {
            Regex::new(pattern).ok().map(|pattern| (label, pattern, reading))
        };
        let rules = TABLE.iter().map(compile).collect::<Option<_>>()?;
        Some(Shapes { rules, one_time: Regex::new(ONE_TIME).ok()? })
    });
    SHAPES.as_ref()
}

/// Returns all rules in order, with the words of the built-in languages and `more`; nothing when one of them can't be
/// used: then nothing may pass.
pub(super) fn all(more: &[SecretWords]) -> Option<Vec<RedactionRule<'_>>> {
    let (shapes, built_in) = (shapes()?, secrets::built_in()?);
    let mut rules: Vec<RedactionRule<'_>> = shapes
        .rules
        .iter()
        .map(|(label, pattern, read)| RedactionRule {
            label: *label,
            pattern,
            reading: SecretReader::Shape(*read),
        })
        .collect();
    let forms: [(Label, Pattern, ByWords); 7] = [
        (Label::Email, |words| &words.email, spoken::email),
        (Label::Card, |words| &words.card, card::spoken),
        (Label::Secret, |words| &words.keyword, phrase_value),
        (Label::Secret, |words| &words.password, spoken::password),
        (Label::Secret, |words| &words.code, spoken::code),
        (Label::Secret, |words| &words.own_code, spoken::code),
        (Label::Secret, |words| &words.kept, spoken::kept),
    ];
    for (label, pattern, read) in forms {
        rules.extend(RedactionRule::spoken(label, built_in, pattern, read));
        rules.extend(RedactionRule::spoken(label, more, pattern, read));
    }
    rules.extend(built_in.iter().chain(more).map(|words| RedactionRule {
        label: Label::OneTimeCode,
        pattern: &shapes.one_time,
        reading: SecretReader::Words(one_time_code, words),
    }));
    Some(rules)
}

/// Labels, patterns and readings in the order in which they are applied. A web token comes first: a piece of one may
/// look like another secret, and would be all that is taken out.
const TABLE: [(Label, &str, ByShape); 15] = [
    (Label::Jwt, r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{2,}(?:\.[A-Za-z0-9_-]*)*", whole),
    (Label::Jwt, r"(?-u:\b)[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}(?-u:\b)", if_random),
    (Label::Email, r"[\w.%+-]+@[\w-]+(?:\.[\w-]+)+", whole),
    (Label::Iban, r"(?-u:\b)(?i:[a-z]{2})[0-9]{2}(?:[ -]?[0-9A-Za-z]){11,30}(?-u:\b)", iban::written),
    (Label::NationalId, r"(?-u:\b)[0-9]{3}-[0-9]{2}-[0-9]{4}(?-u:\b)", whole),
    (Label::Card, r"[0-9](?:[ -]?[0-9]){12,}", card::written),
    (Label::Aws, r"(?:AKIA|ASIA)[A-Z0-9]{16,}", whole),
    (Label::Stripe, r"(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}", whole),
    (Label::GitHub, r"gh[pousr]_[A-Za-z0-9]{36,}", whole),
    (Label::SecretKey, r"(?-u:\b)sk-[A-Za-z0-9_-]{32,}", if_random),
    (Label::Google, r"AIza[A-Za-z0-9_-]{35,}", whole),
    (Label::Authorization, AUTHORIZATION, credentials),
    (Label::Vendor, VENDOR, if_random),
    (Label::Secret, KEYWORD, keyword_value),
    (Label::Hex, r"[0-9A-Fa-f]{32,}", whole),
];

const ONE_TIME: &str = r"(?-u:\b)[0-9]{3}[ -]?[0-9]{3}(?-u:\b)";

const AUTHORIZATION: &str = r#"(?x)
    (?: (?i:(?-u:\b)authorization) \\*["']? \s* [:=] \s* \\*["']? )?
    (?-u:\b) (?i:bearer|basic) \s+ [A-Za-z0-9._~+/-]{8,} =*"#;

const VENDOR: &str = r"(?x) (?-u:\b) (?:
      xox[a-z]-[A-Za-z0-9-]{10,} | xapp-[A-Za-z0-9-]{10,}         # Slack
    | glpat-[A-Za-z0-9_-]{20,} | github_pat_[A-Za-z0-9_]{22,}     # GitLab, GitHub's newer kind
    | oh\.[A-Za-z0-9_-]+\.[A-Za-z0-9]{32,}                        # openHAB
    | hf_[A-Za-z0-9]{30,} | npm_[A-Za-z0-9]{36,} | pypi-[A-Za-z0-9_-]{40,}
    | gsk_[A-Za-z0-9]{40,} | ya29\.[A-Za-z0-9_-]{20,}
    | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}
    | [A-Za-z]{2,12}[_-](?:api|key|live|pat|prod|secret|test|token)[_-][A-Za-z0-9_-]{16,} )";

/// A word that names a secret, with `:` or `=` behind it; several may follow each other.
const KEYWORD: &str = r#"(?xi) (?: (?-u:\b)
    (?: [a-z0-9_-]* (?:token|secret|password|passwd|passphrase|api[_\x20-]?key)
      | (?:[a-z0-9]+[_-])* (?:pass|passcode|pwd|pin|sid|session(?:[_\x20-]?id)?) )
    \\*["']? \s* (?:=>|:=|==|[:=]) \s* )+"#;

/// Returns whether `key` by itself names a secret, as a field of an object may.
pub(super) fn names_a_secret(key: &str) -> bool {
    let (Some(shapes), Some(built_in)) = (shapes(), secrets::built_in()) else { return true };
    let written = format!("{key}:");
    let mut patterns = shapes.keywords().chain(built_in.iter().map(|words| &words.keyword));
    patterns.any(|pattern| pattern.find(&written).is_some_and(|hit| hit.end() == written.len()))
}

fn whole(_: &str, hit: Range<usize>, secrets: &mut Vec<Range<usize>>) -> usize {
    let end = hit.end;
    secrets.push(hit);
    end
}

/// Takes the hit if it looks random, as keys do: a prefix alone proves nothing ("sk-" also begins hyphenated words).
fn if_random(text: &str, hit: Range<usize>, secrets: &mut Vec<Range<usize>>) -> usize {
    let end = hit.end;
    if looks_random(&text[hit.clone()]) {
        secrets.push(hit);
    }
    end
}

fn credentials(text: &str, hit: Range<usize>, secrets: &mut Vec<Range<usize>>) -> usize {
    let end = hit.end;
    let candidate = &text[hit.clone()];
    let start = hit.start + candidate.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let is_header = candidate.len() > 13 && candidate.as_bytes()[..13].eq_ignore_ascii_case(b"authorization");
    if is_header || looks_random(&text[start..end]) {
        secrets.push(start..end);
    }
    end
}

/// Returns whether a token is hardly a word: padding at its end, a digit in a long one, or three humps.
fn looks_random(token: &str) -> bool {
    let bytes = token.as_bytes();
    let humps = bytes.windows(2).filter(|w| w[0].is_ascii_lowercase() && w[1].is_ascii_uppercase()).count();
    token.ends_with('=') || (token.len() >= 12 && bytes.iter().any(u8::is_ascii_digit)) || humps >= 3
}

/// Returns the value behind `key =`.
fn keyword_value(text: &str, hit: Range<usize>, secrets: &mut Vec<Range<usize>>) -> usize {
    let holds_phrases = text[hit.clone()].to_ascii_lowercase().contains("pass");
    value(text, hit, if holds_phrases { SecretValues::Phrases } else { SecretValues::Words }, secrets)
}

/// Returns the value behind the name of a password in a language.
fn phrase_value(text: &str, hit: Range<usize>, _: &SecretWords, secrets: &mut Vec<Range<usize>>) -> usize {
    // What every language knows was taken out already.
    let mut known = shapes().into_iter().flat_map(Shapes::keywords);
    if known.any(|keyword| keyword.is_match(&text[hit.clone()])) {
        return hit.end;
    }
    value(text, hit, SecretValues::Phrases, secrets)
}

/// The pattern of a value behind a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SecretValues {
    Words,
    /// Several words.
    Phrases,
}

/// Returns the value behind a key: quoted, quoted inside a JSON string, or bare.
fn value(text: &str, hit: Range<usize>, values: SecretValues, secrets: &mut Vec<Range<usize>>) -> usize {
    let key = &text[hit.clone()];
    let rest = &text[hit.end..];
    let (from, to) = match rest.as_bytes().first() {
        None => return hit.end,
        Some(b'"') => (1, quoted_end(rest, '"')),
        Some(b'\'') => (1, quoted_end(rest, '\'')),
        Some(b'\\') => {
            let from = rest.bytes().take_while(|b| matches!(b, b'\\' | b'"')).count();
            (from, from + rest[from..].find(['\\', '"']).unwrap_or(rest.len() - from))
        }
        Some(b'{' | b'[') if opens_a_container(rest) => return hit.end,
        // A passphrase has several words, and nothing but punctuation ends it.
        Some(_) if key.ends_with(": ") && values == SecretValues::Phrases => (0, spoken::clause_end(rest)),
        Some(_) => (0, bare_end(rest)),
    };
    let value = &rest[from..to];
    if !value.is_empty() && !matches!(value, "null" | "true" | "false") {
        secrets.push(hit.end + from..hit.end + to);
    }
    hit.end + to
}

/// Returns where the text quoted at the head of `rest` ends; at the end of `rest` when the quote is never closed.
fn quoted_end(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at,
            _ => {}
        }
    }
    rest.len()
}

/// Returns whether `rest` begins with an object or a list rather than with a label or an odd password.
fn opens_a_container(rest: &str) -> bool {
    rest[1..]
        .chars()
        .next()
        .is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '\'' | '{' | '[' | '}' | ']' | '\\'))
}

/// Returns where a bare value ends: at white space or a double quote, or before closing punctuation that is
/// followed by one of them or by nothing.
fn bare_end(rest: &str) -> usize {
    let end = rest.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(rest.len());
    rest[..end].trim_end_matches([',', ';', ')', ']', '}', '\'']).len().max(label_end(rest))
}

/// Length of the label at the head of `rest`, or 0.
fn label_end(rest: &str) -> usize {
    if !rest.starts_with(super::LABEL_START) {
        return 0;
    }
    rest.find(']').map_or(0, |at| at + 1)
}

/// Six digits are a one-time code when the words behind them say so.
fn one_time_code(
    text: &str,
    hit: Range<usize>,
    words: &SecretWords,
    secrets: &mut Vec<Range<usize>>,
) -> usize {
    const REACH: usize = 60;
    let end = hit.end;
    let says_code = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        words.one_time.contains(&word)
    };
    let reach = text[end..].char_indices().nth(REACH).map_or(text.len(), |(at, _)| end + at);
    let behind = &text[end..reach];
    if behind.split_whitespace().any(says_code) {
        secrets.push(hit);
    }
    end
}
