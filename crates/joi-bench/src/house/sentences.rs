//! Sentences to the simulated house, each with the command it means.
//!
//! One sentence a line, a tab, and the decision as the corpora write it; `@Room` sets the room of the device, `= NAME items`
//! gives several items one name.
//! Pure: no I/O, no clock.

use std::collections::HashMap;

/// Names of rooms and kinds, English and German.
pub(super) const TAGS: [&str; 2] = [
    include_str!("../../../../tests/data/openhab/5.2.1/tags.json"),
    include_str!("../../../../tests/data/openhab/5.2.1/tags_de.json"),
];

/// A sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HouseSentence {
    /// Item name of the room of the device.
    pub(super) room: Option<String>,
    pub(super) said: String,
    /// The decision.
    pub(super) expected: String,
}

/// The items of the family's house in the language, and its sentences.
pub(super) fn of(code: &str) -> (&'static str, &'static str) {
    if code == "de" {
        (
            include_str!("../../../../tests/data/homes/family.de.json"),
            include_str!("../../../../tests/data/homes/spoken.de.tsv"),
        )
    } else {
        (
            include_str!("../../../../tests/data/homes/family.en.json"),
            include_str!("../../../../tests/data/homes/spoken.en.tsv"),
        )
    }
}

/// The sentences of a file.
pub(super) fn read(lines: &str) -> Vec<HouseSentence> {
    let mut room = None;
    let mut groups: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut all = Vec::new();
    for line in lines.lines().filter(|line| !line.starts_with('#')) {
        if let Some(named) = line.strip_prefix("= ") {
            let mut words = named.split(' ');
            groups.insert(words.next().unwrap_or_default(), words.collect());
        } else if let Some(named) = line.strip_prefix('@') {
            room = Some(named.to_owned()).filter(|named| !named.is_empty());
        } else if let Some((said, expected)) = line.split_once('\t') {
            let expected = expanded(expected, &groups);
            all.push(HouseSentence { room: room.clone(), said: said.to_owned(), expected });
        }
    }
    all
}

/// With the names of groups replaced, in the order of names.
fn expanded(expected: &str, groups: &HashMap<&str, Vec<&str>>) -> String {
    let each = |part: &str| match part.split_once('=') {
        Some((name, command)) if groups.contains_key(name) => {
            groups[name].iter().map(|item| format!("{item}={command}")).collect()
        }
        _ => vec![part.to_owned()],
    };
    let mut all: Vec<String> = expected.split(' ').flat_map(each).collect();
    if expected.contains('=') {
        let first = usize::from(all.first().is_some_and(|word| word == "yes?"));
        all[first..].sort();
    }
    all.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_have_their_sentences_with_groups_spelled_out() {
        let [english, german] = ["en", "de"].map(|code| read(of(code).1));
        assert!(english.len() >= 60 && german.len() >= 30, "{} {}", english.len(), german.len());
        let all = "# x\n= BOTH B A\n@Hall\nall on\tBOTH=ON\nis it?\tsay yes A\n";
        let sentence = |said: &str, expected: &str| HouseSentence {
            room: Some("Hall".into()),
            said: said.into(),
            expected: expected.into(),
        };
        assert_eq!(read(all), [sentence("all on", "A=ON B=ON"), sentence("is it?", "say yes A")]);
    }
}
