//! The wake phrases added by `joi wake add`, with their measured thresholds.
//!
//! In: a JSON file of this user. Out: the phrases, and the file replaced atomically and durably. Read once at the start.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Templates, WakePhrase};
use crate::score::ACCEPT;
use joi_base::durable;

/// Why the phrases can't be read or stored.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The file can't be read or written.
    #[error("can't read or write {}: {source}; check its permissions", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file has another content.
    #[error("{} holds no wake phrases ({source}); move it away, keep it, and add them again with `joi wake add`", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where it is wrong.
        source: serde_json::Error,
    },
}

/// A phrase that was added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedPhrase {
    /// Written form, lower case.
    pub name: String,
    /// The margin from which on it counts as said.
    pub margin: f32,
    /// Further ways to write it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alike: Vec<String>,
    /// On how many stretches of other sound the margin was measured.
    pub negatives: u32,
    /// Who has recorded it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub voices: Vec<Enrolled>,
}

/// A voice whose recordings were enrolled. The recordings themselves are not kept; of some their templates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enrolled {
    /// A name chosen by the user.
    pub user: String,
    /// The margin from which on it counts as said by this voice.
    pub margin: f32,
    /// On how many recordings it was measured.
    pub takes: u32,
    /// What the phrase is known by where it is not scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub templates: Option<Templates>,
}

impl SavedPhrase {
    /// One of which nothing was measured.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), margin: ACCEPT, alike: Vec::new(), negatives: 0, voices: Vec::new() }
    }

    /// As a phrase to listen for.
    pub fn phrase(&self) -> WakePhrase {
        WakePhrase { margin: Some(self.asked()), alike: self.alike.clone(), ..WakePhrase::new(&self.name) }
    }

    /// Returns the margin that accepts every enrolled voice; without any, the one for all voices.
    pub fn asked(&self) -> f32 {
        let least = self.voices.iter().map(|voice| voice.margin).reduce(f32::min);
        least.unwrap_or(self.margin)
    }

    /// Adds a voice, or updates it; what was not recorded anew of it is kept.
    pub fn enrol(&mut self, enrolled: Enrolled) {
        match self.voices.iter_mut().find(|voice| voice.user == enrolled.user) {
            Some(known) => {
                let templates = enrolled.templates.or(known.templates.take());
                *known = Enrolled { templates, ..enrolled };
            }
            None => self.voices.push(enrolled),
        }
    }
}

/// All phrases that were added.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhraseBook {
    /// In the order of adding.
    pub phrases: Vec<SavedPhrase>,
}

impl PhraseBook {
    /// Returns its path below the user's data directory.
    pub fn file(data: &Path) -> PathBuf {
        data.join("wake.json")
    }

    /// Reads it; a missing file is empty.
    ///
    /// # Errors
    /// The file can't be read or is damaged; both name it.
    pub fn read(file: &Path) -> Result<Self, BookError> {
        let path = || file.to_owned();
        match std::fs::read(file) {
            Ok(bytes) => {
                serde_json::from_slice(&bytes).map_err(|source| BookError::Damaged { path: path(), source })
            }
            Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(BookError::File { path: path(), source }),
        }
    }

    /// Writes it: a power cut leaves the earlier one or all of this one.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn write(&self, file: &Path) -> Result<(), BookError> {
        let write = || -> io::Result<()> {
            if let Some(folder) = file.parent() {
                std::fs::create_dir_all(folder)?;
            }
            durable::write(file, &serde_json::to_vec_pretty(self)?, None)
        };
        write().map_err(|source| BookError::File { path: file.to_owned(), source })
    }

    /// Adds a phrase, or updates it.
    pub fn put(&mut self, kept: SavedPhrase) {
        match self.phrases.iter_mut().find(|known| known.name == kept.name) {
            Some(known) => *known = kept,
            None => self.phrases.push(kept),
        }
    }

    /// Returns the stored data of a phrase.
    pub fn get(&self, name: &str) -> Option<&SavedPhrase> {
        self.phrases.iter().find(|known| known.name == name)
    }

    /// Removes one voice; returns whether it was known. The phrase stays.
    pub fn remove_voice(&mut self, name: &str, user: &str) -> bool {
        let Some(kept) = self.phrases.iter_mut().find(|known| known.name == name) else { return false };
        let before = kept.voices.len();
        kept.voices.retain(|voice| voice.user != user);
        kept.voices.len() < before
    }

    /// Removes a phrase; returns whether it was known.
    pub fn remove(&mut self, name: &str) -> bool {
        let before = self.phrases.len();
        self.phrases.retain(|known| known.name != name);
        self.phrases.len() < before
    }

    /// Returns the phrases of the configuration with their stored data, then those that are only stored here.
    pub fn with(&self, configured: &[WakePhrase]) -> Vec<WakePhrase> {
        let same = |phrase: &WakePhrase, kept: &SavedPhrase| phrase.name.to_lowercase() == kept.name;
        let known = configured.iter().map(|phrase| {
            let kept = self.phrases.iter().find(|kept| same(phrase, kept));
            kept.map_or_else(|| phrase.clone(), |kept| filled(phrase, kept))
        });
        let further = self.phrases.iter().filter(|kept| !configured.iter().any(|p| same(p, kept)));
        known.chain(further.map(SavedPhrase::phrase)).collect()
    }
}

