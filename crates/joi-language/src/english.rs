//! English words for months and weekdays, and how words sound: for all who read or write such words.

use rphonetic::{DoubleMetaphone, Encoder as _};

/// The months, from January on.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The days of the week, from Monday on.
pub const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// How a word sounds to an English ear, by its letters from a to z; words that sound the same are equal. Empty when
/// it has none.
pub fn sound(word: &str) -> String {
    // The encoder breaks down at letters it does not know.
    let letters: String = word.chars().filter(char::is_ascii_alphabetic).collect();
    DoubleMetaphone::default().encode(&letters)
}

/// The consonants of a phrase said in one breath, whatever its words are taken for; a vowel at its beginning counts.
pub fn consonants(phrase: &str) -> String {
    let letters: String = phrase.chars().filter(char::is_ascii_alphabetic).collect();
    DoubleMetaphone::new(None).encode(&letters)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_that_sound_the_same_are_equal() {
        assert_eq!(sound("said"), sound("set"));
        assert_eq!(sound("rice"), sound("Rise"));
        assert_ne!(sound("pasta"), sound("pizza"));
        assert_eq!(sound("Dankeschön"), sound("Dankeschn"));
        assert_eq!(sound("世界"), "");
    }

    #[test]
    fn a_phrase_is_its_consonants_however_it_is_divided() {
        assert_eq!(consonants("Hey Jarvis"), "HJRFS");
        assert_eq!(consonants("Page Arvus"), "PJRFS");
        assert_eq!(consonants("Pajarvice"), "PJRFS");
    }

    proptest! {
        #[test]
        fn any_word_has_a_sound(word in "\\PC{0,20}") {
            consonants(&word);
            sound(&word);
        }
    }
}
