//! Words of an utterance or a name: small letters, without punctuation and without words that say nothing.
//!
//! Pure: no I/O, no clock.

use super::phrasing::starts;
use joi_language::house::HouseWords;

/// Returns the words of `text`.
pub(super) fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('’', "'").replace('%', " % ").replace('°', " °");
    lower
        .split(|sign: char| sign.is_whitespace() || matches!(sign, '-' | '/' | '(' | ')' | '"' | ';' | ':'))
        .map(|word| word.trim_matches(|sign: char| !sign.is_alphanumeric() && sign != '%' && sign != '°'))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns the words of an utterance without what only makes it polite; other words for a request as those.
pub(super) fn request(text: &str, words: &HouseWords) -> Vec<String> {
    let said = bare(text, words);
    stands_for(&said, words).map_or(said.clone(), self::words)
}

/// Returns the request that `said` is in other words: "not so bright".
pub(super) fn stands_for<'w>(said: &[String], words: &'w HouseWords) -> Option<&'w str> {
    let other = words.follow.same.iter().find(|(same, _)| self::words(same) == said);
    other.map(|(_, stands)| stands.as_str())
}

/// Returns the words of an utterance without what only makes it polite.
pub(super) fn bare(text: &str, words: &HouseWords) -> Vec<String> {
    let mut said = self::words(text);
    while let Some(count) = words.words.frames.iter().filter_map(|frame| starts(&said, frame)).max() {
        said.drain(..count);
    }
    let ends = |said: &[String]| {
        words
            .words
            .ends
            .iter()
            .filter_map(|end| {
                let count = end.split(' ').count();
                let at = said.len().checked_sub(count)?;
                starts(&said[at..], end)
            })
            .max()
    };
    while let Some(count) = ends(&said) {
        said.truncate(said.len() - count);
    }
    said
}

/// Returns the same without words that say nothing.
pub(super) fn without_skipped(said: &[String], words: &HouseWords) -> Vec<String> {
    said.iter().filter(|word| !words.words.skipped.contains(word)).cloned().collect()
}
