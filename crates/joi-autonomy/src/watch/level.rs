//! Whether a condition holds of an item right now.
//!
//! States are read as questions about the house read them. A value that is near its limit stays beyond it until it has
//! clearly come back, so that a thermometer that wavers is not reported again and again.
//! Pure: no I/O, no clock.

use std::sync::LazyLock;

use jiff::Timestamp;
use serde::Deserialize;

use joi_base::checksum;
use joi_home::house::{Item, StateValue};
use joi_language::house::HouseAsked;
use joi_language::values::{WatchLimit, WatchTest};
use joi_understand::house::holds;

/// A temperature has come back by this much, in its own degrees.
const DEGREES_BACK: f64 = 0.3;
/// Any other value by this part of its limit.
const PART_BACK: f64 = 0.02;

/// What an item says of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Level {
    /// It is so, or is not.
    Is(bool),
    /// The checksum of a text or moment; another one is an event.
    Wrote(String),
    /// It will be so, or was so, then.
    Then(Timestamp),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StateWords {
    machine: MachineWords,
    presence: PresenceWords,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MachineWords {
    finished: Vec<String>,
    running: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PresenceWords {
    home: Vec<String>,
}

static WORDS: LazyLock<StateWords> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
    toml::from_str(include_str!("../../../../assets/home/watched.toml")).expect("assets/home/watched.toml")
});

/// Returns what `item` says; nothing while its state is unknown or of no such kind. `was_so` is what it said before.
pub(super) fn level(test: &WatchTest, item: &Item, was_so: bool) -> Option<Level> {
    let asked = |asked: HouseAsked| holds(item, asked).map(Level::Is);
    match test {
        WatchTest::On => asked(HouseAsked::On),
        WatchTest::Off => asked(HouseAsked::Off),
        WatchTest::Open => asked(HouseAsked::Open),
        WatchTest::Closed => asked(HouseAsked::Closed),
        WatchTest::Locked => asked(HouseAsked::Locked),
        WatchTest::Unlocked => asked(HouseAsked::Unlocked),
        WatchTest::Done => done(item).map(Level::Is),
        WatchTest::Rings => rings(item),
        WatchTest::Home => is_home(&item.state.value).map(Level::Is),
        WatchTest::Away => is_home(&item.state.value).map(|home| Level::Is(!home)),
        WatchTest::Below(limit) => value(item, limit)
            .map(|value| Level::Is(value < if was_so { limit.value + back(limit) } else { limit.value })),
        WatchTest::Above(limit) => value(item, limit)
            .map(|value| Level::Is(value > if was_so { limit.value - back(limit) } else { limit.value })),
        WatchTest::Sunset | WatchTest::Sunrise => match item.state.value {
            StateValue::Moment(at) => Some(Level::Then(at)),
            _ => None,
        },
    }
}

fn done(item: &Item) -> Option<bool> {
    if let StateValue::Text(text) = &item.state.value {
        let word = text.trim().to_lowercase();
        let is_finished = WORDS.machine.finished.contains(&word);
        return (is_finished || WORDS.machine.running.contains(&word)).then_some(is_finished);
    }
    holds(item, HouseAsked::Off)
}

fn rings(item: &Item) -> Option<Level> {
    match &item.state.value {
        StateValue::OpenClosed(open) => Some(Level::Is(*open)),
        StateValue::Moment(_) | StateValue::Text(_) => {
            let text = item.state.text.trim();
            (!text.is_empty()).then(|| Level::Wrote(checksum::of_bytes(text.as_bytes())))
        }
        _ => holds(item, HouseAsked::On).map(Level::Is),
    }
}

fn is_home(state: &StateValue) -> Option<bool> {
    match state {
        StateValue::OnOff(on) => Some(*on),
        StateValue::OpenClosed(open) => Some(*open),
        StateValue::Text(text) if !text.trim().is_empty() => {
            Some(WORDS.presence.home.contains(&text.trim().to_lowercase()))
        }
        _ => None,
    }
}

/// Returns the value in the unit of the limit; nothing in any other.
fn value(item: &Item, limit: &WatchLimit) -> Option<f64> {
    match &item.state.value {
        StateValue::Number { value, unit } => {
            (unit.as_deref().or(item.unit.as_deref()).unwrap_or_default() == limit.unit).then_some(*value)
        }
        StateValue::Percent(value) => Some(*value),
        _ => None,
    }
}

fn back(limit: &WatchLimit) -> f64 {
    if limit.unit.starts_with('°') { DEGREES_BACK } else { limit.value.abs() * PART_BACK }
}
