//! The words by which things of servers without openHAB's semantic model become items: `assets/home/classes.toml`, by
//! domain and device class, and the vocabulary of classes, by whose words an area is known to be a kitchen.
//! Pure: no I/O, no clock.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::read::TagVocabulary;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClassFile {
    equipment: HashMap<String, String>,
    property: HashMap<String, String>,
    dimension: HashMap<String, String>,
    labels: HashMap<String, HashMap<String, String>>,
}

#[derive(Deserialize)]
struct ClassRow {
    uid: String,
    label: String,
    #[serde(default)]
    synonyms: Vec<String>,
}

static FILE: LazyLock<ClassFile> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
    toml::from_str(include_str!("../../../../assets/home/classes.toml")).expect("assets/home/classes.toml")
});

const ENGLISH: &str = include_str!("../../../../assets/home/tags.json");
const GERMAN: &str = include_str!("../../../../assets/home/tags_de.json");

static VOCABULARY: LazyLock<TagVocabulary> = LazyLock::new(|| {
    let mut vocabulary = TagVocabulary::default();
    for rows in [ENGLISH, GERMAN].iter().filter_map(|text| serde_json::from_str::<Vec<Value>>(text).ok()) {
        vocabulary.add(&rows);
    }
    vocabulary
});

/// Places by what they are called, in lower case.
static PLACES: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let mut places = HashMap::new();
    for rows in [ENGLISH, GERMAN].iter().filter_map(|text| serde_json::from_str::<Vec<ClassRow>>(text).ok()) {
        for row in rows.into_iter().filter(|row| row.uid.starts_with("Location_")) {
            for name in std::iter::once(row.label).chain(row.synonyms) {
                places.entry(name.to_lowercase()).or_insert_with(|| row.uid.clone());
            }
        }
    }
    places
});

/// The names of classes, English and German.
pub(crate) fn vocabulary() -> &'static TagVocabulary {
    &VOCABULARY
}

/// Returns the names of a class in the server's language, where it is English or German, and in the other.
pub(crate) fn class_names(class: &str, language: &str) -> (Option<String>, Vec<String>) {
    let of = |text: &str| {
        let mut vocabulary = TagVocabulary::default();
        if let Ok(rows) = serde_json::from_str::<Vec<Value>>(text) {
            vocabulary.add(&rows);
        }
        vocabulary.names_of(class).to_vec()
    };
    let own = of(if language.starts_with("de") { GERMAN } else { ENGLISH });
    let all = VOCABULARY.names_of(class).iter().filter(|name| own.first() != Some(name)).cloned();
    (own.first().cloned(), all.collect())
}

/// The class of a place by one of its names.
pub(crate) fn place(name: &str) -> Option<&'static str> {
    PLACES.get(&name.trim().to_lowercase()).map(String::as_str)
}

/// The class of an entity that is a thing of its own.
pub(crate) fn equipment(domain: &str, device_class: &str) -> Option<&'static str> {
    let with_class = FILE.equipment.get(&format!("{domain}.{device_class}"));
    with_class.or_else(|| FILE.equipment.get(domain)).map(String::as_str)
}

/// Returns whether a word of `name` is one for a window.
pub(crate) fn is_called_as_window(name: &str) -> bool {
    let name = name.to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    let is_one =
        |word: &str| VOCABULARY.names_of("Window").iter().any(|one| word.ends_with(&one.to_lowercase()));
    words.any(|word| !word.is_empty() && is_one(word))
}

/// Returns the property of an entity of this device class.
pub(crate) fn property(device_class: &str) -> Option<&'static str> {
    FILE.property.get(device_class).map(String::as_str)
}

/// Returns the quantity that a number of this device class measures.
pub(crate) fn dimension(device_class: &str) -> Option<&'static str> {
    FILE.dimension.get(device_class).map(String::as_str)
}

/// Returns the names of all scenes, or all scripts, in the server's language and in the others.
pub(crate) fn labels(what: &str, language: &str) -> (Option<String>, Vec<String>) {
    let of = |language: &str| FILE.labels.get(language).and_then(|labels| labels.get(what)).cloned();
    let start = language.split(['-', '_']).next().unwrap_or_default();
    let own = if FILE.labels.contains_key(start) { start } else { "en" };
    let mut others: Vec<_> =
        FILE.labels.keys().filter(|name| *name != own).filter_map(|name| of(name)).collect();
    others.sort_unstable();
    (of(own), others)
}
