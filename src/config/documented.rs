//! The keys of the configuration with their meaning, at run time: read from the commented file that is generated from the
//! types.
//!
//! Pure: no I/O, no clock.

use toml::Value;

use super::DEFAULT_FILE;
use super::load::{leaves, schema};

/// A key with its meaning.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DocumentedKey {
    /// Its section; "" for the head of the file.
    pub(crate) section: String,
    /// With its section.
    pub(crate) key: String,
    /// The comment in front of it.
    pub(crate) about: String,
    /// Its default.
    pub(crate) default: Value,
}

/// Returns all keys, in the order of the file.
pub(crate) fn documented() -> Vec<DocumentedKey> {
    let defaults = leaves(&schema());
    let (mut section, mut about, mut found) = (String::new(), String::new(), Vec::new());
    for line in DEFAULT_FILE.lines() {
        if let Some(comment) = line.strip_prefix('#') {
            about += comment;
        } else if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name.to_owned();
            about.clear();
        } else if let Some((name, _)) = line.split_once(" = ") {
            let key = if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") };
            let comment = std::mem::take(&mut about).trim().to_owned();
            if let Some(default) = defaults.get(&key).cloned() {
                found.push(DocumentedKey { section: section.clone(), key, about: comment, default });
            }
        } else {
            about.clear();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_there_with_its_meaning() {
        let keys = documented();
        assert_eq!(keys.len(), leaves(&schema()).len());
        let patience = keys.iter().find(|key| key.key == "hear.endpoint.patience").unwrap();
        assert_eq!((patience.section.as_str(), patience.default.as_str()), ("hear.endpoint", Some("normal")));
        assert!(keys.iter().all(|key| key.about.ends_with('.')), "each has a comment");
    }
}
