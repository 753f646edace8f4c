//! Describes the house for the model with every question: who is there, what is open, what is unusual.
//!
//! Input: the house, what is known beside its states, and the usual temperatures. Output: one line of at most [`MOST`]
//! characters, or nothing. Free-text states are left out, since a stranger may have written them. The line changes with
//! the states, so it belongs to the newest message.
//! Pure: no I/O, no clock.

use joi_home::house::{House, Item, ItemKind, StateValue};
use joi_language::house::HouseWords;
use joi_language::{SummaryWords, fill};

/// Most characters of the line.
const MOST: usize = 300;
/// Most things named in one part of it.
const MOST_NAMED: usize = 4;
/// Humidity that is usual, in percent.
const DRY_TO_DAMP: std::ops::RangeInclusive<f64> = 30.0..=65.0;
/// Conditions that must not occur.
const DANGERS: [&str; 6] = ["Smoke", "Gas", "CO", "Water", "Tampered", "Alarm"];
/// Equipment that reports nothing else.
const DETECTORS: [&str; 4] = ["FireDetector", "GasDetector", "LeakSensor", "CODetector"];

/// Knowledge of the house beside its states: by the meanings of items, of services, of what was mentioned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HouseKnown {
    /// Items of detectors that are on.
    pub alarms: Vec<String>,
    /// Items of doors and windows that are open.
    pub open: Vec<String>,
    /// Whether somebody is at home; nothing where that is not known.
    pub is_anybody_home: Option<bool>,
    /// The weather, in our words.
    pub weather: Option<String>,
    /// The last proactive message, in our words.
    pub mentioned: Option<String>,
}

/// Returns the line; empty if there is nothing to report. Without a connection no state is reported.
pub fn house_summary(
    house: Option<&House>,
    known: &HouseKnown,
    comfort_c: [i32; 2],
    words: &HouseWords,
) -> String {
    let summary = &words.summary;
    let mut parts = Vec::new();
    let mut outside = Vec::new();
    if let Some(house) = house {
        parts.extend([
            part(&summary.alarm, &titles(house, dangers(house), &known.alarms), summary),
            present(house, known, summary),
            part(&summary.open, &titles(house, open(house), &known.open), summary),
            part(&summary.unusual, &unusual(house, comfort_c, summary), summary),
        ]);
        outside = weather(house, summary);
    }
    outside.extend(known.weather.clone());
    parts.push(part(&summary.weather, &outside, summary));
    parts.push(part(&summary.mentioned, known.mentioned.as_slice(), summary));
    parts.retain(|part| !part.is_empty());
    // What matters most stands first; what does not fit is left out whole.
    while !parts.is_empty() {
        let line = fill(&summary.frame, &[("parts", &parts.join("; "))]);
        if line.chars().count() <= MOST {
            return line;
        }
        parts.pop();
    }
    String::new()
}

fn part(sentence: &str, things: &[String], words: &SummaryWords) -> String {
    if things.is_empty() {
        return String::new();
    }
    let mut named: Vec<String> = things.iter().take(MOST_NAMED).cloned().collect();
    if things.len() > MOST_NAMED {
        named.push(fill(&words.more, &[("count", &(things.len() - MOST_NAMED).to_string())]));
    }
    fill(sentence, &[("things", &named.join(", "))])
}

/// Items with a state of their own that may be spoken of.
fn shown_items(house: &House) -> impl Iterator<Item = &Item> {
    house.readable().filter(|item| !matches!(item.kind, ItemKind::Group { .. }))
}

fn is_about(item: &Item, property: &str) -> bool {
    item.semantics.as_ref().and_then(|s| s.property.as_ref()).is_some_and(|own| own.is(property))
}

/// Returns whether a switch or a contact says yes.
fn holds(item: &Item) -> Option<bool> {
    match item.state.value {
        StateValue::OnOff(is) | StateValue::OpenClosed(is) => Some(is),
        _ => None,
    }
}

fn title(item: &Item, house: &House) -> String {
    let is_common = shown_items(house).filter(|other| other.title() == item.title()).count() > 1;
    let room = house.locations_of(item).next().filter(|_| is_common);
    room.map_or_else(|| item.title().to_owned(), |room| format!("{} ({})", item.title(), room.title()))
}

