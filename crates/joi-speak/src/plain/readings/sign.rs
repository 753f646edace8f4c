//! Replaces characters before the other passes, and the signs that these have left.
//!
//! Pure: no I/O, no clock.

use std::sync::{Arc, LazyLock};

use regex::Regex;

use super::matching::{group, pattern, replace};
use joi_language::ReadingWords;

/// Written otherwise, meant the same.
const SAME: &[(char, &str)] = &[
    ('\u{a0}', " "),
    ('\u{202f}', " "),
    ('\u{2009}', " "),
    ('\u{2007}', " "),
    ('\t', " "),
    ('\n', " "),
    ('’', "'"),
    ('‘', "'"),
    ('“', "\""),
    ('”', "\""),
    ('„', "\""),
    ('«', "\""),
    ('»', "\""),
    ('‐', "-"),
    ('‑', "-"),
    ('‒', "–"),
    ('―', "—"),
    ('…', "..."),
    ('℃', "°C"),
    ('℉', "°F"),
    ('μ', "µ"),
    ('½', " 1/2"),
    ('⅓', " 1/3"),
    ('⅔', " 2/3"),
    ('¼', " 1/4"),
    ('¾', " 3/4"),
    ('⅕', " 1/5"),
    ('⅛', " 1/8"),
    ('⅜', " 3/8"),
    ('⅝', " 5/8"),
    ('⅞', " 7/8"),
    ('₀', "0"),
    ('₁', "1"),
    ('₂', "2"),
    ('₃', "3"),
    ('₄', "4"),
    ('₅', "5"),
    ('₆', "6"),
    ('•', ", "),
    ('·', "·"),
    ('\u{ad}', ""),
    ('©', ""),
    ('®', ""),
    ('™', ""),
    ('✓', ""),
    ('✔', ""),
    ('ﬁ', "fi"),
    ('ﬂ', "fl"),
];

/// Signs that nothing is said for, when no pass had a better reading.
const MARKS: &[(char, &str)] = &[
    ('⇒', ", "),
    ('←', ", "),
    ('—', ", "),
    ('|', ", "),
    ('·', ", "),
    ('\\', " "),
    ('`', ""),
    ('{', " "),
    ('}', " "),
    ('[', " "),
    (']', " "),
    ('^', " "),
    ('#', " "),
    ('~', " "),
    ('*', ""),
    ('_', " "),
    ('<', " "),
    ('>', " "),
    ('/', " "),
    ('†', ""),
    ('‡', ""),
    ('¶', " "),
];

static CITATION: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[\^?\d{1,3}(?:[,–-] ?\d{1,3})*\]"));
static SMILEY: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?P<before>^|\s)(?:[:;=8]-?[)(DPp|/\\]|<3|\^_\^|:'\()"));
static COMPARED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<a>\S) (?P<sign>[<>]) (?P<b>\S)"));
static DASH: LazyLock<Regex> = LazyLock::new(|| pattern(r" *(?:—|–| --? )\s*"));
static DOTS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\s*\.{2,}(?P<gap>\s*)(?P<next>.?)"));
static RUNS: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<run>[!?])[!?]+"));
static SPACES: LazyLock<Regex> = LazyLock::new(|| pattern(r"\s+"));
static LOOSE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\s+(?P<mark>[,.;:!?)])"));
static DOUBLED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?P<first>[,;:.!?])(?:\s*[,;:])+|,(?P<last>[.!?])"));
static HOLLOW: LazyLock<Regex> = LazyLock::new(|| pattern(r#"\(\s*\)|"\s*"|''"#));

/// One character for one meaning, and none for what can't be said.
pub(super) fn plain_characters(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match SAME.iter().find(|(from, _)| *from == c) {
            // "2½" is a number and a fraction, "½" only that.
            Some((_, to)) if to.contains('/') && !plain.ends_with(|c: char| c.is_ascii_digit()) => {
                plain.push_str(to.trim_start());
            }
            Some((_, to)) => plain.push_str(to),
            None if is_picture(c) => plain.push_str(if plain.ends_with(' ') { "" } else { " " }),
            None if is_unspoken(c) => {}
            None => plain.push(c),
        }
    }
    let plain = replace(&plain, &SMILEY, |found, around| {
        around.next().is_none_or(|c| !c.is_alphanumeric()).then(|| group(found, "before").to_owned())
    });
    replace(&plain, &CITATION, |_, around| (!around.before.is_empty()).then(String::new))
}

/// The last pass.
#[derive(Debug)]
pub(super) struct SignReadings(Arc<ReadingWords>);

impl SignReadings {
    pub(super) fn new(words: &Arc<ReadingWords>) -> Self {
        Self(Arc::clone(words))
    }

    /// Returns the rest as words or pauses, with one space between words.
    pub(super) fn read(&self, text: &str) -> String {
        let signs = &self.0.signs;
        let text = replace(text, &COMPARED, |found, _| {
            let word = signs.compared.get(&group(found, "sign").chars().next()?)?;
            Some(format!("{} {word} {}", group(found, "a"), group(found, "b")))
        });
        let mut spoken = String::with_capacity(text.len());
        for c in text.chars() {
            match signs.words.get(&c) {
                Some(word) => spoken.push_str(&format!(" {word} ")),
                None => spoken.push(c),
            }
        }
        tidy(&without_marks(&spoken))
    }
}

/// Dashes, dots and marks as pauses.
pub(super) fn without_marks(text: &str) -> String {
    let text = replace(text, &DASH, |_, around| {
        let is_edge = around.before.trim().is_empty() || around.after.trim().is_empty();
        Some(if is_edge { " ".to_owned() } else { ", ".to_owned() })
    });
    let text = replace(&text, &DOTS, |found, around| {
        let next = group(found, "next");
        let goes_on = next.starts_with(char::is_lowercase) || next.starts_with([',', ';']);
        let mark = if goes_on && !around.before.trim().is_empty() { "," } else { "." };
        let gap = if next.is_empty() || ".,;:!?)\"'".contains(next) { "" } else { " " };
        Some(if around.before.trim().is_empty() { next.to_owned() } else { format!("{mark}{gap}{next}") })
    });
    let mut spoken = String::with_capacity(text.len());
    for c in text.chars() {
        match MARKS.iter().find(|(sign, _)| *sign == c) {
            Some((_, pause)) => spoken.push_str(pause),
            None => spoken.push(c),
        }
    }
    spoken
}

/// Single spaces, no space before punctuation, no doubled or leading punctuation.
pub(super) fn tidy(text: &str) -> String {
    let text = HOLLOW.replace_all(text, " ");
    let text = SPACES.replace_all(&text, " ");
    let text = LOOSE.replace_all(&text, "$mark");
    let text = replace(&text, &RUNS, |found, _| {
        Some(if found[0].contains('?') { "?".to_owned() } else { group(found, "run").to_owned() })
    });
    let text = DOUBLED.replace_all(&text, "$first$last");
    let text = text.trim_start_matches([',', '.', ';', ':', ' ', ')', '!', '?']).trim();
    if text.chars().any(char::is_alphanumeric) { text.to_owned() } else { String::new() }
}

/// Pictures: emoji, symbols, arrows in colour, boxes.
fn is_picture(c: char) -> bool {
    matches!(c,
        '\u{1f000}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{2300}'..='\u{23ff}'
        | '\u{2500}'..='\u{25ff}' | '\u{fffc}' | '\u{fffd}')
}

/// Characters that only change how others look.
fn is_unspoken(c: char) -> bool {
    matches!(c,
        '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{20e3}'
        | '\u{e0000}'..='\u{e007f}')
        || c.is_control()
}
