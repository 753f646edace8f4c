//! A fact of the user's answers a question: "when does the plumber come?".
//!
//! In: a question, and facts, the newest first. Out: the fact that holds all that the question is about, or nothing: then
//! the model is asked. What is asked for (a day, a time) need not be in the question, and a day in it need not be the one of
//! the fact. Pure: no I/O, no clock.

use joi_language::Language;
use joi_language::words::{is_form_of, words};

use crate::intents::{self, Mood};
use crate::question::{self, is_light};

/// Returns the place of the fact that answers `asked`.
pub fn answering<'a>(
    language: &Language,
    asked: &str,
    facts: impl Iterator<Item = &'a str>,
) -> Option<usize> {
    if !asks(language, asked) || is_general(language, &words(asked)) {
        return None;
    }
    let matter: Vec<String> =
        question::content_words(asked).into_iter().filter(|word| !is_light(word)).collect();
    if matter.is_empty() {
        return None;
    }
    let holds_all = |fact: &str| {
        let there = words(fact);
        let holds =
            |word: &String| there.iter().any(|found| is_form_of(found, word) || is_form_of(word, found));
        matter.iter().all(holds)
    };
    facts.into_iter().position(holds_all)
}

/// Returns whether something is asked, at least in a part of it: "the ladder, who has it?".
fn asks(language: &Language, asked: &str) -> bool {
    let asks = |part: &str| !intents::is_statement(language, part) && words(part).len() > 1;
    intents::mood(language, asked) == Mood::Question || asked.split(',').any(asks)
}

/// Returns whether it is asked about any of its kind: "what is a plumber".
fn is_general(language: &Language, said: &[String]) -> bool {
    let is_article = |word: &String| language.grammar().numbers.articles().any(|article| article == word);
    said.windows(2).any(|pair| is_article(&pair[0]) && !is_light(&pair[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_language::testing::{english, german};

    #[test]
    fn a_question_is_answered_by_the_fact_that_holds_all_it_is_about() {
        let facts = ["the plumber comes on Thursday at ten", "my locker number is 418", "Ann can't eat nuts"];
        let of = |asked| answering(english(), asked, facts.into_iter());
        for (asked, fact) in [
            ("when does the plumber come", Some(0)),
            ("is the plumber coming on Wednesday", Some(0)),
            ("the plumber, what day was that", Some(0)),
            ("I forgot my locker number, can you tell me please", Some(1)),
            ("what is a plumber", None),
            ("where does the plumber live", None),
            ("the plumber comes on Friday", None),
            ("why is the sky blue", None),
        ] {
            assert_eq!(of(asked), fact, "{asked}");
        }
        let facts = ["der Ersatzschlüssel ist im Schuppen"];
        assert_eq!(answering(german(), "wo ist der Ersatzschlüssel", facts.into_iter()), Some(0));
        assert_eq!(answering(german(), "wo ist der Autoschlüssel", facts.into_iter()), None);
    }
}
