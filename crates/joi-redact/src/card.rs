//! Finds payment card numbers in runs of digits.
//!
//! A card number is 13 to 19 digits that pass the Luhn check, grouped the way people write or
//! say them. Dates and timestamps are long runs of digits too, so the grouping must fit a card.
//! Pure: no I/O, no clock.

use std::ops::Range;

use joi_language::secrets::SecretWords;

const SHORTEST: usize = 13;
const LONGEST: usize = 19;

/// No issuer's numbers begin with 0 or 1; timestamps in milliseconds do.
const LOWEST_ISSUER: u8 = 2;

/// A run of digits in groups.
#[derive(Default)]
struct DigitRun {
    groups: Vec<DigitGroup>,
    digits: usize,
    /// For each number of digits, the Luhn sum of that many from the first on, with the digits at even
    /// places doubled, and with those at odd places doubled: any window is judged without adding it up.
    sums: Vec<[u32; 2]>,
}

/// Digits that stand together.
struct DigitGroup {
    /// Where in the text.
    at: Range<usize>,
    /// Which digits of the run.
    digits: Range<usize>,
    first: u8,
}

impl DigitRun {
    fn push(&mut self, at: Range<usize>, digits: impl Iterator<Item = u8>) {
        let begin = self.digits;
        let mut leading = None;
        for digit in digits {
            leading.get_or_insert(digit);
            let doubled = u32::from(if digit < 5 { digit * 2 } else { digit * 2 - 9 });
            let plain = u32::from(digit);
            let [even, odd] = self.sums.last().copied().unwrap_or_default();
            let is_even = self.digits.is_multiple_of(2);
            let (to_even, to_odd) = if is_even { (doubled, plain) } else { (plain, doubled) };
            self.sums.push([even + to_even, odd + to_odd]);
            self.digits += 1;
        }
        if let Some(first) = leading {
            self.groups.push(DigitGroup { at, digits: begin..self.digits, first });
        }
    }

    /// Returns whether the digits pass the Luhn check: every second one is doubled, from the last but one.
    fn passes_luhn(&self, window: Range<usize>) -> bool {
        let doubled = window.end % 2;
        let sum_before = |digits: usize| match digits.checked_sub(1) {
            Some(last) => self.sums.get(last).map_or(0, |sums| sums[doubled]),
            None => 0,
        };
        (sum_before(window.end) - sum_before(window.start)).is_multiple_of(10)
    }

    /// Returns the last group of the longest card number that begins with group `first`.
    fn card_from(&self, first: usize) -> Option<usize> {
        let rest = self.groups.get(first..)?;
        let head = rest.first().filter(|head| head.first >= LOWEST_ISSUER)?;
        let size = |group: &DigitGroup| group.digits.len();
        let (mut are_equal, mut are_in_fours) = (true, size(head) == 4);
        let mut found = None;
        for (place, group) in rest.iter().enumerate() {
            let window = head.digits.start..group.digits.end;
            if window.len() > LONGEST {
                break;
            }
            // Equal blocks, the last perhaps shorter; or four digits and blocks of three to six.
            let fits = (are_equal && size(group) <= size(head))
                || (are_in_fours && (place == 0 || (3..=6).contains(&size(group))));
            if window.len() >= SHORTEST && fits && self.passes_luhn(window) {
                found = Some(first + place);
            }
            are_equal &= size(group) == size(head);
            are_in_fours &= place == 0 || (3..=6).contains(&size(group));
        }
        found
    }

    /// Adds every card number in the run, from left to right, the longest first.
    fn find_cards(&self, secrets: &mut Vec<Range<usize>>) {
        let mut first = 0;
        while let Some(group) = self.groups.get(first) {
            match self.card_from(first) {
                Some(last) => {
                    secrets.push(group.at.start..self.groups[last].at.end);
                    first = last + 1;
                }
                None => first += 1,
            }
        }
    }
}

/// Reads a run of digits with single spaces or dashes in it.
pub(super) fn written(text: &str, hit: Range<usize>, secrets: &mut Vec<Range<usize>>) -> usize {
    let glued = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let glued_before = glued(text[..hit.start].chars().next_back());
    let glued_behind = glued(text[hit.end..].chars().next());
    let mut run = DigitRun::default();
    for at in words(text, hit.clone()) {
        // A group that is part of a longer word is no part of a card number.
        let is_glued = (glued_before && at.start == hit.start) || (glued_behind && at.end == hit.end);
        if !is_glued {
            run.push(at.clone(), text[at].bytes().map(|byte| byte - b'0'));
        }
    }
    run.find_cards(secrets);
    hit.end
}

/// Reads a run of spoken digits.
pub(super) fn spoken(
    text: &str,
    hit: Range<usize>,
    language: &SecretWords,
    secrets: &mut Vec<Range<usize>>,
) -> usize {
    let end = hit.end;
    let mut run = DigitRun::default();
    for at in words(text, hit) {
        let digit = language.digit(&text[at.clone()]).unwrap_or_default();
        run.push(at, std::iter::once(digit));
    }
    run.find_cards(secrets);
    end
}

/// Returns the ranges of the alphanumeric words within `hit`.
fn words(text: &str, hit: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let base = hit.start;
    let run = &text[hit];
    run.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(move |word| {
        let start = base + (word.as_ptr() as usize - run.as_ptr() as usize);
        start..start + word.len()
    })
}
