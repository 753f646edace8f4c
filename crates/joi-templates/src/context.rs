//! Context of a match, and the conditions that blocks of templates put on it. Comes in: what the caller knows and what
//! values of lists add. Goes out: whether a condition holds, and slots it fills. Pure: no I/O, no clock.

use std::collections::BTreeMap;

use serde_json::Value;

/// Facts beside the sentence: `area` of who speaks, or `domain` of a named thing.
///
/// A value is plain or an object with `value`, and perhaps `text` and `metadata`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MatchContext(BTreeMap<String, Value>);

impl MatchContext {
    /// Nothing known.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.insert(key.into(), value.into());
        self
    }

    /// Returns a value as it was given.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// Returns whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns keys and values in order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Adds everything of `other`, whose values replace those of the same key.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.0.extend(other.0.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
}

impl From<BTreeMap<String, Value>> for MatchContext {
    fn from(values: BTreeMap<String, Value>) -> Self {
        Self(values)
    }
}

/// Conditions of a block of templates.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conditions {
    required: Vec<Condition>,
    excluded: Vec<Condition>,
}

#[derive(Debug, Clone)]
struct Condition {
    key: String,
    /// Null stands for any value.
    value: Value,
    slot: Option<String>,
}

impl Condition {
    fn new(key: &str, value: &Value) -> Self {
        let slot = match value.get("slot") {
            Some(Value::String(name)) => Some(name.clone()),
            Some(Value::Bool(true)) => Some(key.to_owned()),
            _ => None,
        };
        Self { key: key.to_owned(), value: inner(value).clone(), slot }
    }

    fn allows(&self, actual: &Value) -> bool {
        match &self.value {
            Value::Null => !actual.is_null(),
            Value::Array(values) => values.contains(actual),
            value => value == actual,
        }
    }
}

/// Returns the `value` of an object, else the value itself.
fn inner(value: &Value) -> &Value {
    match value {
        Value::Object(fields) => fields.get("value").unwrap_or(&Value::Null),
        plain => plain,
    }
}

/// A slot that a condition fills from the context.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ContextSlot {
    pub(crate) name: String,
    pub(crate) value: Value,
    pub(crate) text: String,
    pub(crate) metadata: Option<Value>,
}

impl Conditions {
    pub(crate) fn new(required: &BTreeMap<String, Value>, excluded: &BTreeMap<String, Value>) -> Self {
        let read = |all: &BTreeMap<String, Value>| {
            all.iter().map(|(key, value)| Condition::new(key, value)).collect()
        };
        Self { required: read(required), excluded: read(excluded) }
    }

    /// Returns whether nothing in `context` breaks a condition; keys that are missing may still be added.
    pub(crate) fn may_hold(&self, context: &MatchContext) -> bool {
        let keeps = |condition: &Condition| {
            context.get(&condition.key).is_none_or(|actual| match &condition.value {
                Value::Null => true,
                _ => condition.allows(inner(actual)),
            })
        };
        self.required.iter().all(keeps) && !self.is_excluded(context)
    }

    fn is_excluded(&self, context: &MatchContext) -> bool {
        let meets = |condition: &Condition| {
            context.get(&condition.key).is_some_and(|actual| condition.allows(inner(actual)))
        };
        self.excluded.iter().any(meets)
    }

    /// Returns the slots that the conditions fill, or nothing when one of them does not hold.
    pub(crate) fn check(&self, context: &MatchContext) -> Option<Vec<ContextSlot>> {
        if self.is_excluded(context) {
            return None;
        }
        let mut slots = Vec::new();
        for condition in &self.required {
            let actual = context.get(&condition.key)?;
            let value = inner(actual);
            if !condition.allows(value) {
                return None;
            }
            if let Some(name) = &condition.slot {
                let text = actual.get("text").and_then(Value::as_str).unwrap_or_default();
                slots.push(ContextSlot {
                    name: name.clone(),
                    value: value.clone(),
                    text: text.to_owned(),
                    metadata: actual.get("metadata").cloned(),
                });
            }
        }
        Some(slots)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn conditions(required: Value, excluded: Value) -> Conditions {
        let read = |value| serde_json::from_value(value).expect("an object");
        Conditions::new(&read(required), &read(excluded))
    }

    #[test]
    fn a_required_key_must_be_there_with_an_allowed_value() {
        let lights = conditions(json!({"domain": ["light", "switch"]}), json!({}));
        assert_eq!(lights.check(&MatchContext::new().with("domain", "light")), Some(Vec::new()));
        assert_eq!(lights.check(&MatchContext::new().with("domain", "lock")), None);
        assert_eq!(lights.check(&MatchContext::new()), None);
        assert!(lights.may_hold(&MatchContext::new()), "it may still be added");
        assert!(!lights.may_hold(&MatchContext::new().with("domain", "lock")));
    }

    #[test]
    fn a_condition_fills_a_slot() {
        let here = conditions(json!({"area": {"slot": true}}), json!({}));
        let context = MatchContext::new().with("area", json!({"value": "kitchen", "text": "Kitchen"}));
        let slot = ContextSlot {
            name: "area".into(),
            value: json!("kitchen"),
            text: "Kitchen".into(),
            metadata: None,
        };
        assert_eq!(here.check(&context), Some(vec![slot.clone()]));
        let named = conditions(json!({"area": {"value": "kitchen", "slot": "room"}}), json!({}));
        assert_eq!(named.check(&context), Some(vec![ContextSlot { name: "room".into(), ..slot }]));
    }

    #[test]
    fn an_excluded_value_ends_the_match() {
        let others = conditions(json!({}), json!({"domain": ["lock"], "area": "hall"}));
        assert!(others.check(&MatchContext::new().with("domain", "lock")).is_none());
        assert!(others.check(&MatchContext::new().with("area", "hall")).is_none());
        assert!(others.check(&MatchContext::new().with("area", "attic")).is_some());
    }
}
