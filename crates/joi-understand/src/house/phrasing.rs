//! Phrasings of the house: `(turn|switch) {thing} on`, compiled and matched against the words of an utterance.
//!
//! `(a|b)` is one of several, `[a|b]` may be missing, `{thing}` and `{option}` are any words, `{n}` is a number,
//! `{colour}` a colour, `<percent>` and `<degrees>` are the words for these. Every way to match is found, up to a limit.
//! Pure: no I/O, no clock.

use std::ops::Range;

use joi_language::house::HouseWords;

/// Ways to match that are looked at.
const MOST_WAYS: usize = 12;

#[derive(Debug, Clone)]
enum Atom {
    Word(String),
    Thing,
    Option,
    Number,
    Colour,
    Percent,
    Degrees,
}

/// One of several sequences, which may be missing.
#[derive(Debug, Clone)]
struct Part {
    choices: Vec<Vec<Atom>>,
    is_optional: bool,
}

/// A compiled phrasing.
#[derive(Debug, Clone)]
pub(super) struct Phrasing(Vec<Part>);

/// The words that a phrasing has matched.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct TakenWords {
    /// The words of things, in the order they were said.
    pub(super) things: Vec<Range<usize>>,
    pub(super) option: Option<Range<usize>>,
    pub(super) number: Option<f64>,
    pub(super) colour: Option<[f64; 2]>,
    /// The number is one of percent.
    pub(super) is_percent: bool,
    /// The number is one of degrees Fahrenheit.
    pub(super) is_fahrenheit: bool,
}

impl Phrasing {
    /// Reads `say`; words that are skipped in utterances are skipped here.
    pub(super) fn read(say: &str, skipped: &[String]) -> Self {
        let mut parts = Vec::new();
        let mut rest = say.trim();
        while let Some(first) = rest.chars().next() {
            let (inner, is_optional, after) = match first {
                '(' => group(rest, ')'),
                '[' => {
                    let (inner, _, after) = group(rest, ']');
                    (inner, true, after)
                }
                _ => {
                    let end = rest.find([' ', '(', '[']).unwrap_or(rest.len());
                    (&rest[..end], false, &rest[end..])
                }
            };
            let all: Vec<Vec<Atom>> = inner.split('|').map(|choice| atoms(choice, skipped)).collect();
            let has_empty = all.iter().any(Vec::is_empty);
            let choices: Vec<_> = all.into_iter().filter(|choice| !choice.is_empty()).collect();
            if !choices.is_empty() {
                parts.push(Part { choices, is_optional: is_optional || has_empty });
            }
            rest = after.trim_start();
        }
        Self(parts)
    }

    /// Returns every way in which all of `said` fits, the shortest first thing first.
    pub(super) fn ways(&self, said: &[String], words: &HouseWords) -> Vec<TakenWords> {
        let mut matcher = Matcher { said, words, ways: Vec::new() };
        matcher.parts(&self.0, 0, &TakenWords::default());
        matcher.ways
    }
}

fn group(text: &str, end: char) -> (&str, bool, &str) {
    match text.find(end) {
        Some(at) => (&text[1..at], false, &text[at + 1..]),
        None => (&text[1..], false, ""),
    }
}

fn atoms(choice: &str, skipped: &[String]) -> Vec<Atom> {
    let kept = choice.split_whitespace().filter(|word| !skipped.iter().any(|skip| skip == word));
    kept.map(|word| match word {
        "{thing}" => Atom::Thing,
        "{option}" => Atom::Option,
        "{n}" => Atom::Number,
        "{colour}" => Atom::Colour,
        "<percent>" => Atom::Percent,
        "<degrees>" => Atom::Degrees,
        word => Atom::Word(word.to_owned()),
    })
    .collect()
}

struct Matcher<'a> {
    said: &'a [String],
    words: &'a HouseWords,
    ways: Vec<TakenWords>,
}

