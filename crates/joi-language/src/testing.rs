//! Languages as tests use them.

#![allow(clippy::unwrap_used, reason = "a test ends where a language that ships can't be loaded")]

use std::sync::{Arc, LazyLock};

use crate::{Language, Languages};

/// The built-in English.
pub fn english() -> &'static Language {
    static ENGLISH: LazyLock<Language> = LazyLock::new(|| Language::load("en").unwrap());
    &ENGLISH
}

/// The built-in German.
pub fn german() -> &'static Language {
    static GERMAN: LazyLock<Language> = LazyLock::new(|| Language::load("de").unwrap());
    &GERMAN
}

/// A handle that speaks English.
pub fn in_english() -> Languages {
    static ENGLISH: LazyLock<Arc<Language>> = LazyLock::new(|| Arc::new(Language::load("en").unwrap()));
    Languages::from(Arc::clone(&ENGLISH))
}

/// French for the time, for silence and for timers.
pub const FRENCH: &str = include_str!("../../../tests/data/language/fr/commands.toml");
