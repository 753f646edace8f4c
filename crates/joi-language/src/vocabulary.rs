//! The vocabulary of one language for barge-in: stop commands, backchannels, yes and no.
//!
//! In: `[manners]`, `[interjections]`, `[numbers]` and `[figures]` of `commands.toml`, described there. Out: a
//! [`Vocabulary`]. A file that can't be used is an error that says where. Pure: no I/O, no clock.

use std::collections::HashMap;

use serde::{Deserialize, Deserializer};

use super::figures::{FigureRows, FigureWords};
use super::grammar::numbers::{NumberWords, Numbers};

/// A phrase as its words.
pub type PhraseWords = Vec<String>;

/// The words that are looked for in one language.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct Vocabulary {
    /// Commands, longest first after reading.
    #[serde(deserialize_with = "phrases")]
    pub orders: Vec<PhraseWords>,
    /// Words that are a command when they stand alone.
    #[serde(deserialize_with = "phrases")]
    pub words: Vec<PhraseWords>,
    #[serde(deserialize_with = "phrases")]
    pub before: Vec<PhraseWords>,
    #[serde(deserialize_with = "phrases")]
    pub before_orders: Vec<PhraseWords>,
    #[serde(deserialize_with = "phrases")]
    pub behind: Vec<PhraseWords>,
    pub hearts: Vec<String>,
    pub within: HashMap<String, String>,
    pub not_behind: HashMap<String, Vec<String>>,
    pub not_before: HashMap<String, Vec<String>>,
    #[serde(deserialize_with = "phrases")]
    pub backchannels: Vec<PhraseWords>,
    #[serde(rename = "cries")]
    stop_phrases: Vec<String>,
    yes: Vec<String>,
    no: Vec<String>,
    /// How figures are read.
    #[serde(skip)]
    pub figures: FigureWords,
}

/// The part of the file that is read here.
#[derive(Deserialize)]
struct VocabularyFile {
    manners: MannersSection,
    interjections: Vocabulary,
    numbers: NumberWords,
    #[serde(default)]
    figures: FigureRows,
}

#[derive(Deserialize)]
struct MannersSection {
    #[serde(deserialize_with = "phrases")]
    names: Vec<PhraseWords>,
    #[serde(deserialize_with = "phrases")]
    before: Vec<PhraseWords>,
    #[serde(deserialize_with = "phrases")]
    before_longer: Vec<PhraseWords>,
    #[serde(deserialize_with = "phrases")]
    behind: Vec<PhraseWords>,
}

fn phrases<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<PhraseWords>, D::Error> {
    let lines = Vec::<String>::deserialize(from)?;
    Ok(lines.iter().map(|line| line.split(' ').map(str::to_owned).collect()).collect())
}

impl Vocabulary {
    /// Reads a language's file.
    ///
    /// # Errors
    /// Where it can't be understood.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let VocabularyFile { manners, mut interjections, numbers, figures } =
            toml::from_str(text).map_err(|error: toml::de::Error| error.to_string())?;
        let MannersSection { names, before, before_longer, behind } = manners;
        interjections.behind.extend(names.iter().cloned().chain(behind));
        interjections.before.extend(names.into_iter().chain(before));
        interjections.before_orders.extend(before_longer);
        interjections.figures = FigureWords::of(figures, Numbers::of(numbers)?);
        interjections.orders.sort_by_key(|order| std::cmp::Reverse(order.len()));
        Ok(interjections)
    }

    /// Short stop commands, as they are written.
    pub fn stop_phrases(&self) -> &[String] {
        &self.stop_phrases
    }

    /// Short ways to say yes, the plainest first.
    pub fn yes(&self) -> &[String] {
        &self.yes
    }

    /// Short ways to say no, the plainest first.
    pub fn no(&self) -> &[String] {
        &self.no
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LanguageLibrary;

    #[test]
    fn every_language_agrees_with_itself() {
        for name in LanguageLibrary::built_in().available() {
            let language = LanguageLibrary::built_in().load(&name).unwrap();
            let words = language.vocabulary();
            let is_heart = |word: &String| words.hearts.contains(word);
            for order in &words.words {
                assert!(order.len() == 1, "{name}: {order:?}");
            }
            for heart in words.within.keys().chain(words.not_behind.keys()).chain(words.not_before.keys()) {
                assert!(is_heart(heart), "{name}: {heart} is no heart");
            }
            for list in [words.stop_phrases(), words.yes(), words.no()] {
                assert!(!list.is_empty() && list.iter().all(|word| *word == word.to_lowercase()), "{name}");
            }
            for cry in words.stop_phrases() {
                let order: PhraseWords = cry.split(' ').map(str::to_owned).collect();
                assert!(words.orders.contains(&order) || words.words.contains(&order), "{name}: {cry}");
            }
        }
    }
}
