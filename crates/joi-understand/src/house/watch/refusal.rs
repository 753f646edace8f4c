//! Why nothing is watched, and how that is said.
//!
//! Pure: no I/O, no clock.

use super::super::decision::{HouseDecision, HouseRefusal};
use super::super::say;
use joi_language::house::HouseWords;
use joi_language::{Language, fill};

/// The reason why nothing is watched.
#[derive(Debug, Clone, PartialEq)]
pub enum WatchRefusal {
    /// A reason that commands and questions have as well.
    House(HouseRefusal),
    /// The thing has no such state.
    Cannot(String),
    /// Only the power that it takes is known.
    OnlyPower(String),
    /// Nothing states whether this person is at home.
    NoPresence(String),
    /// The deed has a time of its own.
    DeedTime,
    /// The end of the watch has passed, or is not a moment.
    NoEnd,
}

/// Returns why nothing is watched, in words.
pub fn refused(refusal: &WatchRefusal, language: &Language, words: &HouseWords) -> String {
    let say = &language.sentences().watch;
    match refusal {
        WatchRefusal::House(HouseRefusal::NoSuch(said)) if said.is_empty() => say.nothing_shows.clone(),
        WatchRefusal::House(refusal) => say::decision(&HouseDecision::Refused(refusal.clone()), words),
        WatchRefusal::Cannot(thing) => fill(&say.cannot, &[("thing", thing)]),
        WatchRefusal::OnlyPower(thing) => fill(&say.only_power, &[("thing", thing)]),
        WatchRefusal::NoPresence(thing) => fill(&say.no_presence, &[("thing", thing)]),
        WatchRefusal::DeedTime => say.deed_time.clone(),
        WatchRefusal::NoEnd => say.no_end.clone(),
    }
}
