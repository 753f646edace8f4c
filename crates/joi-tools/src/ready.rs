//! The answer to a request that needs no model and nothing looked up: a sum, or an addition to a list.
//!
//! In: the words before a pause. Out: the sentence that will answer them. Pure: no I/O.

use super::shipped::lists;
use joi_language::Language;
use joi_understand::requests::{list, sum};

/// Returns what `asked` will most likely be answered with, where it is such a call and nothing need be looked up.
pub fn ready_answer(asked: &str, language: &Language) -> Option<String> {
    let asked = asked.trim().trim_end_matches(['.', '!', '?']);
    match list::arguments(asked, language) {
        Some(arguments) => lists::foreseen(&arguments, language),
        None => sum::foreseen(asked, language),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_language::testing::english;

    #[test]
    fn an_answer_is_foreseen_where_nothing_need_be_looked_up() {
        for (asked, expected) in [
            ("what is twelve times twelve?", Some("That's 144.")),
            ("put milk and eggs on the list", Some("Milk and eggs are on the shopping list.")),
            ("what is on the list", None),
            ("take milk off the list", None),
            ("why is the sky blue", None),
        ] {
            assert_eq!(ready_answer(asked, english()).as_deref(), expected, "{asked}");
        }
    }
}
