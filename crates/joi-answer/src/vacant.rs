//! Whether an answer of a small model is none: a stock phrase, joi's own prompt, the user's part of the conversation, or
//! words in circles.
//!
//! Far below a millisecond. In: what was asked, the persona in the prompt, and the answer so far. Out: whether it is
//! vacant. Answers of larger models are not looked at. The words are data of the language.
//! Pure: no I/O, no clock.

use std::collections::HashMap;

use crate::news;
use joi_language::Language;
use joi_language::PromptName;
use joi_language::words;
use joi_language::{Phrases, TalkWords, words_of};
use joi_understand::intents;
use joi_understand::question::content_words;
use joi_understand::reference::{self, Feeling};
use joi_understand::risk;
use joi_understand::wish;

/// So many words in a row of the persona are recited.
const RECITED: usize = 5;
/// Text that may follow the persona in a prompt.
const HINTS: [PromptName; 3] = [PromptName::Recovery, PromptName::Unsure, PromptName::HintComplete];
/// Groups of so many words that are said three times on end go in circles, and so do so many words that come three times
/// anywhere.
const CIRCLE: std::ops::RangeInclusive<usize> = 3..=8;
const CIRCLE_ANYWHERE: usize = 4;
const CIRCLE_TIMES: usize = 3;
/// So many words in a row of the answer before, at the beginning of this one, and anywhere in it, are that answer again.
const BEGUN_AGAIN: usize = 8;
const SAID_AGAIN: usize = 12;
/// So many words in a row of the user are their own statement, behind so many others.
const OWN: usize = 3;
const LEAD: usize = 2;
/// So many words in a row, one of which means the user, are the user's; one fewer where so many of them state something.
const TAKEN: usize = 4;
const TELLING: usize = 2;

/// Texts that an answer must not repeat.
#[derive(Debug, Clone, Copy)]
pub struct VacancyRule<'a> {
    /// The words of the user.
    pub asked: &'a str,
    /// How the prompt begins.
    pub persona: &'a str,
    /// The memories for this turn, a line for each entry.
    pub remembered: &'a str,
    /// The earlier words of the user.
    pub earlier: &'a [String],
    /// The answer before this one.
    pub last: &'a str,
}

/// How the beginning of an answer compares with the answer before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// It is another one.
    No,
    /// It may become the same.
    Perhaps,
    /// It is the same once more.
    Yes,
}

impl VacancyRule<'_> {
    /// Returns whether `answer` is none.
    pub fn is_vacant(self, language: &Language, answer: &str) -> bool {
        let (asked, said) = (words_of(self.asked), words_of(answer));
        let talk = || language.requests().iter().map(|words| &words.talk);
        let asks_for = |of: fn(&TalkWords) -> &Phrases| talk().any(|talk| of(talk).are_in(&asked));
        let holds_stock = talk().any(|talk| talk.stock.are_in(&said) && !talk.stock.are_in(&asked));
        let recites = |text: &str| has_run(&words_of(text), &said, RECITED, |_| true);
        let recites_prompt = || {
            let is_persona = !asks_for(|talk| &talk.addressed) && recites(self.persona);
            let is_hint = || HINTS.iter().any(|hint| recites(language.prompts().of(*hint)));
            is_persona || is_hint() || wish::REASONS.iter().any(|reason| recites(reason))
        };
        let is_users = |run: &[String]| {
            let is_taken = || run.len() >= TAKEN || content_words(&run.join(" ")).len() >= TELLING;
            talk().any(|talk| talk.first_person.are_in(run)) && is_taken()
        };
        let takes_part = || {
            let may_quote = news::may_be_said_back(language, &asked) || asks_for(|talk| &talk.tales);
            !may_quote && (TAKEN - 1..=TAKEN).any(|length| has_run(&asked, &said, length, is_users))
        };
        let explains = |talk: &TalkWords| {
            let is_asked = talk.asks_reason.are_in(&asked) || !talk.own.are_in(&asked);
            talk.reasons.at_start(&said).is_some() && !is_asked
        };
        let rejoices = || {
            let is_glad = |talk: &TalkWords| talk.rejoices.are_in(&said) && !talk.rejoices.are_in(&asked);
            talk().any(is_glad) && reference::feeling(language, self.asked) == Feeling::Sad
        };
        holds_stock || talk().any(explains) || recites_prompt() || takes_part() || rejoices()
    }
}

