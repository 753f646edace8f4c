//! Which state a command is to end in, and whether a state is that, or on the way there.
//! Pure: no I/O, no clock.

use crate::house::unit::converted;
use crate::house::{Item, ItemKind, ItemState, StateValue};

/// The state a command should lead to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expected {
    target: Target,
    before: ItemState,
    is_lamp: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum Target {
    On(bool),
    Percent(f64),
    /// In the unit of the item.
    Number(f64),
    /// The same, out of another unit, which many thermostats round.
    Converted(f64),
    /// Saturation and hue are rounded by many lamps.
    Colour([f64; 3]),
    Text(String),
    /// It has to differ; where it ends the device decides.
    Brighter,
    Darker,
}

/// Levels and colours are rounded by many lamps: from another state, this far from the goal is there.
const ROUNDED: f64 = 5.0;
/// Numbers that differ by less are the same.
const EXACT: f64 = 0.01;
/// Half of a step of half a degree, and what is lost in converting.
const HALF_STEP: f64 = 0.26;

/// A state compared with the expected one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follows {
    /// It is the expected one.
    Reached,
    /// It changed in that direction.
    Towards,
    /// Neither.
    No,
}

impl Expected {
    /// Returns the state that `text` should lead `item` to; `None` for commands that no state reflects, such as stop.
    pub(super) fn after(text: &str, item: &Item) -> Option<Self> {
        let kind = item.kind.acts_as();
        let target = match (kind, text) {
            (ItemKind::Text, text) => Target::Text(text.to_owned()),
            (_, "ON") => Target::On(true),
            (_, "OFF") => Target::On(false),
            (_, "UP") => Target::Percent(0.0),
            (_, "DOWN") => Target::Percent(100.0),
            (_, "INCREASE") => Target::Brighter,
            (_, "DECREASE") => Target::Darker,
            (ItemKind::Player, text @ ("PLAY" | "PAUSE")) => Target::Text(text.to_owned()),
            (ItemKind::Dimmer | ItemKind::Rollershutter, text) => Target::Percent(text.parse().ok()?),
            (ItemKind::Colour, text) => match ItemState::read(text, kind).value {
                StateValue::Colour { hue, saturation, brightness } => {
                    Target::Colour([hue, saturation, brightness])
                }
                _ => Target::Percent(text.parse().ok()?),
            },
            (ItemKind::Number { .. }, text) => number(text, item.unit.as_deref())?,
            _ => return None,
        };
        let is_lamp = matches!(kind, ItemKind::Dimmer | ItemKind::Colour);
        Some(Self { target, before: item.state.clone(), is_lamp })
    }

    /// Compares `state` with the expected one.
    pub(super) fn follows(&self, state: &ItemState) -> Follows {
        let (is_reached, now, goal) = match &self.target {
            Target::On(on) => (state.is_on() == Some(*on), None, 0.0),
            Target::Percent(goal) => {
                let within = self.within(state, *goal);
                (near(state.percent(), *goal, within), state.percent(), *goal)
            }
            Target::Number(goal) => (near(state.number(), *goal, EXACT), state.number(), *goal),
            Target::Converted(goal) => {
                let within = if *state == self.before { EXACT } else { HALF_STEP };
                (near(state.number(), *goal, within), state.number(), *goal)
            }
            Target::Colour(goal) => (is_colour(state, goal, self.within(state, goal[2])), None, 0.0),
            Target::Text(text) => (state.text == *text, None, 0.0),
            Target::Brighter => (self.moved(state).is_some_and(|by| by > 0.0), None, 0.0),
            Target::Darker => (self.moved(state).is_some_and(|by| by < 0.0), None, 0.0),
        };
        if is_reached {
            return Follows::Reached;
        }
        let before = self.before.percent().or_else(|| self.before.number());
        match (before, now) {
            (Some(before), Some(now)) if (now - goal).abs() + EXACT < (before - goal).abs() => {
                Follows::Towards
            }
            _ => Follows::No,
        }
    }

    /// How far from its goal a level may be. A lamp that is at 38 already has not obeyed "40", one that is at 3 is not off,
    /// and a shutter moves through.
    fn within(&self, state: &ItemState, goal: f64) -> f64 {
        let is_rounded = self.is_lamp && goal > 0.0 && *state != self.before;
        if is_rounded { ROUNDED } else { 1.0 }
    }

