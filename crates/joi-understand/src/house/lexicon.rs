//! Names and what was said of them as bags of marks, so that "Badlicht", "Licht im Bad" and "bathroom light" in
//! the names of a house are found however they are put.
//!
//! A mark is a word, `#light` for any word of a kind, or `@kitchen` for any word of a room. Compounds that end with the
//! word of a kind are taken apart.
//! Pure: no I/O, no clock.

use std::collections::{BTreeSet, HashMap, HashSet};

use joi_language::PhoneticMatcher;
use joi_language::house::{HouseWords, ThingKind};

/// Words of one entry.
const LONGEST_ENTRY: usize = 3;
/// A kind's word of fewer letters ends a compound only behind the name of a room.
const LONG_ENOUGH: usize = 4;
/// How alike a word must be to be taken for another.
const ALIKE: f64 = 0.88;
/// How much more than the next.
const MARGIN: f64 = 0.03;
/// The bonus of the same sound.
const SAME_SOUND: f64 = 0.15;

/// The meaning of a word or a short phrase.
#[derive(Debug, Clone, PartialEq)]
enum Meaning {
    Kind(ThingKind, Number),
    Room(String),
    All,
    Both,
    Here,
    Everywhere,
    /// It says nothing.
    Loose,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    One,
    Several,
    Either,
}

/// A description of a thing, or one of its names.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ThingPhrase {
    pub(super) bag: BTreeSet<String>,
    pub(super) kinds: Vec<ThingKind>,
    /// "Lights".
    pub(super) is_plural: bool,
    /// "All", "every".
    pub(super) is_all: bool,
    /// "Both".
    pub(super) is_both: bool,
    pub(super) is_here: bool,
    /// In the whole house.
    pub(super) is_everywhere: bool,
    /// It has a word of the house: a kind, a room, a device.
    pub(super) is_of_house: bool,
    /// It has a word that nothing in the house is called.
    pub(super) is_strange: bool,
    /// It has a word that was said as the house or the language has it; else all of it is a guess.
    pub(super) has_exact: bool,
    /// As it was said, for an answer.
    pub(super) said: String,
}

/// The words of a language, ready to look up, with the words of a house.
pub(super) struct HouseLexicon {
    entries: HashMap<String, Meaning>,
    /// Words of kinds, the longest first.
    endings: Vec<(String, ThingKind, Number)>,
    /// Words in the names of the house.
    own: HashSet<String>,
    /// Words that stand for a thing.
    stands: Vec<String>,
    numbers: HashMap<String, f64>,
    phonetic: PhoneticMatcher,
}

impl HouseLexicon {
    pub(super) fn new(words: &HouseWords, phonetic: PhoneticMatcher) -> Self {
        let mut entries: HashMap<String, Meaning> = HashMap::new();
        let mut endings = Vec::new();
        let phrases = &words.words;
        let marks: [(&[String], Meaning); 6] = [
            (&phrases.skipped, Meaning::Loose),
            (&phrases.all, Meaning::All),
            (&phrases.both, Meaning::Both),
            (&phrases.here, Meaning::Here),
            (&phrases.everywhere, Meaning::Everywhere),
            (&phrases.loose, Meaning::Loose),
        ];
        for (listed, meaning) in marks {
            entries.extend(listed.iter().map(|word| (word.clone(), meaning.clone())));
        }
        for names in &words.rooms.names {
            let Some(first) = names.first() else { continue };
            entries.extend(names.iter().map(|name| (name.clone(), Meaning::Room(first.clone()))));
        }
        for (kind, [one, several]) in &words.kinds {
            for word in one.iter().chain(several) {
                let number = match (one.contains(word), several.contains(word)) {
                    (true, true) => Number::Either,
                    (true, false) => Number::One,
                    (false, _) => Number::Several,
                };
                entries.insert(word.clone(), Meaning::Kind(*kind, number));
                if *kind != ThingKind::Appliance && !word.contains(' ') {
                    endings.push((word.clone(), *kind, number));
                }
            }
        }
        endings.sort_by_key(|(word, ..)| std::cmp::Reverse(word.chars().count()));
        let (stands, numbers) = (phrases.stands.clone(), words.numbers.clone());
        Self { entries, endings, own: HashSet::new(), stands, numbers, phonetic }
    }

