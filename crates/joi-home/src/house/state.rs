//! The state of an item: the server's text, and its value according to the item's type.
//!
//! `NULL` (never set) and `UNDEF` (set, but without a value) are two states of their own; a state that is not known
//! because the connection was lost is [`StateValue::Unknown`]. A picture's state is never kept.
//! Pure: no I/O, no clock.

use std::fmt;

use jiff::Timestamp;

use super::kind::ItemKind;

/// A state: the text as the server writes it, and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemState {
    /// As on the server: `ON`, `21.4 °C`, `120,100,50`. Empty for pictures and while unknown.
    pub text: String,
    /// The value.
    pub value: StateValue,
}

/// The value of a state.
#[derive(Debug, Clone, PartialEq)]
pub enum StateValue {
    /// Unknown: nothing was read since the connection was lost.
    Unknown,
    /// `NULL`: never set since the server started; also a group without a type, which never has a state.
    Null,
    /// `UNDEF`: the device gave no usable value.
    Undefined,
    /// A switch; on is true.
    OnOff(bool),
    /// A contact; open is true.
    OpenClosed(bool),
    /// A dimmer 0 to 100, or a shutter's position: 0 is open (up), 100 is closed (down).
    Percent(f64),
    /// A number, with its unit where the item has one. Round before it is spoken: conversions leave long tails.
    Number {
        /// The value in `unit`.
        value: f64,
        /// As the server writes it: `°C`, `%`, `W`, `km/h`.
        unit: Option<String>,
    },
    /// A colour: hue 0 to 360, saturation and brightness 0 to 100.
    Colour {
        /// Hue in degrees.
        hue: f64,
        /// Saturation in percent.
        saturation: f64,
        /// Brightness in percent; 0 is off.
        brightness: f64,
    },
    /// A moment.
    Moment(Timestamp),
    /// A player: `PLAY`, `PAUSE`, `REWIND`, `FASTFORWARD`.
    Playing(String),
    /// Degrees north and east.
    Position {
        /// −90 to 90.
        latitude: f64,
        /// −180 to 180.
        longitude: f64,
    },
    /// Any text: a mode, a caller, a type we don't know, or what did not parse.
    Text(String),
    /// A picture; its bytes are not read.
    Picture,
}

impl ItemState {
    /// Returns the state of an item before anything was read.
    pub fn unknown() -> Self {
        Self { text: String::new(), value: StateValue::Unknown }
    }

    /// Reads the server's text for an item of `kind`. Never fails: what does not fit is text.
    pub fn read(text: &str, kind: &ItemKind) -> Self {
        let value = match (text, kind.acts_as()) {
            (_, ItemKind::Image) => return Self { text: String::new(), value: StateValue::Picture },
            ("NULL", _) => StateValue::Null,
            ("UNDEF", _) => StateValue::Undefined,
            (text, kind) => value(text, kind).unwrap_or_else(|| StateValue::Text(text.to_owned())),
        };
        Self { text: text.to_owned(), value }
    }

    /// Whether it has a value: neither unknown, nor `NULL`, nor `UNDEF`, nor a picture.
    pub fn has_value(&self) -> bool {
        !matches!(
            self.value,
            StateValue::Unknown | StateValue::Null | StateValue::Undefined | StateValue::Picture
        )
    }

    /// Returns whether a switch, a dimmer, or a colour is on.
    pub fn is_on(&self) -> Option<bool> {
        match self.value {
            StateValue::OnOff(on) => Some(on),
            StateValue::Percent(level) => Some(level > 0.0),
            StateValue::Colour { brightness, .. } => Some(brightness > 0.0),
            _ => None,
        }
    }

    /// Returns the level in percent of a dimmer, a shutter, or a colour's brightness.
    pub fn percent(&self) -> Option<f64> {
        match self.value {
            StateValue::Percent(level) => Some(level),
            StateValue::Colour { brightness, .. } => Some(brightness),
            _ => None,
        }
    }

    /// Returns the number of a number item, in its unit.
    pub fn number(&self) -> Option<f64> {
        match self.value {
            StateValue::Number { value, .. } => Some(value),
            _ => None,
        }
    }
}

impl fmt::Display for ItemState {
    /// Returns the text for tables: numbers with at most two decimals, everything else as the server writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            StateValue::Unknown => f.write_str("unknown"),
            StateValue::Picture => f.write_str("(picture)"),
            StateValue::Number { value, unit: Some(unit) } => write!(f, "{} {unit}", rounded(*value)),
            StateValue::Number { value, unit: None } | StateValue::Percent(value) => {
                f.write_str(&rounded(*value))
            }
            _ => f.write_str(&self.text),
        }
    }
}

/// At most two decimals, no trailing zeros.
pub(crate) fn rounded(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn value(text: &str, kind: &ItemKind) -> Option<StateValue> {
    Some(match kind {
        ItemKind::Switch => StateValue::OnOff(either(text, "ON", "OFF")?),
        ItemKind::Contact => StateValue::OpenClosed(either(text, "OPEN", "CLOSED")?),
        ItemKind::Dimmer | ItemKind::Rollershutter => StateValue::Percent(number(text)?),
        ItemKind::Colour => {
            let [hue, saturation, brightness] = numbers(text)?;
            StateValue::Colour { hue, saturation, brightness }
        }
        ItemKind::Number { .. } => {
            let (value, unit) = match text.split_once(' ') {
                Some((value, unit)) => (value, Some(unit.trim().to_owned())),
                None => (text, None),
            };
            StateValue::Number { value: number(value)?, unit: unit.filter(|unit| !unit.is_empty()) }
        }
        ItemKind::DateTime => StateValue::Moment(moment(text)?),
        ItemKind::Player => StateValue::Playing(text.to_owned()),
        ItemKind::Position => {
            let mut parts = text.split(',').map(number);
            StateValue::Position { latitude: parts.next()??, longitude: parts.next()?? }
        }
        ItemKind::Text | ItemKind::Call | ItemKind::Image | ItemKind::Group { .. } | ItemKind::Other(_) => {
            return None;
        }
    })
}

fn either(text: &str, yes: &str, no: &str) -> Option<bool> {
    (text == yes || text == no).then(|| text == yes)
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|value: &f64| value.is_finite())
}

fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let found: Option<Vec<_>> = text.split(',').map(number).collect();
    found?.try_into().ok()
}

/// `2026-11-21T20:15:00.000+0100`: an offset without a colon, 3 to 9 digits of a second.
fn moment(text: &str) -> Option<Timestamp> {
    Timestamp::strptime("%Y-%m-%dT%H:%M:%S%.f%z", text).ok()
}
