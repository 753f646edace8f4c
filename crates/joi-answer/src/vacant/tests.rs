//! Answers of small models that are none, and those that look like it.

use super::*;
use joi_language::testing::{english, german};

const PERSONA: &str = "You are Joi, a warm companion who lives in this home. Answer kindly.";

fn rule(asked: &str) -> VacancyRule<'_> {
    VacancyRule { asked, persona: PERSONA, remembered: "", earlier: &[], last: "" }
}

fn is_vacant(language: &Language, asked: &str, answer: &str) -> bool {
    let rule = rule(asked);
    let answer = rule.with_users_part_turned(language, answer.to_owned());
    rule.vacancy(language, &answer, AnswerPlace::Head).is_some()
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
        (english(), "What am I allergic to?", "I am allergic to peanuts.", "You are allergic to peanuts."),
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
    let remembered = "[Memory of earlier days:]\n- [2026-11-20] The user said: \"I am allergic to peanuts\"";
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

#[test]
fn a_reason_behind_other_words_or_in_a_joke_is_kept() {
    let punchline = "Because it was two-tired.";
    let asked = "Tell me a joke";
    assert_eq!(rule(asked).vacancy(english(), punchline, AnswerPlace::Head), None);
    assert_eq!(rule("Make me laugh").vacancy(english(), punchline, AnswerPlace::Behind), None);
    for asked in ["What made my bread collapse?", "Do you know what makes me sneeze?"] {
        assert!(!is_vacant(english(), asked, "Because there is dust in the air."), "{asked}");
    }
    assert!(!is_vacant(german(), "Erzähl mir einen Witz", "Weil er zu müde war."));
    let rule = rule("Bring mich zum Lachen");
    assert_eq!(rule.vacancy(german(), "Weil er zu müde war.", AnswerPlace::Behind), None);
    // A statement of the user asks for none.
    assert_eq!(
        self::rule("My day was bad").vacancy(english(), "Because of work.", AnswerPlace::Head),
        Some(Vacancy::Reason)
    );
}

#[test]
fn a_right_answer_in_the_users_words_is_turned_round() {
    let remembered = "[Memory of the user:]\n- my daughter's name is Lena";
    for (language, asked, remembered, answer, said) in [
        (
            english(),
            "How long should I boil my eggs?",
            "",
            "You should boil my eggs for 9 minutes.",
            "You should boil your eggs for 9 minutes.",
        ),
        (
            english(),
            "What should I cook for my kids tonight?",
            "",
            "Pasta is good for my kids tonight, with peas.",
            "Pasta is good for your kids tonight, with peas.",
        ),
        (
            english(),
            "How do I tie a tie?",
            "",
            "I tie a tie by crossing the ends.",
            "You tie a tie by crossing the ends.",
        ),
        (
            english(),
            "I'm afraid of my driving test",
            "",
            "It's normal to fear my driving test.",
            "It's normal to fear your driving test.",
        ),
        (
            english(),
            "Do you know what my daughter's name is?",
            remembered,
            "My daughter's name is Lena.",
            "Your daughter's name is Lena.",
        ),
        (
            german(),
            "Womit soll ich meine neuen Schuhe putzen?",
            "",
            "Mit einer Bürste kannst du meine neuen Schuhe gut putzen.",
            "Mit einer Bürste kannst du deine neuen Schuhe gut putzen.",
        ),
    ] {
        let rule = VacancyRule { remembered, ..rule(asked) };
        let turned = rule.with_users_part_turned(language, answer.to_owned());
        assert_eq!(turned, said, "{asked}");
        assert_eq!(rule.vacancy(language, &turned, AnswerPlace::Head), None, "{turned}");
    }
    // What nobody knows of the user, and what only repeats them, stays as it is and is refused.
    for (asked, answer) in [
        ("Who is the owner of my first car?", "My first car is owned by Bob."),
        ("What is the colour of my new door?", "The colour of my new door."),
        ("I'm afraid of my driving test", "Joi, I'm anxious about my driving test."),
    ] {
        let rule = rule(asked);
        assert_eq!(rule.with_users_part_turned(english(), answer.to_owned()), answer);
        assert_eq!(rule.vacancy(english(), answer, AnswerPlace::Head), Some(Vacancy::UsersPart), "{answer}");
    }
}
