//! Words with which nothing is done or reported: negations, conditions. In the name of a thing they are none.
//!
//! Pure: no I/O, no clock.

use std::ops::Range;

use super::situation::HouseSituation;
use super::{phrasing, spoken};
use joi_home::house::{Equipment, House, Item};

/// Returns whether there is a word with which nothing is done or reported, other than in the name of a thing: "do not
/// disturb".
pub(super) fn is_forbidden(all: &[String], situation: &HouseSituation<'_>) -> bool {
    let never = &situation.words.words.never;
    let found = (0..all.len()).filter_map(|at| {
        let length = never.iter().filter_map(|never| phrasing::starts(&all[at..], never)).max()?;
        Some(at..at + length)
    });
    let found: Vec<_> = found.collect();
    if found.is_empty() {
        return false;
    }
    let in_name: Vec<_> = names_in(all, situation.house);
    let is_named = |range: &Range<usize>| {
        in_name
            .iter()
            .any(|name| name.len() > range.len() && name.start <= range.start && range.end <= name.end)
    };
    !found.iter().all(is_named)
}

/// Returns where names of the house stand in `all`, and what their options are called.
fn names_in(all: &[String], house: &House) -> Vec<Range<usize>> {
    let options = house.readable().flat_map(|item| item.options.iter().chain(&item.command_options));
    let options = options.map(|option| option.label.as_str());
    let things =
        house.readable().flat_map(Item::names).chain(house.equipment().iter().flat_map(Equipment::names));
    let names = things.chain(options).map(spoken::words).filter(|name| !name.is_empty());
    let places = names.flat_map(|name| {
        let starts: Vec<usize> = (0..all.len()).filter(|at| all[*at..].starts_with(&name)).collect();
        starts.into_iter().map(move |at| at..at + name.len())
    });
    places.collect()
}
