//! Tables of the configuration file that the owner names, changed by commands: everything else of the file stays as it is.
//!
//! In: the text of the file, the name of a table, its keys. Out: the new text, checked as the start of the program checks it.

use std::path::Path;

use toml_edit::{Item, Table};

use super::{checked, document};
use crate::config::ConfigError;

/// Returns `text`, the content of `file`, with the table `[path]` holding `keys`, texts and others as they are in TOML. Keys
/// that it held besides stay.
///
/// # Errors
/// A value is not allowed, or the file has a problem already.
pub(crate) fn with_table(
    text: &str,
    file: &Path,
    path: &[&str],
    keys: &[(&str, toml::Value)],
) -> Result<String, ConfigError> {
    let mut document = document(text, file)?;
    let mut table = document.as_table_mut();
    for (at, name) in path.iter().enumerate() {
        let is_last = at + 1 == path.len();
        let made = || {
            let mut made = Table::new();
            // Only the last one has a head of its own.
            made.set_implicit(!is_last);
            Item::Table(made)
        };
        let Some(inner) = table.entry(name).or_insert_with(made).as_table_mut() else {
            return Err(ConfigError::Syntax {
                name: file.display().to_string(),
                message: format!("{} is not a table of its own; change it by hand", path[..=at].join(".")),
            });
        };
        table = inner;
    }
    for (key, value) in keys {
        let value: toml_edit::Value = value.to_string().parse().unwrap_or_else(|_| value.to_string().into());
        table.insert(key, Item::Value(value));
    }
    checked(&document, file)
}

/// Returns the text without the table `[path]`, and the table where `renamed` says; nothing where it is not there.
///
/// # Errors
/// The file has a problem then.
pub(crate) fn moved_table(
    text: &str,
    file: &Path,
    path: &[&str],
    renamed: Option<&str>,
) -> Result<Option<String>, ConfigError> {
    let mut document = document(text, file)?;
    let Some((last, above)) = path.split_last() else { return Ok(None) };
    let mut table = document.as_table_mut();
    for name in above {
        let Some(inner) = table.get_mut(name).and_then(Item::as_table_mut) else { return Ok(None) };
        table = inner;
    }
    let Some(item) = table.remove(last) else { return Ok(None) };
    if let Some(renamed) = renamed {
        table.insert(renamed, item);
    }
    checked(&document, file).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str =
        "# mine\nlanguage = \"en\"\n\n[satellites.wyoming]\nlisten = \"127.0.0.1:10300\" # here\n";

    fn added(text: &str, name: &str, address: &str) -> Result<String, String> {
        let keys = [("address", toml::Value::from(address))];
        with_table(text, Path::new("/nowhere/config.toml"), &["satellites", "rooms", name], &keys)
            .map_err(|error| error.to_string())
    }

    fn moved(text: &str, name: &str, renamed: Option<&str>) -> Option<String> {
        moved_table(text, Path::new("/nowhere/config.toml"), &["satellites", "rooms", name], renamed).unwrap()
    }

    #[test]
    fn a_table_is_added_changed_renamed_and_removed_and_all_else_stays() {
        let kitchen = added(OWN, "kitchen", "one:10700").unwrap();
        assert_eq!(kitchen, format!("{OWN}\n[satellites.rooms.kitchen]\naddress = \"one:10700\"\n"));
        let two = added(&kitchen, "dining room", "two").unwrap();
        assert!(two.contains("[satellites.rooms.\"dining room\"]\naddress = \"two\""), "{two}");
        let changed = added(&two, "kitchen", "three").unwrap();
        assert!(changed.contains("[satellites.rooms.kitchen]\naddress = \"three\""), "{changed}");
        let renamed = moved(&kitchen, "kitchen", Some("galley")).unwrap();
        assert_eq!(renamed, kitchen.replace("kitchen", "galley"));
        assert_eq!(moved(&kitchen, "kitchen", None).unwrap(), OWN);
        assert_eq!(moved(&kitchen, "bath", None), None);
        assert_eq!(added("", "kitchen", "one").unwrap(), "[satellites.rooms.kitchen]\naddress = \"one\"\n");
    }

    #[test]
    fn what_the_program_would_refuse_is_not_written() {
        let refused = added(OWN, "kitchen", "no address").unwrap_err();
        assert!(refused.contains("satellites.rooms.kitchen.address"), "{refused}");
        assert!(added("satellites = { rooms = {} }\n", "kitchen", "one").is_err());
    }
}
