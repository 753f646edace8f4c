//! The reader of one utterance in one house: which things its words name.
//!
//! In: words, the lexicon of the language, the things of the house. Out: phrases and the things that fit them. Deeds,
//! questions and follow-ups add their own methods in files of their own. Pure: no I/O, no clock.

use super::decision::NamedThing;
use super::lexicon::{HouseLexicon, ThingPhrase};
use super::phrasing::{TakenWords, exception};
use super::say;
use super::situation::HouseSituation;
use super::target::{FoundThings, Search, SearchPurpose};
use super::things::{self, Things};
use joi_language::house::{HouseDeed, ThingKind};

/// A deed and what it is to be done with.
pub(super) struct Wanted<'a> {
    pub(super) deed: HouseDeed,
    pub(super) kind: Option<ThingKind>,
    pub(super) taken: &'a TakenWords,
    pub(super) except: Option<&'a [String]>,
}

/// Reads the words of one utterance in one house.
pub(super) struct Reader<'a> {
    pub(super) situation: &'a HouseSituation<'a>,
    pub(super) lexicon: &'a HouseLexicon,
    pub(super) things: &'a Things<'a>,
}

impl<'a> Reader<'a> {
    pub(super) fn search(&self, purpose: SearchPurpose, kinds_of_place: &'a [ThingKind]) -> Search<'a> {
        let HouseSituation { house, room, follow, .. } = *self.situation;
        Search { house, things: self.things, here: follow.place.or(room), purpose, kinds_of_place }
    }

    /// Returns the phrases of things in `said`, and those that are left out.
    pub(super) fn phrases(&self, said: &[String]) -> (Vec<ThingPhrase>, Vec<ThingPhrase>) {
        let words = &self.situation.words.words;
        let (said, except) = match exception(said, self.situation.words) {
            Some((said, except)) => (said, except),
            None => (said.to_vec(), Vec::new()),
        };
        let mut phrases = self.joined(&said, &words.and);
        // "Lights in the kitchen and the hall": what is said of one is meant of all.
        if let Some(kind) = phrases.iter().find_map(|phrase| phrase.kinds.last().copied()) {
            let is_plural = phrases.iter().any(|phrase| phrase.is_plural);
            for phrase in &mut phrases {
                if phrase.kinds.is_empty() && phrase.bag.iter().all(|mark| self.is_place(mark)) {
                    *phrase = std::mem::take(phrase).with_kind(kind);
                    phrase.is_plural |= is_plural;
                }
            }
        }
        (phrases, self.joined(&except, &words.and))
    }

    pub(super) fn is_place(&self, mark: &str) -> bool {
        mark.starts_with('@')
            || self.things.places.iter().flat_map(|place| &place.bags).any(|bag| bag.contains(mark))
    }

    /// Returns the phrases between `joints`. "The left lamp on and the right one" are none: a part that ends with a
    /// word for a place or a deed is a command of its own.
    pub(super) fn joined(&self, said: &[String], joints: &[String]) -> Vec<ThingPhrase> {
        let loose = &self.situation.words.words.loose;
        let is_own = |pair: &[String]| loose.contains(&pair[0]) && joints.contains(&pair[1]);
        if said.windows(2).any(is_own) {
            return Vec::new();
        }
        let mut phrases = vec![Vec::new()];
        for word in said {
            if joints.contains(word) {
                phrases.push(Vec::new());
            } else if let Some(last) = phrases.last_mut() {
                last.push(word.clone());
            }
        }
        // "… and lock the front door" is a command of its own.
        let verbs = &self.situation.words.words.verbs;
        let is_command = |words: &Vec<String>| words.len() > 1 && verbs.contains(&words[0]);
        if phrases.iter().skip(1).any(is_command) {
            return Vec::new();
        }
        phrases.iter().filter(|words| !words.is_empty()).map(|words| self.lexicon.said(words)).collect()
    }

    /// Returns the things of all phrases together.
    pub(super) fn found(&self, phrases: &[ThingPhrase], search: &Search<'_>) -> FoundThings {
        let mut all: Vec<usize> = Vec::new();
        for phrase in phrases {
            let found = match self.spoken_of(phrase) {
                Some(things) => FoundThings::Things(things),
                None => search.find(phrase),
            };
            let things = match &found {
                FoundThings::Things(things) => Some(things.clone()),
                FoundThings::Which(things) | FoundThings::Where(things) => self.chosen_of(things),
                FoundThings::NoSuch | FoundThings::Nothing => None,
            };
            let Some(things) = things else { return found };
            let new: Vec<usize> = things.into_iter().filter(|at| !all.contains(at)).collect();
            all.extend(new);
        }
        if all.is_empty() { FoundThings::Nothing } else { FoundThings::Things(all) }
    }

    /// Returns what a thing is called, with its room where others are called the same.
    pub(super) fn named(&self, at: usize) -> NamedThing {
        let thing = &self.things.all[at];
        NamedThing { name: thing.name.to_owned(), title: self.title(thing) }
    }

    pub(super) fn title(&self, thing: &things::Thing<'_>) -> String {
        let is_common = self.things.all.iter().filter(|other| other.label == thing.label).count() > 1;
        let room = thing.location.and_then(|name| self.situation.house.location(name));
        match room.filter(|_| is_common) {
            Some(room) => say::in_room(thing.label, room.title(), self.situation.words),
            None => thing.label.to_owned(),
        }
    }
}
