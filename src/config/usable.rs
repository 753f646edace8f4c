//! Loads the usable part of a broken configuration, for commands that must work with any: `joi mute`, `joi status`.
//!
//! Main thread, once. In: the file and the overrides. Out: a configuration that passes all checks, and the error that
//! `load` would have returned. A broken key is left out; a file that is not TOML is left out as a whole. It never fails.

use std::collections::BTreeMap;
use std::path::Path;

use super::Config;
use super::load::{ConfigError, Effective, Given, Override, gather, library_beside, parse, resolve, text_of};
use joi_language::LanguageLibrary;

/// Loads what can be used of `path` and `overrides`; the error, where there is one, names what was left out.
pub(crate) fn load_usable(path: &Path, overrides: &[Override]) -> (Effective, Option<ConfigError>) {
    let library = library_beside(path);
    let file = text_of(path).and_then(|text| parse(&text, &path.display().to_string()));
    let (file, unreadable) = match file {
        Ok(file) => (file, None),
        Err(error) => (toml::Table::new(), Some(error)),
    };
    let (effective, problems) = without_problems(gather(file, overrides), &library);
    (effective, unreadable.or(problems))
}

/// Leaves out the keys with problems until none is left; the defaults where the problems name no given key.
fn without_problems(mut given: Given, library: &LanguageLibrary) -> (Effective, Option<ConfigError>) {
    let mut first = None;
    loop {
        let error = match resolve(&given, library) {
            Ok(effective) => return (effective, first),
            Err(error) => error,
        };
        let left = given.len();
        if let ConfigError::Problems(problems) = &error {
            given.retain(|key, _| !problems.iter().any(|problem| is_about(&problem.key, key)));
        }
        first.get_or_insert(error);
        if given.len() == left {
            return (Effective { config: Config::default(), origins: BTreeMap::new() }, first);
        }
    }
}

/// Returns whether a problem with key `problem` is one of the given key: the same, a part of it or its section.
fn is_about(problem: &str, given: &str) -> bool {
    let is_within = |outer: &str, inner: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    is_within(given, problem) || is_within(problem, given)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ValueOrigin;

    fn loaded(text: &str) -> (Effective, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        std::fs::write(&file, text).unwrap();
        let (effective, error) = load_usable(&file, &[]);
        (effective, error.map(|error| error.to_string()))
    }

    #[test]
    fn an_unknown_key_and_a_value_out_of_range_are_left_out_and_all_others_hold() {
        let (effective, error) = loaded("language = \"de\"\n[llm]\nmodle = \"x\"\n[audio]\nvolume = 300\n");
        assert_eq!(effective.config.language, "de");
        assert_eq!(effective.config.audio, Config::default().audio);
        assert_eq!(effective.origins.get("language"), Some(&ValueOrigin::File));
        assert_eq!(effective.origins.len(), 1);
        let error = error.unwrap();
        assert!(error.contains("llm.modle") && error.contains("audio.volume"), "{error}");
    }

    #[test]
    fn a_file_that_is_not_toml_counts_as_empty_and_is_reported() {
        for text in ["language = ", "\u{0}\u{1}", "[[[", "language = \"xx\""] {
            let (effective, error) = loaded(text);
            assert_eq!(effective.config.language, Config::default().language, "{text:?}");
            assert!(error.is_some(), "{text:?}");
        }
    }

    #[test]
    fn a_sound_file_is_loaded_as_always() {
        let (effective, error) = loaded("[audio]\nvolume = 30\n");
        assert_eq!((effective.config.audio.volume, error), (30, None));
    }
}