impl Matcher<'_> {
    fn parts(&mut self, parts: &[Part], at: usize, taken: &TakenWords) {
        if self.ways.len() >= MOST_WAYS {
            return;
        }
        let Some((part, rest)) = parts.split_first() else {
            if at == self.said.len() && !self.ways.contains(taken) {
                self.ways.push(taken.clone());
            }
            return;
        };
        for choice in &part.choices {
            self.atoms(choice, rest, at, taken);
        }
        if part.is_optional {
            self.parts(rest, at, taken);
        }
    }

    fn atoms(&mut self, atoms: &[Atom], rest: &[Part], at: usize, taken: &TakenWords) {
        let Some((atom, others)) = atoms.split_first() else { return self.parts(rest, at, taken) };
        match atom {
            Atom::Word(word) => {
                if self.said.get(at) == Some(word) {
                    self.atoms(others, rest, at + 1, taken);
                }
            }
            Atom::Thing | Atom::Option => {
                for end in at + 1..=self.said.len() {
                    let mut taken = taken.clone();
                    match atom {
                        Atom::Option => taken.option = Some(at..end),
                        _ => taken.things.push(at..end),
                    }
                    self.atoms(others, rest, end, &taken);
                }
            }
            Atom::Number => {
                if let Some((length, number)) = number(&self.said[at..], self.words) {
                    let taken = TakenWords { number: Some(number), ..taken.clone() };
                    self.atoms(others, rest, at + length, &taken);
                }
            }
            Atom::Colour => {
                if let Some(colour) = self.said.get(at).and_then(|word| self.words.colours.get(word)) {
                    let taken = TakenWords { colour: Some(*colour), ..taken.clone() };
                    self.atoms(others, rest, at + 1, &taken);
                }
            }
            Atom::Percent | Atom::Degrees => {
                let words = &self.words.words;
                let is_percent = matches!(atom, Atom::Percent);
                let units = if is_percent { &words.percent } else { &words.degrees };
                let fahrenheit = if is_percent { None } else { self.unit(&words.fahrenheit, at) };
                if let Some(length) = fahrenheit.or_else(|| self.unit(units, at)) {
                    let is_percent = taken.is_percent || is_percent;
                    let is_fahrenheit = taken.is_fahrenheit || fahrenheit.is_some();
                    let taken = TakenWords { is_percent, is_fahrenheit, ..taken.clone() };
                    self.atoms(others, rest, at + length, &taken);
                }
            }
        }
    }

    /// Returns the words of the longest unit that stands at `at`.
    fn unit(&self, units: &[String], at: usize) -> Option<usize> {
        units.iter().filter_map(|unit| starts(&self.said[at..], unit)).max()
    }
}

/// Returns how many words `phrase` has, when `said` begins with it.
pub(super) fn starts(said: &[String], phrase: &str) -> Option<usize> {
    let mut count = 0;
    for word in phrase.split(' ') {
        if said.get(count).is_none_or(|said| said != word) {
            return None;
        }
        count += 1;
    }
    Some(count)
}

/// Returns the longest number that `said` begins with, and its words.
fn number(said: &[String], words: &HouseWords) -> Option<(usize, f64)> {
    let first = said.first()?;
    if let Some(length) = words.words.half.iter().filter_map(|half| starts(said, half)).max() {
        return Some((length, 0.5));
    }
    let figures = first.replace(',', ".");
    let is_figures = figures.starts_with(|sign: char| sign.is_ascii_digit());
    let (length, value) = match figures.parse::<f64>().ok().filter(|_| is_figures) {
        Some(value) => (1, value),
        None => {
            let two = said.get(1).and_then(|second| words.numbers.get(&format!("{first} {second}")));
            two.map(|value| (2, *value)).or_else(|| words.numbers.get(first).map(|value| (1, *value)))?
        }
    };
    let halves = words.words.joints.iter().filter_map(|joint| starts(&said[length..], joint)).max();
    Some(halves.map_or((length, value), |more| (length + more, value + 0.5)))
}

/// Words before an exception, and the exception, where it stands behind the command.
pub(super) fn exception(said: &[String], words: &HouseWords) -> Option<(Vec<String>, Vec<String>)> {
    (1..said.len()).find_map(|at| {
        let length = words.words.except.iter().filter_map(|except| starts(&said[at..], except)).max()?;
        Some((said[..at].to_vec(), said[at + length..].to_vec()))
    })
}
