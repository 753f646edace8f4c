//! The hot state of an agent: its fields with their values, in memory alone, rebuilt at each start.
//!
//! In: values of sensors, tools and the model, each with its author and the time. Out: what the model sees of them each
//! turn, what is stale, what has changed since a snapshot. Pure: no I/O, no clock.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::field::{FieldRefusal, FieldRule, kind_of};
use joi_tools::{Source, fence};

/// Most characters of one field in a prompt.
const MOST_SHOWN: usize = 600;
/// Most characters of all fields with words of strangers in a prompt.
const MOST_FOREIGN: usize = 3_000;

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq)]
struct FieldValue {
    value: Value,
    at: Timestamp,
    source: Source,
}

/// All fields of an agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HotState {
    fields: BTreeMap<String, (FieldRule, Option<FieldValue>)>,
}

/// The values of one moment, to compare with later ones.
pub type HotSnapshot = BTreeMap<String, Value>;

/// A field whose value is another one than before.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldChange {
    /// The field.
    pub name: String,
    /// The value before; nothing where there was none.
    pub before: Option<Value>,
    /// The value now.
    pub now: Value,
}

/// Whether a write changed a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldWrite {
    /// It is another one.
    Changed,
    /// It is the same, and younger.
    Confirmed,
}

impl HotState {
    /// Fields without values.
    pub fn new(rules: &BTreeMap<String, FieldRule>) -> Self {
        Self { fields: rules.iter().map(|(name, rule)| (name.clone(), (rule.clone(), None))).collect() }
    }

    /// Returns whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Returns the names of the fields.
    pub fn names(&self) -> Vec<&str> {
        self.fields.keys().map(String::as_str).collect()
    }

    /// Returns the rule of a field.
    pub fn rule(&self, name: &str) -> Option<&FieldRule> {
        self.fields.get(name).map(|(rule, _)| rule)
    }

    /// Returns the value of a field.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)?.1.as_ref().map(|known| &known.value)
    }

    /// Writes what a sensor or a tool has read: as the field's type means it, and to a list it is added.
    ///
    /// # Errors
    /// Unknown field, or another type; the old value stays.
    pub fn read(
        &mut self,
        name: &str,
        reading: &Value,
        source: Source,
        at: Timestamp,
    ) -> Result<FieldWrite, FieldRefusal> {
        let (rule, known) = self.field(name)?;
        let value = rule.read(reading, known.as_ref().map(|known| &known.value))?;
        Ok(Self::put(known, FieldValue { value, at, source }))
    }

    /// Writes a value as it is.
    ///
    /// # Errors
    /// Unknown field, or another type; the old value stays.
    pub fn set(
        &mut self,
        name: &str,
        value: Value,
        source: Source,
        at: Timestamp,
    ) -> Result<FieldWrite, FieldRefusal> {
        let (rule, known) = self.field(name)?;
        if !rule.kind.fits(&value) {
            return Err(FieldRefusal::Type { wanted: rule.kind, given: kind_of(&value) });
        }
        let value = rule.bounded(value);
        Ok(Self::put(known, FieldValue { value, at, source }))
    }

    fn field(&mut self, name: &str) -> Result<(&FieldRule, &mut Option<FieldValue>), FieldRefusal> {
        let all = || self.fields.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let known = if self.fields.contains_key(name) { String::new() } else { all() };
        let unknown = FieldRefusal::Unknown { name: name.chars().take(60).collect(), known };
        self.fields.get_mut(name).map(|(rule, known)| (&*rule, known)).ok_or(unknown)
    }

    fn put(known: &mut Option<FieldValue>, new: FieldValue) -> FieldWrite {
        let is_same = known.as_ref().is_some_and(|known| known.value == new.value);
        *known = Some(new);
        if is_same { FieldWrite::Confirmed } else { FieldWrite::Changed }
    }

    /// Returns whether a value is too old at `now`, or was never set although it grows old.
    pub fn is_stale(&self, name: &str, now: Timestamp) -> bool {
        let Some((rule, known)) = self.fields.get(name) else { return false };
        let Some(ttl) = rule.ttl() else { return false };
        known.as_ref().is_none_or(|known| age(known, now) > ttl)
    }

    /// Returns the fields that are stale and brought anew by a tool.
    pub fn due(&self, now: Timestamp) -> Vec<String> {
        let due =
            self.fields.iter().filter(|(name, (rule, _))| rule.is_refreshed() && self.is_stale(name, now));
        due.map(|(name, _)| name.clone()).collect()
    }

    /// Returns whether words of strangers stand in a field.
    pub fn is_foreign(&self) -> bool {
        self.fields.keys().any(|name| self.is_field_foreign(name))
    }

    /// Returns the values of this moment.
    pub fn snapshot(&self) -> HotSnapshot {
        let value = |(name, (_, known)): (&String, &(FieldRule, Option<FieldValue>))| {
            Some((name.clone(), known.as_ref()?.value.clone()))
        };
        self.fields.iter().filter_map(value).collect()
    }

    /// Returns what is another value than in `before`.
    pub fn changes_since(&self, before: &HotSnapshot) -> Vec<FieldChange> {
        let now = self.snapshot();
        let changed = now.into_iter().filter(|(name, value)| before.get(name) != Some(value));
        changed.map(|(name, now)| FieldChange { before: before.get(&name).cloned(), name, now }).collect()
    }

    /// Returns whether words of strangers stand in this field.
    pub fn is_field_foreign(&self, name: &str) -> bool {
        let known = self.fields.get(name).and_then(|(_, known)| known.as_ref());
        known.is_some_and(|known| known.source == Source::Foreign)
    }

    /// Returns the fields as the model sees them, a line each, with marks of age; words of strangers come last, marked.
    pub fn rendered(&self, now: Timestamp) -> String {
        let (mut own, mut foreign) = (String::new(), String::new());
        for (name, (rule, known)) in &self.fields {
            let line = match (known, rule.ttl()) {
                (None, Some(_)) => "(not yet loaded)".to_owned(),
                (None, None) => "(not set)".to_owned(),
                (Some(known), _) if self.is_stale(name, now) => {
                    format!("{} (stale: {} ago)", shown(&known.value), length(age(known, now)))
                }
                (Some(known), _) => shown(&known.value),
            };
            let lines = if self.is_field_foreign(name) { &mut foreign } else { &mut own };
            let _ = writeln!(lines, "{name}: {line}");
        }
        if foreign.is_empty() { own } else { format!("{own}{}\n", fence::wrap(&foreign, MOST_FOREIGN)) }
    }
}

fn age(known: &FieldValue, now: Timestamp) -> SignedDuration {
    now.duration_since(known.at).max(SignedDuration::ZERO)
}

/// Returns a value in one line of a prompt.
pub(super) fn shown(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    };
    if text.chars().count() <= MOST_SHOWN {
        return text;
    }
    format!("{}…", text.chars().take(MOST_SHOWN).collect::<String>())
}

/// Returns a length in its largest unit: "45s", "2m", "3h", "2d".
fn length(age: SignedDuration) -> String {
    match age.as_secs() {
        seconds @ ..60 => format!("{seconds}s"),
        seconds @ ..3_600 => format!("{}m", seconds / 60),
        seconds @ ..86_400 => format!("{}h", seconds / 3_600),
        seconds => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests;
