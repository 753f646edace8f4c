//! How words sound to the ear of a language, so that slips of a recogniser are found.
//!
//! PURE. In: a word. Out: a code that is equal for words that sound the same; empty when nothing is known of its
//! sound. Which ear listens is said in the files of the languages.

use rphonetic::{Cologne, Encoder as _};
use serde::Deserialize;

use crate::english;

/// A way to tell words by their sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ear {
    /// Double Metaphone, for English.
    DoubleMetaphone,
    /// Kölner Phonetik, for German.
    Cologne,
    /// The letters alone count.
    Letters,
}

impl Ear {
    /// How `word` sounds.
    pub fn sound(self, word: &str) -> String {
        match self {
            Self::DoubleMetaphone => english::sound(word),
            Self::Cologne => Cologne.encode(word),
            Self::Letters => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_ear_hears_what_sounds_the_same_in_its_language() {
        let is_same = |ear: Ear, one: &str, other: &str| ear.sound(one) == ear.sound(other);
        assert!(is_same(Ear::DoubleMetaphone, "said", "set"));
        assert_eq!(Ear::DoubleMetaphone.sound("snews"), Ear::DoubleMetaphone.sound("snooze"));
        assert!(is_same(Ear::Cologne, "stelle", "ställe"));
        assert!(is_same(Ear::Cologne, "wecker", "wegger"));
        assert!(!is_same(Ear::Cologne, "wecker", "timer"));
        assert_eq!(Ear::Letters.sound("said"), "");
    }

    proptest! {
        #[test]
        fn any_word_is_heard_without_panic(word in "\\PC{0,20}") {
            for ear in [Ear::DoubleMetaphone, Ear::Cologne, Ear::Letters] {
                let _ = ear.sound(&word);
            }
        }
    }
}
