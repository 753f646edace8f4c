//! Whether words state anything beside what was said before them: an answer that only repeats the question is none, and a
//! sentence that says again what the answer has said ends it.
//!
//! Far below a millisecond. In: two texts. Out: whether the second has news. Words count as the same when one is
//! the other with another ending; small words don't count. What is wanted of an answer is data of the language.
//! Pure: no I/O, no clock.

use joi_language::Language;
use joi_language::{Phrases, TalkWords, words_of};
use joi_understand::intents::{self, Mood};
use joi_understand::question::content_words;
use joi_understand::reference::{self, Feeling};
use joi_understand::wish;

/// Letters that two words share at least, to be one word with two endings.
const STEM: usize = 4;
/// So many of ten words of a sentence are in one that says it again.
const SAID_AGAIN: usize = 7;
/// And so many of three words of a request in an answer that only repeats it.
const ASKED_AGAIN: usize = 2;
/// A shorter request may be repeated, and a shorter sentence said twice: "no, no".
const FEWEST: usize = 3;
/// Who speaks of themselves is not answered by so many words of their own: "I'm sad".
const FEWEST_OF_HIMSELF: usize = 2;

/// Returns whether `text` holds a word that is not in `before`; of small words only a yes, a no, or what asks back.
pub fn has_news(language: &Language, before: &str, text: &str) -> bool {
    let known = words_of(before);
    let is_new = |word: &&String| !known.iter().any(|known| alike(known, word));
    // "Okay" states nothing of why the sky is blue.
    let is_open = open_at(language, &known).is_some();
    let tells = |word: &String| is_verdict(language, word) && !(is_open && is_nod(language, word));
    words_of(text)
        .iter()
        .filter(is_new)
        .any(|word| !is_small(language, word) && !is_nod(language, word) || tells(word))
}

/// Returns whether a word only shows that one has heard, or agrees.
fn is_nod(language: &Language, word: &String) -> bool {
    let mut talk = language.requests().iter().map(|words| &words.talk);
    talk.any(|talk| talk.nods.at_start(std::slice::from_ref(word)).is_some())
}

/// Returns whether a word states nothing by itself.
fn is_small(language: &Language, word: &String) -> bool {
    language.requests().iter().map(|words| &words.form).any(|form| {
        let small = [&form.function_words, &form.subjects, &form.finite, &form.references];
        small.iter().any(|of| of.at_start(std::slice::from_ref(word)).is_some())
    })
}

/// Returns whether a word agrees, refuses, or asks back.
fn is_verdict(language: &Language, word: &String) -> bool {
    language.requests().iter().any(|words| {
        let (form, talk) = (&words.form, &words.talk);
        let verdicts = [&form.consents, &form.refusals, &form.negations, &talk.open];
        verdicts.iter().any(|of| of.at_start(std::slice::from_ref(word)).is_some())
    })
}

/// Returns whether `answer` only repeats what was `asked`.
pub fn repeats_the_request(language: &Language, asked: &str, answer: &str) -> bool {
    let (words, wanted) = (words_of(asked), content_words(asked));
    if words.len() < if is_of_himself(language, &words) { FEWEST_OF_HIMSELF } else { FEWEST } {
        return false;
    }
    let open = open_at(language, &words);
    let is_wanted = match open {
        // "Which is bigger, an ant or an elephant?"
        Some(at) => is_wanted_back(language, &words[at..]),
        None => may_be_said_back(language, &words),
    };
    if has_news(language, asked, answer) || is_wanted || acknowledges(language, asked, answer) {
        return false;
    }
    if open.is_some() && words_of(answer).iter().any(|word| is_nod(language, word)) {
        return true;
    }
    if content_words(answer).is_empty() {
        return false;
    }
    // "Is Paris the capital?" may be answered by "Paris is the capital".
    if open.is_none() && (asked.trim_end().ends_with('?') || intents::mood(language, asked) == Mood::Question)
    {
        return words_of(answer) == words;
    }
    let said = content_words(answer);
    let again = wanted.iter().filter(|word| said.iter().any(|said| alike(said, word))).count();
    again * 3 >= wanted.len() * ASKED_AGAIN
}

