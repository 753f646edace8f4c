//! Commands as values, and the exact text the server takes for them.
//!
//! The server accepts silently what it should not (a comma as thousands sign, a value outside the range, a wrong unit),
//! so everything is checked here. Numbers are written with a dot and without an exponent.
//! Pure: no I/O, no clock.

use std::fmt;

use jiff::Zoned;
use thiserror::Error;

use super::caution::Caution;
use super::item::{Item, ItemKind, ValueRange};
use super::state::rounded;
use super::unit::converted;

/// A command to an item.
#[derive(Debug, Clone, PartialEq)]
pub enum ItemCommand {
    /// Switch, dimmer, colour.
    On,
    /// Switch, dimmer, colour.
    Off,
    /// A level of 0 to 100: dimmer, shutter (0 is open), brightness of a colour.
    Percent(f64),
    /// One step brighter; dimmer, colour.
    Increase,
    /// One step darker; dimmer, colour.
    Decrease,
    /// A shutter up (open).
    Up,
    /// A shutter down (closed).
    Down,
    /// A shutter stands still.
    Stop,
    /// A shutter moves on.
    Move,
    /// A number in the unit of the item.
    Number(f64),
    /// A number in a unit of its own: 70 °F for an item in °C.
    Quantity(f64, String),
    /// Hue 0 to 360, saturation and brightness 0 to 100.
    Colour(f64, f64, f64),
    /// A text; where the item has options, one of their values.
    Text(String),
    /// A moment.
    Moment(Zoned),
    /// Player.
    Play,
    /// Player.
    Pause,
    /// Player: the next title.
    Next,
    /// Player: the title before.
    Previous,
    /// Player.
    FastForward,
    /// Player.
    Rewind,
    /// Latitude and longitude.
    Position(f64, f64),
}

/// A command that [`super::House::order`] has checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ordered {
    /// The server's name of the item.
    pub item: String,
    /// The text for the server, byte for byte.
    pub text: String,
    /// Whether it has to be confirmed first; the sender has to respect this.
    pub caution: Caution,
}

/// The reason why a command is not sent.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Refused {
    /// No such item, or a hidden one.
    #[error("there is no item {item}")]
    Unknown {
        /// The name.
        item: String,
    },
    /// It, or a member of the group, may not be commanded by voice.
    #[error("{item} may not be commanded: its voice permission says so")]
    NotPermitted {
        /// The item whose permission it is; the group, where that member is hidden.
        item: String,
    },
    /// The server describes it as read only.
    #[error("{item} is read only")]
    ReadOnly {
        /// The item.
        item: String,
    },
    /// Its type takes no such command.
    #[error("{item} is a {kind}, which does not take {command}")]
    WrongType {
        /// The item.
        item: String,
        /// Its type as the server writes it.
        kind: String,
        /// The command.
        command: String,
    },
    /// The value lies outside what the item allows.
    #[error("{item} takes {}, not {}", span(.range), rounded(*.value))]
    OutOfRange {
        /// The item.
        item: String,
        /// The requested value.
        value: f64,
        /// The nearest allowed value, to offer or to take.
        nearest: f64,
        /// The allowed values.
        range: ValueRange,
    },
    /// A unit that is not the item's and can't be converted to it.
    #[error("{item} is in {}, not in {unit}", .own.as_deref().unwrap_or("no unit"))]
    WrongUnit {
        /// The item.
        item: String,
        /// The requested value.
        unit: String,
        /// The item's unit.
        own: Option<String>,
    },
    /// The item has options, and this is none of them.
    #[error("{item} takes one of {}", .options.join(", "))]
    NoOption {
        /// The item.
        item: String,
        /// The values of its options.
        options: Vec<String>,
    },
    /// The text is not a command for this type.
    #[error("{item} is a {kind} and does not understand {text:?}")]
    NotUnderstood {
        /// The item.
        item: String,
        /// Its type as the server writes it.
        kind: String,
        /// The given text.
        text: String,
    },
}

fn span(range: &ValueRange) -> String {
    match (range.min, range.max) {
        (Some(min), Some(max)) => format!("{} to {}", rounded(min), rounded(max)),
        (Some(min), None) => format!("{} and more", rounded(min)),
        (None, Some(max)) => format!("at most {}", rounded(max)),
        (None, None) => "any number".to_owned(),
    }
}

impl fmt::Display for ItemCommand {
    /// Returns the text without a check against an item.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            Self::On => "ON",
            Self::Off => "OFF",
            Self::Increase => "INCREASE",
            Self::Decrease => "DECREASE",
            Self::Up => "UP",
            Self::Down => "DOWN",
            Self::Stop => "STOP",
            Self::Move => "MOVE",
            Self::Play => "PLAY",
            Self::Pause => "PAUSE",
            Self::Next => "NEXT",
            Self::Previous => "PREVIOUS",
            Self::FastForward => "FASTFORWARD",
            Self::Rewind => "REWIND",
            Self::Text(text) => text,
            Self::Percent(value) | Self::Number(value) => return f.write_str(&plain(*value)),
            Self::Quantity(value, unit) => return write!(f, "{} {unit}", plain(*value)),
            Self::Colour(hue, saturation, brightness) => {
                return write!(f, "{},{},{}", plain(*hue), plain(*saturation), plain(*brightness));
            }
            Self::Position(latitude, longitude) => {
                return write!(f, "{},{}", plain(*latitude), plain(*longitude));
            }
            Self::Moment(moment) => return write!(f, "{}", moment.strftime("%Y-%m-%dT%H:%M:%S%z")),
        };
        f.write_str(word)
    }
}

