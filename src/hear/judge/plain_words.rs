//! PURE: normalises a text to plain words, so that playback and its transcript can be compared.
//!
//! In: text as it is written by a person, a model or whisper. Out: lower-case words without punctuation, with
//! figures, times and units written out ("22.5 °C" and "twenty two and a half degrees Celsius" become the
//! same), each with the index of the word of the text it comes from. English; other scripts pass unchanged.

use crate::english::{self, TENS, UP_TO_NINETEEN};

/// A plain word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlainWord {
    /// Lower case, letters and digits only.
    pub(super) text: String,
    /// Which word of the text it comes from, counted by spaces.
    pub(super) word: usize,
}

const ORDINALS: [(&str, &str); 11] = [
    ("one", "first"),
    ("two", "second"),
    ("three", "third"),
    ("five", "fifth"),
    ("eight", "eighth"),
    ("nine", "ninth"),
    ("twelve", "twelfth"),
    ("twenty", "twentieth"),
    ("thirty", "thirtieth"),
    ("forty", "fortieth"),
    ("fifty", "fiftieth"),
];
/// Units behind a number. Letters alone are no units: "A" and "m" are words too.
const UNITS: [(&str, &str); 22] = [
    ("c", "degrees celsius"),
    ("f", "degrees fahrenheit"),
    ("km", "kilometers"),
    ("cm", "centimeters"),
    ("mm", "millimeters"),
    ("kg", "kilograms"),
    ("mg", "milligrams"),
    ("ml", "milliliters"),
    ("kmh", "kilometers per hour"),
    ("kph", "kilometers per hour"),
    ("mph", "miles per hour"),
    ("kwh", "kilowatt hours"),
    ("kw", "kilowatts"),
    ("hpa", "hectopascals"),
    ("gb", "gigabytes"),
    ("mb", "megabytes"),
    ("ghz", "gigahertz"),
    ("mhz", "megahertz"),
    ("min", "minutes"),
    ("mins", "minutes"),
    ("hr", "hours"),
    ("hrs", "hours"),
];

/// The plain words of `text`.
pub(super) fn plain(text: &str) -> Vec<PlainWord> {
    let mut tokens: Vec<PlainWord> = Vec::new();
    for (word, written) in text.split_whitespace().enumerate() {
        for piece in pieces(written) {
            let follows_number = tokens.last().is_some_and(|last| is_number(&last.text));
            let said = match piece {
                WordPiece::Number(figures) => number(&figures),
                WordPiece::Letters(letters) if follows(&tokens, "degrees") => scale(letters),
                WordPiece::Letters(letters) => letters_as_said(&letters, follows_number),
                WordPiece::Sign(sign) => sign.to_owned(),
            };
            tokens.extend(said.split_whitespace().map(|text| PlainWord { text: text.to_owned(), word }));
        }
    }
    fold(tokens)
}

#[derive(Debug, PartialEq)]
enum WordPiece {
    /// Figures with points, commas and colons among them.
    Number(String),
    Letters(String),
    Sign(&'static str),
}

/// What a word without spaces consists of.
fn pieces(written: &str) -> Vec<WordPiece> {
    let mut pieces: Vec<WordPiece> = Vec::new();
    let chars: Vec<char> = written.to_lowercase().chars().collect();
    let mut is_apart = true;
    for (i, &c) in chars.iter().enumerate() {
        let next_is_digit = chars.get(i + 1).is_some_and(char::is_ascii_digit);
        match (c, pieces.last_mut()) {
            ('0'..='9', Some(WordPiece::Number(figures))) if !is_apart => figures.push(c),
            ('.' | ',' | ':', Some(WordPiece::Number(figures))) if !is_apart && next_is_digit => {
                figures.push(c)
            }
            ('0'..='9', _) => pieces.push(WordPiece::Number(c.to_string())),
            // "it's", "p.m.", "km/h": one word.
            ('\'' | '’' | '.' | '/', Some(WordPiece::Letters(_))) if !is_apart => continue,
            (c, Some(WordPiece::Letters(letters))) if c.is_alphanumeric() && !is_apart => letters.push(c),
            (c, _) if c.is_alphanumeric() => pieces.push(WordPiece::Letters(c.to_string())),
            (c, _) => {
                if c == '-' && next_is_digit && i == 0 {
                    pieces.push(WordPiece::Sign("minus"));
                } else if let Some(sign) = sign(c) {
                    pieces.push(WordPiece::Sign(sign));
                }
                is_apart = true;
                continue;
            }
        }
        is_apart = false;
    }
    pieces
}

fn sign(c: char) -> Option<&'static str> {
    Some(match c {
        '%' => "percent",
        '°' => "degrees",
        '&' => "and",
        '+' => "plus",
        '=' => "equals",
        '€' => "euros",
        '$' => "dollars",
        '£' => "pounds",
        _ => return None,
    })
}

fn follows(tokens: &[PlainWord], word: &str) -> bool {
    tokens.last().is_some_and(|last| last.text == word)
}

/// The scale of a temperature.
fn scale(letters: String) -> String {
    match letters.as_str() {
        "c" => "celsius".to_owned(),
        "f" => "fahrenheit".to_owned(),
        _ => letters,
    }
}

fn letters_as_said(letters: &str, follows_number: bool) -> String {
    let unit = UNITS.iter().find(|(unit, _)| follows_number && *unit == letters);
    match (unit, letters) {
        (Some((_, said)), _) => (*said).to_owned(),
        (None, "o" | "oh") if follows_number => "zero".to_owned(),
        (None, "oclock") => String::new(),
        (None, letters) => letters.to_owned(),
    }
}

