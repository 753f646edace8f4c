//! Whether a measured value that is reported was read: "24 degrees" where a call of this turn has read 19.5.
//!
//! In: a clause, what the user asked, and the answers of the calls that only read. Out: yes or no. A value may be
//! rounded, or be the difference of two that were read.
//! Pure: no I/O, no clock.

use super::ClaimJudge;
use super::clauses::SaidClause;
use joi_language::grammar::numbers::{Numbers, ONE};
use joi_language::grammar::words::Word;
use joi_language::words_of;

/// Most words of a number in front of its unit.
const LONGEST: usize = 5;
/// What differs by less is the same, rounded.
const ROUNDED: f64 = 1.0;

impl ClaimJudge<'_> {
    /// Returns whether a clause states a temperature or a share that was not read, though another one was.
    pub(super) fn is_misread(self, clause: &SaidClause) -> bool {
        let done = self.evidence.done;
        let exempt = &self.words.exempt;
        let is_no_report = clause.asks
            || clause.depends
            || [&exempt.directives, &exempt.conditions, &exempt.modals]
                .iter()
                .any(|one| one.is_match(&clause.text));
        if is_no_report || self.is_of_another(&clause.text) || done.iter().any(|call| call.has_changed) {
            return false;
        }
        let Some(house) = self.language.house() else { return false };
        [&house.words.degrees, &house.words.percent]
            .iter()
            .any(|units| self.states_another(&clause.text, units))
    }

    /// Returns whether `said` has a value of `units` that neither the calls nor the user reported, though the calls
    /// reported some.
    fn states_another(self, said: &str, units: &[String]) -> bool {
        let numbers = &self.language.grammar().numbers;
        // What the state of an item is may come without its unit.
        let of_answer = |answer: &str| match answer.trim().parse() {
            Ok(bare) => vec![bare],
            Err(_) => measured(numbers, answer, units),
        };
        let read: Vec<f64> = self.evidence.done.iter().flat_map(|call| of_answer(&call.answer)).collect();
        let asked = measured(numbers, self.evidence.asked, units);
        let is_told = |value: f64| {
            let near = |other: f64| (value - other).abs() < ROUNDED;
            read.iter().chain(&asked).any(|one| near(*one))
                || read.iter().any(|one| read.iter().any(|other| near((one - other).abs())))
        };
        !read.is_empty() && measured(numbers, said, units).into_iter().any(|value| !is_told(value))
    }
}

/// Returns the numbers, in figures or in words, that stand in front of one of `units`.
fn measured(numbers: &Numbers, text: &str, units: &[String]) -> Vec<f64> {
    let text = text.to_lowercase();
    let ends = units.iter().flat_map(|unit| text.match_indices(unit.as_str()));
    let is_whole = |(at, unit): &(usize, &str)| {
        let (before, behind) = (text[..*at].chars().next_back(), text[at + unit.len()..].chars().next());
        !before.is_some_and(char::is_alphabetic) && !behind.is_some_and(char::is_alphabetic)
    };
    ends.filter(is_whole).filter_map(|(at, _)| number_at_end(numbers, &text[..at])).collect()
}

/// Returns the longest number that `text` ends with.
fn number_at_end(numbers: &Numbers, text: &str) -> Option<f64> {
    let words: Vec<Word> =
        words_of(&text.replace('-', " ")).into_iter().map(|text| Word { text, at: 0..0 }).collect();
    (words.len().saturating_sub(LONGEST)..words.len()).find_map(|from| {
        let reads = numbers.quantity(&words[from..]);
        let whole = reads.iter().find(|read| read.words == words.len() - from)?;
        Some(f64::from(whole.value) / f64::from(ONE))
    })
}
