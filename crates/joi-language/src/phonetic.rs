//! Codes of how words sound, by which slips of a recogniser are found.
//!
//! Words that sound alike have the same code; it is empty where the sound is not known. The files of a language name
//! its matcher. Pure: no I/O, no clock.

use rphonetic::{Cologne, Encoder as _};
use serde::Deserialize;

use crate::english;

/// An algorithm that codes the sound of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhoneticMatcher {
    /// Double Metaphone, for English.
    DoubleMetaphone,
    /// Kölner Phonetik, for German.
    Cologne,
    /// The letters alone count.
    Letters,
}

impl PhoneticMatcher {
    /// Returns the code of `word`.
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
        let is_same =
            |matcher: PhoneticMatcher, one: &str, other: &str| matcher.sound(one) == matcher.sound(other);
        assert!(is_same(PhoneticMatcher::DoubleMetaphone, "said", "set"));
        assert_eq!(
            PhoneticMatcher::DoubleMetaphone.sound("snews"),
            PhoneticMatcher::DoubleMetaphone.sound("snooze")
        );
        assert!(is_same(PhoneticMatcher::Cologne, "stelle", "ställe"));
        assert!(is_same(PhoneticMatcher::Cologne, "wecker", "wegger"));
        assert!(!is_same(PhoneticMatcher::Cologne, "wecker", "timer"));
        assert_eq!(PhoneticMatcher::Letters.sound("said"), "");
    }

    proptest! {
        #[test]
        fn any_word_is_heard_without_panic(word in "\\PC{0,20}") {
            for matcher in [PhoneticMatcher::DoubleMetaphone, PhoneticMatcher::Cologne, PhoneticMatcher::Letters] {
                let _ = matcher.sound(&word);
            }
        }
    }
}