    fn moved(&self, state: &ItemState) -> Option<f64> {
        Some(state.percent()? - self.before.percent()?)
    }
}

/// `21.5`, or `21.5 °C` for an item of that unit or of one it can be converted to, as the server does.
fn number(text: &str, own: Option<&str>) -> Option<Target> {
    let Some((value, unit)) = text.split_once(' ') else { return text.parse().ok().map(Target::Number) };
    let (value, own) = (value.parse().ok()?, own?);
    let goal = converted(value, unit, own)?;
    Some(if unit == own { Target::Number(goal) } else { Target::Converted(goal) })
}

fn near(value: Option<f64>, goal: f64, within: f64) -> bool {
    value.is_some_and(|value| (value - goal).abs() <= within)
}

fn is_colour(state: &ItemState, goal: &[f64; 3], within: f64) -> bool {
    let StateValue::Colour { hue, saturation, brightness } = state.value else { return false };
    let around = (hue - goal[0]).abs();
    let is_hue = around.min(360.0 - around) <= within.max(3.0) || goal[1] < 5.0;
    is_hue
        && (saturation - goal[1]).abs() <= within.max(3.0)
        && (brightness - goal[2]).abs() <= within.max(2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follows(kind: &ItemKind, before: &str, command: &str, now: &str) -> Follows {
        let mut item = Item::named("X", kind.clone());
        item.unit = matches!(kind, ItemKind::Number { dimension: Some(_) }).then(|| "°C".to_owned());
        item.state = ItemState::read(before, kind);
        Expected::after(command, &item).unwrap().follows(&ItemState::read(now, kind))
    }

    #[test]
    fn what_a_lamp_rounds_is_reached_and_what_has_not_moved_is_not() {
        use Follows::{No, Reached, Towards};
        for (kind, before, command, now, expected) in [
            (ItemKind::Dimmer, "0", "40", "38", Reached),
            (ItemKind::Dimmer, "0", "40", "44", Reached),
            (ItemKind::Dimmer, "0", "40", "20", Towards),
            (ItemKind::Dimmer, "38", "40", "38", No),
            (ItemKind::Dimmer, "40", "40", "40", Reached),
            (ItemKind::Dimmer, "60", "0", "3", Towards),
            (ItemKind::Rollershutter, "0", "60", "57", Towards),
            (ItemKind::Rollershutter, "0", "60", "60", Reached),
            (ItemKind::Colour, "120,50,50", "2,100,50", "358,97,46", Reached),
            (ItemKind::Colour, "120,50,50", "2,100,50", "350,97,46", No),
            (ItemKind::Colour, "358,97,46", "2,100,50", "358,97,46", No),
        ] {
            assert_eq!(follows(&kind, before, command, now), expected, "{kind:?} {before} {command} {now}");
        }
    }

    #[test]
    fn a_number_is_read_back_whatever_unit_it_was_sent_in() {
        use Follows::{No, Reached, Towards};
        let degrees = ItemKind::Number { dimension: Some("Temperature".into()) };
        for (before, command, now, expected) in [
            ("20 °C", "21.5", "21.5 °C", Reached),
            ("20 °C", "21.5 °C", "21.5 °C", Reached),
            ("20 °C", "21.5 °C", "20 °C", No),
            ("20 °C", "21.5 °C", "21 °C", Towards),
            ("20 °C", "21.5 °C", "NULL", No),
            ("20 °C", "70 °F", "21.11 °C", Reached),
            ("20 °C", "70 °F", "21 °C", Reached),
            ("20 °C", "70 °F", "20.5 °C", Towards),
            ("20 °C", "70 °F", "70 °C", No),
            ("20 °C", "70 °F", "20 °C", No),
            // It was nearly there, and has not moved.
            ("21 °C", "70 °F", "21 °C", No),
            ("20 °C", "294.65 K", "21.5 °C", Reached),
        ] {
            assert_eq!(follows(&degrees, before, command, now), expected, "{before} {command} {now}");
        }
        let plain = ItemKind::Number { dimension: None };
        assert_eq!(follows(&plain, "1", "5", "5"), Reached);
        assert_eq!(follows(&plain, "1", "5", "1"), No);
    }
}
