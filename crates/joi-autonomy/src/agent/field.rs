//! Typed fields of an agent's state: what may stand in each, how old it may become, and how a reading becomes its value.
//!
//! In: the field's table of the configuration, readings as text or JSON. Out: values of the field's type, or why there is
//! none. Pure: no I/O, no clock.

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use joi_base::problem::Problem;

/// Most characters of a text in a field; the rest is cut off.
const LONGEST_TEXT: usize = 2_000;
/// Most entries of a list or an object without `max_items`.
const MOST_ITEMS: usize = 200;
/// Longest `ttl_s`: a week.
const LONGEST_TTL_S: u32 = 604_800;

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldKind {
    /// A text.
    #[default]
    String,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// A list; a reading that is none is added to it.
    Array,
    /// A table of values by name.
    Object,
}

impl FieldKind {
    /// Returns its name, as in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    /// Returns whether `value` is of this type.
    pub fn fits(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::Array => value.is_array(),
            Self::Object => value.is_object(),
        }
    }
}

/// One field, as its table of the configuration says.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FieldRule {
    /// The type.
    #[serde(rename = "type")]
    pub kind: FieldKind,
    /// Age in seconds above which the value is stale; 0: never.
    pub ttl_s: u32,
    /// Tool that brings a new value; "": none.
    pub refresh_tool: String,
    /// Arguments of that tool.
    pub refresh_arguments: Map<String, Value>,
    /// JSON pointer of the value in the tool's answer; "": all of it.
    pub refresh_pointer: String,
    /// Whether a stale value is brought anew before each turn; left out: whenever there is a `refresh_tool`.
    pub auto_refresh: Option<bool>,
    /// Most entries of a list or an object; of more the oldest are dropped. 0: 200.
    pub max_items: u32,
}

impl FieldRule {
    /// Returns the age above which the value is stale.
    pub fn ttl(&self) -> Option<SignedDuration> {
        (self.ttl_s > 0).then(|| SignedDuration::from_secs(i64::from(self.ttl_s)))
    }

    /// Returns whether a stale value is brought anew.
    pub fn is_refreshed(&self) -> bool {
        !self.refresh_tool.is_empty() && self.auto_refresh.unwrap_or(true)
    }

    /// Returns all values that can't be used; `key` is the table's.
    pub fn check(&self, key: &str) -> Vec<Problem> {
        let longest = f64::from(LONGEST_TTL_S);
        let ttl = Problem::outside(&format!("{key}.ttl_s"), f64::from(self.ttl_s), 0.0..=longest, "s");
        let items = f64::from(self.max_items);
        let items = Problem::outside(&format!("{key}.max_items"), items, 0.0..=MOST_ITEMS as f64, "entries");
        let pointer = &self.refresh_pointer;
        let pointer = (!pointer.is_empty() && !pointer.starts_with('/')).then(|| {
            Problem::new(
                format!("{key}.refresh_pointer"),
                format!("\"{pointer}\""),
                "a JSON pointer such as \"/temperature\"",
            )
        });
        let lone = self.auto_refresh == Some(true) && self.refresh_tool.is_empty();
        let lone = lone.then(|| {
            Problem::new(format!("{key}.auto_refresh"), "true", "true only with refresh_tool")
                .remedy(format!("Set {key}.refresh_tool, or leave auto_refresh out."))
        });
        [ttl, items, pointer, lone].into_iter().flatten().collect()
    }

    /// Returns the value that `reading` gives in place of `before`.
    ///
    /// # Errors
    /// The reading is of another type.
    pub(super) fn read(&self, reading: &Value, before: Option<&Value>) -> Result<Value, FieldRefusal> {
        let value =
            self.meant(reading).ok_or(FieldRefusal::Type { wanted: self.kind, given: kind_of(reading) })?;
        Ok(match (self.kind, value) {
            (FieldKind::Array, value) if !value.is_array() => {
                let mut all = before.and_then(Value::as_array).cloned().unwrap_or_default();
                all.push(value);
                self.bounded(Value::Array(all))
            }
            (_, value) => self.bounded(value),
        })
    }

    /// Returns `value` within `max_items` and the longest text.
    pub(super) fn bounded(&self, value: Value) -> Value {
        let most = if self.max_items == 0 { MOST_ITEMS } else { self.max_items as usize };
        match value {
            Value::Array(mut all) => {
                all.drain(..all.len().saturating_sub(most));
                Value::Array(all)
            }
            Value::Object(all) => {
                let skipped = all.len().saturating_sub(most);
                Value::Object(all.into_iter().skip(skipped).collect())
            }
            Value::String(text) => Value::String(text.chars().take(LONGEST_TEXT).collect()),
            other => other,
        }
    }

    /// Returns what a reading means in a field of this type: servers write numbers with a unit, and switches as words.
    fn meant(&self, reading: &Value) -> Option<Value> {
        if self.kind.fits(reading) {
            return Some(reading.clone());
        }
        match (self.kind, reading) {
            (FieldKind::Number, Value::String(text)) => number(text),
            (FieldKind::Boolean, Value::String(text)) => switch(text).map(Value::Bool),
            (FieldKind::String, Value::Number(_) | Value::Bool(_)) => {
                Some(Value::String(reading.to_string()))
            }
            (FieldKind::Array | FieldKind::Object, Value::String(text)) => {
                let read = serde_json::from_str(text).ok().filter(|value| self.kind.fits(value));
                read.or_else(|| (self.kind == FieldKind::Array).then(|| reading.clone()))
            }
            (FieldKind::Array, Value::Number(_) | Value::Bool(_) | Value::Object(_)) => Some(reading.clone()),
            _ => None,
        }
    }
}

/// Why a value was not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FieldRefusal {
    /// There is no such field.
    #[error("there is no field {name}; the fields are: {known}")]
    Unknown {
        /// As it was given.
        name: String,
        /// Those there are.
        known: String,
    },
    /// The value is of another type.
    #[error("the value is {given}; allowed: {}", .wanted.name())]
    Type {
        /// The type of the field.
        wanted: FieldKind,
        /// The type of the value.
        given: &'static str,
    },
}

/// Returns the number at the beginning of a text: "21.5 °C".
fn number(text: &str) -> Option<Value> {
    let text = text.trim();
    let end =
        text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+'))).unwrap_or(text.len());
    let behind = &text[end..];
    let is_unit =
        behind.is_empty() || behind.starts_with(|c: char| c.is_whitespace() || matches!(c, '%' | '°'));
    let number: f64 = text[..end].parse().ok().filter(|_| is_unit)?;
    match text[..end].parse::<i64>() {
        Ok(whole) => Some(whole.into()),
        Err(_) => serde_json::Number::from_f64(number).map(Value::Number),
    }
}

fn switch(text: &str) -> Option<bool> {
    const YES: [&str; 4] = ["true", "on", "open", "yes"];
    const NO: [&str; 4] = ["false", "off", "closed", "no"];
    let text = text.trim().to_ascii_lowercase();
    (YES.contains(&text.as_str()) || NO.contains(&text.as_str())).then(|| YES.contains(&text.as_str()))
}

/// Returns the name of the type of a value.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => FieldKind::Boolean.name(),
        Value::Number(_) => FieldKind::Number.name(),
        Value::String(_) => FieldKind::String.name(),
        Value::Array(_) => FieldKind::Array.name(),
        Value::Object(_) => FieldKind::Object.name(),
    }
}
