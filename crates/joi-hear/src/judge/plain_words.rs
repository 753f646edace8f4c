//! Normalises a text to plain words, so that playback and its transcript can be compared.
//!
//! In: text as it is written by a person, a model or whisper, and how figures are read in the language. Out: lower-case
//! words without punctuation, with figures, times and units written out ("22.5 °C" and "twenty two and a half degrees
//! Celsius" become the same), each with the index of the word of the text it comes from.
//! Pure: no I/O, no clock.

use joi_language::FigureWords;

/// A plain word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlainWord {
    /// Lower case, letters and digits only.
    pub(super) text: String,
    /// Which word of the text it comes from, counted by spaces.
    pub(super) word: usize,
}

/// Returns the plain words of `text`.
pub(super) fn plain(text: &str, language: &FigureWords) -> Vec<PlainWord> {
    let mut tokens: Vec<PlainWord> = Vec::new();
    for (word, written) in text.split_whitespace().enumerate() {
        for piece in pieces(written, language) {
            let last = tokens.last().map_or("", |last| last.text.as_str());
            let said = match piece {
                WordPiece::Number(figures) => number(&figures, language),
                WordPiece::Letters(letters) => letters_as_said(&letters, last, language),
                WordPiece::Sign(sign) => sign,
            };
            tokens.extend(said.split_whitespace().map(|text| PlainWord { text: text.to_owned(), word }));
        }
    }
    fold(tokens, language)
}

#[derive(Debug, PartialEq)]
enum WordPiece {
    /// Figures with points, commas and colons among them.
    Number(String),
    Letters(String),
    Sign(String),
}

/// What a word without spaces consists of.
fn pieces(written: &str, language: &FigureWords) -> Vec<WordPiece> {
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
                    pieces.push(WordPiece::Sign(language.minus().to_owned()));
                } else if let Some(sign) = language.sign(c) {
                    pieces.push(WordPiece::Sign(sign.to_owned()));
                }
                is_apart = true;
                continue;
            }
        }
        is_apart = false;
    }
    pieces
}

/// Letters behind the word `last`.
fn letters_as_said(letters: &str, last: &str, language: &FigureWords) -> String {
    let follows_number = language.is_number(last);
    let follows_degrees = !last.is_empty() && last == language.degrees();
    let scale = language.scale(letters).filter(|_| follows_degrees);
    let unit = language.unit(letters).filter(|_| follows_number && !follows_degrees);
    if let Some(said) = scale.or(unit) {
        return said.to_owned();
    }
    if follows_number && language.is_zero(letters) {
        return language.digit(0).to_owned();
    }
    if language.is_silent(letters) {
        return String::new();
    }
    language.reread(letters).unwrap_or_else(|| letters.to_owned())
}

/// Figures as they are read: "9:05" as nine zero five, "22.5" as twenty two point five.
fn number(figures: &str, language: &FigureWords) -> String {
    if let Some((hours, minutes)) = figures.split_once(':') {
        return time(hours, minutes, language);
    }
    let decimal = language.decimal();
    let (whole, decimals) = figures.split_once(decimal).unwrap_or((figures, ""));
    let groups: Vec<&str> = whole.split(['.', ',']).collect();
    // Only groups of three make one number: "9.05" is a time where a comma is the decimal sign.
    if let [hours, minutes] = groups.as_slice()
        && minutes.len() == 2
        && decimals.is_empty()
    {
        return time(hours, minutes, language);
    }
    let said = match groups.iter().skip(1).all(|group| group.len() == 3) {
        true => cardinal(&groups.concat(), language),
        false => groups.iter().map(|group| cardinal(group, language)).collect::<Vec<_>>().join(" "),
    };
    match decimals {
        "" => said,
        decimals => format!("{said} {} {}", language.point(), digits(decimals, language)),
    }
}

fn time(hours: &str, minutes: &str, language: &FigureWords) -> String {
    let hours = cardinal(hours, language);
    match minutes {
        "00" => hours,
        _ if minutes.starts_with('0') => format!("{hours} {}", digits(minutes, language)),
        _ => format!("{hours} {}", number(minutes, language)),
    }
}

