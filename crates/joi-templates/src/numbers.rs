//! Ranges of numbers in a sentence: digits always, words where the caller spells numbers. Comes in: a range and a place.
//! Goes out: the number and where it ends. Pure: no I/O, no clock.

use crate::error::TemplateFault;
use crate::file::{FileFractions, FileRange};
use crate::prefixes::PrefixTable;
use crate::text::{fold, tidy};

/// Ranges of more numbers are read in digits only.
const MOST_SPELLED: usize = 2_000;

/// Spells numbers for a language; ranges are then recognised in words too.
///
/// Implemented for functions, and for [`DigitsOnly`].
pub trait SpellNumber {
    /// Returns all spellings of `number` in `language` that a speaker may use, none when unknown.
    fn spell(&self, language: &str, number: f64) -> Vec<String>;
}

/// Spells no number.
#[derive(Debug, Clone, Copy, Default)]
pub struct DigitsOnly;

impl SpellNumber for DigitsOnly {
    fn spell(&self, _: &str, _: f64) -> Vec<String> {
        Vec::new()
    }
}

impl<F: Fn(&str, f64) -> Vec<String>> SpellNumber for F {
    fn spell(&self, language: &str, number: f64) -> Vec<String> {
        self(language, number)
    }
}

/// A range of numbers.
#[derive(Debug, Clone)]
pub(crate) struct NumberRange {
    from: i64,
    to: i64,
    step: i64,
    multiplier: Option<f64>,
    fractions: Option<FileFractions>,
    has_digits: bool,
    words: PrefixTable,
    /// The number of each row of `words`.
    spelled: Vec<f64>,
}

/// A number in a sentence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FoundNumber {
    /// As it goes into the slot.
    pub(crate) value: f64,
    /// First character behind it.
    pub(crate) end: usize,
}

impl NumberRange {
    pub(crate) fn new(
        range: &FileRange,
        language: &str,
        speller: &dyn SpellNumber,
    ) -> Result<Self, TemplateFault> {
        let &FileRange { from, to, step, .. } = range;
        if from > to || step < 1 || to.checked_sub(from).is_none() {
            return Err(TemplateFault::Range { from, to, step });
        }
        let mut read = Self {
            from,
            to,
            step,
            multiplier: range.multiplier,
            fractions: range.fractions,
            has_digits: range.digits,
            words: PrefixTable::default(),
            spelled: Vec::new(),
        };
        if range.words {
            read.spell(range.words_language.as_deref().unwrap_or(language), speller);
        }
        Ok(read)
    }

    fn spell(&mut self, language: &str, speller: &dyn SpellNumber) {
        let numbers = self.numbers(MOST_SPELLED);
        let spellings = numbers.iter().zip(0..).flat_map(|(&number, index)| {
            let words = speller.spell(language, number);
            words.into_iter().map(move |words| (tidy(&words).trim().chars().map(fold).collect(), index))
        });
        self.words = PrefixTable::new(spellings);
        self.spelled = numbers;
    }

    /// Returns the numbers of the range, none if they are more than `most`.
    fn numbers(&self, most: usize) -> Vec<f64> {
        let fractions: &[f64] = match self.fractions {
            None => &[0.0],
            Some(FileFractions::Halves) => &[0.0, 0.5],
            Some(FileFractions::Tenths) => &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
        };
        let count = usize::try_from((self.to - self.from) / self.step).unwrap_or(usize::MAX);
        if count.saturating_add(1).saturating_mul(fractions.len()) > most {
            return Vec::new();
        }
        let whole = (0..=count as i64).map(|index| self.from + index * self.step);
        whole.flat_map(|whole| fractions.iter().map(move |part| whole as f64 + part)).collect()
    }

    /// Returns whether the range has the number.
    pub(crate) fn contains(&self, number: f64) -> bool {
        let whole = number.floor();
        let part = number - whole;
        let has_part = match self.fractions {
            _ if part == 0.0 => true,
            None => false,
            Some(FileFractions::Halves) => part == 0.5,
            Some(FileFractions::Tenths) => (part * 10.0 - (part * 10.0).round()).abs() < 1e-6,
        };
        let is_between = whole >= self.from as f64 && whole <= self.to as f64;
        has_part && is_between && (whole as i64 - self.from) % self.step == 0
    }

