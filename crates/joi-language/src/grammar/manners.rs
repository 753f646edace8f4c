//! What surrounds the commands of a language, how its words are spelled, and which of them end or begin no sentence.
//!
//! In: the section `manners` of `commands.toml`, and words. Out: what they are. Pure: no I/O, no clock.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

/// Fewest letters in front of the last part of a compound.
const SHORTEST_STEM: usize = 2;

/// What surrounds a command, and how words are spelled.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manners {
    #[serde(deserialize_with = "phrases")]
    pub(crate) names: Vec<Vec<String>>,
    #[serde(deserialize_with = "phrases")]
    pub(crate) before: Vec<Vec<String>>,
    #[serde(deserialize_with = "phrases")]
    pub(crate) before_longer: Vec<Vec<String>>,
    #[serde(deserialize_with = "phrases")]
    pub behind: Vec<Vec<String>>,
    #[serde(deserialize_with = "phrases")]
    pub(crate) degrees: Vec<Vec<String>>,
    /// Filled pauses: "um".
    #[serde(default, deserialize_with = "phrases")]
    pub pauses: Vec<Vec<String>>,
    /// Words that add nothing to a command wherever they stand in it: "just".
    #[serde(default, deserialize_with = "phrases")]
    pub(crate) particles: Vec<Vec<String>>,
    /// What begins a reason behind a command: "because".
    #[serde(default, deserialize_with = "phrases")]
    pub(crate) reasons: Vec<Vec<String>>,
    /// What begins a remark behind a command that is a sentence of its own: "it is".
    #[serde(default, deserialize_with = "phrases")]
    pub(crate) remarks: Vec<Vec<String>>,
    /// Words for a day that was named before: "that day".
    #[serde(default, deserialize_with = "phrases")]
    pub same_day: Vec<Vec<String>>,
    /// What announces that the speaker corrects himself: "no wait".
    #[serde(default, deserialize_with = "phrases")]
    pub(crate) repairs: Vec<Vec<String>>,
    forms: HashMap<String, String>,
    endings: BTreeMap<String, String>,
    pairs: HashMap<String, String>,
    behind_digits: Vec<String>,
    /// Ends of a compound that are words of their own: "Nudeltimer".
    #[serde(default)]
    compounds: Vec<String>,
    /// Words with which no sentence ends.
    #[serde(default)]
    unfinished: Vec<String>,
    /// Words in front of what comes back: "every".
    #[serde(default)]
    repeating: Vec<String>,
    /// Words with which few sentences end.
    #[serde(default)]
    leading_on: Vec<String>,
    /// Beginnings of a question, or of a request for information.
    #[serde(default, deserialize_with = "phrases")]
    asking: Vec<Vec<String>>,
    /// What "%" is written as.
    pub percent: String,
}

impl Manners {
    /// A contraction as it is written out.
    pub(crate) fn written_out(&self, word: &str) -> Option<&str> {
        self.forms.get(word).map(String::as_str)
    }

    /// The stem of a contraction and its ending written out.
    pub(crate) fn ending<'a>(&'a self, word: &'a str) -> Option<(&'a str, &'a str)> {
        self.endings
            .iter()
            .find_map(|(ending, full)| Some((word.strip_suffix(ending.as_str())?, full.as_str())))
    }

    /// Whether something must follow `word`.
    pub fn is_unfinished(&self, word: &str) -> bool {
        self.unfinished.iter().any(|unfinished| unfinished == word)
    }

    /// Whether `word` in front of others makes a time of them: "every year".
    pub fn belongs_to_a_time(&self, word: &str) -> bool {
        self.repeating.iter().any(|repeating| repeating == word)
    }

    /// Whether something is likely to follow `word`.
    pub fn leads_on(&self, word: &str) -> bool {
        self.leading_on.iter().any(|leading_on| leading_on == word)
    }

    /// Whether `words` ask about something: they begin like it, and name it.
    pub fn asks(&self, words: &[&str]) -> bool {
        self.asking
            .iter()
            .any(|begins| words.len() > begins.len() + 1 && begins.iter().eq(&words[..begins.len()]))
    }

    /// Where the last part of a compound begins that is a word of its own.
    pub(crate) fn compound(&self, word: &str) -> Option<usize> {
        let stem = self.compounds.iter().find_map(|last| word.strip_suffix(last.as_str()))?;
        (stem.chars().count() >= SHORTEST_STEM && stem.chars().all(char::is_alphabetic)).then_some(stem.len())
    }

    /// Whether a word may stand in front of a command, so that it is no part of one.
    pub(crate) fn is_lead(&self, word: &str) -> bool {
        let lists = self.names.iter().chain(&self.before).chain(&self.before_longer);
        lists.into_iter().any(|lead| lead.len() == 1 && lead[0] == word)
    }

    /// Two words that are one.
    pub(crate) fn joined(&self, pair: &str) -> Option<&str> {
        self.pairs.get(pair).map(String::as_str)
    }

    /// Whether these letters behind digits are a word of their own: "7am", "10min".
    pub(crate) fn splits_off(&self, letters: &str) -> bool {
        self.behind_digits.iter().any(|known| known == letters)
    }
}

fn phrases<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<Vec<String>>, D::Error> {
    let lines = Vec::<String>::deserialize(from)?;
    Ok(lines.iter().map(|line| line.split(' ').map(str::to_owned).collect()).collect())
}
