//! Whether words claim a deed: "Done", "I've added it to your list".
//!
//! PURE. In: a clause of an answer. Out: whether it says that something was done. It may be said only when
//! a tool of the same turn has confirmed it.

use std::sync::LazyLock;

use regex::Regex;

/// Whether `words` claim that she has done something.
pub(crate) fn claims_a_deed(words: &str) -> bool {
    static CLAIM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let deeds = "added|put|set|saved|noted|removed|deleted|cleared|turned|switched|changed|scheduled|created|\
                     cancelled|canceled|started|stopped|sent|updated|booked|ordered|dimmed|locked|unlocked|written";
        Regex::new(&format!(
            r"(?i)(?:^|[.!?;:,]\s+|\band\s+)(?:(?:ok|okay|sure|alright|all right|great|yes|certainly)[,.!]?\s+)?(?:done[.!]|i(?:'ve|’ve| have)(?: just| now| already)? (?:{deeds})\b|i(?: just| now) (?:{deeds})\b|(?:it|that|your \w+) (?:has|have) been (?:{deeds})\b)"
        ))
        .ok()
    });
    CLAIM.as_ref().is_none_or(|claim| claim.is_match(words.trim_start()))
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