fn digits(figures: &str, language: &FigureWords) -> String {
    let digits = figures.bytes().filter(u8::is_ascii_digit);
    digits.map(|digit| language.digit(digit - b'0')).collect::<Vec<_>>().join(" ")
}

/// Returns a whole number in words; long ones, and ones that begin with a zero, figure by figure.
fn cardinal(figures: &str, language: &FigureWords) -> String {
    let number = figures.parse().ok().filter(|_| figures == "0" || !figures.starts_with('0'));
    number.and_then(|number| language.cardinal(number)).unwrap_or_else(|| digits(figures, language))
}

/// Variants are brought to one: "and a half", "2nd", "one hundred and five".
fn fold(tokens: Vec<PlainWord>, language: &FigureWords) -> Vec<PlainWord> {
    let mut folded: Vec<PlainWord> = Vec::with_capacity(tokens.len());
    let text = |at: usize| tokens.get(at).map_or("", |token: &PlainWord| token.text.as_str());
    let mut at = 0;
    while at < tokens.len() {
        let last = folded.last().map_or("", |token: &PlainWord| token.text.as_str());
        let follows_number = language.is_number(last);
        let half = match follows_number {
            true => language.half_behind(tokens[at..].iter().map(|token| token.text.as_str())),
            false => 0,
        };
        let ordinal = if follows_number { language.ordinal(last, text(at)) } else { None };
        let is_joint = language.joins(last, text(at), text(at + 1));
        if half > 0 {
            let (from, to) = (tokens[at].word, tokens[at + half - 1].word);
            let said = language.half();
            let words = said.split_whitespace().zip([from, to]);
            folded.extend(words.map(|(text, word)| PlainWord { text: text.to_owned(), word }));
            at += half;
        } else if let (Some(ordinal), Some(last)) = (ordinal, folded.last_mut()) {
            (last.text, last.word) = (ordinal, tokens[at].word);
            at += 1;
        } else if is_joint {
            at += 1;
        } else {
            folded.push(tokens[at].clone());
            at += 1;
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use joi_language::testing::{english, german};

    fn words(text: &str) -> Vec<PlainWord> {
        plain(text, &english().vocabulary().figures)
    }

    fn said(text: &str) -> String {
        words(text).into_iter().map(|token| token.text).collect::<Vec<_>>().join(" ")
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
    fn written_and_spoken_forms_become_the_same_in_german() {
        let said = |text: &str| {
            let words = plain(text, &german().vocabulary().figures);
            words.into_iter().map(|token| token.text).collect::<Vec<_>>().join(" ")
        };
        for (written, spoken) in [
            ("Es sind 22,5 °C.", "Es sind zweiundzwanzig Komma fünf Grad Celsius"),
            ("2,5 km", "zweieinhalb Kilometer"),
            ("um 9:05", "um 9.05"),
            ("85 km/h", "fünfundachtzig Kilometer pro Stunde"),
            ("101 Leute", "hunderteins Leute"),
            ("101 Leute", "einhunderteins Leute"),
            ("12.345 Leute", "zwölf tausend dreihundertfünfundvierzig Leute"),
            ("am 2ten", "am zweite"),
            ("100%", "hundert Prozent"),
            ("-3 Grad", "minus drei Grad"),
            ("zwo Eier", "2 Eier"),
        ] {
            assert_eq!(said(written), said(spoken), "{written}");
        }
        assert_eq!(said("Stopp — sofort!"), "stopp sofort");
    }

    #[test]
    fn a_language_without_words_for_figures_loses_none() {
        let bare = FigureWords::default();
        let words: Vec<String> = plain("a 22.5 % b", &bare).into_iter().map(|token| token.text).collect();
        assert_eq!(words, ["a", "b"], "nothing is made up");
    }

    #[test]
    fn every_token_knows_its_word() {
        let words: Vec<(String, usize)> =
            words("It's 22.5 °C, now").into_iter().map(|t| (t.text, t.word)).collect();
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
            let tokens = words(&text);
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
