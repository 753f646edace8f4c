//! Whether a measured value that is told was read: "24 degrees" where a call of this turn has read 19.5.
//!
//! PURE. In: a clause, what the user asked, and the answers of the calls that only read. Out: yes or no. A value may be
//! rounded, or be the difference of two that were read.

use std::sync::LazyLock;

use regex::Regex;

use super::ClaimJudge;
use super::clauses::SaidClause;
use crate::language::consent::words_of;
use crate::language::grammar::numbers::{Numbers, ONE};
use crate::language::grammar::words::Word;

/// Most words of a number in front of its unit.
const LONGEST: usize = 5;
/// What differs by less is the same, rounded.
const ROUNDED: f64 = 1.0;

static FIGURES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\d+(?:[.,]\d+)?").ok());

impl ClaimJudge<'_> {
    /// Whether a clause tells a temperature or a share that nothing of this turn was, though something was read.
    pub(super) fn is_misread(self, clause: &SaidClause) -> bool {
        let done = self.evidence.done;
        let read: Vec<f64> = done.iter().flat_map(|call| figures(&call.answer)).collect();
        let exempt = &self.words.exempt;
        let is_no_report = clause.asks
            || clause.depends
            || [&exempt.directives, &exempt.conditions, &exempt.modals]
                .iter()
                .any(|one| one.is_match(&clause.text));
        if read.is_empty()
            || is_no_report
            || self.is_of_another(&clause.text)
            || done.iter().any(|call| call.has_changed)
        {
            return false;
        }
        let Some(house) = self.language.house() else { return false };
        let units = [&house.words.degrees, &house.words.percent];
        let numbers = &self.language.grammar().numbers;
        let asked = units.iter().flat_map(|units| measured(numbers, self.evidence.asked, units));
        let known: Vec<f64> = read.iter().copied().chain(asked).collect();
        let is_told = |value: f64| {
            let near = |other: f64| (value - other).abs() < ROUNDED;
            known.iter().any(|one| near(*one))
                || read.iter().any(|one| read.iter().any(|other| near((one - other).abs())))
        };
        units.iter().flat_map(|units| measured(numbers, &clause.text, units)).any(|value| !is_told(value))
    }
}

/// The numbers of an answer, as it is written.
fn figures(answer: &str) -> Vec<f64> {
    let Some(figures) = FIGURES.as_ref() else { return Vec::new() };
    figures.find_iter(answer).filter_map(|found| found.as_str().replace(',', ".").parse().ok()).collect()
}

/// The numbers, in figures or in words, that stand in front of one of `units`.
fn measured(numbers: &Numbers, text: &str, units: &[String]) -> Vec<f64> {
    let text = text.to_lowercase();
    let ends = units.iter().flat_map(|unit| text.match_indices(unit.as_str()));
    let is_whole = |(at, unit): &(usize, &str)| {
        let (before, behind) = (text[..*at].chars().next_back(), text[at + unit.len()..].chars().next());
        !before.is_some_and(char::is_alphabetic) && !behind.is_some_and(char::is_alphabetic)
    };
    ends.filter(is_whole).filter_map(|(at, _)| number_at_end(numbers, &text[..at])).collect()
}

/// The longest number that `text` ends with.
fn number_at_end(numbers: &Numbers, text: &str) -> Option<f64> {
    let words: Vec<Word> =
        words_of(&text.replace('-', " ")).into_iter().map(|text| Word { text, at: 0..0 }).collect();
    (words.len().saturating_sub(LONGEST)..words.len()).find_map(|from| {
        let reads = numbers.quantity(&words[from..]);
        let whole = reads.iter().find(|read| read.words == words.len() - from)?;
        Some(f64::from(whole.value) / f64::from(ONE))
    })
}
