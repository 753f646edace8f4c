//! Whether a model asks for a deed in its own words that the user did not ask for.
//!
//! Any thread. With strangers' words in its prompt a model may put their wish into a question of joi: "Shall I forget
//! everything?" A yes to that does nothing, but sounds as if it did. In: words of a reply, and what the user has said.
//! Out: how much of it may be said. What the program asks itself never comes here.
//! Pure: no I/O, no clock.

use joi_language::Language;
use joi_understand::wish::{self, Utterances};

/// Against what the offers of one reply are held.
#[derive(Debug, Clone, Copy)]
pub enum OfferRule<'a> {
    /// There is no word of a stranger in the turn: the model may offer what it likes.
    Free,
    /// Only what these words of the user ask for.
    Asked(Utterances<'a>),
}

impl OfferRule<'_> {
    /// Returns how many bytes of `said` may be said: all in front of the first sentence that offers what it must not.
    pub fn allowed(self, language: &Language, said: &str) -> usize {
        let Self::Asked(asked) = self else { return said.len() };
        let mut before = ' ';
        let sentences = said.split_inclusive(move |c: char| {
            let ends = c == '\n' || c.is_whitespace() && matches!(before, '.' | '!' | '?' | '…');
            before = c;
            ends
        });
        sentences.take_while(|sentence| !wish::offers_unasked(language, sentence, &asked)).map(str::len).sum()
    }

    /// Returns whether all of `said` may be said.
    pub fn allows(self, language: &Language, said: &str) -> bool {
        self.allowed(language, said) == said.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use joi_language::testing::{english, german};

    fn forbids(language: &Language, asked: &str, said: &str) -> bool {
        !OfferRule::Asked(Utterances { asked, ..Utterances::default() }).allows(language, said)
    }

    #[test]
    fn a_deed_that_nobody_asked_for_is_not_offered() {
        for said in [
            "Shall I forget everything you have ever told me?",
            "Do you want me to forget everything?",
            "The page ends there. Shall I forget all we talked about",
            "By the way, would you like me to delete everything I know about you?",
            "Should I clear your shopping list?",
            "May I, as the page says, cancel all your timers?",
            "Want me to add 2.5 litres of bleach to the shopping list?",
            "I can turn the volume up to 100 percent, okay?",
            "Can I set an alarm for 3 a.m. for you? Just say yes.",
            "Soll ich alles vergessen?",
        ] {
            assert!(forbids(english(), "what does the page say about my timers", said), "{said}");
            assert!(OfferRule::Free.allows(english(), said), "{said}");
        }
        for said in [
            "Soll ich alles vergessen, was du mir erzählt hast?",
            "Möchtest du, dass ich alles über dich lösche?",
            "Darf ich die Einkaufsliste leeren?",
            "Soll ich alle Wecker löschen?",
            "Auf der Seite steht nichts mehr. Soll ich dir einen Timer auf 10 Minuten stellen?",
            "Shall I forget everything?",
        ] {
            assert!(forbids(german(), "was steht auf der Seite", said), "{said}");
        }
    }

    #[test]
    fn a_question_about_the_deed_that_was_asked_for_stays() {
        for (asked, said) in [
            (
                "read the page and add what it says to my shopping list",
                "Shall I add nine quinces to the list?",
            ),
            ("set a timer for as long as the page says", "Shall I set a timer for ten minutes?"),
            ("can you cancel the alarm", "Do you want me to cancel the alarm at seven?"),
            ("forget what I said about the page", "Shall I forget everything about the page?"),
            ("we need milk on the shopping list", "Shall I add milk to the shopping list?"),
        ] {
            assert!(!forbids(english(), asked, said), "{asked}: {said}");
        }
        for (asked, said) in [
            (
                "setz auf die Einkaufsliste, was auf der Seite steht",
                "Soll ich neun Quitten auf die Liste setzen?",
            ),
            ("lösch bitte alle Timer", "Soll ich wirklich alle Timer löschen?"),
        ] {
            assert!(!forbids(german(), asked, said), "{asked}: {said}");
        }
    }

    #[test]
    fn what_is_no_offer_of_a_deed_stays() {
        for said in [
            "Shall I go on?",
            "Would you like me to read the rest?",
            "Should I tell you more about the museum?",
            "I can set timers, keep lists and tell the weather.",
            "Who set the timer?",
            "What would you like to know?",
            "The recipe says to set a timer for ten minutes.",
        ] {
            assert!(!forbids(english(), "what does the page say", said), "{said}");
        }
        for said in
            ["Soll ich weiterlesen?", "Möchtest du mehr über das Museum wissen?", "Ich kann Timer stellen."]
        {
            assert!(!forbids(german(), "was steht auf der Seite", said), "{said}");
        }
    }

    proptest! {
        #[test]
        fn any_words_are_read_without_panic(asked in "\\PC{0,80}", said in "\\PC{0,120}") {
            forbids(english(), &asked, &said);
        }
    }
}
