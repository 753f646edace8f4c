//! Which commands are asked back first: locks, doors that a command opens, valves, alarms, dangerous things.
//!
//! This is ours and stricter than the server's permissions. It is decided by the semantic class, the icon, or words of
//! the name for items without semantics; the lists are `assets/home/caution.toml`. A group with such a member counts as
//! one. Of options ("open garage") each is decided by what it is called. The configuration names exceptions both ways: a
//! group that is asked first stands for its members, one that never is for itself alone.
//! An item that can't be commanded needs no caution.
//! Pure: no I/O, no clock.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::item::{Item, ItemKind};
use super::permission::HouseRules;

mod dangerous;

use dangerous::{DangerKind, DangerousNames};

/// Whether a command has to be confirmed before it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Caution {
    /// It is sent at once.
    #[default]
    None,
    /// It is asked back in a turn of its own, never sent in a turn with a stranger's words, and never from speech the
    /// recogniser was unsure of.
    AskFirst(CautionCause),
}

/// The reason for a confirmation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CautionCause {
    /// A door, gate, garage door or lock.
    Entrance,
    /// A valve for water or gas.
    Valve,
    /// An alarm system or siren.
    Alarm,
    /// It is dangerous in another way, or the configuration says so.
    Configured,
}

/// The signs of things that need care.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Marks {
    /// Semantic classes; what is below them counts as well.
    classes: Vec<String>,
    /// Names of icons.
    categories: Vec<String>,
    /// Words of a name or label.
    words: Vec<String>,
    /// Ends of words, as German compounds have them.
    endings: Vec<String>,
}

/// Names of doors; by these alone a lamp at the door would be one as well.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DoorNames {
    words: Vec<String>,
    endings: Vec<String>,
    /// Words that mean a door where a name ends with them.
    places: Vec<String>,
    /// Words behind them that change nothing.
    neutral: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CautionFile {
    entrance: Marks,
    valve: Marks,
    alarm: Marks,
    /// Names of switches or shutters that are doors.
    doors: DoorNames,
    /// Words of things at a door that are not doors.
    at_doors: Marks,
    /// Names of things that are dangerous.
    dangerous: DangerousNames,
    /// Signs of things at them that are harmless.
    at_dangerous: Marks,
    /// Properties of points that are harmless wherever they are: the light over the door.
    harmless_properties: Vec<String>,
}

static FILE: LazyLock<CautionFile> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
    toml::from_str(include_str!("../../../../assets/home/caution.toml")).expect("assets/home/caution.toml")
});

/// Sets every item's caution, groups after their members.
pub(super) fn resolve(items: &mut BTreeMap<String, Item>, rules: &HouseRules) {
    let causes: BTreeMap<String, CautionCause> =
        items.values().filter_map(|item| Some((item.name.clone(), cause(item, items, rules)?))).collect();
    let mut all = causes.clone();
    for (name, cause) in &causes {
        for group in groups_around(name, items) {
            all.entry(group).or_insert(*cause);
        }
    }
    for item in items.values_mut() {
        let is_free = rules.act_freely.contains(&item.name);
        item.caution = match all.get(&item.name) {
            Some(cause) if !is_free => Caution::AskFirst(*cause),
            _ => Caution::None,
        };
        item.risky_options = if is_free { Vec::new() } else { risky_options(item) };
    }
}

/// Returns the values of options whose labels sound like something to confirm: scripts, scenes, modes.
fn risky_options(item: &Item) -> Vec<(String, CautionCause)> {
    let all = item.command_options.iter().chain(&item.options);
    all.filter_map(|option| {
        let names = [option.label.as_str(), option.value.as_str()];
        let words: Vec<String> = names.into_iter().flat_map(split).collect();
        let by_word =
            FILE.kinds().into_iter().find(|(_, marks)| words.iter().any(|word| marks.is_word(word)));
        let cause = by_word.map(|(cause, _)| cause);
        let cause = cause.or_else(|| is_called_as_door(names).then_some(CautionCause::Entrance));
        let cause = cause.or_else(|| danger_of_names(names));
        Some((option.value.clone(), cause?))
    })
    .collect()
}

/// Whether something with these names, the label first, is named like a door.
pub fn is_called_as_door<'a>(names: impl IntoIterator<Item = &'a str>) -> bool {
    let names: Vec<Vec<String>> = names.into_iter().map(split).collect();
    let is_at_door = names.first().is_some_and(|label| label.iter().any(|word| FILE.at_doors.is_word(word)));
    !is_at_door && names.iter().any(|name| FILE.doors.fit(name))
}

fn cause(item: &Item, items: &BTreeMap<String, Item>, rules: &HouseRules) -> Option<CautionCause> {
    if rules.act_freely.contains(&item.name) {
        return None;
    }
    if rules.ask_first.contains(&item.name) {
        return Some(CautionCause::Configured);
    }
    let is_group = matches!(item.kind, ItemKind::Group { .. });
    if is_group || !item.kind.takes_commands() || item.is_read_only {
        return None;
    }
    let in_group = || is_in_asked_group(item, items, rules).then_some(CautionCause::Configured);
    by_itself(item, items).or_else(in_group)
}

/// Returns why its kind needs a confirmation, whatever the configuration says.
fn by_itself(item: &Item, items: &BTreeMap<String, Item>) -> Option<CautionCause> {
    let file = &*FILE;
    let property = item.semantics.as_ref().and_then(|semantics| semantics.property.as_ref());
    if property.is_some_and(|property| file.harmless_properties.iter().any(|name| property.is(name))) {
        return None;
    }
    let equipment = item.equipment.as_ref().and_then(|name| items.get(name));
    let known = file
        .kinds()
        .into_iter()
        .find(|(_, marks)| marks.fit(item) || equipment.is_some_and(|equipment| marks.fit_class(equipment)));
    let as_door = || is_door(item, equipment).then_some(CautionCause::Entrance);
    known.map(|(cause, _)| cause).or_else(as_door).or_else(|| danger(item, equipment))
}

