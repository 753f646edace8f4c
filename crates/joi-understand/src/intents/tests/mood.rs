//! Requests, questions and negations.

use super::*;
use crate::intents::Mood;

#[test]
fn a_question_or_a_negation_is_no_request() {
    let requests = [
        "add milk to the shopping list",
        "could you add milk to the list?",
        "Can you please turn it up?",
        "please note that the key is under the mat",
        "okay, put eggs on the list",
        "would you write that down",
    ];
    let questions = [
        "did you add milk to the list?",
        "is milk on the shopping list",
        "what happens if I add milk?",
        "how do I set the volume?",
        "don't add milk to the list",
        "please don’t add milk",
        "do not put eggs on the list",
        "the volume is too high?",
        "what if you turned it up",
        "can milk go on the list?",
        "never add milk again",
        "so did you add it",
        "hast du Milch auf die Liste gesetzt?",
    ];
    for asked in requests {
        assert_eq!(mood(asked), Mood::Request, "{asked}");
    }
    for asked in questions {
        assert_eq!(mood(asked), Mood::Question, "{asked}");
    }
}

#[test]
fn another_language_asks_in_its_own_words() {
    for asked in ["Kannst du bitte Milch auf die Liste setzen?", "bitte notiere das"] {
        assert_eq!(mood(asked), Mood::Request, "{asked}");
    }
    for asked in ["setz das nicht auf die Liste", "was passiert wenn ich das lösche"] {
        assert_eq!(mood(asked), Mood::Question, "{asked}");
    }
}

proptest! {
    #[test]
    fn a_mood_is_found_for_any_words(asked in "\\PC{0,80}") {
        mood(&asked);
    }
}
