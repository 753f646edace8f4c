//! The phrasings of conditions and orders of a language, ready to match.
//!
//! Pure: no I/O, no clock.

use super::super::phrasing::Phrasing;
use joi_language::house::HouseWords;
use joi_language::watch::{ConditionPhrasings, WatchWords};

/// The phrasings.
#[derive(Debug)]
pub(super) struct WatchPhrasings {
    /// By the place of their entry in the file.
    pub(super) conditions: Vec<(usize, Phrasing)>,
    pub(super) list: Vec<Phrasing>,
    pub(super) stop: Vec<Phrasing>,
    pub(super) stop_all: Vec<Phrasing>,
}

impl WatchPhrasings {
    /// Compiles the phrasings of a language; what questions leave out is left out here.
    pub(super) fn of(words: &WatchWords, house: &HouseWords) -> Self {
        let skipped = &house.words.skipped;
        let read = |all: &[String]| all.iter().map(|say| Phrasing::read(say, skipped)).collect::<Vec<_>>();
        let of_entry = |(at, entry): (usize, &ConditionPhrasings)| {
            read(&entry.say).into_iter().map(move |phrasing| (at, phrasing)).collect::<Vec<_>>()
        };
        Self {
            conditions: words.condition.iter().enumerate().flat_map(of_entry).collect(),
            list: read(&words.orders.list),
            stop: read(&words.orders.stop),
            stop_all: read(&words.orders.stop_all),
        }
    }
}