    /// Reads the numbers that begin at `at`. A number is never read from its middle.
    pub(crate) fn find(&self, letters: &[char], at: usize, found: &mut dyn FnMut(FoundNumber)) {
        let begins_inside = at > 0 && letters[at - 1].is_ascii_digit();
        let digits = self.digits(&letters[at..]);
        let Some((number, length)) = digits else {
            let mut spelled = |length: usize, index: u32| {
                let number = self.spelled.get(index as usize).copied().unwrap_or_default();
                found(FoundNumber { value: self.scaled(number), end: at + length });
            };
            self.words.find(&letters[at..], &mut spelled);
            return;
        };
        if self.has_digits && !begins_inside && self.contains(number) {
            found(FoundNumber { value: self.scaled(number), end: at + length });
        }
    }

    fn scaled(&self, number: f64) -> f64 {
        self.multiplier.map_or(number, |factor| number * factor)
    }

    /// Reads digits, a sign before them and, where the range has fractions, a fraction behind them.
    fn digits(&self, letters: &[char]) -> Option<(f64, usize)> {
        let run = |from: usize| letters[from..].iter().take_while(|c| c.is_ascii_digit()).count();
        let sign = usize::from(letters.first() == Some(&'-'));
        let whole = run(sign);
        if whole == 0 || whole > 12 {
            return None;
        }
        let mut end = sign + whole;
        if self.fractions.is_some() && matches!(letters.get(end), Some('.' | ',')) && run(end + 1) > 0 {
            end += 1 + run(end + 1);
        }
        let text: String = letters[..end].iter().map(|&c| if c == ',' { '.' } else { c }).collect();
        Some((text.parse().ok()?, end))
    }

    /// Returns a number of the range by its index, counted over the ends.
    pub(crate) fn pick(&self, index: u64) -> (f64, f64) {
        let count = ((self.to - self.from) / self.step) as u64 + 1;
        let number = (self.from + (index % count) as i64 * self.step) as f64;
        (number, self.scaled(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(fractions: Option<FileFractions>, step: i64) -> NumberRange {
        let range = FileRange {
            from: -10,
            to: 100,
            step,
            multiplier: None,
            fractions,
            digits: true,
            words: true,
            words_language: None,
        };
        let words = |language: &str, number: f64| match number {
            _ if language != "en" => Vec::new(),
            5.0 => vec!["five".to_owned()],
            50.0 => vec!["fifty".to_owned()],
            _ => Vec::new(),
        };
        NumberRange::new(&range, "en", &words).expect("a range")
    }

    fn read(range: &NumberRange, text: &str, at: usize) -> Vec<(f64, usize)> {
        let letters: Vec<char> = text.chars().collect();
        let mut found = Vec::new();
        range.find(&letters, at, &mut |number| found.push((number.value, number.end)));
        found
    }

    #[test]
    fn digits_are_read_within_the_range() {
        let whole = range(None, 1);
        assert_eq!(read(&whole, "20 degrees", 0), [(20.0, 2)]);
        assert_eq!(read(&whole, "-5", 0), [(-5.0, 2)]);
        assert_eq!(read(&whole, "101", 0), []);
        assert_eq!(read(&whole, "x", 0), []);
        assert_eq!(read(&whole, "120", 1), [], "from the middle of a number");
    }

    #[test]
    fn steps_and_fractions_are_kept() {
        assert_eq!(read(&range(Some(FileFractions::Halves), 1), "20,5", 0), [(20.5, 4)]);
        assert_eq!(read(&range(Some(FileFractions::Halves), 1), "20.4", 0), []);
        assert_eq!(read(&range(Some(FileFractions::Tenths), 1), "20.4", 0), [(20.4, 4)]);
        assert_eq!(read(&range(None, 1), "20.5", 0), [(20.0, 2)], "the rest is left over");
        assert_eq!(read(&range(None, 10), "20", 0), [(20.0, 2)]);
        assert_eq!(read(&range(None, 10), "25", 0), []);
    }

    #[test]
    fn words_are_read_where_the_caller_spells_them() {
        assert_eq!(read(&range(None, 1), "fifty lamps", 0), [(50.0, 5)]);
        assert_eq!(read(&range(None, 1), "sixty", 0), []);
    }
}
