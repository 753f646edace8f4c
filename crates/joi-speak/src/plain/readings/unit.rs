//! Reads numbers with units.
//!
//! Pure: no I/O, no clock.

use std::sync::{Arc, LazyLock};

use regex::Regex;

use super::matching::{any, group, number, pattern, replace};
use joi_language::ReadingWords;
use joi_language::fill;

static HEIGHT: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(?P<feet>\d{1,2})['′](?P<inches>\d{1,2})["″]"#));

#[derive(Debug)]
pub(super) struct UnitReadings {
    words: Arc<ReadingWords>,
    measure: Regex,
    degrees: Regex,
    /// Another sign for decimals, as in "22.5" where it should be "22,5".
    decimal_too: Option<Regex>,
    /// One of something that is written out.
    ones: Option<Regex>,
}

impl UnitReadings {
    pub(super) fn new(words: &Arc<ReadingWords>) -> Self {
        let number = number(&words.figures);
        let units = || words.units.names.keys().map(String::as_str);
        let symbols = any(units());
        let divisors = any(units().chain(words.units.divisors.keys().map(String::as_str)));
        let to = regex::escape(&words.figures.to);
        let scales = any(words.degrees.scales.keys().map(String::as_str));
        let too = &words.figures.decimal_too;
        let ones = any(words.units.ones.keys().map(String::as_str));
        Self {
            measure: pattern(&format!(
                r"(?:(?P<from>{number}) ?(?:-|–|{to}) ?)?(?P<n>{number})(?P<gap>[ -]?)(?P<unit>{symbols})(?:/(?P<per>{divisors}))?"
            )),
            degrees: pattern(&format!(
                r"(?:(?P<from>[-−]?{number}) ?°? ?(?P<dash>-|–|{to}) ?)?(?P<n>[-−]?{number}) ?(?:°|º|deg\b\.?) ?(?P<scale>(?:{scales})\b)?"
            )),
            // Three digits behind it are thousands.
            decimal_too: (!too.is_empty()).then(|| {
                pattern(&format!(r"(?P<whole>\d+){}(?P<part>\d{{1,2}}|\d{{4,}})", regex::escape(too)))
            }),
            ones: (!words.units.ones.is_empty()).then(|| pattern(&format!(r"1 (?P<unit>{ones})"))),
            words: Arc::clone(words),
        }
    }

    /// Decimals in the sign of the language.
    pub(super) fn read_decimals(&self, text: &str) -> String {
        let Some(decimal_too) = &self.decimal_too else { return text.to_owned() };
        let decimal = &self.words.figures.decimal;
        replace(text, decimal_too, |found, around| {
            let is_whole = around.is_whole_number() && !around.after.starts_with('.');
            is_whole.then(|| format!("{}{decimal}{}", group(found, "whole"), group(found, "part")))
        })
    }

    pub(super) fn read(&self, text: &str) -> String {
        let words = &self.words;
        let text = replace(text, &HEIGHT, |found, around| {
            let (feet, inches) = (group(found, "feet"), group(found, "inches"));
            around.is_apart().then(|| fill(&words.degrees.height, &[("feet", feet), ("inches", inches)]))
        });
        let text = replace(&text, &self.degrees, |found, around| {
            if around.last().is_some_and(|c| c.is_alphanumeric() || c == '.' || c == ',') {
                return None;
            }
            let number = self.signed(group(found, "n"));
            let scale = words.degrees.scales.get(group(found, "scale")).map_or("", String::as_str);
            let said = match group(found, "from") {
                "" => words.degrees.name.count(&number),
                from => {
                    format!("{} {} {number} {}", self.signed(from), words.figures.to, words.degrees.name.many)
                }
            };
            let goes_on = scale.is_empty() && around.next().is_some_and(char::is_alphanumeric);
            let gap = if goes_on || !scale.is_empty() { " " } else { "" };
            Some(format!("{said}{gap}{scale}"))
        });
        replace(&text, &self.measure, |found, around| {
            let symbol = group(found, "unit");
            let is_number_apart = !around.last().is_some_and(|c| c.is_alphanumeric() || ".,:/'".contains(c));
            let is_unit_apart = !around
                .next()
                .is_some_and(|c| c.is_alphanumeric() || matches!(c, '²' | '³' | '/' | '\'' | '_'));
            let is_close =
                group(found, "gap").is_empty() || !words.units.tight.iter().any(|tight| tight == symbol);
            // "5-h" may be anything, "5-km" is a unit.
            let is_meant = group(found, "gap") != "-" || symbol.chars().count() > 1;
            (is_number_apart && is_unit_apart && is_close && is_meant).then(|| self.measure(found)).flatten()
        })
    }

    /// "1 Minute" as "eine Minute".
    pub(super) fn read_ones(&self, text: &str) -> String {
        let Some(ones) = &self.ones else { return text.to_owned() };
        replace(text, ones, |found, around| {
            let unit = group(found, "unit");
            let one = self.words.units.ones.get(unit)?;
            (around.is_apart() && around.is_whole_number()).then(|| format!("{one} {unit}"))
        })
    }

    fn measure(&self, found: &regex::Captures<'_>) -> Option<String> {
        let units = &self.words.units;
        let (number, from) = (group(found, "n"), group(found, "from"));
        let name = units.names.get(group(found, "unit"))?;
        let said = match (group(found, "gap"), from) {
            // "a 5-km run"
            ("-", "") => format!("{number} {}", name.one),
            (_, "") => name.count(number),
            (_, from) => format!("{from} {} {number} {}", self.words.figures.to, name.many),
        };
        let per = match group(found, "per") {
            "" => String::new(),
            symbol => {
                let unit =
                    units.names.get(symbol).map(|name| &name.one).or_else(|| units.divisors.get(symbol))?;
                format!(" {}", fill(&units.per, &[("unit", unit)]))
            }
        };
        Some(said + &per)
    }

    fn signed(&self, number: &str) -> String {
        match number.strip_prefix(['-', '−']) {
            Some(number) => format!("{} {number}", self.words.sums.minus),
            None => number.to_owned(),
        }
    }
}
