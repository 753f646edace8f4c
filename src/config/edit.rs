//! One key of the configuration file, changed from outside: everything else of the file stays as it is.
//!
//! In: the text of the file, a key, what was typed. Out: the new text, checked as the start of the program checks it, or what
//! is wrong with it. Blocks while languages are looked up.

mod tables;

use std::path::Path;

use toml::Value;
use toml_edit::{DocumentMut, Item, Table};

use super::load::{
    ConfigError, allowed, gather, is_named_by_owner, leaves, library_beside, parse, resolve, schema,
};
use joi_base::problem::Problem;
pub(crate) use tables::{moved_table, with_table};

/// Returns `text`, the content of `file`, with `key` set to what was typed; without it, and so at its default, where
/// nothing was.
///
/// # Errors
/// There is no such key, the value is not allowed, or the file has a problem already.
pub(crate) fn edited(text: &str, file: &Path, key: &str, typed: Option<&str>) -> Result<String, ConfigError> {
    let known = leaves(&schema());
    let Some(default) = known.get(key).filter(|_| !is_named_by_owner(key)) else {
        let problem = Problem::new(key, typed.unwrap_or_default(), "this key does not exist");
        return Err(ConfigError::Problems(vec![problem.remedy("See all keys with `joi config show`.")]));
    };
    let mut document = document(text, file)?;
    match typed {
        Some(typed) => put(document.as_table_mut(), key, &value(typed, default)),
        None => remove(document.as_table_mut(), key),
    }
    checked(&document, file)
}

/// Reads the file.
fn document(text: &str, file: &Path) -> Result<DocumentMut, ConfigError> {
    let name = file.display().to_string();
    text.parse()
        .map_err(|error: toml_edit::TomlError| ConfigError::Syntax { name, message: error.to_string() })
}

/// Returns the text of the file, checked as the start of the program checks it.
fn checked(document: &DocumentMut, file: &Path) -> Result<String, ConfigError> {
    let edited = document.to_string();
    resolve(&gather(parse(&edited, &file.display().to_string())?, &[]), &library_beside(file))?;
    Ok(edited)
}

/// Returns the words that may be chosen from for `key`; none where anything may be typed.
pub(crate) fn choices(key: &str, default: &Value) -> Vec<String> {
    if matches!(default, Value::Boolean(_)) {
        return vec!["true".to_owned(), "false".to_owned()];
    }
    let Some(told) = allowed(key, default).filter(|_| matches!(default, Value::String(_))) else {
        return Vec::new();
    };
    let is_choice = told.starts_with("one of `") || told.starts_with('`');
    told.split('`').skip(1).step_by(2).filter(|_| is_choice).map(str::to_owned).collect()
}

/// Returns a value as it is typed: a text without its quotes, single precision without its dust.
pub(crate) fn typed(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Float(number) => format!("{:?}", *number as f32),
        other => other.to_string(),
    }
}

/// Returns what was typed, as TOML: a key that holds text takes it as it is.
fn value(typed: &str, default: &Value) -> toml_edit::Value {
    let text = || toml_edit::Value::from(typed);
    if matches!(default, Value::String(_)) { text() } else { typed.parse().unwrap_or_else(|_| text()) }
}

/// Sets `key`; the comment in front of it, and behind its value, stays.
fn put(table: &mut Table, key: &str, value: &toml_edit::Value) {
    match key.split_once('.') {
        Some((section, rest)) => {
            let inner = table.entry(section).or_insert_with(|| Item::Table(Table::new()));
            if let Some(inner) = inner.as_table_mut() {
                put(inner, rest, value);
            } else if let Some(inner) = inner.as_inline_table_mut() {
                inner.insert(rest, value.clone());
            }
        }
        None => match table.get_mut(key).and_then(Item::as_value_mut) {
            Some(old) => {
                let decor = old.decor().clone();
                *old = value.clone();
                *old.decor_mut() = decor;
            }
            None => drop(table.insert(key, Item::Value(value.clone()))),
        },
    }
}

fn remove(table: &mut Table, key: &str) {
    match key.split_once('.') {
        Some((section, rest)) => {
            if let Some(inner) = table.get_mut(section).and_then(Item::as_table_mut) {
                remove(inner, rest);
            }
        }
        None => drop(table.remove(key)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::DEFAULT_FILE;

    const OWN: &str = "# mine\nlanguage = \"en\"\n\n[hear.endpoint]\n# not too soon\npatience = \"normal\" # as it was\n\n[llm]\nurl = \"http://nas:11434\"\n";

    fn change(text: &str, key: &str, typed: Option<&str>) -> Result<String, String> {
        edited(text, Path::new("/nowhere/config.toml"), key, typed).map_err(|error| error.to_string())
    }

    #[test]
    fn one_key_changes_and_every_comment_stays() {
        let relaxed = change(OWN, "hear.endpoint.patience", Some("relaxed")).unwrap();
        assert_eq!(relaxed, OWN.replace("\"normal\"", "\"relaxed\""));
        let added = change(OWN, "timers.snooze_min", Some("7")).unwrap();
        assert!(added.starts_with(OWN.trim_end()) && added.contains("[timers]\nsnooze_min = 7\n"), "{added}");
        let gone = change(&added, "timers.snooze_min", None).unwrap();
        assert!(!gone.contains("snooze_min") && gone.contains("# not too soon"), "{gone}");
        assert_eq!(change(OWN, "timers.snooze_min", None).unwrap(), OWN, "it was at its default");
        // A text is a text, also one that looks like something else.
        assert!(change(OWN, "llm.model", Some("7")).unwrap().contains("model = \"7\""));
        assert!(change("", "announce.quiet_hours", Some("[\"22:00-06:00\"]")).unwrap().contains("22:00"));
    }

    #[test]
    fn every_line_of_the_default_file_but_one_survives_a_change() {
        let changed = change(DEFAULT_FILE, "hear.endpoint.patience", Some("quick")).unwrap();
        let different = DEFAULT_FILE.lines().zip(changed.lines()).filter(|(one, other)| one != other);
        assert_eq!(different.collect::<Vec<_>>(), [("patience = \"normal\"", "patience = \"quick\"")]);
    }

    #[test]
    fn what_is_not_allowed_is_refused_with_the_reason() {
        for (key, typed, told) in [
            ("hear.endpoint.patience", "slow", "relaxed"),
            ("timers.snooze_min", "many", "whole number"),
            ("timers.snooze_min", "0", "timers.snooze_min"),
            ("hear.nothing", "1", "does not exist"),
            ("mcp.servers.x.command", "sh", "does not exist"),
            ("agents.x.prompt", "y", "does not exist"),
        ] {
            let why = change(OWN, key, Some(typed)).unwrap_err();
            assert!(why.contains(told), "{key}: {why}");
        }
        assert!(change("[broken", "language", Some("de")).is_err());
    }

    #[test]
    fn words_that_can_be_chosen_from_are_known() {
        let known = leaves(&schema());
        let of = |key: &str| choices(key, &known[key]);
        assert_eq!(of("announce.awake"), ["true", "false"]);
        assert!(of("hear.endpoint.patience").contains(&"relaxed".to_owned()));
        assert!(of("llm.url").is_empty() && of("timers.snooze_min").is_empty());
    }
}