impl VacancyRule<'_> {
    /// `words` as seen from joi's side, where they are what the user has said of themselves: a small model says "My
    /// sister is called Ann" when it was reported so.
    pub fn turned_round(self, language: &Language, words: String) -> String {
        let said = words_of(&words);
        let talk = || language.requests().iter().map(|words| &words.talk);
        let is_first = |words: &[String]| talk().any(|talk| talk.first_person.are_in(words));
        let entry = |line: &str| line.strip_prefix("- ").map(words_of);
        let is_entry = || self.remembered.lines().filter_map(entry).any(|entry| entry == said);
        // "I am fine" is joi's own answer, unless the user has asked about themselves.
        let is_about_user = || is_first(&words_of(self.asked));
        let is_part = |line: &str| {
            let line = words_of(line);
            (0..=LEAD).filter_map(|lead| said.get(lead..)).any(|said| {
                said.len() >= OWN && is_first(said) && line.windows(said.len()).any(|run| run == said)
            })
        };
        let is_told =
            || self.remembered.lines().any(is_part) || self.earlier.iter().map(String::as_str).any(is_part);
        // "I'm Max" is reported as "My name is Max".
        let is_introduced = || {
            let has_it = |told: &String| said.last().is_some_and(|name| words_of(told).contains(name));
            self.earlier.iter().any(|told| has_it(told) && risk::introduces(language, self.asked, told))
        };
        if !is_first(&said) || !(is_entry() || is_about_user() && (is_told() || is_introduced())) {
            return words;
        }
        let (begin, end) = (words.len() - words.trim_start().len(), words.trim_end_matches(is_mark).len());
        let told = intents::said_back(language, &words[begin..end.max(begin)]);
        let mut letters = told.chars();
        let first: String = letters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
        format!("{}{first}{}{}", &words[..begin], letters.as_str(), &words[end.max(begin)..])
    }

    /// Returns whether `answer`, of which nothing went out yet, is the answer before it once more, though something
    /// else was asked.
    pub fn again(self, language: &Language, answer: &str) -> Again {
        let (said, last) = (words_of(answer), words_of(self.last));
        if said.is_empty() || last.len() < BEGUN_AGAIN || !self.asks_for_something_else(language, &last) {
            return Again::No;
        }
        let shared = said.iter().zip(&last).take_while(|(said, last)| said == last).count();
        match shared {
            BEGUN_AGAIN.. => Again::Yes,
            shared if shared == said.len() => Again::Perhaps,
            _ if has_run(&last, &said, SAID_AGAIN, |_| true) => Again::Yes,
            _ => Again::No,
        }
    }

    /// Returns whether the request is about something else than the answer before it, and does not want that once more.
    fn asks_for_something_else(self, language: &Language, last: &[String]) -> bool {
        let (asked, matter) = (words_of(self.asked), content_words(self.asked));
        let mut talk = language.requests().iter().map(|words| &words.talk);
        let is_in_it = |word: &&String| last.iter().any(|said| words::is_form_of(said, word));
        let wants_it_again = talk.any(|talk| talk.once_more.are_in(&asked) || talk.tales.are_in(&asked));
        let was_asked = self.earlier.iter().any(|earlier| words_of(earlier) == asked);
        let known = matter.iter().filter(is_in_it).count();
        !matter.is_empty() && known * 2 < matter.len() && !wants_it_again && !was_asked
    }

    /// Returns whether `answer`, as far as it came, says the same words again and again. What is reported or recited may.
    pub fn goes_in_circles(self, language: &Language, answer: &str) -> bool {
        let asked = words_of(self.asked);
        let mut talk = language.requests().iter().map(|words| &words.talk);
        !talk.any(|talk| talk.tales.are_in(&asked) || talk.again.are_in(&asked))
            && is_circle(&words_of(answer))
    }
}

