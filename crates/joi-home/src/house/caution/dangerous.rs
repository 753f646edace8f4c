//! Things that are dangerous by what they are called: gas, stoves, the main switch, panic buttons.
//!
//! Servers have no class for them, so their names decide: a word of them, some words in a row, or a part of a compound. What
//! is only at such a thing ("oven light", "Dachfensterrollladen") is harmless by its own name, class or icon.
//! Pure: no I/O, no clock.

use serde::Deserialize;

use super::{CautionCause, FILE, Marks};
use crate::house::item::{Item, ItemKind};

/// Names of dangerous things, by what is asked before they are commanded.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DangerousNames {
    /// What lets in or opens.
    entrance: NameMarks,
    valve: NameMarks,
    alarm: NameMarks,
    /// Everything else.
    other: NameMarks,
    /// What is at a dangerous thing and harmless.
    beside: Marks,
}

/// The signs in a name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NameMarks {
    /// Whole words; a plural in "s" and a number at the end are the same.
    words: Vec<String>,
    /// Words in a row.
    phrases: Vec<String>,
    /// Parts of compounds.
    parts: Vec<String>,
}

impl DangerousNames {
    /// Returns what is asked before `item` is commanded, by its names and those of its equipment.
    pub(super) fn cause(&self, item: &Item, equipment: Option<&Item>) -> Option<CautionCause> {
        // Lamps are called after what they light.
        let is_lamp = matches!(item.kind.acts_as(), ItemKind::Dimmer | ItemKind::Colour);
        let has_class = |item: &Item| {
            let is_lighting = item.tags.iter().any(|tag| tag == "Lighting");
            is_lighting || self.beside.fit_class(item) || self.beside.fit_category(item)
        };
        if is_lamp || has_class(item) || equipment.is_some_and(has_class) {
            return None;
        }
        let own = item.label.iter().chain(&item.synonyms).map(String::as_str).chain([item.name.as_str()]);
        self.cause_of_names(own.chain(equipment.into_iter().flat_map(Item::names)))
    }

    /// Returns the same for something with these names, the label first.
    pub(super) fn cause_of_names<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Option<CautionCause> {
        let names: Vec<Vec<String>> = names.into_iter().map(super::split).collect();
        let is_beside = |word: &String| self.beside.is_word(word) && !self.holds(word);
        if names.first().is_some_and(|label| label.iter().any(is_beside)) {
            return None;
        }
        let fits = |marks: &NameMarks| names.iter().any(|name| marks.fit(name, &self.beside));
        self.kinds().into_iter().find(|(_, marks)| fits(marks)).map(|(cause, _)| cause)
    }

    fn kinds(&self) -> [(CautionCause, &NameMarks); 4] {
        [
            (CautionCause::Entrance, &self.entrance),
            (CautionCause::Valve, &self.valve),
            (CautionCause::Alarm, &self.alarm),
            (CautionCause::Configured, &self.other),
        ]
    }

    /// Whether a word is, or has in it, the name of a dangerous thing.
    fn holds(&self, word: &str) -> bool {
        self.kinds().iter().any(|(_, marks)| marks.is_word(word) || marks.part(word).is_some())
    }
}

impl NameMarks {
    fn fit(&self, name: &[String], beside: &Marks) -> bool {
        // The lamp of the oven is called by a compound of both.
        let is_compound = |word: &String| self.part(word).is_some_and(|rest| !beside.is_word(rest));
        let in_a_row = |phrase: &String| {
            let phrase: Vec<&str> = phrase.split(' ').collect();
            name.windows(phrase.len())
                .any(|words| words.iter().map(|word| bare(word)).eq(phrase.iter().copied()))
        };
        name.iter().any(|word| self.is_word(word) || is_compound(word)) || self.phrases.iter().any(in_a_row)
    }

    fn is_word(&self, word: &str) -> bool {
        let word = bare(word);
        let singular = word.strip_suffix('s').unwrap_or(word);
        self.words.iter().any(|known| known == word || known == singular)
    }

    /// What of `word` stands behind a part that makes it dangerous.
    fn part<'a>(&self, word: &'a str) -> Option<&'a str> {
        let word = bare(word);
        self.parts.iter().find_map(|part| word.find(part.as_str()).map(|at| &word[at + part.len()..]))
    }
}

/// A word without the number of the thing.
fn bare(word: &str) -> &str {
    word.trim_end_matches(|sign: char| sign.is_ascii_digit())
}

/// Returns why something with these names, the label first, is dangerous.
pub(super) fn cause_of_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<CautionCause> {
    FILE.dangerous.cause_of_names(names)
}