/// Figures as they are read: "9:05" as nine zero five, "22.5" as twenty two point five.
fn number(figures: &str) -> String {
    if let Some((hours, minutes)) = figures.split_once(':') {
        return match minutes {
            "00" => cardinal(hours),
            _ if minutes.starts_with('0') => format!("{} {}", cardinal(hours), digits(minutes)),
            _ => format!("{} {}", cardinal(hours), number(minutes)),
        };
    }
    let whole = figures.replace(',', "");
    match whole.split_once('.') {
        Some((whole, decimals)) => format!("{} point {}", cardinal(whole), digits(decimals)),
        None => cardinal(&whole),
    }
}

fn digits(figures: &str) -> String {
    let names: Vec<&str> =
        figures.bytes().filter(u8::is_ascii_digit).map(|d| UP_TO_NINETEEN[usize::from(d - b'0')]).collect();
    names.join(" ")
}

/// A whole number in words; long ones, and ones that begin with a zero, figure by figure.
fn cardinal(figures: &str) -> String {
    match figures.parse::<usize>() {
        Ok(n) if figures == "0" || !figures.starts_with('0') => {
            below_a_million(n).unwrap_or_else(|| digits(figures))
        }
        _ => digits(figures),
    }
}

fn below_a_million(n: usize) -> Option<String> {
    let with = |head: String, rest: usize| {
        if rest == 0 { Some(head) } else { Some(format!("{head} {}", below_a_million(rest)?)) }
    };
    match n {
        0..20 => Some(UP_TO_NINETEEN[n].to_owned()),
        20..100 => with(TENS[n / 10 - 2].to_owned(), n % 10),
        100..1000 => with(format!("{} hundred", UP_TO_NINETEEN[n / 100]), n % 100),
        1000..1_000_000 => with(format!("{} thousand", below_a_million(n / 1000)?), n % 1000),
        _ => None,
    }
}

fn is_number(word: &str) -> bool {
    english::number(word).is_some() || ["hundred", "thousand"].contains(&word)
}

/// Variants are brought to one: "and a half", "2nd", "one hundred and five".
fn fold(tokens: Vec<PlainWord>) -> Vec<PlainWord> {
    let mut folded: Vec<PlainWord> = Vec::with_capacity(tokens.len());
    let text = |at: usize| tokens.get(at).map_or("", |token: &PlainWord| token.text.as_str());
    let mut at = 0;
    while at < tokens.len() {
        let word = tokens[at].word;
        let last = folded.last().map_or("", |token: &PlainWord| token.text.as_str());
        match (last, text(at), text(at + 1), text(at + 2)) {
            (last, "and", "a", "half") if is_number(last) => {
                let end = tokens[at + 2].word;
                folded.push(PlainWord { text: "point".into(), word });
                folded.push(PlainWord { text: "five".into(), word: end });
                at += 3;
            }
            ("hundred" | "thousand", "and", next, _) if is_number(next) => at += 1,
            (last, "st" | "nd" | "rd" | "th", ..) if is_number(last) => {
                if let Some(last) = folded.last_mut() {
                    last.text = ordinal(&last.text);
                    last.word = word;
                }
                at += 1;
            }
            _ => {
                folded.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    folded
}

fn ordinal(cardinal: &str) -> String {
    let special = ORDINALS.iter().find(|(from, _)| *from == cardinal);
    special.map_or_else(|| format!("{cardinal}th"), |(_, ordinal)| (*ordinal).to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn said(text: &str) -> String {
        plain(text).into_iter().map(|token| token.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn written_and_spoken_forms_become_the_same() {
        for (written, spoken) in [
            ("It's 22.5 °C outside.", "It's twenty-two and a half degrees Celsius outside"),
            ("It's 22.5°C.", "its twenty two point five degrees celsius"),
            ("It's 9:05.", "It's nine oh five"),
            ("At 9:05 AM.", "at nine o five a.m."),
            ("5:00 p.m.", "five o'clock PM"),
            ("at 12:30", "at twelve thirty"),
            ("85 km/h", "eighty-five kilometers per hour"),
            ("12,345 people", "twelve thousand three hundred and forty five people"),
            ("the 2nd of May", "the second of May"),
            ("the 21st", "the twenty first"),
            ("100%", "one hundred percent"),
            ("-3 degrees", "minus three degrees"),
            ("007", "zero zero seven"),
        ] {
            assert_eq!(said(written), said(spoken), "{written}");
        }
        assert_eq!(said("Don't — STOP!"), "dont stop");
        assert_eq!(said("Play vitamin C, then a."), "play vitamin c then a");
    }

    #[test]
    fn every_token_knows_its_word() {
        let words: Vec<(String, usize)> =
            plain("It's 22.5 °C, now").into_iter().map(|t| (t.text, t.word)).collect();
        let words: Vec<(&str, usize)> = words.iter().map(|(t, w)| (t.as_str(), *w)).collect();
        assert_eq!(
            words,
            [
                ("its", 0),
                ("twenty", 1),
                ("two", 1),
                ("point", 1),
                ("five", 1),
                ("degrees", 2),
                ("celsius", 2),
                ("now", 3)
            ]
        );
    }

    proptest! {
        #[test]
        fn any_text_becomes_words_in_order(text in ".{0,60}") {
            let tokens = plain(&text);
            prop_assert!(tokens.is_sorted_by_key(|token| token.word));
            prop_assert!(tokens.iter().all(|token| token.word < text.split_whitespace().count()));
            prop_assert!(tokens.iter().all(|token| !token.text.is_empty()));
        }

        #[test]
        fn numbers_have_the_same_words_with_and_without_commas(n in 0_usize..1_000_000) {
            let grouped = format!("{},{:03}", n / 1000, n % 1000);
            prop_assert!(n < 1000 || said(&grouped) == said(&n.to_string()));
        }
    }
}
