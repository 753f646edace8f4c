//! Whether words go on with what was said or done before them: "and tomorrow?", "why is that?".
//!
//! In: a request. Out: whether it can only be understood with what stands before it, as far as its form shows.
//! Pure: no I/O, no clock.

use joi_language::Language;
use joi_language::{Phrases, RequestWords, TalkWords, words_of};

/// A request of so few words is a part of what was asked before it.
const LONGEST_FRAGMENT: usize = 3;

/// Returns whether `asked` points at something before it, or is too short to stand alone.
pub fn goes_on(language: &Language, asked: &str) -> bool {
    let words = words_of(asked);
    let mut forms = language.requests().iter().map(|words| &words.form);
    words.len() <= LONGEST_FRAGMENT
        || forms.any(|form| form.references.are_in(&words) || form.continues.are_in(&words))
}

/// Returns whether who says it speaks of themselves.
pub fn speaks_of_the_speaker(language: &Language, asked: &str) -> bool {
    let words = words_of(asked);
    language.requests().iter().any(|of| of.talk.own.are_in(&words))
}

/// Returns whether who says it states something of themselves: neither asks nor wants anything.
pub fn is_about_speaker(language: &Language, asked: &str) -> bool {
    let words = words_of(asked);
    let begins_with_own = |of: &RequestWords| of.talk.own.at_start(&words).is_some();
    let wants = |of: &RequestWords| of.form.wishes.at_start(&words).is_some();
    !asked.contains('?')
        && language.requests().iter().any(begins_with_own)
        && !language.requests().iter().any(wants)
}

/// The feeling of the user about the news in an utterance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feeling {
    /// Sad.
    Sad,
    /// Glad.
    Glad,
    /// Not said.
    Untold,
}

/// Returns how the user feels about the news in `asked`.
pub fn feeling(language: &Language, asked: &str) -> Feeling {
    let words = words_of(asked);
    let is_told =
        |of: fn(&TalkWords) -> &Phrases| language.requests().iter().any(|all| of(&all.talk).are_in(&words));
    match (is_told(|talk| &talk.sad), is_told(|talk| &talk.glad)) {
        (true, _) => Feeling::Sad,
        (false, true) => Feeling::Glad,
        (false, false) => Feeling::Untold,
    }
}

/// Returns whether the answer may need the time or the place.
pub fn asks_about_here(language: &Language, asked: &str) -> bool {
    let words = words_of(asked);
    language.requests().iter().any(|of| of.talk.here.are_in(&words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_language::testing::{english, german};

    #[test]
    fn what_points_back_differs_from_another_subject() {
        for asked in [
            "and in Rome?",
            "why?",
            "how long will that one take",
            "what about the other list",
            "and the other one",
            "",
        ] {
            assert!(goes_on(english(), asked), "{asked}");
        }
        for asked in
            ["why is the sky blue", "I had a really bad day at work", "what is the capital of France"]
        {
            assert!(!goes_on(english(), asked), "{asked}");
        }
        assert!(speaks_of_the_speaker(english(), "In which town is my home?"));
        assert!(speaks_of_the_speaker(german(), "Wie heißt meine Schwester?"));
        assert!(!speaks_of_the_speaker(english(), "why is the sky blue"));
        assert!(is_about_speaker(english(), "My hamster died."));
        assert!(is_about_speaker(german(), "Ich bin so müde"));
        assert!(is_about_speaker(english(), "Everything is too much for me right now."));
        assert_eq!(feeling(english(), "My dog died last night."), Feeling::Sad);
        assert_eq!(feeling(english(), "I got the job I wanted!"), Feeling::Glad);
        assert_eq!(feeling(german(), "Mein Hund ist gestorben."), Feeling::Sad);
        assert_eq!(feeling(german(), "Ich habe die Prüfung bestanden!"), Feeling::Glad);
        assert_eq!(feeling(english(), "I have a cat."), Feeling::Untold);
        assert!(!is_about_speaker(english(), "Tell me who won the war."));
        for asked in ["I want a story", "Tell me more", "My name is what?", "Hamsters die young."] {
            assert!(!is_about_speaker(english(), asked), "{asked}");
        }
        assert!(asks_about_here(english(), "How many days are there until Christmas?"));
        assert!(asks_about_here(german(), "Wie alt ist wer 1980 geboren ist?"));
        assert!(!asks_about_here(english(), "I have a cat. Her name is Minka."));
        assert!(goes_on(german(), "wie lange dauert es noch"));
        assert!(!goes_on(german(), "warum ist der Himmel blau"));
    }
}
