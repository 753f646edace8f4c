//! Short words people say to joi, and what whisper may write for them.
//! Pure: no I/O, no clock.

use std::sync::LazyLock;

use joi_hear::judge::plain_words;
use joi_language::Language;

/// Answers, numbers, names, places and things: what is said in one word.
pub(super) const WORDS: [&str; 100] = [
    "yes",
    "no",
    "stop",
    "seven",
    "okay",
    "sure",
    "never",
    "always",
    "maybe",
    "thanks",
    "thank you",
    "goodbye",
    "hello",
    "good morning",
    "good night",
    "please",
    "later",
    "tomorrow",
    "tonight",
    "now",
    "again",
    "continue",
    "cancel",
    "quiet",
    "louder",
    "higher",
    "lower",
    "faster",
    "slower",
    "warmer",
    "colder",
    "on",
    "off",
    "open",
    "close",
    "up",
    "down",
    "left",
    "right",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "twenty",
    "fifty",
    "half",
    "red",
    "blue",
    "green",
    "yellow",
    "orange",
    "purple",
    "white",
    "black",
    "kitchen",
    "bedroom",
    "bathroom",
    "garden",
    "garage",
    "upstairs",
    "lamp",
    "heater",
    "window",
    "curtains",
    "music",
    "jazz",
    "radio",
    "news",
    "weather",
    "coffee",
    "tea",
    "milk",
    "bread",
    "pizza",
    "chicken",
    "Monday",
    "Friday",
    "Sunday",
    "January",
    "August",
    "Emma",
    "Oliver",
    "Jacob",
    "Maria",
    "Thomas",
    "Daniel",
    "Peter",
    "Martin",
    "London",
    "Berlin",
    "Vienna",
    "Africa",
    "breakfast",
];

/// Words that sound alike, and spellings of one word.
const ALIKE: [&[&str]; 30] = [
    &["two", "to", "too"],
    &["four", "for", "fore"],
    &["one", "won"],
    &["eight", "ate"],
    &["six", "sicks"],
    &["no", "know"],
    &["right", "write", "rite"],
    &["red", "read"],
    &["blue", "blew"],
    &["tea", "tee", "t"],
    &["okay", "ok", "k"],
    &["thanks", "thank s"],
    &["goodbye", "good bye", "bye"],
    &["half", "have"],
    &["now", "nao"],
    &["close", "clothes"],
    &["bread", "bred"],
    &["Emma", "Ema"],
    &["Jacob", "Jakob"],
    &["Thomas", "Tomas"],
    &["Oliver", "Olivier"],
    &["Vienna", "Viena"],
    &["yes", "yes yes"],
    &["news", "gnus"],
    &["jazz", "jas", "jaz"],
    &["stop", "stopped"],
    &["lamp", "lamb"],
    &["Maria", "Mariah"],
    &["Peter", "Pieter"],
    &["seven", "7"],
];

/// Whether `text` is `word`, or sounds like it.
pub(super) fn is_word(text: &str, word: &str) -> bool {
    // The words are English, and so are the built-in files; without them no two words are alike.
    static ENGLISH: LazyLock<Option<Language>> = LazyLock::new(|| Language::load("en").ok());
    let Some(english) = &*ENGLISH else { return false };
    let plain = |text: &str| plain_words(text, english.vocabulary());
    let (text, word) = (plain(text), plain(word));
    let sounds = |group: &[&str]| group.iter().map(|form| plain(form)).collect::<Vec<_>>();
    text == word
        || ALIKE.iter().any(|group| {
            let forms = sounds(group);
            forms.contains(&text) && forms.contains(&word)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_known_in_figures_and_by_its_sound() {
        assert!(is_word("7.", "seven"));
        assert!(is_word("To", "two"));
        assert!(is_word("OK!", "okay"));
        assert!(!is_word("eleven", "seven"));
        assert!(!is_word("", "seven"));
    }
}
