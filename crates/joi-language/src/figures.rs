//! How figures, signs and units are read in one language: so that what is played and what is heard can be compared.
//!
//! In: `[numbers]` and `[figures]` of `commands.toml`, described there. Out: words for numbers. A language without
//! `[figures]` has words for whole numbers only. Pure: no I/O, no clock.

use std::collections::HashMap;

use serde::Deserialize;

use super::grammar::numbers::{Numbers, ONE};

/// The part of a language's file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FigureRows {
    thousand: String,
    point: String,
    decimal: char,
    minus: String,
    degrees: String,
    signs: HashMap<char, String>,
    scales: HashMap<String, String>,
    units: HashMap<String, String>,
    zeros: Vec<String>,
    silent: Vec<String>,
    halves: Vec<String>,
    ordinals: HashMap<String, String>,
    ordinal: String,
    ordinal_endings: Vec<String>,
}

/// What figures and signs are called.
#[derive(Debug, Default)]
pub struct FigureWords {
    rows: FigureRows,
    small: Vec<String>,
    tens: Vec<String>,
    hundred: String,
    and: String,
    /// Words with a value, in thousandths.
    words: HashMap<String, u32>,
    /// Numbers up to 999 that are one word.
    glued: HashMap<u32, String>,
    /// Behind a number: half of one more.
    halves: Vec<Vec<String>>,
}

impl FigureWords {
    /// The words of a language.
    pub(super) fn of(rows: FigureRows, numbers: Numbers) -> Self {
        let Numbers { words, small, tens, hundred, and, .. } = numbers;
        let mut glued: HashMap<u32, String> = HashMap::new();
        // Where there are words for 21 and the like, there are for all up to 999.
        let is_glued = words.values().any(|value| *value == 21 * ONE);
        for (word, value) in words.iter().filter(|(_, value)| is_glued && value.is_multiple_of(ONE)) {
            let is_shorter = |known: &String| (word.len(), word) < (known.len(), known);
            let known = glued.entry(value / ONE).or_insert_with(|| word.clone());
            if is_shorter(known) {
                known.clone_from(word);
            }
        }
        if is_glued {
            // Not "zwo".
            glued.extend((0..).zip(&small).map(|(value, word)| (value, word.clone())));
        }
        let halves = rows.halves.iter().map(|half| half.split(' ').map(str::to_owned).collect()).collect();
        Self { rows, small, tens, hundred, and, words, glued, halves }
    }

    /// Whether a word is a number, or a part of one.
    pub fn is_number(&self, word: &str) -> bool {
        (self.words.contains_key(word) && !self.is_zero(word)) || self.is_large(word)
    }

    fn is_large(&self, word: &str) -> bool {
        !word.is_empty() && (word == self.hundred || word == self.rows.thousand)
    }

    /// Whether `and` stands between two parts of a number, and says nothing.
    pub fn joins(&self, before: &str, and: &str, behind: &str) -> bool {
        self.is_large(before) && and == self.and && self.is_number(behind)
    }

    /// A number in a single word, as it is read from figures; nothing where numbers have several words.
    pub fn reread(&self, word: &str) -> Option<String> {
        let value = self.words.get(word).filter(|_| !self.glued.is_empty())?;
        let whole = self.cardinal(value / ONE)?;
        let half = if value.is_multiple_of(ONE) { String::new() } else { self.half() };
        Some(format!("{whole} {half}").trim_end().to_owned())
    }

    /// "Point five".
    pub fn half(&self) -> String {
        format!("{} {}", self.rows.point, self.digit(5))
    }

    /// How many of the words behind a number say that half of one more is meant; 0 for none.
    pub fn half_behind<'a>(&self, words: impl Iterator<Item = &'a str> + Clone) -> usize {
        let begins = |half: &&Vec<String>| half.iter().map(String::as_str).eq(words.clone().take(half.len()));
        self.halves.iter().find(begins).map_or(0, Vec::len)
    }

    /// A digit in words.
    pub fn digit(&self, digit: u8) -> &str {
        let glued = self.glued.get(&u32::from(digit));
        glued.or_else(|| self.small.get(usize::from(digit))).map_or("", String::as_str)
    }

    /// A whole number below a million in words.
    pub fn cardinal(&self, number: u32) -> Option<String> {
        let with = |head: String, rest: u32| match rest {
            0 => Some(head),
            _ => Some(format!("{head} {}", self.cardinal(rest)?)),
        };
        if let Some(word) = self.glued.get(&number) {
            return Some(word.clone());
        }
        if let Some(word) = usize::try_from(number).ok().and_then(|number| self.small.get(number)) {
            return Some(word.clone());
        }
        match number {
            20..100 => with(self.tens.get(usize::try_from(number / 10 - 2).ok()?)?.clone(), number % 10),
            100..1000 => with(format!("{} {}", self.cardinal(number / 100)?, self.hundred), number % 100),
            1000..1_000_000 => {
                let thousands = format!("{} {}", self.cardinal(number / 1000)?, self.rows.thousand);
                with(thousands.replace("  ", " ").trim_end().to_owned(), number % 1000)
            }
            _ => None,
        }
    }

    /// The word between whole numbers and decimals.
    pub fn point(&self) -> &str {
        &self.rows.point
    }

    /// The sign between them.
    pub fn decimal(&self) -> char {
        if self.rows.decimal == '\0' { '.' } else { self.rows.decimal }
    }

    /// Returns the word for a negative sign.
    pub fn minus(&self) -> &str {
        &self.rows.minus
    }

    /// The word for degrees; behind it stands a scale.
    pub fn degrees(&self) -> &str {
        &self.rows.degrees
    }

    /// Returns the word for `sign`, if the language has one.
    pub fn sign(&self, sign: char) -> Option<&str> {
        self.rows.signs.get(&sign).map(String::as_str)
    }

    /// The scale of a temperature.
    pub fn scale(&self, letters: &str) -> Option<&str> {
        self.rows.scales.get(letters).map(String::as_str)
    }

    /// The unit that letters behind a number are.
    pub fn unit(&self, letters: &str) -> Option<&str> {
        self.rows.units.get(letters).map(String::as_str)
    }

    /// Whether letters behind a number mean zero.
    pub fn is_zero(&self, letters: &str) -> bool {
        self.rows.zeros.iter().any(|zero| zero == letters)
    }

    /// Whether a word says nothing: "o'clock".
    pub fn is_silent(&self, letters: &str) -> bool {
        self.rows.silent.iter().any(|word| word == letters)
    }

    /// The ordinal of a number, when `ending` is what stands behind its figures.
    pub fn ordinal(&self, number: &str, ending: &str) -> Option<String> {
        self.rows.ordinal_endings.iter().find(|known| *known == ending)?;
        let special = self.rows.ordinals.get(number).cloned();
        Some(special.unwrap_or_else(|| format!("{number}{}", self.rows.ordinal)))
    }
}
