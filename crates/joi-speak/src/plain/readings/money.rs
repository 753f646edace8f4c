//! Reads amounts of money.
//!
//! Pure: no I/O, no clock.

use std::sync::Arc;

use regex::Regex;

use super::matching::{any, group, number, pattern, replace};
use joi_language::fill;
use joi_language::{Counted, ReadingWords};

#[derive(Debug)]
pub(super) struct Money {
    words: Arc<ReadingWords>,
    before: Regex,
    behind: Regex,
}

impl Money {
    pub(super) fn new(words: &Arc<ReadingWords>) -> Self {
        let number = number(&words.figures);
        let (signs, codes): (Vec<&str>, Vec<&str>) = words
            .money
            .currency
            .iter()
            .flat_map(|currency| &currency.signs)
            .map(String::as_str)
            .partition(|sign| sign.chars().count() == 1);
        let (signs, codes) = (any(signs), any(codes));
        // A word ends where it ends; an abbreviation ends with its dot.
        let scales: Vec<String> = words.money.scales.keys().map(|scale| scale_pattern(scale)).collect();
        let scale = match scales.as_slice() {
            [] => String::new(),
            scales => format!(r"(?: ?(?P<scale>{}))?", scales.join("|")),
        };
        let per = r"(?:/(?P<per>\p{L}+))?";
        let to = regex::escape(&words.figures.to);
        Self {
            before: pattern(&format!(
                r"(?P<minus>[-−])?(?:US|CA|AU)?(?P<sign>{signs}) ?(?P<n>{number})(?: ?(?:[-–]|{to}) ?(?:{signs})?(?P<to>{number}))?{scale}{per}"
            )),
            behind: pattern(&format!(
                r"(?P<minus>[-−])?(?P<n>{number})(?: ?(?:[-–]|{to}) ?(?P<to>{number}))?{scale} ?(?P<sign>{signs}|(?:{codes})\b){per}"
            )),
            words: Arc::clone(words),
        }
    }

    pub(super) fn read(&self, text: &str) -> String {
        let text = replace(text, &self.before, |found, around| {
            let is_apart = !around.last().is_some_and(char::is_alphanumeric)
                && !around.next().is_some_and(|c| c.is_ascii_alphanumeric());
            if is_apart { self.amount(found) } else { None }
        });
        replace(&text, &self.behind, |found, around| {
            let is_apart = !around.last().is_some_and(|c| c.is_alphanumeric() || c == '.' || c == ',');
            if is_apart { self.amount(found) } else { None }
        })
    }

    fn amount(&self, found: &regex::Captures<'_>) -> Option<String> {
        let (money, figures) = (&self.words.money, &self.words.figures);
        let sign = group(found, "sign");
        let currency =
            money.currency.iter().find(|currency| currency.signs.iter().any(|known| known == sign))?;
        let (number, to) = (group(found, "n"), group(found, "to"));
        let scale = money.scales.get(group(found, "scale"));
        let many = &currency.whole.many;
        let said = match (scale, number.split_once(figures.decimal.as_str()), to) {
            (Some(scale), _, "") => format!("{} {many}", scale.count(number).trim()),
            (Some(scale), _, to) => format!("{number} {} {to} {} {many}", figures.to, scale.many),
            (None, Some((whole, part)), "") if part.len() == 2 => {
                self.whole_and_part(&currency.whole, whole, &currency.part, part)
            }
            (None, _, "") => currency.whole.count(number),
            (None, _, to) => format!("{number} {} {to} {many}", figures.to),
        };
        let minus = match group(found, "minus") {
            "" => String::new(),
            _ => format!("{} ", self.words.sums.minus),
        };
        let per = match group(found, "per") {
            "" => String::new(),
            unit => {
                let unit = money.pays_for.get(unit).map_or(unit, String::as_str);
                format!(" {}", fill(&money.per, &[("unit", unit)]))
            }
        };
        Some(format!("{minus}{said}{per}"))
    }

    fn whole_and_part(&self, of_whole: &Counted, whole: &str, of_part: &Counted, part: &str) -> String {
        let cents = part.trim_start_matches('0');
        match (whole, cents) {
            (whole, "") => of_whole.count(whole),
            ("0", cents) => of_part.count(cents),
            (whole, cents) => {
                let (whole, part) = (of_whole.count(whole), of_part.count(cents));
                fill(&self.words.money.both, &[("whole", &whole), ("part", &part), ("cents", cents)])
            }
        }
    }
}

fn scale_pattern(scale: &str) -> String {
    let end = if scale.ends_with('.') { "" } else { r"\b" };
    format!("{}{end}", regex::escape(scale))
}
