//! Checks which placeholders the sentences of a language hold.
//!
//! A wrong placeholder is reported when the file is read, not when the sentence is said. Pure: no I/O, no clock.

use toml::Value;

use super::sentences::PLACEHOLDERS;

/// Checks that every sentence in `sections` holds only placeholders that are known where it is said.
///
/// # Errors
/// The key, the value, and what is allowed.
pub(super) fn check<'s>(sections: impl IntoIterator<Item = (&'s String, &'s Value)>) -> Result<(), String> {
    sections.into_iter().try_for_each(|(section, keys)| check_section(section, section, keys))
}

/// Checks one section and those in it; `path` is its place in the file.
fn check_section(path: &str, section: &str, keys: &Value) -> Result<(), String> {
    for (key, value) in keys.as_table().into_iter().flatten() {
        let path = format!("{path}.{key}");
        let known = PLACEHOLDERS.iter().find(|(of, known, _)| *of == section && known == key);
        let allowed = known.map_or(&[][..], |(_, _, names)| names);
        check_section(&path, key, value)?;
        texts(value).into_iter().try_for_each(|sentence| check_one(&path, sentence, allowed))?;
    }
    Ok(())
}

fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text.as_str()],
        Value::Array(all) => all.iter().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// Checks that `sentence` holds only the placeholders in `allowed`.
pub(super) fn check_one(key: &str, sentence: &str, allowed: &[&str]) -> Result<(), String> {
    let mut rest = sentence;
    while let Some((_, tail)) = rest.split_once('{') {
        let (name, behind) = tail.split_once('}').unwrap_or((tail, ""));
        if !allowed.contains(&name) {
            let names: Vec<String> = allowed.iter().map(|name| format!("{{{name}}}")).collect();
            let names = if names.is_empty() { "no placeholder".to_owned() } else { names.join(", ") };
            return Err(format!("{key} is \"{sentence}\"; allowed: {names}"));
        }
        rest = behind;
    }
    Ok(())
}