/// Up to six decimals, a dot, never an exponent, no minus before zero.
fn plain(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

const HUE: ValueRange = ValueRange { min: Some(0.0), max: Some(360.0), step: None };
const LATITUDE: ValueRange = ValueRange { min: Some(-90.0), max: Some(90.0), step: None };
const LONGITUDE: ValueRange = ValueRange { min: Some(-180.0), max: Some(180.0), step: None };

impl ItemCommand {
    /// The text for `item`, checked by its type, range and options, but not by permission: that is
    /// [`super::House::order`].
    pub fn text_for(&self, item: &Item) -> Result<String, Refused> {
        if item.is_read_only {
            return Err(Refused::ReadOnly { item: item.name.clone() });
        }
        if !self.fits(item.kind.acts_as()) || self.is_between_ends_of(item) {
            return Err(Refused::WrongType {
                item: item.name.clone(),
                kind: item.kind.written(),
                command: self.to_string(),
            });
        }
        match self {
            Self::Percent(value) => in_range(item, *value, item.range.within(ValueRange::PERCENT))?,
            Self::Number(value) => in_range(item, *value, item.range)?,
            Self::Quantity(value, unit) => quantity(item, *value, unit)?,
            Self::Colour(hue, saturation, brightness) => {
                in_range(item, *hue, HUE)?;
                in_range(item, *saturation, ValueRange::PERCENT)?;
                in_range(item, *brightness, ValueRange::PERCENT)?;
            }
            Self::Position(latitude, longitude) => {
                in_range(item, *latitude, LATITUDE)?;
                in_range(item, *longitude, LONGITUDE)?;
            }
            Self::Text(text) => an_option(item, text)?,
            _ => {}
        }
        Ok(self.to_string())
    }

    /// Clamps the value to the range of `item`: for "brighter", where reaching the end is no error.
    #[must_use]
    pub fn clamped_to(self, item: &Item) -> Self {
        match self {
            Self::Percent(value) => Self::Percent(item.range.within(ValueRange::PERCENT).nearest(value)),
            Self::Number(value) => Self::Number(item.range.nearest(value)),
            other => other,
        }
    }

    /// Whether it is a position of something that only opens and closes.
    fn is_between_ends_of(&self, item: &Item) -> bool {
        item.range.has_ends_only() && matches!(self, Self::Percent(value) if *value > 0.0 && *value < 100.0)
    }

    fn fits(&self, kind: &ItemKind) -> bool {
        let dims = matches!(kind, ItemKind::Dimmer | ItemKind::Colour);
        match self {
            Self::On | Self::Off => dims || *kind == ItemKind::Switch,
            Self::Percent(_) => dims || *kind == ItemKind::Rollershutter,
            Self::Increase | Self::Decrease => dims,
            Self::Up | Self::Down | Self::Stop | Self::Move => *kind == ItemKind::Rollershutter,
            Self::Number(_) => matches!(kind, ItemKind::Number { .. }),
            Self::Quantity(..) => matches!(kind, ItemKind::Number { dimension: Some(_) }),
            Self::Colour(..) => *kind == ItemKind::Colour,
            Self::Text(_) => *kind == ItemKind::Text,
            Self::Moment(_) => *kind == ItemKind::DateTime,
            Self::Position(..) => *kind == ItemKind::Position,
            Self::Play | Self::Pause | Self::Next | Self::Previous | Self::FastForward | Self::Rewind => {
                *kind == ItemKind::Player
            }
        }
    }
}

fn in_range(item: &Item, value: f64, range: ValueRange) -> Result<(), Refused> {
    if value.is_finite() && range.contains(value) {
        return Ok(());
    }
    Err(Refused::OutOfRange { item: item.name.clone(), value, nearest: range.nearest(value), range })
}

fn quantity(item: &Item, value: f64, unit: &str) -> Result<(), Refused> {
    let own = item.unit.as_deref();
    let Some(value) = own.and_then(|own| converted(value, unit, own)) else {
        return Err(Refused::WrongUnit {
            item: item.name.clone(),
            unit: unit.to_owned(),
            own: item.unit.clone(),
        });
    };
    in_range(item, value, item.range)
}

fn an_option(item: &Item, text: &str) -> Result<(), Refused> {
    let options = if item.command_options.is_empty() { &item.options } else { &item.command_options };
    if options.is_empty() || options.iter().any(|option| option.value == text) {
        return Ok(());
    }
    let options = options.iter().map(|option| option.value.clone()).collect();
    Err(Refused::NoOption { item: item.name.clone(), options })
}
