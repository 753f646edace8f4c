//! Reads abbreviations, formulas and other words that are not said as they are written.
//!
//! Pure: no I/O, no clock.

use std::sync::{Arc, LazyLock};

use regex::Regex;

use super::matching::{any, group, pattern, replace};
use joi_language::ReadingWords;

static SAINT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<road>[A-Z]\w+ )?St\.(?P<name> [A-Z])?"));
static LETTERS: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<all>(?:[A-Za-z]\.){2,})"));
static INITIAL: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<letter>[A-Z])\. (?P<next>[A-Z])"));
static EITHER: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<a>\p{L}+)/(?P<b>\p{L}+)"));

#[derive(Debug)]
pub(super) struct WordReadings {
    words: Arc<ReadingWords>,
    title: Regex,
    dotted: Regex,
    alone: Regex,
}

impl WordReadings {
    pub(super) fn new(words: &Arc<ReadingWords>) -> Self {
        let list = &words.words;
        let titles = any(list.titles.keys().map(String::as_str));
        let dotted = any(list.inner.keys().chain(list.dotted.keys()).map(String::as_str));
        Self {
            title: pattern(&format!(r"(?P<word>{titles})\. ?")),
            dotted: pattern(&format!(r"(?P<word>{dotted})\.")),
            alone: pattern(&any(list.plain.keys().map(String::as_str))),
            words: Arc::clone(words),
        }
    }

    pub(super) fn read(&self, text: &str) -> String {
        let list = &self.words.words;
        let text = replace(text, &self.title, |found, around| {
            let is_name = around.next().is_some_and(|c| c.is_uppercase() || c.is_ascii_digit());
            let begins = !around.last().is_some_and(|c| c.is_alphanumeric() || c == '.');
            let said = list.titles.get(group(found, "word"))?;
            (is_name && begins).then(|| format!("{said} "))
        });
        let text = self.read_saints(&text);
        let text = self.read_dotted(&text);
        let text = replace(&text, &LETTERS, |found, around| {
            let end = if around.ends_sentence() { "." } else { "" };
            let begins = !around.last().is_some_and(char::is_alphanumeric);
            let spaced: Vec<&str> = group(found, "all").split_terminator('.').collect();
            (begins && !around.next().is_some_and(char::is_alphanumeric))
                .then(|| format!("{}{end}", spaced.join(" ").to_uppercase()))
        });
        // Twice, as the second of two initials begins where the first ends.
        let initials = |text: &str| {
            replace(text, &INITIAL, |found, around| {
                let begins = around.last().is_none_or(|c| c.is_whitespace() || c == '(');
                let letter = group(found, "letter");
                (begins && letter != self.words.endings.letter)
                    .then(|| format!("{letter} {}", group(found, "next")))
            })
        };
        let text = self.read_alone(&initials(&initials(&text)));
        replace(&text, &EITHER, |found, around| {
            let (a, b) = (group(found, "a"), group(found, "b"));
            let is_small = |word: &str| word.chars().count() > 1 && word.chars().all(char::is_lowercase);
            let is_apart = around.is_apart() && around.last() != Some('/') && around.next() != Some('/');
            let word = if is_small(a) && is_small(b) { format!(" {} ", list.or) } else { " ".to_owned() };
            is_apart.then(|| format!("{a}{word}{b}"))
        })
    }

    /// "St." is a saint in front of a name, and a street behind one.
    fn read_saints(&self, text: &str) -> String {
        let Some([saint, street]) = &self.words.words.saint else { return text.to_owned() };
        replace(text, &SAINT, |found, around| {
            let begins = !around.last().is_some_and(char::is_alphanumeric);
            let road = group(found, "road");
            Some(match (begins, road, group(found, "name")) {
                (false, ..) => return None,
                (_, "", name) if !name.is_empty() => format!("{saint}{name}"),
                (_, road, name) => {
                    let end = if name.is_empty() && !around.ends_sentence() { "" } else { "." };
                    format!("{road}{street}{end}{name}")
                }
            })
        })
    }

    fn read_dotted(&self, text: &str) -> String {
        let list = &self.words.words;
        replace(text, &self.dotted, |found, around| {
            let word = group(found, "word");
            let begins = !around.last().is_some_and(|c| c.is_alphanumeric() || c == '.');
            let goes_on = around.next().is_some_and(|c| c.is_alphanumeric());
            // "The answer is no." and "one min." end with words; "no. 5" and "min. 5" do not.
            let is_numbered = !list.numbered.iter().any(|numbered| numbered == word)
                || around.after.trim_start().starts_with(|c: char| c.is_ascii_digit());
            if !begins || goes_on || !is_numbered {
                return None;
            }
            if let Some(said) = list.inner.get(word) {
                // At the end of the text no more can follow.
                let end = if around.after.trim().is_empty() { "." } else { "" };
                return Some(format!("{said}{end}"));
            }
            let end = if around.ends_sentence() { "." } else { "" };
            list.dotted.get(word).map(|said| format!("{said}{end}"))
        })
    }

    fn read_alone(&self, text: &str) -> String {
        replace(text, &self.alone, |found, around| {
            let is_sign = !found[0].contains(char::is_alphanumeric);
            let said = self.words.words.plain.get(&found[0])?;
            if is_sign {
                return around.last().is_none_or(char::is_whitespace).then(|| said.clone());
            }
            let is_glued = found[0].ends_with('/') && around.next().is_some_and(char::is_alphanumeric);
            let gap = if is_glued { " " } else { "" };
            let is_apart = !around.last().is_some_and(|c| c.is_alphanumeric() || c == '/' || c == '°')
                && (found[0].ends_with('/')
                    || !around.next().is_some_and(|c| c.is_alphanumeric() || "/²³".contains(c)));
            is_apart.then(|| format!("{said}{gap}"))
        })
    }
}