    /// Notes the words of a name of the house.
    pub(super) fn learn(&mut self, name: &[String]) {
        self.own.extend(name.iter().cloned());
    }

    /// Returns whether a name of the house has the word.
    pub(super) fn is_own(&self, word: &str) -> bool {
        self.own.contains(word)
    }

    /// Returns a name of the house.
    pub(super) fn name(&self, words: &[String]) -> ThingPhrase {
        self.read(words, None)
    }

    /// Returns what was said: as a name, but words may be misspelled or misheard.
    pub(super) fn said(&self, words: &[String]) -> ThingPhrase {
        self.read(words, Some(()))
    }

    fn read(&self, words: &[String], may_correct: Option<()>) -> ThingPhrase {
        let mut phrase = ThingPhrase { said: words.join(" "), ..ThingPhrase::default() };
        let mut at = 0;
        // Right behind a name a number belongs to it: "lamp nine" is "lamp 9", or there is none of that number.
        let mut is_named = false;
        while at < words.len() {
            let most = LONGEST_ENTRY.min(words.len() - at);
            let found = (1..=most).rev().find_map(|length| {
                let spaced = words[at..at + length].join(" ");
                let joined = words[at..at + length].concat();
                let entry = self.entries.get(&spaced);
                let entry = entry.or_else(|| (length > 1).then(|| self.entries.get(&joined))?);
                entry.map(|meaning| (length, spaced, meaning.clone()))
            });
            match found {
                Some((length, word, meaning)) => {
                    phrase.has_exact |= meaning != Meaning::Loose;
                    is_named = matches!(meaning, Meaning::Kind(..) | Meaning::Room(_));
                    phrase.add(&word, &meaning);
                    at += length;
                }
                None => {
                    match self.number(&words[at]).filter(|_| is_named) {
                        Some(number) => drop(phrase.bag.insert(number)),
                        None => self.add_word(&words[at], may_correct, &mut phrase),
                    }
                    is_named = self.apart(&words[at]).is_some();
                    at += 1;
                }
            }
        }
        phrase
    }

    fn add_word(&self, word: &str, may_correct: Option<()>, phrase: &mut ThingPhrase) {
        if let Some((prefix, kind, number)) = self.apart(word) {
            phrase.has_exact = true;
            self.add_prefix(prefix, phrase);
            return phrase.add(word, &Meaning::Kind(kind, number));
        }
        if may_correct.is_some() && self.stands.iter().any(|one| one == word) && !self.own.contains(word) {
            return;
        }
        let corrected = may_correct.filter(|()| !self.own.contains(word)).and_then(|()| self.like(word));
        match corrected {
            Some(other) if other != word => {
                let had_exact = phrase.has_exact;
                match self.entries.get(other) {
                    Some(meaning) => phrase.add(other, meaning),
                    None => self.add_word(other, None, phrase),
                }
                phrase.has_exact = had_exact;
            }
            _ => {
                phrase.has_exact |= self.own.contains(word);
                phrase.is_strange |= !self.own.contains(word);
                phrase.bag.insert(word.to_owned());
            }
        }
    }

    /// Returns the figures of a number.
    fn number(&self, word: &str) -> Option<String> {
        if word.chars().all(|sign| sign.is_ascii_digit()) {
            return Some(word.to_owned());
        }
        self.numbers.get(word).map(ToString::to_string)
    }

    fn add_prefix(&self, prefix: &str, phrase: &mut ThingPhrase) {
        match self.without_link(prefix) {
            Some(Meaning::Room(room)) => phrase.add(prefix, &Meaning::Room(room.clone())),
            Some(Meaning::Kind(kind, _)) => phrase.add(prefix, &Meaning::Kind(*kind, Number::One)),
            _ => self.add_word(prefix, None, phrase),
        }
    }

