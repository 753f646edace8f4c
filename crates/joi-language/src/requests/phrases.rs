//! Phrases and patterns of words, and the words of a text.
//!
//! Pure: no I/O, no clock.

use serde::Deserialize;

/// Phrases, each of one or more words.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Vec<String>")]
pub struct Phrases(Vec<Vec<String>>);

impl From<Vec<String>> for Phrases {
    fn from(written: Vec<String>) -> Self {
        written.iter().map(String::as_str).collect()
    }
}

impl<'a> FromIterator<&'a str> for Phrases {
    fn from_iter<I: IntoIterator<Item = &'a str>>(written: I) -> Self {
        Self(written.into_iter().map(words_of).collect())
    }
}

impl Phrases {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Every word of all of them.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flatten().map(String::as_str)
    }

    /// How many words the longest of them takes at the beginning of `words`.
    pub fn at_start(&self, words: &[String]) -> Option<usize> {
        self.0.iter().filter(|phrase| words.starts_with(phrase)).map(Vec::len).max()
    }

    /// The same for the end of `words`.
    pub fn at_end(&self, words: &[String]) -> Option<usize> {
        self.0.iter().filter(|phrase| words.ends_with(phrase)).map(Vec::len).max()
    }

    /// Where the first of them begins.
    pub fn position(&self, words: &[String]) -> Option<usize> {
        (0..words.len()).find(|at| self.at_start(&words[*at..]).is_some())
    }

    /// What stands in front of one of them in a compound: "pack" of "packliste".
    pub fn compound(&self, word: &str) -> Option<String> {
        let endings = self.0.iter().filter_map(|phrase| phrase.first());
        endings
            .filter_map(|ending| word.strip_suffix(ending.as_str()))
            .find(|rest| !rest.is_empty())
            .map(str::to_owned)
    }

    /// Whether one of them is in `words`.
    pub fn are_in(&self, words: &[String]) -> bool {
        self.position(words).is_some()
    }

    /// The same, or ends a word that is put together: "lasagnetimer".
    pub(super) fn are_in_compounds(&self, words: &[String]) -> bool {
        let ends = |word: &String| {
            let whole = self.0.iter().filter(|phrase| phrase.len() == 1).filter_map(|phrase| phrase.first());
            whole
                .filter(|one| one.chars().count() >= LAST_PART)
                .any(|one| word.strip_suffix(one.as_str()).is_some_and(|rest| !rest.is_empty()))
        };
        self.are_in(words) || words.iter().any(ends)
    }
}

/// Fewest letters of a word that is known at the end of another.
const LAST_PART: usize = 5;

/// Patterns of words; `*` stands for any words, also none.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Vec<String>")]
pub struct Patterns(Vec<Vec<String>>);

impl From<Vec<String>> for Patterns {
    fn from(written: Vec<String>) -> Self {
        let split = |pattern: &String| pattern.split_whitespace().map(str::to_owned).collect();
        Self(written.iter().map(split).collect())
    }
}

impl Patterns {
    /// How many words of the most exact pattern stand at the beginning of `words`; whatever may follow.
    pub fn at_start(&self, words: &[String]) -> Option<usize> {
        let fits = |pattern: &&Vec<String>| fits(pattern, words, WordsBehind::May);
        self.0.iter().filter(fits).map(|pattern| exactness(pattern)).max()
    }

    /// The same of patterns that take all of `words`.
    pub fn whole(&self, words: &[String]) -> Option<usize> {
        let fits = |pattern: &&Vec<String>| fits(pattern, words, WordsBehind::Mustnt);
        self.0.iter().filter(fits).map(|pattern| exactness(pattern)).max()
    }

    /// How many words of `words` stand in front of the first `*` of the one that fits.
    pub fn head(&self, words: &[String]) -> Option<usize> {
        let fits = |pattern: &&Vec<String>| fits(pattern, words, WordsBehind::May);
        let head = |pattern: &Vec<String>| pattern.iter().take_while(|word| *word != "*").count();
        self.0.iter().filter(fits).map(head).max()
    }

    /// Every word of all of them.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flatten().map(String::as_str).filter(|word| *word != "*")
    }

    /// The first words of all of them.
    pub fn first_words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|pattern| pattern.first()).map(String::as_str)
    }

    /// The most exact one that begins anywhere.
    pub fn anywhere(&self, words: &[String]) -> Option<usize> {
        (0..words.len()).filter_map(|at| self.at_start(&words[at..])).max()
    }
}

/// Whether words may follow a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WordsBehind {
    May,
    Mustnt,
}

fn fits(pattern: &[String], words: &[String], rest: WordsBehind) -> bool {
    match pattern.split_first() {
        None => rest == WordsBehind::May || words.is_empty(),
        Some((star, pattern)) if star == "*" => {
            (0..=words.len()).any(|skipped| fits(pattern, &words[skipped..], rest))
        }
        Some((first, pattern)) => words.first() == Some(first) && fits(pattern, &words[1..], rest),
    }
}

/// How much a pattern says: the number of its words.
fn exactness(pattern: &[String]) -> usize {
    pattern.iter().filter(|word| *word != "*").count()
}

/// The words of `text`: in lower case, without punctuation, times and figures whole.
pub fn words_of(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace(['’', '‘', '`'], "'").replace('%', " % ");
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | ':' | '.' | ',' | '-' | '%');
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%').to_owned();
    lower.split(|c: char| !is_part(c)).map(bare).filter(|word| !word.is_empty()).collect()
}
