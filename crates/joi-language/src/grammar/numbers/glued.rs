//! Numbers that a language writes in one word, in letters or in figures: "dreiundzwanzig", "zweitausendfünfzig", "9.5".
//!
//! In: number words. Out: their values, in thousandths. Pure: no I/O, no clock.

use super::{LARGEST, NumberWords, Numbers, ONE};

impl Numbers {
    /// A number of thousands in one word: "zweitausendfünfzig".
    pub(super) fn glued_thousands(&self, word: &str) -> Option<u32> {
        let (count, rest) = word.split_once(self.thousand.as_str()).filter(|_| !self.thousand.is_empty())?;
        let below = |word: &str| self.words.get(word).copied().filter(|value| value.is_multiple_of(ONE));
        let count = if count.is_empty() || count == self.one_glued { ONE } else { below(count)? };
        let rest = rest.strip_prefix(self.and.as_str()).unwrap_or(rest);
        let rest = if rest.is_empty() { 0 } else { below(rest)? };
        (count <= LARGEST / 1_000).then(|| count * 1_000 + rest)
    }
}

/// Numbers up to 999 in one word.
pub(super) fn glued(file: &NumberWords) -> Vec<(String, u32)> {
    let one = |value: usize| if value == 1 { &file.one_glued } else { &file.small[value] };
    let mut below: Vec<(String, u32)> = (0..).zip(&file.small).map(|(v, word)| (word.clone(), v)).collect();
    for (ten, word) in (2..).zip(&file.tens) {
        below.push((word.clone(), ten * 10));
        for value in 1..10_usize {
            let all = format!("{}{}{word}", one(value), file.ones_first);
            below.push((all, ten * 10 + u32::try_from(value).unwrap_or(0)));
        }
    }
    let mut all = below.clone();
    for hundreds in 1..10_usize {
        let count = u32::try_from(hundreds).unwrap_or(0) * 100;
        for head in [format!("{}{}", one(hundreds), file.hundred), file.hundred.clone()] {
            if hundreds > 1 && head == file.hundred {
                continue;
            }
            all.push((head.clone(), count));
            let rest = below.iter().filter(|(_, value)| *value > 0);
            all.extend(rest.map(|(word, value)| (format!("{head}{word}"), count + value)));
        }
    }
    all.into_iter().map(|(word, value)| (word, value * ONE)).collect()
}

/// A number in figures: "25", "9.5", "9,5", "9½".
pub(super) fn figures(word: &str) -> Option<u32> {
    let (whole, half) = match word.strip_suffix('½') {
        Some("") => return Some(ONE / 2),
        Some(whole) => (whole, ONE / 2),
        None => (word, 0),
    };
    let (whole, decimals) = whole.split_once(['.', ',']).unwrap_or((whole, ""));
    let is_number = |digits: &str| digits.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || whole.len() > 6 || decimals.len() > 3 || !is_number(whole) || !is_number(decimals)
    {
        return None;
    }
    let padded: u32 = format!("{decimals:0<3}").parse().ok()?;
    let value = whole.parse::<u32>().ok()?.checked_mul(ONE)? + padded + half;
    (value <= LARGEST).then_some(value)
}