/// Whether a group around it, however far out, or its equipment is asked first.
fn is_in_asked_group(item: &Item, items: &BTreeMap<String, Item>, rules: &HouseRules) -> bool {
    if rules.ask_first.is_empty() {
        return false;
    }
    let around = groups_around(&item.name, items);
    around.iter().chain(&item.equipment).any(|name| rules.ask_first.contains(name))
}

/// Whether a switch or a shutter is a door by its name or its equipment.
fn is_door(item: &Item, equipment: Option<&Item>) -> bool {
    let moves = matches!(item.kind.acts_as(), ItemKind::Switch | ItemKind::Rollershutter);
    let is_at_door = |item: &Item| {
        let has_tag = item.tags.iter().any(|tag| tag == "Lighting");
        has_tag || FILE.at_doors.fit_class(item) || FILE.at_doors.fit_category(item)
    };
    let names = item.label.iter().chain(&item.synonyms).map(String::as_str).chain([item.name.as_str()]);
    let around = equipment.into_iter().flat_map(Item::names);
    moves && !is_at_door(item) && !equipment.is_some_and(is_at_door) && is_called_as_door(names.chain(around))
}

/// Returns why an item is dangerous by its names or those of its equipment.
fn danger(item: &Item, equipment: Option<&Item>) -> Option<CautionCause> {
    // Lamps are called after what they light.
    let is_lamp = matches!(item.kind.acts_as(), ItemKind::Dimmer | ItemKind::Colour);
    let has_class = |item: &Item| {
        let is_lighting = item.tags.iter().any(|tag| tag == "Lighting");
        is_lighting || FILE.at_dangerous.fit_class(item) || FILE.at_dangerous.fit_category(item)
    };
    if is_lamp || has_class(item) || equipment.is_some_and(has_class) {
        return None;
    }
    let own = item.names().chain([item.name.as_str()]);
    danger_of_names(own.chain(equipment.into_iter().flat_map(Item::names)))
}

/// Returns why something with these names, the label first, is dangerous.
fn danger_of_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<CautionCause> {
    let names: Vec<Vec<String>> = names.into_iter().map(split).collect();
    let kind = FILE.dangerous.kind(&names, |word| FILE.at_dangerous.is_word(word))?;
    Some(match kind {
        DangerKind::Entrance => CautionCause::Entrance,
        DangerKind::Valve => CautionCause::Valve,
        DangerKind::Alarm => CautionCause::Alarm,
        DangerKind::Other => CautionCause::Configured,
    })
}

impl CautionFile {
    fn kinds(&self) -> [(CautionCause, &Marks); 3] {
        [
            (CautionCause::Entrance, &self.entrance),
            (CautionCause::Valve, &self.valve),
            (CautionCause::Alarm, &self.alarm),
        ]
    }
}

impl DoorNames {
    fn fit(&self, name: &[String]) -> bool {
        let bare = |word: &String| word.trim_end_matches(|sign: char| sign.is_ascii_digit()).to_owned();
        let words: Vec<String> = name.iter().map(bare).filter(|word| !word.is_empty()).collect();
        let is_word = |word: &String| {
            self.words.contains(word) || self.endings.iter().any(|ending| word.ends_with(ending.as_str()))
        };
        let last = words.iter().rev().find(|word| !self.neutral.contains(word));
        words.iter().any(is_word) || last.is_some_and(|word| self.places.contains(word))
    }
}

impl Marks {
    fn fit(&self, item: &Item) -> bool {
        self.fit_class(item) || self.fit_category(item) || words(item).iter().any(|word| self.is_word(word))
    }

    fn fit_category(&self, item: &Item) -> bool {
        item.category.as_ref().is_some_and(|category| self.categories.contains(category))
    }

    fn fit_class(&self, item: &Item) -> bool {
        item.semantics.as_ref().is_some_and(|semantics| {
            let classes = std::iter::once(&semantics.class).chain(&semantics.property);
            classes.into_iter().any(|class| self.classes.iter().any(|name| class.is(name)))
        })
    }

    fn is_word(&self, word: &str) -> bool {
        self.words.iter().any(|known| known == word)
            || self.endings.iter().any(|ending| word.ends_with(ending.as_str()))
    }
}

/// The words of name, label and synonyms in lower case; `GarageDoor_Lock` has three.
pub(super) fn words(item: &Item) -> Vec<String> {
    item.names().chain([item.name.as_str()]).flat_map(split).collect()
}

fn split(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for sign in text.chars() {
        let starts = sign.is_uppercase() && was_lower;
        if (!sign.is_alphanumeric() || starts) && !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        if sign.is_alphanumeric() {
            word.extend(sign.to_lowercase());
        }
        was_lower = sign.is_lowercase();
    }
    if !word.is_empty() {
        found.push(word);
    }
    found
}

fn groups_around(name: &str, items: &BTreeMap<String, Item>) -> HashSet<String> {
    let mut found = HashSet::new();
    let mut open = vec![name];
    while let Some(name) = open.pop() {
        for group in items.get(name).into_iter().flat_map(|item| &item.groups) {
            if found.insert(group.clone()) {
                open.push(group);
            }
        }
    }
    found
}
