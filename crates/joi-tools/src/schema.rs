//! Arguments of a call against the schema of its tool, and the schema in one line for a prompt.
//!
//! Any thread. In: a JSON schema and what a model wrote. Out: arguments of the right types, or an
//! error in words that help the model to do better. Models write numbers as words of digits and true as
//! "true": what means the same is taken as meant. An argument that the schema does not name is refused.
//! Pure: no I/O, no clock.

use serde_json::{Map, Value, json};

use super::{Arguments, Tool};

#[cfg(test)]
mod tests;

/// Longest text of an argument, in characters, where the schema does not say.
const LONGEST_TEXT: u64 = 400;
/// Longest name of a tool.
const LONGEST_NAME: usize = 64;

/// Returns whether `name` can name a tool in every protocol.
pub fn is_name(name: &str) -> bool {
    let fits = (1..=LONGEST_NAME).contains(&name.len());
    fits && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

/// Returns an object of `properties`, of which `required` must be there.
pub fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// Returns the arguments as `schema` wants them.
///
/// # Errors
/// One sentence for each argument that is wrong, missing or unknown.
pub fn checked(schema: &Value, arguments: &Arguments) -> Result<Arguments, String> {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let required = required(schema);
    let mut faults = Vec::new();
    let mut checked = Arguments::new();
    for (name, kind) in properties {
        match arguments.get(name).filter(|value| !means_nothing(value)) {
            Some(value) => match fitted(kind, value) {
                Ok(value) => drop(checked.insert(name.clone(), value)),
                Err(fault) => faults.push(format!("{name}: {fault}.")),
            },
            None if required.contains(&name.as_str()) => {
                faults.push(format!("{name} is missing: {}.", expected(kind)));
            }
            None => {}
        }
    }
    for name in arguments.keys().filter(|name| !properties.contains_key(*name)) {
        let known: Vec<&str> = properties.keys().map(String::as_str).collect();
        let known = if known.is_empty() { "it takes none".to_owned() } else { known.join(", ") };
        let name: String = name.chars().take(40).collect();
        faults.push(format!("There is no argument {name}; the arguments are: {known}."));
    }
    if faults.is_empty() { Ok(checked) } else { Err(faults.join(" ")) }
}

fn required(schema: &Value) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Returns the one argument that must be there, when it is a text.
pub fn only_text(schema: &Value) -> Option<&str> {
    let name = schema.get("required")?.as_array().filter(|names| names.len() == 1)?.first()?.as_str()?;
    (schema.get("properties")?.get(name)?.get("type")? == "string").then_some(name)
}

/// Returns whether an argument is the address of something, by its format or its name.
pub fn is_address(schema: &Value, name: &str) -> bool {
    let kind = schema.get("properties").and_then(|all| all.get(name));
    let format = kind.and_then(|kind| kind.get("format")).and_then(Value::as_str);
    let name = name.to_ascii_lowercase();
    kind.is_some()
        && (matches!(format, Some("uri" | "url" | "iri"))
            || ["url", "uri", "link", "href"].iter().any(|end| name.ends_with(end)))
}

/// Returns whether a value is one that models write when they leave an argument out.
fn means_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => matches!(text.trim().to_ascii_lowercase().as_str(), "" | "null" | "none"),
        _ => false,
    }
}

