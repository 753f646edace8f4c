//! Finds payment card numbers in runs of digits.
//!
//! PURE. A card number is 13 to 19 digits that pass the Luhn check, grouped the way people write or
//! say them. Dates and timestamps are long runs of digits too, so the grouping must fit a card.

use std::ops::Range;

/// Thirteen or more spoken digits in a row.
pub(super) const SPOKEN: &str = r"(?xi) (?-u:\b)
    (?: (?:zero|oh|one|two|three|four|five|six|seven|eight|nine) [\x20,.-]+ ){12,}
    (?:zero|oh|one|two|three|four|five|six|seven|eight|nine) (?-u:\b)";

const SHORTEST: usize = 13;
const LONGEST: usize = 19;

/// Digits that stand together, and where.
struct Group {
    digits: Vec<u8>,
    at: Range<usize>,
}

/// Reads a run of digits with single spaces or dashes in it.
pub(super) fn written(text: &str, hit: Range<usize>, secrets: &mut Vec<Range<usize>>) -> usize {
    let end = hit.end;
    let glued = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let glued_before = glued(text[..hit.start].chars().next_back());
    let glued_behind = glued(text[end..].chars().next());
    let groups: Vec<Group> = words(text, hit)
        .map(|at| Group { digits: text[at.clone()].bytes().map(|b| b - b'0').collect(), at })
        .collect();
    // A group that is part of a longer word is no part of a card number.
    let first = usize::from(glued_before).min(groups.len());
    let last = groups.len().saturating_sub(usize::from(glued_behind)).max(first);
    find_cards(&groups[first..last], secrets);
    end
}

/// Reads a run of spoken digits.
pub(super) fn spoken(text: &str, hit: Range<usize>, secrets: &mut Vec<Range<usize>>) -> usize {
    const DIGITS: [&str; 10] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let end = hit.end;
    let digit =
        |word: &str| (0u8..).zip(DIGITS).find(|(_, w)| word.eq_ignore_ascii_case(w)).map_or(0, |(d, _)| d);
    let groups: Vec<Group> =
        words(text, hit).map(|at| Group { digits: vec![digit(&text[at.clone()])], at }).collect();
    find_cards(&groups, secrets);
    end
}

/// The ranges of the alphanumeric words within `hit`.
fn words(text: &str, hit: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let base = hit.start;
    let run = &text[hit];
    run.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).map(move |word| {
        let start = base + (word.as_ptr() as usize - run.as_ptr() as usize);
        start..start + word.len()
    })
}

/// Adds every card number that begins at one of the groups and ends with another, the longest first.
fn find_cards(groups: &[Group], secrets: &mut Vec<Range<usize>>) {
    let mut first = 0;
    while first < groups.len() {
        let mut digits: Vec<u8> = Vec::with_capacity(LONGEST);
        let mut found = None;
        for (last, group) in groups.iter().enumerate().skip(first) {
            if digits.len() + group.digits.len() > LONGEST {
                break;
            }
            digits.extend_from_slice(&group.digits);
            if digits.len() >= SHORTEST && is_grouped_like_a_card(&groups[first..=last]) && is_card(&digits) {
                found = Some(last);
            }
        }
        match found {
            Some(last) => {
                secrets.push(groups[first].at.start..groups[last].at.end);
                first = last + 1;
            }
            None => first += 1,
        }
    }
}

/// One block; equal blocks, the last one perhaps shorter; or a block of four with blocks of three to six.
fn is_grouped_like_a_card(groups: &[Group]) -> bool {
    let Some((first, rest)) = groups.split_first() else { return false };
    let Some((last, middle)) = rest.split_last() else { return true };
    let size = |group: &Group| group.digits.len();
    let are_equal = middle.iter().all(|g| size(g) == size(first)) && size(last) <= size(first);
    are_equal || (size(first) == 4 && rest.iter().all(|g| (3..=6).contains(&size(g))))
}

/// Issuers begin with 2 to 9; the check digit must fit.
fn is_card(digits: &[u8]) -> bool {
    digits.first().is_some_and(|d| *d >= 2) && passes_luhn(digits)
}

fn passes_luhn(digits: &[u8]) -> bool {
    let weigh = |(place, digit): (usize, &u8)| match (place % 2, *digit) {
        (0, digit) => u32::from(digit),
        (_, digit) if digit < 5 => u32::from(digit) * 2,
        (_, digit) => u32::from(digit) * 2 - 9,
    };
    digits.iter().rev().enumerate().map(weigh).sum::<u32>().is_multiple_of(10)
}
