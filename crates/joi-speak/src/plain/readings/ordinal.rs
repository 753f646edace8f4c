//! Reads days of a month, and ordinals that are written with a dot.
//!
//! Pure: no I/O, no clock.

use std::sync::Arc;

use regex::Regex;

use super::matching::{any, group, pattern, replace};
use joi_language::{DateWords, ReadingWords};

/// "der 3. Versuch": only behind a word that an ordinal is inflected for.
#[derive(Debug)]
pub(super) struct Ordinals {
    words: Arc<ReadingWords>,
    dotted: Regex,
}

impl Ordinals {
    pub(super) fn new(words: &Arc<ReadingWords>) -> Self {
        let behind = any(words.dates.inflected.iter().flat_map(|row| &row.behind).map(String::as_str));
        let dotted = pattern(&format!(r"(?i)(?P<word>{behind}) (?P<n>\d{{1,2}})\.(?P<next> \w)"));
        Self { words: Arc::clone(words), dotted }
    }

    pub(super) fn read(&self, text: &str) -> String {
        replace(text, &self.dotted, |found, around| {
            let word = group(found, "word");
            let before = format!("{}{word} ", around.before);
            let ordinal = day_in_words(&self.words.dates, group(found, "n").parse().ok()?, &before)?;
            let begins = !around.last().is_some_and(char::is_alphanumeric);
            begins.then(|| format!("{word} {ordinal}{}", group(found, "next")))
        })
    }
}

/// Returns the day, as it is said behind `before`.
pub(super) fn day_in_words(dates: &DateWords, day: usize, before: &str) -> Option<String> {
    let stem = dates.days.get(day.checked_sub(1)?)?;
    let last = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let last = last.trim_matches(|c: char| !c.is_alphanumeric());
    let inflected = dates.inflected.iter().find(|row| row.behind.iter().any(|word| word == last));
    let ending = inflected.map_or(dates.ending.as_str(), |row| row.ending.as_str());
    Some(format!("{stem}{ending}"))
}
