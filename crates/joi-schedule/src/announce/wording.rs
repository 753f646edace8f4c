//! The wording of an announcement: words as they are, or a template for the language in use when it is said.
//!
//! Announcements that wait for long, or over a restart, are templates: then the language is right, and "yesterday" is
//! yesterday. Pure: no I/O, no clock.

use jiff::Zoned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use joi_base::message::Private;
use joi_language::{Language, SentenceName, SentenceTemplate};

/// The wording of an announcement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wording {
    /// These words.
    Words(Private<String>),
    /// This sentence, put into words when it is said.
    Template(Private<SentenceTemplate>),
}

impl Wording {
    /// Whether it is this sentence, whatever stands in its placeholders.
    pub fn is(&self, name: SentenceName) -> bool {
        matches!(self, Self::Template(Private(template)) if template.name() == name)
    }

    /// Returns the words at `now`.
    pub fn text(&self, language: &Language, now: &Zoned) -> Private<String> {
        match self {
            Self::Words(words) => words.clone(),
            Self::Template(Private(template)) => Private(template.sentence(language, now)),
        }
    }
}

impl From<&str> for Wording {
    fn from(words: &str) -> Self {
        Self::from(words.to_owned())
    }
}

impl From<String> for Wording {
    fn from(words: String) -> Self {
        Self::Words(Private(words))
    }
}

impl From<SentenceTemplate> for Wording {
    fn from(template: SentenceTemplate) -> Self {
        Self::Template(Private(template))
    }
}

impl From<SentenceName> for Wording {
    fn from(name: SentenceName) -> Self {
        Self::from(SentenceTemplate::from(name))
    }
}

/// As it stands on the disk: a text, or a table.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredWording {
    Words(String),
    Template(SentenceTemplate),
}

impl Serialize for Wording {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let stored = match self.clone() {
            Self::Words(Private(words)) => StoredWording::Words(words),
            Self::Template(Private(template)) => StoredWording::Template(template),
        };
        stored.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Wording {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(match StoredWording::deserialize(from)? {
            StoredWording::Words(words) => words.into(),
            StoredWording::Template(template) => template.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_language::testing::{english, german};

    #[test]
    fn a_template_is_put_into_the_present_language_and_words_stay_as_they_are() {
        let now = "2026-03-04T12:00[UTC]".parse().unwrap();
        let (lost, words) = (Wording::from(SentenceName::MicrophoneLost), Wording::from("Tea is ready."));
        assert_ne!(lost.text(english(), &now), lost.text(german(), &now));
        assert_eq!(lost.text(german(), &now).0, german().sentences().device.microphone_lost);
        assert_eq!(words.text(german(), &now).0, "Tea is ready.");
        assert!(lost.is(SentenceName::MicrophoneLost) && !words.is(SentenceName::MicrophoneLost));
    }

    #[test]
    fn both_are_stored_and_what_an_older_program_stored_is_read() {
        for wording in [Wording::from("Tea is ready."), Wording::from(SentenceName::WrongClock)] {
            let stored = serde_json::to_string(&wording).unwrap();
            assert_eq!(serde_json::from_str::<Wording>(&stored).unwrap(), wording, "{stored}");
        }
        assert_eq!(serde_json::from_str::<Wording>("\"old\"").unwrap(), Wording::from("old"));
    }
}