/// Returns whether `answer` takes note of what the user reports to be done, and hides no feeling in it: "You've bought
/// the eggs already."
fn acknowledges(language: &Language, asked: &str, answer: &str) -> bool {
    let said = words_of(answer);
    let is_said_to_user = language.requests().iter().any(|of| of.talk.addressed.are_in(&said));
    is_said_to_user
        && !is_of_himself(language, &said)
        && wish::reports_past(language, asked)
        && reference::feeling(language, asked) == Feeling::Untold
}

/// Returns where a question begins that its own words don't answer, perhaps behind polite ones: "do you know why".
fn open_at(language: &Language, words: &[String]) -> Option<usize> {
    language.requests().iter().map(|words| &words.talk).find_map(|talk| {
        let begins = |at: usize| talk.open.at_start(&words[at..]).is_some();
        let is_behind = |at: usize| talk.wonders.at_end(&words[..at]).is_some();
        (0..words.len()).find(|at| begins(*at) && (*at == 0 || is_behind(*at)))
    })
}

/// Returns whether words of the request are to be repeated or chosen from. Who speaks of themselves before that states
/// something: "I have to write an exam".
fn is_wanted_back(language: &Language, words: &[String]) -> bool {
    let mut talk = language.requests().iter().map(|words| &words.talk);
    talk.any(|talk| {
        let begins = |at: usize| talk.again.at_start(&words[at..]).is_some();
        (0..words.len()).any(|at| begins(at) && !is_of_himself(language, &words[..at]))
    })
}

fn is_of_himself(language: &Language, words: &[String]) -> bool {
    language.requests().iter().any(|of| of.talk.first_person.are_in(words))
}

/// Returns whether the words of a request may be the answer to it: to be repeated, chosen from, or said back as a
/// greeting. Who speaks of themselves beside that wants another one: "hey, I had a bad day", "I have to write an exam".
pub(super) fn may_be_said_back(language: &Language, words: &[String]) -> bool {
    let is_other = |words: &[String]| !is_of_himself(language, words);
    let mut talk = language.requests().iter().map(|words| &words.talk);
    let greets = talk.any(|talk| {
        (0..words.len()).any(|at| {
            let greeting = talk.greetings.at_start(&words[at..]);
            greeting.is_some_and(|long| is_other(&words[..at]) && is_other(&words[at + long..]))
        })
    });
    greets || is_wanted_back(language, words)
}

/// Returns whether `sentence` says nothing but what one of the sentences before it has said.
pub(crate) fn says_again(language: &Language, earlier: &[String], sentence: &str) -> bool {
    let words = words_of(without_marker(sentence));
    words.len() >= FEWEST
        && earlier.iter().any(|before| {
            let before = without_marker(before);
            let (there, here) = (content_words(before), content_words(sentence));
            let again = there.iter().filter(|word| here.iter().any(|here| alike(here, word))).count();
            let is_near = here.len() >= FEWEST
                && again * 10 >= there.len() * SAID_AGAIN
                && !has_news(language, before, without_marker(sentence));
            is_near || words_of(before) == words
        })
}

/// How long an answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedLength {
    /// As one speaks.
    Short,
    /// Something reported or recited: not longer, in sentences of any number.
    Tale,
    /// As long as it is.
    Long,
}

/// Returns how long an answer the words want.
pub fn wanted_length(language: &Language, asked: &str) -> WantedLength {
    let words = words_of(asked);
    let holds = |of: fn(&TalkWords) -> &Phrases| {
        language.requests().iter().any(|of_language| of(&of_language.talk).are_in(&words))
    };
    match (holds(|talk| &talk.long), holds(|talk| &talk.tales)) {
        (true, _) => WantedLength::Long,
        (false, true) if holds(|talk| &talk.at_length) => WantedLength::Long,
        (false, true) => WantedLength::Tale,
        (false, false) => WantedLength::Short,
    }
}

