//! The arguments of a call against the schema that the server wrote.
//!
//! Any thread. In: the original schema, once, and what a model wrote. Out: the arguments, or one line about what is
//! wrong, for the model. A number or truth value written as a text is taken as meant, but only where the arguments do
//! not fit as they stand. A schema that can't be read, or refers to a place outside of itself, checks nothing: it is
//! not fetched. Pure: no I/O, no clock.

use joi_tools::Arguments;
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

/// Faults named in one line.
const MOST_FAULTS: usize = 3;
/// Longest text of a fault, in characters.
const LONGEST_FAULT: usize = 160;
/// Largest schema that is compiled, in bytes of JSON.
const LARGEST: usize = 256 * 1024;

/// The check of one tool's arguments.
pub(crate) struct ArgumentCheck {
    schema: Value,
    validator: Option<Validator>,
}

impl ArgumentCheck {
    /// Compiles the schema.
    pub(crate) fn new(schema: &Value) -> Self {
        let fits = schema.to_string().len() <= LARGEST;
        // The engine without look-around takes linear time on any pattern.
        let options = || jsonschema::options().with_pattern_options(PatternOptions::regex());
        let validator = fits.then(|| options().build(schema));
        let validator = match validator {
            Some(Ok(validator)) => Some(validator),
            Some(Err(error)) => {
                tracing::debug!(%error, "the schema of a tool can't be read; its arguments are not checked here");
                None
            }
            None => None,
        };
        Self { schema: schema.clone(), validator }
    }

    /// Returns the arguments as the server is to get them.
    ///
    /// # Errors
    /// One line about what does not fit.
    pub(crate) fn checked(&self, arguments: &Arguments) -> Result<Arguments, String> {
        let Some(validator) = &self.validator else { return Ok(arguments.clone()) };
        let given = Value::Object(arguments.clone());
        if validator.is_valid(&given) {
            return Ok(arguments.clone());
        }
        let meant = self.as_meant(arguments);
        if validator.is_valid(&Value::Object(meant.clone())) {
            return Ok(meant);
        }
        let fault = |error: jsonschema::ValidationError<'_>| {
            let place = error.instance_path().to_string();
            let place = place.trim_start_matches('/');
            let text = if place.is_empty() { error.to_string() } else { format!("{place}: {error}") };
            joi_tools::fence::shortened(&text, LONGEST_FAULT)
        };
        let faults: Vec<String> = validator.iter_errors(&given).take(MOST_FAULTS).map(fault).collect();
        Err(faults.join("; "))
    }

    /// Returns the arguments with texts of numbers and truth values as those, where the schema wants them.
    fn as_meant(&self, arguments: &Arguments) -> Arguments {
        let wants = |name: &str, kind: &str| {
            let of = &self.schema["properties"][name]["type"];
            of == kind || of.as_array().is_some_and(|kinds| kinds.iter().any(|one| one == kind))
        };
        let meant = |(name, value): (&String, &Value)| {
            let text = value.as_str().map(str::trim);
            let number = || text.and_then(|text| text.parse::<serde_json::Number>().ok());
            let meant = match text {
                Some(text) if wants(name, "boolean") && text.eq_ignore_ascii_case("true") => {
                    Some(true.into())
                }
                Some(text) if wants(name, "boolean") && text.eq_ignore_ascii_case("false") => {
                    Some(false.into())
                }
                Some(_) if wants(name, "number") || wants(name, "integer") => number().map(Value::Number),
                _ => None,
            };
            (name.clone(), meant.unwrap_or_else(|| value.clone()))
        };
        // An argument that was left out is often written as nothing.
        let required = self.schema["required"].as_array();
        let is_needed = |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
        let is_empty =
            |value: &Value| value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
        arguments.iter().filter(|(name, value)| is_needed(name) || !is_empty(value)).map(meant).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(schema: &Value, arguments: &Value) -> Result<Value, String> {
        ArgumentCheck::new(schema).checked(arguments.as_object().unwrap()).map(Value::Object)
    }

    #[test]
    fn what_means_the_same_is_taken_only_where_it_does_not_fit() {
        let schema = json!({ "type": "object", "required": ["n"], "properties": {
            "n": { "type": "integer", "minimum": 1 }, "loud": { "type": "boolean" }, "code": { "type": "string" },
            "unit": { "enum": ["c", "f"] } } });
        let meant = checked(&schema, &json!({ "n": "5", "loud": "True", "code": "5", "unit": null }));
        assert_eq!(meant, Ok(json!({ "n": 5, "loud": true, "code": "5" })));
        assert_eq!(checked(&schema, &json!({ "n": 7, "code": "1" })), Ok(json!({ "n": 7, "code": "1" })));
        let fault = checked(&schema, &json!({ "n": 0, "unit": "k" })).unwrap_err();
        assert!(fault.contains("n: ") && fault.contains("unit: "), "{fault}");
        assert!(checked(&schema, &json!({})).unwrap_err().contains("\"n\""));
    }

    #[test]
    fn a_schema_that_is_none_checks_nothing_and_none_is_fetched() {
        let any = json!({ "a": 1 });
        for schema in [
            json!(true),
            json!({ "$ref": "https://127.0.0.1:9/never.json" }),
            json!({ "properties": { "a": { "$ref": "http://127.0.0.1:9/x" } } }),
            json!({ "type": 7 }),
        ] {
            assert_eq!(checked(&schema, &any), Ok(any.clone()), "{schema}");
        }
        let recursive = json!({ "type": "object", "properties": { "a": { "$ref": "#" } } });
        assert!(checked(&recursive, &any).is_err());
        assert_eq!(checked(&recursive, &json!({ "a": { "a": {} } })), Ok(json!({ "a": { "a": {} } })));
    }
}