    /// "Küchenlampe" is "küchen" and a lamp.
    fn apart<'a>(&self, word: &'a str) -> Option<(&'a str, ThingKind, Number)> {
        self.endings.iter().find_map(|(ending, kind, number)| {
            let prefix = word.strip_suffix(ending.as_str()).filter(|prefix| prefix.chars().count() > 1)?;
            let is_long = ending.chars().count() >= LONG_ENOUGH;
            (is_long || self.without_link(prefix).is_some()).then_some((prefix, *kind, *number))
        })
    }

    fn without_link(&self, prefix: &str) -> Option<&Meaning> {
        let whole = self.entries.get(prefix);
        let links = ["n", "s", "es", "en"];
        whole.or_else(|| links.iter().find_map(|link| self.entries.get(prefix.strip_suffix(link)?)))
    }

    /// Returns the only word of the house or the language that `word` may be a slip of.
    fn like(&self, word: &str) -> Option<&str> {
        if word.chars().count() < LONG_ENOUGH {
            return None;
        }
        let sound = self.phonetic.sound(word);
        let known = self
            .entries
            .iter()
            .filter(|(_, meaning)| matches!(meaning, Meaning::Kind(..) | Meaning::Room(_)));
        let all = known.map(|(word, _)| word).chain(&self.own);
        let mut best: Option<(f64, &str)> = None;
        let mut second = 0.0_f64;
        for other in all.filter(|other| other.chars().count() > 2) {
            let mut score = strsim::jaro_winkler(word, other);
            if score > 0.7 && !sound.is_empty() && self.phonetic.sound(other) == sound {
                score += SAME_SOUND;
            }
            match best {
                Some((_, known)) if known == other.as_str() => {}
                Some((most, _)) if score <= most => second = second.max(score),
                _ => {
                    second = best.map_or(second, |(most, _)| second.max(most));
                    best = Some((score, other.as_str()));
                }
            }
        }
        best.filter(|(score, _)| *score >= ALIKE && *score - second >= MARGIN).map(|(_, other)| other)
    }
}

impl ThingPhrase {
    fn add(&mut self, word: &str, meaning: &Meaning) {
        match meaning {
            Meaning::Kind(ThingKind::Appliance, number) => {
                self.bag.extend(word.split(' ').map(str::to_owned));
                self.is_plural |= *number == Number::Several;
                self.is_of_house = true;
            }
            Meaning::Kind(kind, number) => {
                self.bag.insert(mark_of(*kind));
                self.kinds.push(*kind);
                self.is_plural |= *number == Number::Several;
                self.is_of_house = true;
            }
            Meaning::Room(room) => {
                self.bag.insert(format!("@{room}"));
                self.is_of_house = true;
            }
            Meaning::All => self.is_all = true,
            Meaning::Both => {
                self.is_both = true;
                self.is_plural = true;
            }
            Meaning::Here => self.is_here = true,
            Meaning::Everywhere => {
                self.is_everywhere = true;
                self.is_all = true;
            }
            Meaning::Loose => {}
        }
    }

    /// Adds a kind that was meant without being said.
    pub(super) fn with_kind(mut self, kind: ThingKind) -> Self {
        if self.bag.insert(mark_of(kind)) {
            self.kinds.push(kind);
        }
        self
    }

    /// Returns the only kind that was said, when there is nothing else in it but `place`.
    pub(super) fn only_kind(bag: &BTreeSet<String>, kinds: &[ThingKind]) -> Option<ThingKind> {
        let mark = bag.iter().next().filter(|_| bag.len() == 1)?;
        kinds.iter().copied().find(|kind| mark_of(*kind) == *mark)
    }
}

/// Returns the mark of a kind.
pub(super) fn mark_of(kind: ThingKind) -> String {
    format!("#{kind:?}").to_lowercase()
}
