//! Reads the server's JSON: items as of 4.x and 5.x, and the vocabulary of its tags.
//!
//! An item that can't be read is left out and named; one bad item never costs the house.
//! Pure: no I/O, no clock.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use super::item::{Item, ItemKind, ItemOption, ValueRange};
use super::permission::Permission;
use super::semantics::Semantics;
use super::state::ItemState;

/// An item that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadItem {
    /// Its name; empty when even that is missing.
    pub name: String,
    /// The reason.
    pub error: String,
}

/// The names of semantic classes, in each language that was added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TagVocabulary(HashMap<String, Vec<String>>);

#[derive(Deserialize)]
struct TagRow {
    name: String,
    #[serde(default)]
    label: String,
    #[serde(default)]
    synonyms: Vec<String>,
}

impl TagVocabulary {
    /// Adds the server's list of tags in one language. Rows that can't be read are left out.
    pub fn add(&mut self, rows: &[Value]) {
        for row in rows.iter().filter_map(|row| TagRow::deserialize(row).ok()) {
            let names = self.0.entry(row.name).or_default();
            for name in std::iter::once(row.label).chain(row.synonyms).filter(|name| !name.is_empty()) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }

    /// Returns labels and synonyms of the class of that name: "Kitchen" has "Kitchen", "Kitchens", "Küche".
    pub fn names_of(&self, class: &str) -> &[String] {
        self.0.get(class).map_or(&[], Vec::as_slice)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ItemRow {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    label: Option<String>,
    category: Option<String>,
    state: Option<String>,
    group_type: Option<String>,
    function: Option<FunctionRow>,
    unit_symbol: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    group_names: Vec<String>,
    state_description: Option<StateDescriptionRow>,
    command_description: Option<CommandDescriptionRow>,
    #[serde(default)]
    metadata: HashMap<String, MetadataRow>,
}

#[derive(Deserialize)]
struct FunctionRow {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StateDescriptionRow {
    minimum: Option<f64>,
    maximum: Option<f64>,
    step: Option<f64>,
    pattern: Option<String>,
    #[serde(default)]
    read_only: bool,
    #[serde(default)]
    options: Vec<StateOptionRow>,
}

#[derive(Deserialize)]
struct StateOptionRow {
    value: String,
    label: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CommandDescriptionRow {
    #[serde(default)]
    command_options: Vec<CommandOptionRow>,
}

#[derive(Deserialize)]
struct CommandOptionRow {
    command: String,
    label: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct MetadataRow {
    value: String,
    config: HashMap<String, Value>,
}

/// Reads the rows of the item list; returns the items, and the rows that could not be read.
pub fn items(rows: Vec<Value>) -> (Vec<Item>, Vec<UnreadItem>) {
    let mut read = Vec::with_capacity(rows.len());
    let mut unread = Vec::new();
    for row in rows {
        let name = row.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        match item(row) {
            Ok(item) => read.push(item),
            Err(error) => unread.push(UnreadItem { name, error: error.to_string() }),
        }
    }
    (read, unread)
}

/// Reads one row of the item list, or the answer for one item.
pub fn item(row: Value) -> Result<Item, serde_json::Error> {
    let row = ItemRow::deserialize(row)?;
    let mut kind = ItemKind::named(&row.kind);
    if let ItemKind::Group { of, function } = &mut kind {
        *of = row.group_type.as_deref().map(|name| Box::new(ItemKind::named(name)));
        *function = row.function.map(|function| function.name);
    }
    let mut item = Item::named(row.name, kind);
    let state_text = row.state.unwrap_or_else(|| "NULL".to_owned());
    item.state = ItemState::read(&state_text, &item.kind);
    item.label = row.label.as_deref().map(without_format).filter(|label| !label.is_empty());
    item.category = row.category.filter(|category| !category.is_empty());
    item.unit = row.unit_symbol;
    item.tags = row.tags;
    item.groups = row.group_names;
    if let Some(synonyms) = row.metadata.get("synonyms") {
        let words = synonyms.value.split(',').map(str::trim).filter(|word| !word.is_empty());
        item.synonyms = words.map(str::to_owned).collect();
    }
    if let Some(entry) = row.metadata.get("semantics") {
        let text = |key: &str| entry.config.get(key).and_then(Value::as_str).map(str::to_owned);
        item.semantics = Semantics::read(&entry.value, text);
    }
    if let Some(entry) = row.metadata.get("voiceSystem") {
        item.own_permission =
            entry.config.get("permission").and_then(Value::as_str).and_then(Permission::read);
    }
    if let Some(description) = row.state_description {
        item.range =
            ValueRange { min: description.minimum, max: description.maximum, step: description.step };
        item.is_read_only = description.read_only;
        item.decimals = description.pattern.as_deref().and_then(decimals);
        let options = description.options.into_iter().map(|row| option(row.value, row.label));
        item.options = options.collect();
    }
    if let Some(description) = row.command_description {
        let options = description.command_options.into_iter().map(|row| option(row.command, row.label));
        item.command_options = options.collect();
    }
    Ok(item)
}

fn option(value: String, label: Option<String>) -> ItemOption {
    let label = label.filter(|label| !label.is_empty()).unwrap_or_else(|| value.clone());
    ItemOption { value, label }
}

/// `Temperature [%.1f °C]` is called "Temperature".
fn without_format(label: &str) -> String {
    let is_format = |at: usize| label[at..].contains('%') || label.trim_end().ends_with(']');
    match label.rfind('[').filter(|at| is_format(*at)) {
        Some(at) => label[..at].trim().to_owned(),
        None => label.trim().to_owned(),
    }
}

/// The decimals of a number's format: 1 of `%.1f %unit%`.
fn decimals(pattern: &str) -> Option<usize> {
    let rest = &pattern[pattern.find("%.")? + 2..];
    let end = rest.find('f')?;
    rest[..end].parse().ok().filter(|digits| *digits <= 6)
}
