//! Tests of recognition by construct, each with sentences that match and sentences that do not.

mod constructs;
mod languages;
mod responses;
mod work;

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::{IntentMatch, ListValue, MatchContext, SentenceTemplates, SlotLists};

/// Templates of one intent, with rules and lists.
fn templates(parts: Value) -> SentenceTemplates {
    let mut file = json!({"language": "en", "intents": {}});
    for (key, value) in parts.as_object().expect("an object") {
        file[key] = value.clone();
    }
    SentenceTemplates::parse(&file.to_string()).expect("templates")
}

/// Templates of one intent of one block.
fn one(sentences: &[&str]) -> Value {
    json!({"Test": {"data": [{"sentences": sentences}]}})
}

/// A small house.
fn house() -> SlotLists {
    let thing = |name: &str, domain: &str| ListValue::new(name).context("domain", domain);
    SlotLists::new()
        .with("name", [thing("lamp", "light"), thing("reading lamp", "light"), thing("front door", "lock")])
        .with("area", ["kitchen", "living room"].map(ListValue::new))
}

fn matches(templates: &SentenceTemplates, sentence: &str) -> Vec<IntentMatch> {
    templates.recognise(sentence, &house(), &MatchContext::new()).expect("little work")
}

/// The slots of the best match: name and value.
fn slots(templates: &SentenceTemplates, sentence: &str) -> Option<Vec<(String, Value)>> {
    let found = matches(templates, sentence).into_iter().next()?;
    Some(found.slots.into_iter().map(|slot| (slot.name, slot.value)).collect())
}

fn slot(name: &str, value: impl Into<Value>) -> (String, Value) {
    (name.to_owned(), value.into())
}

/// Where the fetched files of the languages are: as the program keeps its models.
fn data() -> PathBuf {
    if let Some(models) = std::env::var_os("JOI_MODELS") {
        return PathBuf::from(models).join("sentence-templates");
    }
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || PathBuf::from(std::env::var_os("HOME").expect("a home folder")).join(".cache");
    cache.unwrap_or_else(home).join("joi/models/sentence-templates")
}

/// The files of all languages.
///
/// # Panics
/// When they were not fetched.
fn language_files() -> Vec<(String, String)> {
    let folder = data();
    let missing = || -> ! {
        panic!(
            "no sentence templates in {}: fetch them with `joi models fetch sentence-templates`",
            folder.display()
        )
    };
    let Ok(entries) = std::fs::read_dir(&folder) else { missing() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    if files.is_empty() {
        missing();
    }
    let read = |path: PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("a readable file"))
    };
    files.into_iter().map(read).collect()
}
