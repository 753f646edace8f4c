//! Sentences that are said without a model, in one language: `sentences.toml`.
//!
//! Reads the file's text into [`Sentences`], in which [`fill`](super::fill) puts what they are about. Refuses a file in
//! which a sentence is missing or holds an unknown placeholder. Pure: no I/O, no clock.

use serde::Deserialize;

#[macro_use]
mod declare;
mod table;

pub(crate) use table::PLACEHOLDERS;
pub use table::*;

use super::placeholders;

/// How many hours a clock counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u8")]
pub enum Dial {
    /// Twice twelve.
    Twelve,
    /// Once twenty-four.
    TwentyFour,
}

impl TryFrom<u8> for Dial {
    type Error = String;

    fn try_from(hours: u8) -> Result<Self, String> {
        match hours {
            12 => Ok(Self::Twelve),
            24 => Ok(Self::TwentyFour),
            other => Err(format!("time.hours is {other}; allowed: 12 or 24")),
        }
    }
}

/// What a kind of entry is called.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindWords {
    /// `timer`
    pub one: String,
    /// `timers`
    pub many: String,
    /// Its article.
    pub the: String,
    /// `no timer`
    pub no: String,
}

impl Sentences {
    /// Reads a language's file.
    ///
    /// # Errors
    /// What can't be used: the key, the value, and what is allowed.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
        placeholders::check(&table)?;
        let sentences: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        if sentences.wind.openings.len() <= 5 {
            return Err(format!("wind.openings has {}; allowed: 6 or more", sentences.wind.openings.len()));
        }
        let days = sentences.time.days.len();
        (days == 31).then_some(sentences).ok_or_else(|| format!("time.days has {days} days; allowed: 31"))
    }
}

impl TimeWords {
    /// `a`, `a and b`, `a, b and c`.
    pub fn listed(&self, names: &[String]) -> String {
        joined(names, &self.and)
    }

    /// `a`, `a or b`, `a, b or c`.
    pub fn either(&self, names: &[String]) -> String {
        joined(names, &self.or)
    }
}

fn joined(names: &[String], word: &str) -> String {
    match names {
        [rest @ .., last] if !rest.is_empty() => format!("{} {word} {last}", rest.join(", ")),
        _ => names.join(""),
    }
}