fn is_mark(letter: char) -> bool {
    !letter.is_alphanumeric()
}

fn is_circle(words: &[String]) -> bool {
    let on_end = |length: usize| {
        let is_same = |run: &[String]| run.chunks(length).all(|group| *group == run[..length]);
        words.windows(CIRCLE_TIMES * length).any(is_same)
    };
    let mut counts: HashMap<&[String], usize> = HashMap::new();
    let mut comes_again = words.windows(CIRCLE_ANYWHERE).map(|run| {
        let count = counts.entry(run).or_default();
        *count += 1;
        *count
    });
    CIRCLE.into_iter().any(on_end) || comes_again.any(|count| count >= CIRCLE_TIMES)
}

/// Returns whether both hold the same `length` words in a row, which fit.
fn has_run(one: &[String], other: &[String], length: usize, fits: impl Fn(&[String]) -> bool) -> bool {
    one.windows(length).any(|run| fits(run) && other.windows(length).any(|there| there == run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_language::testing::{english, german};

    const PERSONA: &str = "You are Joi, a warm companion who lives in this home. Answer kindly.";

    fn rule(asked: &str) -> VacancyRule<'_> {
        VacancyRule { asked, persona: PERSONA, remembered: "", earlier: &[], last: "" }
    }

    fn is_vacant(language: &Language, asked: &str, answer: &str) -> bool {
        rule(asked).is_vacant(language, answer)
    }

    #[test]
    fn stock_phrases_the_prompt_and_the_users_part_are_no_answer() {
        for (asked, answer) in [
            ("My hamster died", "I'm sorry, but I can't assist with that."),
            ("why is this Kai blue you", "The Kai blue you is mentioned in the message."),
            ("Which tea is best", "As an AI language model, I do not drink."),
            ("Who made tea", "It was made by Alibaba Cloud."),
            ("How do I change a light bulb?", "Use this in your terminal: sudo systemctl lightbulb."),
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
    fn an_instruction_after_an_empty_answer_is_not_an_answer() {
        for (language, asked) in [(english(), "What is tea?"), (german(), "Was ist Tee?")] {
            let told = language.prompts().of(PromptName::Recovery);
            assert!(is_vacant(language, asked, told), "{told}");
        }
    }

    #[test]
    fn why_a_call_was_not_made_is_no_answer() {
        for reason in wish::REASONS {
            assert!(is_vacant(english(), "but I put milk on the list", reason), "{reason}");
        }
        assert!(!is_vacant(english(), "but I put milk on the list", "Then there is milk on it."));
    }

    #[test]
    fn a_statement_of_the_user_is_said_turned_round() {
        let remembered = "[Memory of the user:]\n- my sister is called Ann\n- Max likes tea";
        let rule = VacancyRule { remembered, ..rule("What is my sister called?") };
        let said = |words: &str| rule.turned_round(english(), words.to_owned());
        assert_eq!(said("My sister is called Ann."), "Your sister is called Ann.");
        assert_eq!(said(" My sister is called Ann! "), " Your sister is called Ann! ");
        for same in ["Max likes tea.", "My sister is called Eve.", "She is called Ann.", ""] {
            assert_eq!(said(same), same);
        }
    }

    #[test]
    fn what_the_user_said_before_is_turned_round_when_he_asks_about_himself() {
        let earlier = [
            "my name is Anna and I am allergic to peanuts".to_owned(),
            "I am fine, thanks".to_owned(),
            "Hi, I'm Max.".to_owned(),
            "ich bin allergisch gegen Nüsse und ich heiße Anna".to_owned(),
        ];
        for (language, asked, answer, told) in [
            (
                english(),
                "What am I allergic to?",
                "I am allergic to peanuts.",
                "You are allergic to peanuts.",
            ),
            (
                english(),
                "What am I allergic to?",
                "Yes, I am allergic to peanuts.",
                "Yes, you are allergic to peanuts.",
            ),
            (english(), "What is my name?", "My name is Anna.", "Your name is Anna."),
            (english(), "What's my name?", "My name is Max.", "Your name is Max."),
            (english(), "How are you?", "I am fine, thanks.", "I am fine, thanks."),
            (english(), "What is my name?", "I am Joi.", "I am Joi."),
            (
                german(),
                "Wogegen bin ich allergisch?",
                "Ich bin allergisch gegen Nüsse.",
                "Du bist allergisch gegen Nüsse.",
            ),
            (german(), "Wie heiße ich?", "Ich heiße Anna.", "Du heißt Anna."),
        ] {
            let rule = VacancyRule { earlier: &earlier, ..rule(asked) };
            assert_eq!(rule.turned_round(language, answer.to_owned()), told, "{asked}");
        }
        let remembered =
            "[Memory of earlier days:]\n- [2026-11-20] The user said: \"I am allergic to peanuts\"";
        let rule = VacancyRule { remembered, ..rule("what am I allergic to?") };
        assert_eq!(
            rule.turned_round(english(), "I am allergic to peanuts.".into()),
            "You are allergic to peanuts."
        );
    }

    #[test]
    fn the_answer_before_is_no_answer_to_something_else() {
        let last = "Mix flour, milk and two eggs, let it rest, and fry thin pancakes in a hot pan.";
        let earlier = ["how do I make pancakes".to_owned()];
        for (asked, answer, expected) in [
            ("my name is Anit and I am allergic to peanuts", last, Again::Yes),
            ("who is the mayor of Graz", "Mix flour, milk", Again::Perhaps),
            ("who is the mayor of Graz", "Mix flour and water.", Again::No),
            (
                "who is the mayor of Graz",
                "Sure. Flour, milk and two eggs, let it rest, and fry thin pancakes.",
                Again::Yes,
            ),
            ("how do I make pancakes", last, Again::No),
            ("how are pancakes made?", last, Again::No),
            ("say that again", last, Again::No),
            ("repeat the recipe", last, Again::No),
            ("and then?", last, Again::No),
        ] {
            let rule = VacancyRule { earlier: &earlier, last, ..rule(asked) };
            assert_eq!(rule.again(english(), answer), expected, "{asked}: {answer}");
        }
        let last = "Mische Mehl, Milch und zwei Eier und brate dünne Pfannkuchen in der Pfanne.";
        let rule = VacancyRule { last, ..rule("wer ist der Bürgermeister von Graz") };
        assert_eq!(rule.again(german(), last), Again::Yes);
        let short = "I'm here for you.";
        assert_eq!(VacancyRule { last: short, ..rule }.again(english(), short), Again::No);
    }

    #[test]
    fn words_in_circles_differ_from_lists_and_songs() {
        let circles =
            |language: &Language, asked: &str, answer: &str| rule(asked).goes_in_circles(language, answer);
        for answer in [
            "Rub the stain out of the shirt out of the shirt out of the shirt",
            "You can drink a cup of tea, then a cup of tea is good, and a cup of tea is hot",
        ] {
            assert!(circles(english(), "How do I make tea?", answer), "{answer}");
        }
        let german_circle = "Ich koche es mit einem Kaffee mit einem Kaffee mit einem Kaffee";
        assert!(circles(german(), "Wie koche ich ein Ei?", german_circle));
        for (asked, answer) in [
            ("How do I make tea?", "Boil water, pour it over the tea, and wait for three minutes."),
            ("How are you?", "Very, very, very, very, very well."),
            ("Sing me a song", "Row, row, row your boat, row your boat, row your boat."),
            ("Say good night three times", "Good night to you, good night to you, good night to you."),
        ] {
            assert!(!circles(english(), asked, answer), "{answer}");
        }
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
