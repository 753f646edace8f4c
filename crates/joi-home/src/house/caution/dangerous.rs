//! Names of things that are dangerous: gas, stoves, the main switch, panic buttons.
//!
//! Servers have no class for them, so their names decide: a word of them, some words in a row, or a part of a compound. What
//! is only at such a thing ("oven light", "Dachfensterrollladen") is harmless by its own name.
//! Pure: no I/O, no clock.

use serde::Deserialize;

/// The kinds of dangerous things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DangerKind {
    /// It lets in or opens.
    Entrance,
    /// Gas or the main water.
    Valve,
    /// It calls for help, or keeps intruders out.
    Alarm,
    /// Fire, current, weapons, medical devices.
    Other,
}

/// Names of dangerous things by their kind.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DangerousNames {
    entrance: NameMarks,
    valve: NameMarks,
    alarm: NameMarks,
    other: NameMarks,
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
    /// Returns why something with these names, the label first, is dangerous; `is_beside` knows the words of what is only at
    /// a dangerous thing.
    pub(super) fn kind(&self, names: &[Vec<String>], is_beside: impl Fn(&str) -> bool) -> Option<DangerKind> {
        let is_harmless = |word: &String| is_beside(word) && !self.holds(word);
        if names.first().is_some_and(|label| label.iter().any(is_harmless)) {
            return None;
        }
        let fits = |marks: &NameMarks| names.iter().any(|name| marks.fit(name, &is_beside));
        self.kinds().into_iter().find(|(_, marks)| fits(marks)).map(|(kind, _)| kind)
    }

    fn kinds(&self) -> [(DangerKind, &NameMarks); 4] {
        [
            (DangerKind::Entrance, &self.entrance),
            (DangerKind::Valve, &self.valve),
            (DangerKind::Alarm, &self.alarm),
            (DangerKind::Other, &self.other),
        ]
    }

    /// Whether a word is, or has in it, the name of a dangerous thing.
    fn holds(&self, word: &str) -> bool {
        self.kinds().iter().any(|(_, marks)| marks.is_word(word) || marks.part(word).is_some())
    }
}

impl NameMarks {
    fn fit(&self, name: &[String], is_beside: &impl Fn(&str) -> bool) -> bool {
        // The lamp of the oven is called by a compound of both.
        let is_compound = |word: &String| self.part(word).is_some_and(|rest| !is_beside(rest));
        let in_a_row = |phrase: &String| {
            let phrase: Vec<&str> = phrase.split(' ').collect();
            let is_phrase = |words: &[String]| words.iter().map(|word| bare(word)).eq(phrase.iter().copied());
            name.windows(phrase.len()).any(is_phrase)
        };
        name.iter().any(|word| self.is_word(word) || is_compound(word)) || self.phrases.iter().any(in_a_row)
    }

    fn is_word(&self, word: &str) -> bool {
        let word = bare(word);
        let singular = word.strip_suffix('s').unwrap_or(word);
        self.words.iter().any(|known| known == word || known == singular)
    }

    /// Returns the end of `word` behind a part that makes it dangerous.
    fn part<'a>(&self, word: &'a str) -> Option<&'a str> {
        let word = bare(word);
        self.parts.iter().find_map(|part| word.find(part.as_str()).map(|at| &word[at + part.len()..]))
    }
}

/// A word without the number of the thing.
fn bare(word: &str) -> &str {
    word.trim_end_matches(|sign: char| sign.is_ascii_digit())
}
