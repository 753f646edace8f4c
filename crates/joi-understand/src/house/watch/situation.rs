//! The context in which an utterance about watches is understood, and what reads it.
//!
//! Borrowed from the house, the language and the conversation for one utterance. Pure: no I/O, no clock.

use jiff::Zoned;

use super::super::reader::Reader;
use super::super::situation::HouseSituation;
use super::phrasings::WatchPhrasings;
use joi_language::values::When;
use joi_language::watch::WatchWords;

/// The context in which an utterance about watches is understood.
#[derive(Clone, Copy)]
pub(super) struct WatchSituation<'a> {
    /// The house, and the words for it.
    pub(super) house: HouseSituation<'a>,
    /// The words of the language.
    pub(super) words: &'a WatchWords,
    /// Its phrasings.
    pub(super) phrasings: &'a WatchPhrasings,
    /// Items that state whether somebody is at home.
    pub(super) presence: &'a [String],
    /// The present moment.
    pub(super) now: &'a Zoned,
    /// Writes numbers in figures.
    pub(super) in_figures: &'a dyn Fn(&str) -> String,
    /// Reads a time, and nothing else.
    pub(super) when: &'a dyn Fn(&str) -> Option<When>,
    /// Whether words ask for a deed.
    pub(super) may_act: &'a dyn Fn(&str) -> bool,
}

/// Reads the words of one utterance about watches.
pub(super) struct Watcher<'a> {
    pub(super) situation: &'a WatchSituation<'a>,
    pub(super) reader: Reader<'a>,
}