/// `value` as `kind` wants it.
fn fitted(kind: &Value, value: &Value) -> Result<Value, String> {
    let refused = || Err(format!("{} is not {}", shown(value), expected(kind)));
    if let Some(allowed) = kind.get("enum").and_then(Value::as_array) {
        let meant = |option: &&Value| match (option.as_str(), value.as_str()) {
            (Some(option), Some(value)) => option.eq_ignore_ascii_case(value.trim()),
            _ => *option == value,
        };
        return allowed.iter().find(meant).cloned().map_or_else(refused, Ok);
    }
    match kind.get("type").and_then(Value::as_str) {
        Some("string") => match value {
            Value::String(text) => text_within(kind, text),
            Value::Number(number) => text_within(kind, &number.to_string()),
            _ => refused(),
        },
        Some("integer") => match whole(value) {
            Some(number) if within(kind, number as f64) => Ok(json!(number)),
            _ => refused(),
        },
        Some("number") => match number(value) {
            Some(number) if within(kind, number) => Ok(json!(number)),
            _ => refused(),
        },
        Some("boolean") => match (value, value.as_str().map(str::trim)) {
            (Value::Bool(_), _) => Ok(value.clone()),
            (_, Some(text)) if text.eq_ignore_ascii_case("true") => Ok(json!(true)),
            (_, Some(text)) if text.eq_ignore_ascii_case("false") => Ok(json!(false)),
            _ => refused(),
        },
        Some("array") => value.is_array().then(|| value.clone()).map_or_else(refused, Ok),
        Some("object") => value.is_object().then(|| value.clone()).map_or_else(refused, Ok),
        _ => Ok(value.clone()),
    }
}

fn text_within(kind: &Value, text: &str) -> Result<Value, String> {
    let longest = kind.get("maxLength").and_then(Value::as_u64).unwrap_or(LONGEST_TEXT);
    let text = text.trim();
    let length = text.chars().count() as u64;
    if length > longest {
        return Err(format!("the text has {length} characters, at most {longest} are allowed"));
    }
    Ok(json!(text))
}

fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().trim_end_matches('%').trim_end().parse().ok(),
        _ => None,
    };
    number.filter(|number: &f64| number.is_finite())
}

fn whole(value: &Value) -> Option<i64> {
    let number = number(value)?;
    let is_whole = number.fract() == 0.0 && number.abs() < 9.0e15;
    is_whole.then_some(number as i64)
}

fn within(kind: &Value, number: f64) -> bool {
    let bound = |key: &str| kind.get(key).and_then(Value::as_f64);
    bound("minimum").is_none_or(|low| number >= low) && bound("maximum").is_none_or(|high| number <= high)
}

/// Returns what an argument should be, in words.
fn expected(kind: &Value) -> String {
    if let Some(allowed) = kind.get("enum").and_then(Value::as_array) {
        let options: Vec<String> = allowed.iter().map(shown).collect();
        return format!("one of {}", options.join(", "));
    }
    let bound = |key: &str| kind.get(key).and_then(Value::as_f64);
    let range = match (bound("minimum"), bound("maximum")) {
        (Some(low), Some(high)) => format!(" from {low} to {high}"),
        (Some(low), None) => format!(" of at least {low}"),
        (None, Some(high)) => format!(" of at most {high}"),
        (None, None) => String::new(),
    };
    let what = match kind.get("type").and_then(Value::as_str) {
        Some("string") => "a text",
        Some("integer") => "a whole number",
        Some("number") => "a number",
        Some("boolean") => "true or false",
        Some("array") => "a list",
        Some("object") => "an object",
        _ => "a value",
    };
    format!("{what}{range}")
}

/// Returns a value for an error, short.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 {
        return text;
    }
    format!("{}…", text.chars().take(60).collect::<String>())
}

/// Returns a tool in one line: `calculate(expression) - what it is good for`.
pub fn line(tool: &dyn Tool) -> String {
    let schema = tool.schema();
    let required = required(&schema);
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let argument = |(name, kind): (&String, &Value)| {
        let options = kind.get("enum").and_then(Value::as_array);
        let options = options.map(|all| {
            let all: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
            format!(": {}", all.join("|"))
        });
        let mark = if required.contains(&name.as_str()) { "" } else { "?" };
        format!("{name}{mark}{}", options.unwrap_or_default())
    };
    let arguments: Vec<String> = properties.iter().map(argument).collect();
    format!("{}({}) - {}", tool.name(), arguments.join(", "), tool.description())
}

/// Returns a tool as the `tools` field of a request wants it.
pub fn native(tool: &dyn Tool) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.name(),
            "description": tool.description(),
            "parameters": tool.schema(),
        }
    })
}