/// Configured values take precedence over measured ones.
fn filled(phrase: &WakePhrase, kept: &SavedPhrase) -> WakePhrase {
    let alike = if phrase.alike.is_empty() { &kept.alike } else { &phrase.alike };
    WakePhrase { margin: phrase.margin.or(Some(kept.asked())), alike: alike.clone(), ..phrase.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(name: &str, margin: f32) -> SavedPhrase {
        SavedPhrase { name: name.into(), margin, alike: Vec::new(), negatives: 200, voices: Vec::new() }
    }

    #[test]
    fn phrases_are_kept_changed_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let file = PhraseBook::file(&folder.path().join("new"));
        let mut book = PhraseBook::read(&file).unwrap();
        assert_eq!(book, PhraseBook::default());
        book.put(kept("hey luna", -3.0));
        book.put(kept("good morning", -2.0));
        book.put(kept("hey luna", -2.5));
        book.write(&file).unwrap();
        assert_eq!(PhraseBook::read(&file).unwrap(), book);
        assert_eq!(book.phrases, [kept("hey luna", -2.5), kept("good morning", -2.0)]);
        assert!(book.remove("hey luna") && !book.remove("hey luna"));
        std::fs::write(&file, "{half").unwrap();
        let told = PhraseBook::read(&file).unwrap_err().to_string();
        assert!(told.contains("wake.json") && told.contains("joi wake add"), "{told}");
    }

    #[test]
    fn what_is_configured_goes_first_and_before_what_was_found_out() {
        let mut book = PhraseBook::default();
        book.put(kept("hey luna", -2.5));
        book.put(kept("hey joi", -2.8));
        let own = WakePhrase { margin: Some(-1.0), ..WakePhrase::new("Hey Luna") };
        assert_eq!(
            book.with(&[own.clone(), WakePhrase::new("hey jarvis")]),
            [own, WakePhrase::new("hey jarvis"), kept("hey joi", -2.8).phrase()]
        );
        let plain = WakePhrase::new("hey joi");
        assert_eq!(book.with(&[plain])[0].margin, Some(-2.8));
    }

    #[test]
    fn several_voices_stand_side_by_side_and_each_of_them_is_let_in() {
        let voice = |user: &str, margin| Enrolled { user: user.into(), margin, takes: 6, templates: None };
        let folder = tempfile::tempdir().unwrap();
        let file = PhraseBook::file(folder.path());
        let mut luna = kept("hey luna", -3.0);
        assert_eq!(luna.phrase().margin, Some(-3.0));
        luna.enrol(voice("anna", -2.0));
        assert_eq!(luna.phrase().margin, Some(-2.0), "stricter than for all voices");
        luna.enrol(voice("ben", -3.4));
        luna.enrol(voice("anna", -2.2));
        assert_eq!(luna.voices, [voice("anna", -2.2), voice("ben", -3.4)]);
        let mut book = PhraseBook::default();
        book.put(luna);
        book.write(&file).unwrap();
        assert_eq!(PhraseBook::read(&file).unwrap(), book);
        assert_eq!(book.with(&[WakePhrase::new("hey luna")])[0].margin, Some(-3.4));
        assert!(book.remove_voice("hey luna", "ben") && !book.remove_voice("hey luna", "ben"));
        assert!(!book.remove_voice("hey joi", "anna"));
        assert_eq!(book.get("hey luna").unwrap().asked(), -2.2);
    }

    #[test]
    fn a_book_from_before_there_were_voices_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = PhraseBook::file(folder.path());
        std::fs::write(&file, r#"{"phrases":[{"name":"hey luna","margin":-2.5,"negatives":120}]}"#).unwrap();
        assert_eq!(PhraseBook::read(&file).unwrap().get("hey luna").unwrap().asked(), -2.5);
    }
}