/// Returns whether the words want a recipe, whose main part stands behind its ingredients.
pub fn wants_a_recipe(language: &Language, asked: &str) -> bool {
    let words = words_of(asked);
    language.requests().iter().any(|of| of.talk.recipes.are_in(&words))
}

/// Returns a sentence without the number of its item.
fn without_marker(sentence: &str) -> &str {
    sentence.trim().trim_start_matches(|c: char| c.is_ascii_digit() || "-*•.) ".contains(c))
}

/// Returns whether two words are one, perhaps with two endings.
fn alike(one: &str, other: &str) -> bool {
    let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let shorter = one.chars().count().min(other.chars().count());
    one == other || shared >= STEM.max(shorter.saturating_sub(1)) || shared == shorter && shorter == STEM - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_language::testing::{english, german};

    #[test]
    fn an_answer_of_the_users_own_words_differs_from_one_with_news() {
        for (asked, answer) in [
            ("Why is the sky blue?", "Sky, blue."),
            ("Why is the sky blue?", "The sky is blue."),
            ("I had a really bad day at work.", "I had a really bad day at work."),
            ("I had a really bad day at work.", "You had a really bad day at work."),
            ("Set the desk lamp to blue.", "Desk lamp, blue."),
            ("What is photosynthesis?", "Photosynthesis."),
            ("I feel lonely", "I feel lonely."),
            ("I'm sad.", "I'm sad."),
            ("Why is the sky blue?", "Okay."),
            ("Can you tell me why the sky is blue?", "Okay, sure!"),
            ("Can you tell me why the sky is blue?", "The sky is blue."),
            ("Do you know how tall the Eiffel tower is?", "The Eiffel tower is tall."),
            (
                "I have to write an exam tomorrow and I'm scared.",
                "I have to write an exam tomorrow and I'm scared.",
            ),
            ("Hey, I had a bad day.", "Hey, I had a bad day."),
            ("Thanks, I'm tired of my job", "Thanks, I'm tired of my job."),
            ("Is chicken safe when it is pink inside?", "Is chicken safe when it is pink inside?"),
        ] {
            assert!(repeats_the_request(english(), asked, answer), "{asked} {answer}");
        }
        for (asked, answer) in [
            ("What is the capital of France?", "Paris."),
            ("What is the capital of France?", "The capital of France is Paris."),
            ("Is Paris the capital of France?", "Paris is the capital of France."),
            ("Is the sky blue?", "Yes."),
            ("Is the sky blue?", "Yes, the sky is blue."),
            ("Is the sky blue?", "No."),
            ("Can you sing?", "Sure."),
            ("How are you today, Joi?", "Fine."),
            ("My cake collapsed.", "Okay."),
            ("Is it Tuesday or Wednesday?", "Tuesday."),
            ("Which is bigger, an ant or an elephant?", "An elephant."),
            ("Good morning, Joi!", "Good morning!"),
            ("My name is Tom.", "Tom."),
            ("Who are you?", "I am Joi."),
            ("What is your name?", "My name is Joi."),
            ("Say I am brave.", "I am brave."),
            ("Please say that I am brave.", "I am brave."),
            ("Can you spell rhythm for me?", "Rhythm."),
            ("I love you", "I love you."),
            ("Which is bigger, an ant or an elephant?", "An elephant is bigger."),
            ("Do you know which is healthier, tea or coffee?", "Tea is healthier."),
            ("How do you say my name is Tom?", "My name is Tom."),
            ("Joi, good night", "Good night."),
            ("Tell me if it is Tuesday or Wednesday", "Tuesday."),
            ("How many legs do two dogs have?", "Two dogs have 8 legs."),
            ("I had a really bad day at work.", "I am sorry."),
            ("Why is the sky blue?", "Because the air scatters blue light."),
        ] {
            assert!(!repeats_the_request(english(), asked, answer), "{asked} {answer}");
        }
    }

    #[test]
    fn what_the_user_has_done_may_be_acknowledged() {
        for (language, asked, answer) in [
            (english(), "I've bought the eggs already", "You've bought the eggs already."),
            (english(), "We finished the puzzle", "You finished the puzzle."),
            (german(), "Ich habe die Eier schon gekauft", "Du hast die Eier schon gekauft."),
        ] {
            assert!(!repeats_the_request(language, asked, answer), "{asked}");
        }
        for (language, asked, answer) in [
            (english(), "I've bought the eggs already", "I've bought the eggs already."),
            (english(), "I lost my job, I was fired, I got fired", "You lost your job, you got fired."),
            (english(), "I passed my exam", "You passed your exam."),
        ] {
            assert!(repeats_the_request(language, asked, answer), "{asked}");
        }
    }

    #[test]
    fn the_same_in_german() {
        for (asked, answer) in [
            ("Warum ist der Himmel blau?", "Himmel, blau."),
            (
                "Ich hatte einen richtig schlechten Tag in der Arbeit.",
                "Du hattest einen richtig schlechten Tag in der Arbeit.",
            ),
            ("Stell die Schreibtischlampe auf Blau.", "Schreibtischlampe auf Blau."),
            ("Kannst du mir sagen, warum der Himmel blau ist?", "Der Himmel ist blau."),
            ("Weißt du, warum der Himmel blau ist?", "Der Himmel ist blau."),
            ("Sag mir, warum der Himmel blau ist.", "Der Himmel ist blau."),
            (
                "Ich muss morgen eine Klausur schreiben oder verschieben.",
                "Du musst morgen eine Klausur schreiben.",
            ),
        ] {
            assert!(repeats_the_request(german(), asked, answer), "{asked} {answer}");
        }
        for (asked, answer) in [
            ("Was ist die Hauptstadt von Frankreich?", "Paris."),
            ("Ist Paris die Hauptstadt von Frankreich?", "Paris ist die Hauptstadt von Frankreich."),
            ("Ist der Himmel blau?", "Ja, der Himmel ist blau."),
            ("Magst du Tee oder Kaffee?", "Tee."),
            ("Wer ist älter, Anna oder Ben?", "Ben ist älter."),
            ("Guten Morgen!", "Guten Morgen!"),
        ] {
            assert!(!repeats_the_request(german(), asked, answer), "{asked} {answer}");
        }
    }

    #[test]
    fn a_sentence_that_was_said_before_differs_from_one_that_goes_on() {
        let earlier =
            ["I hope that you feel better soon.", "1. Add the salt to the boiling water."].map(str::to_owned);
        for sentence in [
            "I hope that you feel better soon.",
            "I hope you will be feeling better soon!",
            "4. Add salt to the boiling water.",
        ] {
            assert!(says_again(english(), &earlier, sentence), "{sentence}");
        }
        for sentence in [
            "I hope that your sister feels better soon.",
            "5. Add the pasta to the boiling water.",
            "Add 2 spoons of salt to the boiling water.",
            "No, no.",
        ] {
            assert!(!says_again(english(), &earlier, sentence), "{sentence}");
        }
    }

    #[test]
    fn who_wants_a_long_answer_says_so() {
        use WantedLength::{Long, Short, Tale};
        for (asked, wanted) in [
            ("Tell me a long story about a fox.", Long),
            ("Recite the whole poem", Long),
            ("Explain step by step how to knit", Long),
            ("the whole recipe, please", Long),
            ("Tell me a story about a fox.", Tale),
            ("do you know a joke", Tale),
            ("Why is the sky blue?", Short),
            ("How long do I boil an egg?", Short),
            ("give me a recipe for pancakes", Short),
        ] {
            assert_eq!(wanted_length(english(), asked), wanted, "{asked}");
        }
        assert_eq!(wanted_length(german(), "Erzähl mir eine Geschichte"), Tale);
        assert_eq!(wanted_length(german(), "Erzähl mir eine lange Geschichte"), Long);
        assert_eq!(wanted_length(german(), "Warum ist der Himmel blau?"), Short);
    }
}
