//! The words by which requests are known to want a tool, and by which tools understand their arguments.
//!
//! PURE, read once. In: `assets/tools`, one file for each language. Out: the words of all of them together. A file that
//! can't be read costs what it would tell, and is in the log; a test reads all of them.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

const FILES: [(&str, &str); 2] =
    [("en", include_str!("../../assets/tools/en.toml")), ("de", include_str!("../../assets/tools/de.toml"))];

/// One language, as its file has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    cues: BTreeMap<String, Vec<String>>,
    sums: SumWords,
    lists: ListWords,
    places: BTreeMap<String, String>,
    claims: ClaimWords,
}

/// Arithmetic in words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SumWords {
    /// In front of a sum.
    pub(super) before: Vec<String>,
    /// Behind it.
    pub(super) behind: Vec<String>,
    pub(super) article: String,
    /// Words and the signs for them, in order.
    pub(super) signs: Vec<(String, String)>,
}

/// What lists are called.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListWords {
    /// No part of a name.
    pub(super) unnamed: Vec<String>,
    pub(super) notes: Vec<String>,
    pub(super) shopping: Vec<String>,
    /// Between the things of a list.
    pub(super) and: String,
    pub(super) ready: ReadyWords,
}

/// Requests that are a call as they stand, as patterns; `{text}` is what it is about, `{list}` a list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadyWords {
    /// In front of a request and behind it.
    pub(super) before: Vec<String>,
    pub(super) behind: Vec<String>,
    /// What only the conversation knows.
    pub(super) vague: Vec<String>,
    /// What a list may be called; its name is the group `list`.
    pub(super) list: String,
    pub(super) add: Vec<String>,
    pub(super) remove: Vec<String>,
    pub(super) read: Vec<String>,
    pub(super) clear: Vec<String>,
}

/// How deeds are claimed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimWords {
    /// What was done.
    pub deeds: Vec<String>,
    /// In front of a claim, as alternatives.
    pub lead: String,
    /// Between clauses.
    pub and: String,
    /// Patterns; `{deeds}` stands for any of the deeds.
    pub say: Vec<String>,
}

/// All languages together.
struct Languages {
    files: Vec<File>,
    /// By tool.
    cues: HashMap<String, Vec<&'static str>>,
}

fn languages() -> &'static Languages {
    static LANGUAGES: LazyLock<Languages> = LazyLock::new(|| {
        let files: Vec<File> = FILES
            .into_iter()
            .filter_map(|(name, text)| {
                toml::from_str(text)
                    .inspect_err(
                        |error| tracing::error!(%error, name, "the words of the tools can't be read"),
                    )
                    .ok()
            })
            .collect();
        let mut cues: HashMap<String, Vec<&'static str>> = HashMap::new();
        for (tool, words) in files.iter().flat_map(|file: &File| &file.cues) {
            // They are used as long as the program runs.
            let words = words.iter().map(|word| &*word.clone().leak());
            cues.entry(tool.clone()).or_default().extend(words);
        }
        Languages { files, cues }
    });
    &LANGUAGES
}

/// The words that make a request likely to be for the tool `name`.
pub(super) fn cues(name: &str) -> &'static [&'static str] {
    languages().cues.get(name).map_or(&[], Vec::as_slice)
}

/// Arithmetic in words, by language.
pub(super) fn sums() -> impl Iterator<Item = &'static SumWords> + Clone {
    languages().files.iter().map(|file| &file.sums)
}

/// What lists are called, by language.
pub(super) fn lists() -> impl Iterator<Item = &'static ListWords> + Clone {
    languages().files.iter().map(|file| &file.lists)
}

/// The zone of a place whose zone bears another name; `place` in lower case.
pub(super) fn zone(place: &str) -> Option<&'static str> {
    languages().files.iter().find_map(|file| file.places.get(place)).map(String::as_str)
}

/// How deeds are claimed, by language; nothing when a file can't be read, and then nothing may be claimed.
pub fn claims() -> Option<Vec<&'static ClaimWords>> {
    let files = &languages().files;
    (files.len() == FILES.len()).then(|| files.iter().map(|file| &file.claims).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_can_be_read_and_knows_tools_that_exist() {
        assert_eq!(languages().files.len(), FILES.len());
        let shipped = super::super::tests::shipped_names();
        for tool in languages().cues.keys() {
            assert!(shipped.contains(tool), "{tool}");
        }
        assert!(cues("calculate").contains(&"divided") && cues("calculate").contains(&"wurzel aus"));
        assert_eq!(zone("münchen"), Some("Europe/Berlin"));
        assert!(jiff::tz::TimeZone::get("Europe/Vienna").is_ok());
        for place in languages().files.iter().flat_map(|file| file.places.values()) {
            assert!(jiff::tz::TimeZone::get(place).is_ok(), "{place}");
        }
    }
}
