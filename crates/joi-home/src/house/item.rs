//! One item of the house: its names, type, state, range, options, place in the semantic model, permission.
//! Pure: no I/O, no clock.

use super::caution::{Caution, CautionCause};
use super::names;
use super::permission::Permission;
use super::semantics::Semantics;
use super::state::ItemState;

pub use super::kind::ItemKind;

/// One thing that can be read or commanded.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The server's name, `[A-Za-z_0-9]+`; unique, case-sensitive, never spoken.
    pub name: String,
    /// Its type.
    pub kind: ItemKind,
    /// The label without a format (`Temperature`, not `Temperature [%.1f °C]`). Not unique: two rooms may have one.
    pub label: Option<String>,
    /// Further names, as their owner wrote them.
    pub synonyms: Vec<String>,
    /// The state when this snapshot was taken.
    pub state: ItemState,
    /// The unit of numbers: `°C`, `%`, `W`.
    pub unit: Option<String>,
    /// Allowed values of numbers and levels.
    pub range: ValueRange,
    /// Values of the state with their labels: `auto` = "Automatic".
    pub options: Vec<ItemOption>,
    /// Values that can be commanded with their labels. Match words against the label, send the value.
    pub command_options: Vec<ItemOption>,
    /// The name of the icon: `light`, `blinds`, `temperature`.
    pub category: Option<String>,
    /// Whether the server describes it as read only. It would take commands all the same; joi sends none.
    pub is_read_only: bool,
    /// Groups that have it as a direct member.
    pub groups: Vec<String>,
    /// Tags, in no order.
    pub tags: Vec<String>,
    /// Its place in the semantic model; none for items without a semantic tag.
    pub semantics: Option<Semantics>,
    /// Item name of the innermost location it lies in; of a location the one around it.
    pub location: Option<String>,
    /// Item name of the equipment it is a point of; its own for equipment of a single item.
    pub equipment: Option<String>,
    /// Its permission for voice, resolved with groups and the configuration.
    pub permission: Permission,
    /// Whether a command is asked back first.
    pub caution: Caution,
    /// Values of options that are asked back first, though the item is not.
    pub risky_options: Vec<(String, CautionCause)>,
    /// Its own permission, before groups and the default apply.
    pub(super) own_permission: Option<Permission>,
    /// Decimals of the server's format, where it has one.
    pub(super) decimals: Option<usize>,
}

/// A value and its label.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ItemOption {
    /// The value in commands and states.
    pub value: String,
    /// The label; the value where there is none.
    pub label: String,
}

/// The allowed values; empty: all.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ValueRange {
    /// Least.
    pub min: Option<f64>,
    /// Greatest.
    pub max: Option<f64>,
    /// Distance of two values.
    pub step: Option<f64>,
}

impl ValueRange {
    /// Returns the nearest allowed value, by `min` and `max`; a `step` is advice.
    pub fn nearest(&self, value: f64) -> f64 {
        let value = self.min.map_or(value, |min| value.max(min));
        self.max.map_or(value, |max| value.min(max))
    }

    /// Whether the value is allowed.
    pub fn contains(&self, value: f64) -> bool {
        self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max)
    }

    /// Returns the range that both allow.
    #[must_use]
    pub fn within(self, other: ValueRange) -> Self {
        let tighter = |a: Option<f64>, b: Option<f64>, pick: fn(f64, f64) -> f64| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            (one, none) => one.or(none),
        };
        Self {
            min: tighter(self.min, other.min, f64::max),
            max: tighter(self.max, other.max, f64::min),
            step: self.step.or(other.step),
        }
    }

    /// Whether its ends alone are allowed: one step leads from the least to the greatest.
    pub fn has_ends_only(&self) -> bool {
        matches!((self.min, self.max, self.step), (Some(min), Some(max), Some(step)) if step >= max - min)
    }

    /// 0 or 100.
    pub const ENDS: Self = Self { step: Some(100.0), ..Self::PERCENT };
    /// 0 to 100.
    pub const PERCENT: Self = Self { min: Some(0.0), max: Some(100.0), step: None };
}

impl Item {
    /// An item of which only name and type are known.
    pub fn named(name: impl Into<String>, kind: ItemKind) -> Self {
        Self {
            name: name.into(),
            kind,
            label: None,
            synonyms: Vec::new(),
            state: ItemState::unknown(),
            unit: None,
            range: ValueRange::default(),
            options: Vec::new(),
            command_options: Vec::new(),
            category: None,
            is_read_only: false,
            groups: Vec::new(),
            tags: Vec::new(),
            semantics: None,
            location: None,
            equipment: None,
            permission: Permission::ReadWrite,
            caution: Caution::None,
            risky_options: Vec::new(),
            own_permission: None,
            decimals: None,
        }
    }

    /// Returns its names, the label first; none for an item without label and synonyms.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.label.iter().chain(&self.synonyms).map(String::as_str)
    }

    /// Cuts the names of it and of its options that are too long to be names.
    pub(super) fn cut_names(&mut self) {
        names::cut_all(&mut self.label, &mut self.synonyms);
        let options = self.options.iter_mut().chain(&mut self.command_options);
        options.for_each(|option| names::cut(&mut option.label));
    }

    /// Returns its name for tables: the label, else the server's name.
    pub fn title(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }

    /// Returns the state for a table or a prompt: the option's label, else the number with the decimals of its format.
    pub fn shown_state(&self) -> String {
        if let Some(option) = self.options.iter().find(|option| option.value == self.state.text) {
            return option.label.clone();
        }
        match (&self.state.value, self.decimals) {
            (super::StateValue::Number { value, unit }, Some(decimals)) => {
                let unit = unit.as_deref().map(|unit| format!(" {unit}")).unwrap_or_default();
                format!("{value:.decimals$}{unit}")
            }
            _ => self.state.to_string(),
        }
    }

    /// Whether this command, as it goes to the server, is asked back first.
    pub fn caution_of(&self, text: &str) -> Caution {
        let of_option = self.risky_options.iter().find(|(value, _)| value == text);
        match (self.caution, of_option) {
            (Caution::None, Some((_, cause))) => Caution::AskFirst(*cause),
            (caution, _) => caution,
        }
    }

    /// Whether all but the state is the same.
    pub(super) fn is_described_as(&self, other: &Item) -> bool {
        let mut alike = self.clone();
        alike.state.clone_from(&other.state);
        alike == *other
    }
}
