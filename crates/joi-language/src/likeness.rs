//! The words that commands are made of, and which of them a word may have been that was heard almost right.
//!
//! In: a word. Out: words that are spelled or sound alike, and how much. Pure: no I/O, no clock.

use std::collections::{BTreeSet, HashMap};

use serde::Deserialize;

use super::grammar::numbers::Numbers;
use super::grammar::{Lexicon, WordNumbers};
use super::phonetic::PhoneticMatcher;

/// Letters in which two words that sound the same may differ.
const FARTHEST: usize = 3;

/// What a language's file says about words that were heard almost right.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NearRules {
    /// The matcher of sounds.
    #[serde(rename = "ear")]
    phonetic: PhoneticMatcher,
    /// Letters of a word that may have been an article.
    article_letters: usize,
}

/// The words commands are made of, with their sounds.
#[derive(Debug)]
pub struct KnownWords {
    rules: NearRules,
    known: Vec<Known>,
}

#[derive(Debug)]
struct Known {
    text: String,
    sound: String,
    letters: usize,
}

impl KnownWords {
    pub(crate) fn of(
        rules: NearRules,
        words: &WordNumbers,
        numbers: &Numbers,
        lexicons: &HashMap<String, Lexicon>,
    ) -> Self {
        let phrases = lexicons.values().flat_map(|lexicon| &lexicon.phrases);
        let all: BTreeSet<&str> = words
            .words()
            .chain(numbers.words())
            .chain(phrases.flat_map(|(words, _)| words).map(String::as_str))
            .filter(|word| word.chars().count() > 1 && word.chars().all(char::is_alphabetic))
            .collect();
        let known = |word: &str| Known {
            text: word.to_owned(),
            sound: rules.phonetic.sound(word),
            letters: word.chars().count(),
        };
        Self { rules, known: all.into_iter().map(known).collect() }
    }

    /// Returns the matcher of sounds.
    pub(crate) fn phonetic(&self) -> PhoneticMatcher {
        self.rules.phonetic
    }

    /// Letters of a word that may have been an article.
    pub fn article_letters(&self) -> usize {
        self.rules.article_letters
    }

    /// The words that differ from `joined` by one letter at most.
    pub fn close_to<'a>(&'a self, joined: &str) -> impl Iterator<Item = &'a str> {
        let letters = joined.chars().count();
        let is_in_reach = move |known: &&Known| known.letters.abs_diff(letters) <= 1;
        let known = self.known.iter().filter(is_in_reach).map(|known| known.text.as_str());
        known.filter(move |word| strsim::osa_distance(joined, word) <= 1)
    }

    /// The words that sound like `joined` and begin with the same letter.
    pub fn sounding_like(&self, joined: &str) -> impl Iterator<Item = &str> {
        let (sound, letters) = (self.rules.phonetic.sound(joined), joined.chars().count());
        let first = joined.chars().next();
        let is_like = move |known: &&Known| {
            !sound.is_empty()
                && known.sound == sound
                && known.letters.abs_diff(letters) <= 1
                && known.text.chars().next() == first
        };
        self.known.iter().filter(is_like).map(|known| known.text.as_str())
    }

    /// The words that `said` may have been, and how alike they are.
    pub fn like<'a>(&'a self, said: &'a str) -> impl Iterator<Item = (&'a str, f64)> {
        let (sounds, letters) = (self.rules.phonetic.sound(said), said.chars().count());
        let is_in_reach = move |known: &&Known| known.letters.abs_diff(letters) <= FARTHEST;
        self.known.iter().filter(is_in_reach).filter_map(move |known| {
            let is_same_sound = !sounds.is_empty() && sounds == known.sound;
            Some((known.text.as_str(), alike(said, &known.text, is_same_sound)?))
        })
    }
}

/// How alike two words are; nothing when one is hardly heard as the other.
fn alike(said: &str, word: &str, is_same_sound: bool) -> Option<f64> {
    let distance = strsim::osa_distance(said, word);
    let length = said.chars().count().max(word.chars().count());
    let is_close = distance == 1 || (distance == 2 && length >= 5) || (is_same_sound && distance <= FARTHEST);
    let likeness = 1.0 - distance as f64 / length as f64;
    (distance > 0 && is_close).then_some(if is_same_sound { likeness.max(0.7) } else { likeness })
}
