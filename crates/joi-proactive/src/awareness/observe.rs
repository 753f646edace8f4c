//! What the items that mean something say right now.
//!
//! In: a house and the meanings of its items. Out: one [`ItemObservation`] for each that has a value. Nothing is compared
//! with before: that is the state's business, so a lost connection or a restart can't lose a change.
//! Pure: no I/O, no clock.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::event::CriticalId;
use joi_home::house::{House, Item, ItemMeaning, StateValue};

/// The meaning of an item's state.
#[derive(Debug, Clone, PartialEq)]
pub enum ItemObservation {
    /// A detector of a danger is on or off.
    Danger(CriticalId, bool),
    /// Somebody is at home, as far as this item knows.
    Present(bool),
    /// A door or window is open.
    Open(bool),
    /// It is so warm, in °C.
    Warmth(f64),
    /// The weather service warns, or (empty) does not.
    Weather(String),
}

/// Words by which a warning is known.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WarningWords {
    storm: Vec<String>,
    flood: Vec<String>,
    none: Vec<String>,
    /// A sentence that begins so reports no warning.
    denied: Vec<String>,
    /// A sentence that holds one of these reports that a warning is over.
    lifted: Vec<String>,
}

/// Words by which detectors report their state, where they are neither switches nor contacts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DetectorWords {
    on: Vec<String>,
    off: Vec<String>,
}

static WORDS: LazyLock<WarningWords> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
    toml::from_str(include_str!("../../../../assets/home/warnings.toml")).expect("assets/home/warnings.toml")
});

static DETECTORS: LazyLock<DetectorWords> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
    toml::from_str(include_str!("../../../../assets/home/detectors.toml"))
        .expect("assets/home/detectors.toml")
});

/// Returns all that is said: the item's name, what to call it, and what it says.
pub fn observations(
    house: &House,
    meanings: &BTreeMap<String, ItemMeaning>,
) -> Vec<(String, String, ItemObservation)> {
    let all = meanings.iter().filter_map(|(name, meaning)| Some((house.item(name)?, *meaning)));
    all.filter_map(|(item, meaning)| {
        Some((item.name.clone(), title(house, item), observation(item, meaning)?))
    })
    .collect()
}

fn observation(item: &Item, meaning: ItemMeaning) -> Option<ItemObservation> {
    let is_active = is_active(&item.state.value);
    Some(match meaning {
        ItemMeaning::Smoke => ItemObservation::Danger(CriticalId::SmokeAlarm, is_active?),
        ItemMeaning::Gas => ItemObservation::Danger(CriticalId::GasLeak, is_active?),
        ItemMeaning::Water => ItemObservation::Danger(CriticalId::WaterLeak, is_active?),
        ItemMeaning::Intrusion => ItemObservation::Danger(CriticalId::IntrusionDetected, is_active?),
        ItemMeaning::Presence => ItemObservation::Present(is_active?),
        ItemMeaning::Door => ItemObservation::Open(is_active?),
        ItemMeaning::Temperature => match &item.state.value {
            StateValue::Number { value, unit } if unit.as_deref() == Some("°F") => {
                ItemObservation::Warmth((value - 32.0) / 1.8)
            }
            StateValue::Number { value, .. } => ItemObservation::Warmth(*value),
            _ => return None,
        },
        ItemMeaning::WeatherAlert => match &item.state.value {
            StateValue::OnOff(true) => ItemObservation::Weather(item.title().to_owned()),
            StateValue::OnOff(false) => ItemObservation::Weather(String::new()),
            StateValue::Text(text) => ItemObservation::Weather(warning(text)),
            _ => return None,
        },
    })
}

/// Returns whether a detector is on, as switches, contacts, and those report it that write a word or 0 and 1. A
/// measured value with a unit is none: where its limit lies is not known.
pub(super) fn is_active(value: &StateValue) -> Option<bool> {
    match value {
        StateValue::OnOff(on) => Some(*on),
        StateValue::OpenClosed(open) => Some(*open),
        StateValue::Number { value, unit: None } => match value {
            0.0 => Some(false),
            1.0 => Some(true),
            _ => None,
        },
        StateValue::Text(text) => {
            let word = text.trim().to_lowercase();
            match (DETECTORS.on.contains(&word), DETECTORS.off.contains(&word)) {
                (true, _) => Some(true),
                (false, true) => Some(false),
                (false, false) => None,
            }
        }
        _ => None,
    }
}

/// Returns the text of a warning; empty where it says that there is none.
pub(super) fn warning(text: &str) -> String {
    let text = text.trim();
    let lower = text.to_lowercase();
    let is_none = WORDS.none.contains(&lower) || in_force(&lower).next().is_none();
    if is_none { String::new() } else { text.chars().filter(|sign| !sign.is_control()).take(200).collect() }
}

/// Returns the sentences of a warning, without those that report none or of one that is over.
fn in_force(lower: &str) -> impl Iterator<Item = &str> {
    let sentences = lower
        .split(['.', ';', '!', ':', '–', '—', '\n'])
        .map(str::trim)
        .filter(|sentence| !sentence.is_empty());
    sentences.filter(|sentence| {
        let is_denied = WORDS.denied.iter().any(|word| {
            sentence.strip_prefix(word.as_str()).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        });
        let is_lifted = || WORDS.lifted.iter().any(|word| sentence.contains(word.as_str()));
        !is_denied && !is_lifted()
    })
}

/// Returns the danger that a warning of the weather service reports.
pub(super) fn danger_in(text: &str) -> Option<CriticalId> {
    let lower = text.to_lowercase();
    let sentences: Vec<&str> = in_force(&lower).collect();
    let has = |words: &[String]| {
        words.iter().any(|word| sentences.iter().any(|sentence| sentence.contains(word.as_str())))
    };
    if has(&WORDS.flood) {
        Some(CriticalId::FloodWarning)
    } else if has(&WORDS.storm) {
        Some(CriticalId::StormWarning)
    } else {
        None
    }
}

/// Returns what to call an item: its label, with its room in front, where the label does not name it.
fn title(house: &House, item: &Item) -> String {
    let title = item.title().to_owned();
    let room = item.location.as_deref().and_then(|name| house.location(name)).map(|l| l.title().to_owned());
    match room {
        Some(room) if !title.to_lowercase().contains(&room.to_lowercase()) => format!("{room} {title}"),
        _ => title,
    }
}
