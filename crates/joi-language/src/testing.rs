//! Languages as tests use them.

#![allow(clippy::unwrap_used, reason = "a test ends where a language that ships can't be loaded")]

use std::sync::{Arc, LazyLock};

use crate::{Language, LanguageLibrary, Languages};

/// The languages that ship, with the sentence templates that were fetched.
pub fn library() -> LanguageLibrary {
    let models = joi_base::paths::Paths::discover().unwrap().models;
    LanguageLibrary::built_in().with_templates(models.join("sentence-templates"))
}

/// A language that ships, as the program loads it: with sentence templates.
///
/// # Panics
/// When there is no such language, or its templates were not fetched.
pub fn spoken(code: &str) -> Arc<Language> {
    let language = library().load(code).unwrap();
    let is_there = language.templates().is_some();
    assert!(
        is_there,
        "no sentence templates for {code}: `joi models fetch sentence-templates`, or `make test`"
    );
    Arc::new(language)
}

static ENGLISH: LazyLock<Arc<Language>> = LazyLock::new(|| spoken("en"));
static GERMAN: LazyLock<Arc<Language>> = LazyLock::new(|| spoken("de"));

/// The built-in English.
pub fn english() -> &'static Language {
    &ENGLISH
}

/// The built-in German.
pub fn german() -> &'static Language {
    &GERMAN
}

/// A handle that speaks English.
pub fn in_english() -> Languages {
    Languages::from(Arc::clone(&ENGLISH))
}

/// The quick commands of the built-in French.
pub const FRENCH: &str = include_str!("../../../assets/language/fr/commands.toml");

/// Returns the steps that reading took on this thread since this was last asked: bytes that patterns were looked for in, and
/// instructions of templates.
pub fn steps_taken() -> u64 {
    crate::steps::take()
}
