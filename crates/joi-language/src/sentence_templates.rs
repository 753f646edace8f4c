//! The sentence templates that the community writes for a language, compiled when they are first asked for.
//!
//! Any thread; the first caller compiles, which takes some 15 ms, and others wait for it. In: the file of the language, its
//! number words. Out: the compiled templates; nothing where the file was not fetched or can't be used, which is logged once.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

use joi_templates::SentenceTemplates;

/// The sentence templates of a language.
#[derive(Debug)]
pub struct LanguageTemplates {
    file: PathBuf,
    /// Words of numbers, by thousandths.
    numbers: HashMap<i64, Vec<String>>,
    compiled: OnceLock<Option<SentenceTemplates>>,
}

impl LanguageTemplates {
    /// The templates in `file`, in which numbers may also be said in `words`.
    pub(super) fn new(file: PathBuf, words: HashMap<String, f64>) -> Self {
        let mut numbers: HashMap<i64, Vec<String>> = HashMap::new();
        for (word, value) in words {
            numbers.entry(thousandths(value)).or_default().push(word);
        }
        Self { file, numbers, compiled: OnceLock::new() }
    }

    /// Returns the compiled templates.
    pub(super) fn get(&self) -> Option<&SentenceTemplates> {
        self.compiled.get_or_init(|| self.compile()).as_ref()
    }

    fn compile(&self) -> Option<SentenceTemplates> {
        let file = self.file.display();
        let text = match std::fs::read_to_string(&self.file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                tracing::info!(%file, "no sentence templates: `joi models fetch sentence-templates` gets them");
                return None;
            }
            Err(error) => {
                tracing::warn!(%file, %error, "the sentence templates can't be read");
                return None;
            }
        };
        let spell =
            |_: &str, number: f64| self.numbers.get(&thousandths(number)).cloned().unwrap_or_default();
        let compiled = SentenceTemplates::parse_with(&text, &spell);
        compiled
            .inspect_err(|error| tracing::warn!(%file, %error, "the sentence templates can't be used"))
            .ok()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "numbers in words are small")]
fn thousandths(value: f64) -> i64 {
    (value * 1000.0).round() as i64
}
