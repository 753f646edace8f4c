//! Requests that are carried out as they stand, without a model: sums, and calls of lists and goals.
//!
//! Pure but for a limit of time on sums. In: a request. Out: its parts, or nothing where anything else is in it.

pub mod goal;
pub mod list;
pub mod sum;

use std::iter;
use std::ops::Range;

use joi_language::Language;
use joi_language::grammar::words;

/// Returns `asked`, and what is left of it when ever more politeness is taken off at both ends.
fn cores<'a>(asked: &'a str, language: &Language) -> Vec<&'a str> {
    let manners = &language.grammar().manners;
    let said = words::normalise(asked, manners).unwrap_or_default();
    let cut = |core: Range<usize>| {
        asked.get(said.get(core.start)?.at.start..said.get(core.end.checked_sub(1)?)?.at.end)
    };
    let polite = words::without_politeness(&said, manners).into_iter().skip(1);
    iter::once(asked).chain(polite.filter_map(cut)).collect()
}

/// How a request ends that is a call as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadyEnd {
    /// With the name of a list, or a unit to convert to: nothing more belongs to it.
    Closed,
    /// With a figure, behind which another may follow.
    Open,
}

/// Returns how `asked` ends, where it is a call of a list or a sum and nothing else.
pub fn ready_end(asked: &str, language: &Language) -> Option<ReadyEnd> {
    let asked = asked.trim().trim_end_matches(['.', '!', '?']);
    match list::arguments(asked, language) {
        Some(_) => Some(ReadyEnd::Closed),
        None => sum::asked_for(asked, language)
            .map(|sum| if converts(&sum) { ReadyEnd::Closed } else { ReadyEnd::Open }),
    }
}

/// Returns whether a sum in figures ends with the unit that it is to be in: "5 miles to kilometers".
fn converts(sum: &str) -> bool {
    let unit = [" to ", " in ", " into "].into_iter().find_map(|joint| sum.rsplit_once(joint));
    unit.is_some_and(|(_, unit)| !unit.contains(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_language::testing::english;

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
