//! The context in which an utterance about the house is understood.
//!
//! Borrowed from the house, the language and the conversation for one utterance. Pure: no I/O, no clock.

use super::phrasing::Phrasing;
use joi_home::house::House;
use joi_language::PhoneticMatcher;
use joi_language::house::{HouseAsked, HouseDeed, HouseWords, ThingKind};
use joi_templates::{SentenceTemplates, SlotLists};

/// The context in which an utterance is understood.
#[derive(Clone, Copy)]
pub struct HouseSituation<'a> {
    /// The newest snapshot of the house.
    pub house: &'a House,
    /// The words of the language.
    pub words: &'a HouseWords,
    /// The phrasings of the language.
    pub phrasings: &'a HousePhrasings,
    /// The matcher of words that sound alike in the language.
    pub phonetic: PhoneticMatcher,
    /// Item name of the room of the device.
    pub room: Option<&'a str>,
    /// The words before, as far as they still count.
    pub follow: FollowUp<'a>,
    /// Asked where the phrasings find nothing; `None` where none were fetched.
    pub templates: Option<HouseTemplates<'a>>,
}

/// The community's sentence templates of the language, and what may be named in the house.
#[derive(Debug, Clone, Copy)]
pub struct HouseTemplates<'a> {
    /// The templates.
    pub sentences: &'a SentenceTemplates,
    /// The names of the house.
    pub names: &'a SlotLists,
}

/// The phrasings of a language, ready to match.
#[derive(Debug)]
pub struct HousePhrasings {
    pub(super) deeds: Vec<(HouseDeed, Option<ThingKind>, Option<f64>, Phrasing)>,
    pub(super) questions: Vec<(HouseAsked, Option<ThingKind>, Phrasing)>,
}

/// The words before, as far as they still count.
#[derive(Debug, Clone, Copy, Default)]
pub struct FollowUp<'a> {
    /// Names of the things that were spoken of last.
    pub it: &'a [String],
    /// Names that were picked where several were possible.
    pub chosen: &'a [String],
    /// Item name of the place that was named.
    pub place: Option<&'a str>,
    /// The house before the beginning of these words was done: "brighter" is brighter than it was then.
    pub before: Option<&'a House>,
}

impl HousePhrasings {
    /// Compiles the phrasings of a language.
    pub fn of(words: &HouseWords) -> Self {
        let skipped = &words.words.skipped;
        let deeds = words.deed.iter().flat_map(|deed| {
            deed.say.iter().map(|say| (deed.does, deed.kind, deed.value, Phrasing::read(say, skipped)))
        });
        let questions = words.question.iter().flat_map(|question| {
            question.say.iter().map(|say| (question.asks, question.kind, Phrasing::read(say, skipped)))
        });
        Self { deeds: deeds.collect(), questions: questions.collect() }
    }
}
