//! The numbers in a text.
//!
//! In: words in figures, in letters, or in both. Out: numbers in thousandths.
//! Pure: no I/O, no clock.

use joi_language::Language;
use joi_language::grammar::numbers::ONE;
use joi_language::grammar::words;
use joi_language::{RequestWords, words_of};

/// Returns every number in `text`, in thousandths, written in figures or in words.
pub(super) fn numbers(language: &Language, requests: &RequestWords, text: &str) -> Vec<u32> {
    let grammar = language.grammar();
    let all: Vec<words::Word> = words_of(text)
        .iter()
        .flat_map(|word| parts(word))
        .map(|text| words::Word { text, at: 0..0 })
        .collect();
    let mut numbers = Vec::new();
    for at in 0..all.len() {
        numbers.extend(grammar.numbers.quantity(&all[at..]).iter().map(|read| read.value));
        numbers.extend(grammar.numbers.ordinal(&all[at..]).map(|read| read.value * ONE));
        numbers.extend(decimal(&all[at].text));
        let texts: Vec<&str> = all[at..].iter().map(|word| word.text.as_str()).collect();
        let begins =
            |phrase: &str| phrase.split(' ').eq(texts.iter().copied().take(phrase.split(' ').count()));
        numbers.extend(
            requests.quantities.iter().filter(|(phrase, _)| begins(phrase)).map(|(_, number)| number * ONE),
        );
    }
    // "four two one seven" is one number, too.
    let digits: String = all
        .iter()
        .filter_map(|word| digit(grammar.numbers.number(std::slice::from_ref(word)).first()?.value))
        .collect();
    numbers.extend(digits.parse::<u32>().ok().and_then(|number| number.checked_mul(ONE)));
    numbers
}

fn digit(value: u32) -> Option<char> {
    value.is_multiple_of(ONE).then(|| char::from_digit(value / ONE, 10)).flatten()
}

/// "2.5" and "1,500".
fn decimal(word: &str) -> Option<u32> {
    let number: f64 = word.replace(',', ".").parse().ok()?;
    (0.0..1e6).contains(&number).then_some((number * f64::from(ONE)).round() as u32)
}

/// "7:30am" as "7:30" and "am", "10-minute" as "10" and "minute", "9:00" as "9".
pub(super) fn parts(word: &str) -> Vec<String> {
    let digits = word.find(|c: char| c.is_alphabetic()).unwrap_or(word.len());
    let (figures, letters) = word.split_at(digits);
    let figures = figures.trim_end_matches('-');
    let hour = |figures: &str| figures.strip_suffix(":00").unwrap_or(figures).to_owned();
    match (figures.is_empty(), letters.is_empty()) {
        (false, false) => vec![hour(figures), letters.to_owned()],
        _ => word.split('-').filter(|part| !part.is_empty()).map(hour).collect(),
    }
}
