//! Sentences and templates in the one form in which they are compared. Comes in: text as written. Goes out: folded
//! characters, each with the bytes of the original it stands for. Pure: no I/O, no clock.
//!
//! White space is one space, `’` is `'`, Unicode is composed (NFC), case is folded letter by letter. In a sentence,
//! punctuation at the ends of words is left out.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};

const PUNCTUATION: &str = ".。,，?¿？؟!¡！;；:：…—–―।";

/// A character of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SentenceLetter {
    /// As it is compared.
    pub(crate) folded: char,
    /// As it was written.
    pub(crate) shown: char,
    /// First byte in the original.
    pub(crate) start: u32,
    /// The byte behind it.
    pub(crate) end: u32,
}

/// A sentence, ready to be compared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Normalised {
    pub(crate) letters: Vec<SentenceLetter>,
}

/// Returns whether a character is part of a word.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || canonical_combining_class(c) != 0
}

/// Returns whether two characters belong to one word, as for Python's `\b`: not behind the vowel sign of an Indic script,
/// where endings are written together with the word.
pub(crate) fn joins(before: char, next: char) -> bool {
    is_word(before) && is_word(next) && !is_combining_mark(before)
}

/// Folds the case of one character without changing the number of characters.
pub(crate) fn fold(c: char) -> char {
    match c {
        'İ' | 'ı' => 'i',
        'ς' => 'σ',
        'ſ' => 's',
        _ if c.is_ascii() => c.to_ascii_lowercase(),
        _ => {
            let mut lower = c.to_lowercase();
            match (lower.next(), lower.next()) {
                (Some(one), None) => one,
                _ => c,
            }
        }
    }
}

/// Returns the text of a template or value: composed, single spaces, straight apostrophes, case as written.
pub(crate) fn tidy(text: &str) -> String {
    let mut tidied = String::with_capacity(text.len());
    for c in text.nfc() {
        match c {
            '’' => tidied.push('\''),
            _ if c.is_whitespace() => {
                if !tidied.ends_with(' ') {
                    tidied.push(' ');
                }
            }
            _ => tidied.push(c),
        }
    }
    tidied
}

/// Returns whether the character belongs to a script that is written without spaces.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}')
}

impl Normalised {
    /// Prepares a sentence.
    pub(crate) fn new(sentence: &str) -> Self {
        let mut letters = composed(sentence);
        for letter in &mut letters {
            if letter.shown == '’' {
                letter.shown = '\'';
            } else if letter.shown.is_whitespace() {
                letter.shown = ' ';
            }
            letter.folded = fold(letter.shown);
        }
        let mut text = Self { letters };
        text.single_spaces();
        text.drop_punctuation();
        text.single_spaces();
        text
    }

    /// Folded characters.
    pub(crate) fn folded(&self) -> Vec<char> {
        self.letters.iter().map(|letter| letter.folded).collect()
    }

    /// Makes runs of spaces one and removes those at the ends.
    pub(crate) fn single_spaces(&mut self) {
        let mut before = ' ';
        self.letters.retain(|letter| {
            let keep = letter.shown != ' ' || before != ' ';
            before = letter.shown;
            keep
        });
        if self.letters.last().is_some_and(|last| last.shown == ' ') {
            self.letters.pop();
        }
    }

    /// Removes the spaces between two characters of scripts that are written without.
    pub(crate) fn drop_inner_spaces(&mut self) {
        let letters = std::mem::take(&mut self.letters);
        let at = |i: usize| letters.get(i).is_some_and(|letter| is_unspaced(letter.shown));
        let kept = letters.iter().enumerate();
        let kept = kept.filter(|&(i, letter)| letter.shown != ' ' || i == 0 || !(at(i - 1) && at(i + 1)));
        self.letters = kept.map(|(_, letter)| *letter).collect();
    }

    /// Removes punctuation at the ends of words; "3.5", "12:30" and the last dot of "a.c." stay.
    fn drop_punctuation(&mut self) {
        let letters = std::mem::take(&mut self.letters);
        let mut at = 0;
        while at < letters.len() {
            let run = letters[at..].iter().take_while(|l| is_punctuation(l.shown)).count();
            if run == 0 {
                self.letters.push(letters[at]);
                at += 1;
                continue;
            }
            let ends_word = at > 0 && is_word(letters[at - 1].shown);
            let begins_word = letters.get(at + run).is_some_and(|next| is_word(next.shown));
            if ends_word && begins_word {
                self.letters.extend_from_slice(&letters[at..at + run]);
            } else if ends_word && letters[at].shown == '.' && is_initialism(&letters[..at]) {
                self.letters.push(letters[at]);
            }
            at += run;
        }
    }
}

/// Returns whether `before` ends with single letters that are divided by dots, as in "a.c".
fn is_initialism(before: &[SentenceLetter]) -> bool {
    let [.., first, dot, last] = before else {
        return false;
    };
    let is_alone = before.len() == 3 || !is_word(before[before.len() - 4].shown);
    is_alone && dot.shown == '.' && first.shown.is_alphabetic() && last.shown.is_alphabetic()
}

/// Returns whether the character is punctuation that is left out at the ends of words.
pub(crate) fn is_punctuation(c: char) -> bool {
    PUNCTUATION.contains(c)
}

/// Composes the characters of a sentence; a composed one stands for all bytes of its parts.
fn composed(sentence: &str) -> Vec<SentenceLetter> {
    let letter = |c: char, start: usize, end: usize| SentenceLetter {
        folded: c,
        shown: c,
        start: u32::try_from(start).unwrap_or(u32::MAX),
        end: u32::try_from(end).unwrap_or(u32::MAX),
    };
    if sentence.is_ascii() {
        return sentence.char_indices().map(|(at, c)| letter(c, at, at + 1)).collect();
    }
    let mut letters = Vec::with_capacity(sentence.len());
    let mut begin = 0;
    let mut clusters = sentence.char_indices().skip(1).filter(|&(_, c)| canonical_combining_class(c) == 0);
    while begin < sentence.len() {
        let end = clusters.next().map_or(sentence.len(), |(at, _)| at);
        letters.extend(sentence[begin..end].nfc().map(|c| letter(c, begin, end)));
        begin = end;
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(sentence: &str) -> String {
        Normalised::new(sentence).folded().into_iter().collect()
    }

    #[test]
    fn punctuation_at_the_ends_of_words_is_left_out() {
        assert_eq!(plain("  Turn on,  the lamp!  "), "turn on the lamp");
        assert_eq!(plain("¿Está encendida?"), "está encendida");
        assert_eq!(plain("bed— now … please."), "bed now please");
    }

    #[test]
    fn punctuation_inside_words_and_numbers_stays() {
        assert_eq!(plain("set 20.5 at 12:30."), "set 20.5 at 12:30");
        assert_eq!(plain("the a.c. on"), "the a.c. on");
        assert_eq!(plain("l’entrée"), "l'entrée");
    }

    #[test]
    fn every_character_knows_its_bytes() {
        let text = Normalised::new("E\u{301}t e\u{301}");
        let spans: Vec<_> = text.letters.iter().map(|l| (l.shown, l.start, l.end)).collect();
        assert_eq!(spans, [('É', 0, 3), ('t', 3, 4), (' ', 4, 5), ('é', 5, 8)]);
    }

    #[test]
    fn case_is_folded_letter_by_letter() {
        assert_eq!(plain("IŞIK ışık ΣΑΣ ß"), "işik işik σασ ß");
    }
}
