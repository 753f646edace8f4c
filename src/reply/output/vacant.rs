//! Whether an answer of a small model is none: a stock phrase, her own prompt, or the user's part of the conversation.
//!
//! PURE, far below a millisecond. In: what was asked, the persona in the prompt, and the answer so far. Out: whether it is
//! vacant. Answers of larger models are not looked at. The words are data of the language.

use crate::language::Language;
use crate::language::consent::{Phrases, TalkWords, words_of};
use crate::reply::memory::question::content_words;

/// So many words in a row of the persona are recited.
const RECITED: usize = 5;
/// So many words in a row, one of which means the user, are the user's; one fewer where so many of them tell something.
const TAKEN: usize = 4;
const TELLING: usize = 2;

/// What an answer must not say instead of answering.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VacancyRule<'a> {
    /// What the user said.
    pub(crate) asked: &'a str,
    /// How the prompt begins.
    pub(crate) persona: &'a str,
}

impl VacancyRule<'_> {
    /// Whether `answer` is none.
    pub(crate) fn is_vacant(self, language: &Language, answer: &str) -> bool {
        let (asked, said) = (words_of(self.asked), words_of(answer));
        let talk = || language.consent().iter().map(|words| &words.talk);
        let asks_for = |of: fn(&TalkWords) -> &Phrases| talk().any(|talk| of(talk).are_in(&asked));
        let holds_stock = talk().any(|talk| talk.stock.are_in(&said) && !talk.stock.are_in(&asked));
        let recites = || {
            let persona = words_of(self.persona);
            !asks_for(|talk| &talk.addressed) && has_run(&persona, &said, RECITED, |_| true)
        };
        let is_users = |run: &[String]| {
            let is_taken = || run.len() >= TAKEN || content_words(&run.join(" ")).len() >= TELLING;
            talk().any(|talk| talk.first_person.are_in(run)) && is_taken()
        };
        let takes_part = || {
            let may_quote = asks_for(|talk| &talk.again) || asks_for(|talk| &talk.tales);
            !may_quote && (TAKEN - 1..=TAKEN).any(|length| has_run(&asked, &said, length, is_users))
        };
        let explains = |talk: &TalkWords| {
            let is_asked = talk.asks_reason.are_in(&asked) || !talk.own.are_in(&asked);
            talk.reasons.at_start(&said).is_some() && !is_asked
        };
        holds_stock || talk().any(explains) || recites() || takes_part()
    }
}

/// Whether both hold the same `length` words in a row, which fit.
fn has_run(one: &[String], other: &[String], length: usize, fits: impl Fn(&[String]) -> bool) -> bool {
    one.windows(length).any(|run| fits(run) && other.windows(length).any(|there| there == run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::tests::{english, german};

    const PERSONA: &str = "You are Joi, a warm companion who lives in this home. Answer kindly.";

    fn is_vacant(language: &Language, asked: &str, answer: &str) -> bool {
        VacancyRule { asked, persona: PERSONA }.is_vacant(language, answer)
    }

    #[test]
    fn stock_phrases_the_prompt_and_the_users_part_are_no_answer() {
        for (asked, answer) in [
            ("My hamster died", "I'm sorry, but I can't assist with that."),
            ("Which tea is best", "As an AI language model, I do not drink."),
            ("Who made tea", "It was made by Alibaba Cloud."),
            ("My son can swim now!", "Joi is a warm companion who lives in this home."),
            ("I'm afraid of my driving test", "Joi, I'm anxious about my driving test."),
            ("All of this is too much for me now", "Joi is too much for me now."),
            ("I won the race I trained for!", "I'm glad I won the race I trained for!"),
            ("Who is the owner of my first car?", "My first car is owned by Bob."),
            ("I had a really bad day at work", "Because it was bad, as work has been stressful."),
        ] {
            assert!(is_vacant(english(), asked, answer), "{asked}: {answer}");
        }
        assert!(is_vacant(german(), "Mein Hund ist weg", "Dabei kann ich dir nicht helfen."));
        assert!(is_vacant(german(), "Mein Tag war schlecht", "Weil es viel zu tun gab."));
        assert!(is_vacant(
            german(),
            "Ich habe Angst vor meiner Prüfung morgen",
            "Ich habe Angst vor meiner Prüfung."
        ));
    }

    #[test]
    fn an_answer_may_hold_words_of_the_question_and_speak_of_herself_when_asked() {
        for (asked, answer) in [
            ("I had a really bad day at work", "I'm sorry you had a really bad day at work."),
            ("What is my cat called?", "My cat is called Minka."),
            ("Who are you?", "I'm Joi, a warm companion who lives in this home."),
            ("What is OpenAI?", "OpenAI is a company."),
            ("I'd like to learn the guitar", "I'd like to help. Begin with three chords."),
            ("Write a note that I am late for my lesson", "I am late for my lesson."),
            ("How many planets are in our solar system?", "There are 8 planets in our solar system."),
            ("How come the sky is blue?", "Because air scatters blue light."),
            ("How do I cook rice?", "You cook rice in twice as much water."),
        ] {
            assert!(!is_vacant(english(), asked, answer), "{asked}: {answer}");
        }
        assert!(!is_vacant(german(), "Ich bin müde", "Das tut mir leid. Ruh dich aus."));
    }
}
