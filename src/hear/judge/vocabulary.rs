//! The words of one language that her ears look for: orders to be silent, what a listener hums, yes and no.
//!
//! PURE, read once. In: `[manners]` and `[interjections]` of a file in `assets/intents`, described there. Out:
//! a [`Vocabulary`]. A file that can't be read is an error that says where, and leaves no words; a test reads
//! all of them.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer};

/// A phrase as its words.
pub(super) type Words = Vec<String>;

/// What is listened for in one language.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vocabulary {
    /// Commands, longest first after reading.
    #[serde(deserialize_with = "phrases")]
    pub(super) orders: Vec<Words>,
    /// Words that are a command when they stand alone.
    #[serde(deserialize_with = "phrases")]
    pub(super) words: Vec<Words>,
    #[serde(deserialize_with = "phrases")]
    pub(super) before: Vec<Words>,
    #[serde(deserialize_with = "phrases")]
    pub(super) before_orders: Vec<Words>,
    #[serde(deserialize_with = "phrases")]
    pub(super) behind: Vec<Words>,
    pub(super) hearts: Vec<String>,
    pub(super) within: HashMap<String, String>,
    pub(super) not_behind: HashMap<String, Vec<String>>,
    pub(super) not_before: HashMap<String, Vec<String>>,
    #[serde(deserialize_with = "phrases")]
    pub(super) backchannels: Vec<Words>,
    cries: Vec<String>,
    yes: Vec<String>,
    no: Vec<String>,
}

/// The part of the file that is read here.
#[derive(Deserialize)]
struct File {
    manners: Manners,
    interjections: Vocabulary,
}

#[derive(Deserialize)]
struct Manners {
    #[serde(deserialize_with = "phrases")]
    names: Vec<Words>,
    #[serde(deserialize_with = "phrases")]
    before: Vec<Words>,
    #[serde(deserialize_with = "phrases")]
    before_longer: Vec<Words>,
    #[serde(deserialize_with = "phrases")]
    behind: Vec<Words>,
}

fn phrases<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Words>, D::Error> {
    let lines = Vec::<String>::deserialize(from)?;
    Ok(lines.iter().map(|line| line.split(' ').map(str::to_owned).collect()).collect())
}

impl Vocabulary {
    /// The words of a language by its two-letter code; English where there is no file.
    pub fn of(language: &str) -> &'static Self {
        static ENGLISH: LazyLock<Vocabulary> =
            LazyLock::new(|| known("en", include_str!("../../../assets/intents/en.toml")));
        static GERMAN: LazyLock<Vocabulary> =
            LazyLock::new(|| known("de", include_str!("../../../assets/intents/de.toml")));
        if language == "de" { &GERMAN } else { &ENGLISH }
    }

    /// Reads a language's file.
    ///
    /// # Errors
    /// Where it can't be understood.
    pub(super) fn read(text: &str) -> Result<Self, toml::de::Error> {
        let File { manners, mut interjections } = toml::from_str(text)?;
        let Manners { names, before, before_longer, behind } = manners;
        interjections.behind.extend(names.iter().cloned().chain(behind));
        interjections.before.extend(names.into_iter().chain(before));
        interjections.before_orders.extend(before_longer);
        interjections.orders.sort_by_key(|order| std::cmp::Reverse(order.len()));
        Ok(interjections)
    }

    /// Short orders to be silent, as they are written.
    pub fn cries(&self) -> &[String] {
        &self.cries
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

fn known(name: &str, text: &str) -> Vocabulary {
    Vocabulary::read(text).unwrap_or_else(|error| {
        tracing::error!(%error, name, "the words of a language that her ears look for can't be read");
        Vocabulary::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_can_be_read_and_agrees_with_itself() {
        for (name, text) in [
            ("en", include_str!("../../../assets/intents/en.toml")),
            ("de", include_str!("../../../assets/intents/de.toml")),
        ] {
            let words = Vocabulary::read(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let is_heart = |word: &String| words.hearts.contains(word);
            for order in &words.words {
                assert!(order.len() == 1, "{name}: {order:?}");
            }
            for heart in words.within.keys().chain(words.not_behind.keys()).chain(words.not_before.keys()) {
                assert!(is_heart(heart), "{name}: {heart} is no heart");
            }
            for list in [words.cries(), words.yes(), words.no()] {
                assert!(!list.is_empty() && list.iter().all(|word| *word == word.to_lowercase()), "{name}");
            }
            for cry in words.cries() {
                let order: Words = cry.split(' ').map(str::to_owned).collect();
                assert!(words.orders.contains(&order) || words.words.contains(&order), "{name}: {cry}");
            }
        }
    }
}
