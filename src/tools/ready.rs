//! PURE. Whether a request that needs no model is whole, as far as it was heard, and what its answer will be.
//!
//! In: the words before a pause. Out: how they end, and an answer, where they are a call of a list or a sum and nothing
//! else.

use super::{calculate, lists};
use crate::language::Language;

/// How a request ends that is a call as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadyEnd {
    /// With the name of a list, or a unit to convert to: nothing more belongs to it.
    Closed,
    /// With a figure, behind which another may follow.
    Open,
}

/// How `asked` ends, where it is a call of a list or a sum and nothing else.
pub fn ready_end(asked: &str, language: &Language) -> Option<ReadyEnd> {
    let asked = asked.trim().trim_end_matches(['.', '!', '?']);
    match lists::asked::arguments(asked, language) {
        Some(_) => Some(ReadyEnd::Closed),
        None => calculate::asked_for(asked, language)
            .map(|sum| if converts(&sum) { ReadyEnd::Closed } else { ReadyEnd::Open }),
    }
}

/// What `asked` will most likely be answered with, where it is such a call and nothing need be looked up.
pub fn ready_answer(asked: &str, language: &Language) -> Option<String> {
    let asked = asked.trim().trim_end_matches(['.', '!', '?']);
    match lists::asked::arguments(asked, language) {
        Some(arguments) => lists::foreseen(&arguments, language),
        None => calculate::foreseen(asked, language),
    }
}

/// Whether a sum in figures ends with the unit that it is to be in: "5 miles to kilometers".
fn converts(sum: &str) -> bool {
    let unit = [" to ", " in ", " into "].into_iter().find_map(|joint| sum.rsplit_once(joint));
    unit.is_some_and(|(_, unit)| !unit.contains(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::tests::english;

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

    #[test]
    fn what_is_converted_is_over_with_its_unit() {
        for (asked, expected) in [
            ("convert five miles to kilometers", Some(ReadyEnd::Closed)),
            ("what is fifteen percent of eighty", Some(ReadyEnd::Open)),
            ("put milk on the list", Some(ReadyEnd::Closed)),
            ("why is the sky blue", None),
        ] {
            assert_eq!(ready_end(asked, english()), expected, "{asked}");
        }
    }
}
