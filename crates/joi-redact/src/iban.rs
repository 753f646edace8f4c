//! International bank account numbers, known by their check digits.
//!
//! In: a candidate of letters, digits, blanks and dashes, which may have words behind it. Out: the longest beginning of it
//! that is a number. ISO 13616: the remainder of the rearranged number divided by 97 is 1.
//! Pure: no I/O, no clock.

use std::ops::Range;

/// Fewest and most letters and digits of one.
const LENGTHS: Range<usize> = 15..35;

/// Adds the number at the head of `hit`.
pub(super) fn written(text: &str, hit: Range<usize>, secrets: &mut Vec<Range<usize>>) -> usize {
    let candidate = &text[hit.clone()];
    let ends = candidate.char_indices().filter(|(_, c)| c.is_ascii_alphanumeric()).map(|(at, _)| at + 1);
    let lengths: Vec<usize> = ends.collect();
    let ends_word = |end: &usize| !candidate[*end..].starts_with(|c: char| c.is_ascii_alphanumeric());
    let longest = lengths.iter().enumerate().rev().find(|(count, end)| {
        LENGTHS.contains(&(count + 1)) && ends_word(end) && is_valid(&candidate[..**end])
    });
    match longest {
        Some((_, end)) => {
            secrets.push(hit.start..hit.start + end);
            hit.start + end
        }
        None => hit.start + 1,
    }
}

fn is_valid(candidate: &str) -> bool {
    let signs: Vec<u32> = candidate.chars().filter_map(|c| c.to_digit(36)).collect();
    let (head, rest) = signs.split_at(signs.len().min(4));
    let remainder = rest.iter().chain(head).fold(0, |remainder, sign| match sign {
        0..=9 => (remainder * 10 + sign) % 97,
        _ => (remainder * 100 + sign) % 97,
    });
    remainder == 1
}

#[cfg(test)]
mod tests {
    use crate::redact;

    #[test]
    fn an_account_number_is_known_by_its_check_digits() {
        for (text, left) in [
            ("transfer it to DE89 3704 0044 0532 0130 00 please", "transfer it to [REDACTED_IBAN] please"),
            ("AT611904300234573201", "[REDACTED_IBAN]"),
            ("de89370400440532013000.", "[REDACTED_IBAN]."),
            ("DE88 3704 0044 0532 0130 00", "DE88 3704 0044 0532 0130 00"),
            ("my number is 078-05-1120", "my number is [REDACTED_ID]"),
        ] {
            assert_eq!(redact(text).as_str(), left);
        }
    }
}
