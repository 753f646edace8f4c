//! How a language understands requests to watch a house: its words, compiled once.
//!
//! Any thread; never changes. Pure: no I/O, no clock.

use std::sync::Arc;

use jiff::Zoned;

use super::super::situation::{FollowUp, HousePhrasings, HouseSituation};
use super::phrasings::WatchPhrasings;
use super::situation::WatchSituation;
use super::wish::WatchWish;
use super::wished;
use crate::intents::{self, Mood};
use joi_home::house::House;
use joi_language::Language;
use joi_language::house::HouseWords;
use joi_language::watch::WatchWords;

/// How a language understands requests to watch a house.
#[derive(Debug)]
pub struct WatchUnderstanding {
    language: Arc<Language>,
    words: Arc<HouseWords>,
    watch: Arc<WatchWords>,
    house: HousePhrasings,
    phrasings: WatchPhrasings,
}

/// Where and when something is wished for.
#[derive(Clone, Copy)]
pub struct WatchPlace<'a> {
    /// The newest snapshot of the house.
    pub house: &'a House,
    /// Item name of the room of the device.
    pub room: Option<&'a str>,
    /// Items that state whether somebody is at home.
    pub presence: &'a [String],
    /// The words before, as far as they still count.
    pub follow: FollowUp<'a>,
    /// The present moment.
    pub now: &'a Zoned,
}

impl WatchUnderstanding {
    /// That of `language`; nothing where it has no words for a house or for watches.
    pub fn of(language: &Arc<Language>) -> Option<Self> {
        let (words, watch) = (Arc::clone(language.house()?), Arc::clone(language.watch()?));
        let (house, phrasings) = (HousePhrasings::of(&words), WatchPhrasings::of(&watch, &words));
        Some(Self { language: Arc::clone(language), words, watch, house, phrasings })
    }

    /// Returns whether it is of this very language.
    pub fn is_of(&self, language: &Arc<Language>) -> bool {
        Arc::ptr_eq(&self.language, language)
    }

    /// Returns what `text` wishes; nothing when it is not about watches.
    pub fn wished(&self, text: &str, place: WatchPlace<'_>) -> Option<WatchWish> {
        let WatchPlace { house, room, presence, follow, now } = place;
        let language = &self.language;
        let (words, phrasings, phonetic) = (&*self.words, &self.house, language.phonetic());
        let situation = WatchSituation {
            house: HouseSituation { house, words, phrasings, phonetic, room, follow, templates: None },
            words: &self.watch,
            phrasings: &self.phrasings,
            presence,
            now,
            in_figures: &|text| language.in_figures(text),
            when: &|text| intents::when(language, text),
            may_act: &|text| intents::mood(language, text) == Mood::Request,
        };
        wished(text, &situation)
    }
}
