//! PURE. Whether a request that needs no model is whole, as far as it was heard.
//!
//! In: the words before a pause. Out: how they end, where they are a call of a list or a sum and nothing else.

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

/// Whether a sum in figures ends with the unit that it is to be in: "5 miles to kilometers".
fn converts(sum: &str) -> bool {
    let unit = [" to ", " in ", " into "].into_iter().find_map(|joint| sum.rsplit_once(joint));
    unit.is_some_and(|(_, unit)| !unit.contains(|c: char| c.is_ascii_digit()))
}
