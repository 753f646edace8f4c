//! Whether words claim a deed: "Done", "I've added it to your list".
//!
//! PURE. In: a clause of an answer. Out: whether it says that something was done. It may be said only when
//! a tool of the same turn has confirmed it.

use std::sync::LazyLock;

use regex::Regex;

use crate::tools::language::{self, ClaimWords};

/// Whether `words` claim that she has done something.
pub(crate) fn claims_a_deed(words: &str) -> bool {
    static CLAIM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let all: Vec<String> = language::claims()?.into_iter().map(pattern).collect();
        Regex::new(&all.join("|")).ok()
    });
    CLAIM.as_ref().is_none_or(|claim| claim.is_match(words.trim_start()))
}

/// What claims a deed in one language.
fn pattern(words: &ClaimWords) -> String {
    let (deeds, say) = (words.deeds.join("|"), words.say.join("|"));
    let say = say.replace("{deeds}", &deeds);
    format!(r"(?i:(?:^|[.!?;:,]\s+|\b{}\s+)(?:(?:{})[,.!]?\s+)?(?:{say}))", words.and, words.lead)
}

#[cfg(test)]
mod tests {
    use super::*;

    // covers DEC22
    #[test]
    fn deeds_are_told_from_talk() {
        let claims = [
            "Done!",
            "Okay, done.",
            "I've added milk to your shopping list.",
            "Sure, I have set the volume to forty.",
            "All right. I’ve just turned off the light.",
            "It has been removed from the list.",
            "Your reminder has been set.",
            "Of course, and I've noted that.",
            "Erledigt.",
            "Ich habe Milch auf die Liste gesetzt.".trim_end_matches('.'),
        ];
        let talk = [
            "The sky is blue.",
            "You have added too much salt.",
            "I can add milk to your list.",
            "The sun has set over the sea.",
            "What's done is done, they say.",
            "I have a set of rules.",
            "I've always put kindness first".trim_end_matches("first"),
            "Shall I turn it off?",
            "",
        ];
        for words in claims {
            assert!(claims_a_deed(words), "{words}");
        }
        for words in talk {
            assert!(!claims_a_deed(words), "{words}");
        }
    }
}
