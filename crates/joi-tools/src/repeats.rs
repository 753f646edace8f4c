//! Finds calls that were already made in this turn.
//!
//! Input: a call. Output: whether the same one ran before; the order of its arguments does not matter. Other arguments
//! make another call: three cities are three calls.
//! Pure: no I/O, no clock.

use std::collections::VecDeque;

use serde_json::Value;

use super::Arguments;

/// Calls that are remembered.
const MOST: usize = 5;

/// The calls of one turn.
#[derive(Debug, Clone, Default)]
pub struct Repeats(VecDeque<String>);

impl Repeats {
    /// Notes a call; whether it is one of the last five. A failed one counts as well.
    pub fn is_repeated(&mut self, name: &str, arguments: &Arguments) -> bool {
        let signature = format!("{name} {}", canonical(&Value::Object(arguments.clone())));
        if self.0.contains(&signature) {
            return true;
        }
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(signature);
        false
    }
}

/// JSON with sorted keys.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<String> = fields
                .iter()
                .map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), canonical(value)))
                .collect();
            fields.sort();
            format!("{{{}}}", fields.join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_same_call_is_known_whatever_the_order_of_its_arguments() {
        let arguments = |value: Value| value.as_object().cloned().unwrap();
        let mut repeats = Repeats::default();
        assert!(
            !repeats
                .is_repeated("weather", &arguments(json!({ "place": "Rome", "day": { "a": 1, "b": 2 } })))
        );
        assert!(
            repeats.is_repeated("weather", &arguments(json!({ "day": { "b": 2, "a": 1 }, "place": "Rome" })))
        );
        for city in ["Paris", "Oslo", "Bonn"] {
            assert!(!repeats.is_repeated("weather", &arguments(json!({ "place": city }))), "{city}");
        }
        assert!(!repeats.is_repeated("forecast", &arguments(json!({ "place": "Paris" }))));
        assert!(!repeats.is_repeated("time", &Arguments::new()), "the sixth");
        assert!(
            !repeats
                .is_repeated("weather", &arguments(json!({ "day": { "b": 2, "a": 1 }, "place": "Rome" })))
        );
    }
}