/// Returns what these items are called, and those that mean the same by their names.
fn titles<'a>(house: &'a House, mut items: Vec<&'a Item>, named: &[String]) -> Vec<String> {
    for item in named.iter().filter_map(|name| house.item(name)) {
        if !items.iter().any(|other| other.name == item.name) {
            items.push(item);
        }
    }
    items.into_iter().map(|item| title(item, house)).collect()
}

fn is_detector(item: &Item) -> bool {
    let class = item.semantics.as_ref().map(|semantics| &semantics.class);
    DANGERS.iter().any(|name| is_about(item, name))
        || class.is_some_and(|class| DETECTORS.iter().any(|name| class.is(name)))
}

fn dangers(house: &House) -> Vec<&Item> {
    let is_one = |item: &&Item| {
        let tells = item.semantics.as_ref().is_none_or(|s| !s.class.is("Control") && !s.class.is("Setpoint"));
        tells && is_detector(item) && holds(item) == Some(true)
    };
    shown_items(house).filter(is_one).collect()
}

fn present(house: &House, known: &HouseKnown, words: &SummaryWords) -> String {
    let all: Vec<(&Item, Option<bool>)> = shown_items(house)
        .filter(|item| is_about(item, "Presence"))
        .map(|item| (item, holds(item)))
        .collect();
    let there: Vec<String> =
        all.iter().filter(|(_, is)| *is == Some(true)).map(|(item, _)| title(item, house)).collect();
    let is_empty = !all.is_empty() && all.iter().all(|(_, is)| *is == Some(false));
    match known.is_anybody_home {
        _ if !there.is_empty() => part(&words.present, &there, words),
        Some(true) => words.somebody.clone(),
        Some(false) => words.nobody.clone(),
        None if is_empty => words.nobody.clone(),
        None => String::new(),
    }
}

fn open(house: &House) -> Vec<&Item> {
    let is_open = |item: &&Item| {
        *item.kind.acts_as() == ItemKind::Contact
            && item.state.value == StateValue::OpenClosed(true)
            && !is_detector(item)
    };
    shown_items(house).filter(is_open).collect()
}

fn is_outside(item: &Item, house: &House) -> bool {
    let equipment = item.equipment.as_deref().and_then(|name| house.equipment_named(name));
    house.locations_of(item).any(|location| location.class.is("Outdoor"))
        || equipment.is_some_and(|equipment| equipment.class.is("WeatherService"))
}

fn is_measured(item: &Item) -> bool {
    item.is_read_only || item.semantics.as_ref().is_some_and(|s| s.class.is("Measurement"))
}

fn celsius(item: &Item) -> Option<f64> {
    let is_temperature =
        matches!(item.kind.acts_as(), ItemKind::Number { dimension: Some(d) } if d == "Temperature");
    match &item.state.value {
        StateValue::Number { value, unit } if is_temperature && is_measured(item) => match unit.as_deref() {
            Some("°F") => Some((value - 32.0) / 1.8),
            Some("°C") | None => Some(*value),
            Some(_) => None,
        },
        _ => None,
    }
}

fn valued(item: &Item, house: &House, words: &SummaryWords) -> String {
    fill(&words.value, &[("thing", &title(item, house)), ("value", &item.shown_state())])
}

fn unusual(house: &House, [from, to]: [i32; 2], words: &SummaryWords) -> Vec<String> {
    let is_one = |item: &&Item| {
        let is_uncomfortable = celsius(item).is_some_and(|value| value < from.into() || value > to.into());
        let is_humidity = is_about(item, "Humidity") && is_measured(item);
        let is_damp = is_humidity && item.state.number().is_some_and(|value| !DRY_TO_DAMP.contains(&value));
        let is_low = is_about(item, "LowBattery") && holds(item) == Some(true);
        !is_outside(item, house) && (is_uncomfortable || is_damp || is_low)
    };
    shown_items(house).filter(is_one).map(|item| valued(item, house, words)).collect()
}

fn weather(house: &House, words: &SummaryWords) -> Vec<String> {
    let is_one = |item: &&Item| {
        let rains = is_about(item, "Rain") && holds(item) == Some(true);
        is_outside(item, house) && (celsius(item).is_some() || rains)
    };
    shown_items(house).filter(is_one).map(|item| valued(item, house, words)).collect()
}

#[cfg(test)]
mod tests;
