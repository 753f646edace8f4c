//! Which language is spoken: the handle that turns, timers and tools take a language from.
//!
//! Any thread. In: the languages that are loaded, one or several. Out: the present one, or the one of a code. Each
//! conversation has a handle of its own, which follows what was spoken last; what the languages are is the same for all.

use std::sync::{Arc, PoisonError, RwLock};

use super::{Language, LanguageCode};

/// The languages that are spoken; clones share them and the present one. It is taken once for each turn, so that no
/// answer is in two languages.
#[derive(Debug, Clone)]
pub struct Languages {
    /// At least one; the first is the present one until another is spoken.
    loaded: Arc<RwLock<LoadedLanguages>>,
    /// Of the language that was spoken last, if that was followed.
    followed: Arc<RwLock<Option<LanguageCode>>>,
}

#[derive(Debug)]
struct LoadedLanguages {
    first: Arc<Language>,
    others: Vec<Arc<Language>>,
}

impl LoadedLanguages {
    fn all(&self) -> impl Iterator<Item = &Arc<Language>> {
        std::iter::once(&self.first).chain(&self.others)
    }

    fn of(&self, code: &str) -> Option<&Arc<Language>> {
        self.all().find(|language| language.code() == code)
    }
}

impl From<Arc<Language>> for Languages {
    fn from(first: Arc<Language>) -> Self {
        let loaded = LoadedLanguages { first, others: Vec::new() };
        Self { loaded: Arc::new(RwLock::new(loaded)), followed: Arc::default() }
    }
}

impl Languages {
    /// A handle of `language`, which is always spoken.
    pub fn new(language: Language) -> Self {
        Self::several(language, Vec::new())
    }

    /// A handle of several: `first` is spoken until another one of them is.
    pub fn several(first: Language, others: Vec<Language>) -> Self {
        let loaded =
            LoadedLanguages { first: Arc::new(first), others: others.into_iter().map(Arc::new).collect() };
        Self { loaded: Arc::new(RwLock::new(loaded)), followed: Arc::default() }
    }

    /// Another handle of the same languages, for a conversation: it follows what is spoken there.
    pub fn for_conversation(&self) -> Self {
        Self { loaded: Arc::clone(&self.loaded), followed: Arc::default() }
    }

    /// The present one.
    pub fn get(&self) -> Arc<Language> {
        let followed = self.followed.read().unwrap_or_else(PoisonError::into_inner).clone();
        followed
            .and_then(|code| self.of(&code))
            .unwrap_or_else(|| self.read(|loaded| Arc::clone(&loaded.first)))
    }

    /// The one of this code, if it is loaded.
    pub fn of(&self, code: &str) -> Option<Arc<Language>> {
        self.read(|loaded| loaded.of(code).cloned())
    }

    /// Returns the one that whisper calls `heard`, if it is loaded; the present one where whisper names none.
    pub fn heard(&self, heard: Option<&str>) -> Arc<Language> {
        let of = |code: &str| {
            self.read(|loaded| loaded.all().find(|language| language.voice().whisper == code).cloned())
        };
        heard.and_then(of).unwrap_or_else(|| self.get())
    }

    /// All of them, the first one first.
    pub fn all(&self) -> Vec<Arc<Language>> {
        self.read(|loaded| loaded.all().cloned().collect())
    }

    /// Whether there is a choice.
    pub fn are_several(&self) -> bool {
        self.read(|loaded| !loaded.others.is_empty())
    }

    /// `language` was spoken: from here on it is the present one.
    pub fn follow(&self, language: &Language) {
        *self.followed.write().unwrap_or_else(PoisonError::into_inner) = Some(language.to_code());
    }

    /// Another one in place of that of the same code, or of the first one, from the next turn on.
    pub fn replace(&self, language: Language) {
        let mut loaded = self.loaded.write().unwrap_or_else(PoisonError::into_inner);
        let language = Arc::new(language);
        match loaded.others.iter_mut().find(|other| other.code() == language.code()) {
            Some(other) => *other = language,
            None => loaded.first = language,
        }
    }

    fn read<T>(&self, read: impl FnOnce(&LoadedLanguages) -> T) -> T {
        read(&self.loaded.read().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both() -> Languages {
        Languages::several(Language::load("en").unwrap(), vec![Language::load("de").unwrap()])
    }

    #[test]
    fn each_conversation_follows_what_is_spoken_there() {
        let all = both();
        let (kitchen, study) = (all.for_conversation(), all.for_conversation());
        kitchen.follow(&all.of("de").unwrap());
        let present = [&all, &kitchen, &study].map(|handle| handle.get().code().to_owned());
        assert_eq!(present, ["en", "de", "en"]);
        assert!(all.are_several() && all.of("fr").is_none());
        assert_eq!(
            all.all().iter().map(|language| language.code().to_owned()).collect::<Vec<_>>(),
            ["en", "de"]
        );
    }

    #[test]
    fn a_language_is_replaced_for_every_conversation() {
        let all = both();
        let here = all.for_conversation();
        let names = crate::Names { rooms: vec!["Salon".into()], ..Default::default() };
        all.replace(crate::LanguageLibrary::built_in().load_with("de", &names).unwrap());
        assert_eq!(here.get().code(), "en", "German is another one");
        let one = Languages::new(Language::load("en").unwrap());
        one.replace(Language::load("de").unwrap());
        assert_eq!(one.get().code(), "de", "the only one is exchanged");
        assert!(!one.are_several());
    }
}
