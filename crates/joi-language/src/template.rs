//! Sentences that are put into words later, in the language that is spoken then.
//!
//! In: the name of a sentence and what stands in it; later the present language and moment. Out: the sentence. A
//! template is stored (JSON), so names of sentences and fields are never renamed. Pure: no I/O, no clock.

use std::collections::BTreeMap;

use jiff::Zoned;
use jiff::civil::{DateTime, Time};
use serde::{Deserialize, Serialize};

use super::times::{self, UnitForm};
use super::{Language, SentenceName, capital, fill};

/// What stands in a placeholder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SentenceField {
    /// Words that are the same in every language.
    Words(String),
    /// A length in seconds: `5 minutes`.
    Length(u64),
    /// A length in seconds, in front of a word: `5 minute`.
    BareLength(u64),
    /// `6:30 AM`.
    TimeOfDay(Time),
    /// A moment by the clock on the wall: `yesterday at 7 PM`, as seen from when it is said.
    Moment(DateTime),
    /// Another part of the sentence.
    Part(SentenceTemplate),
    /// `a, b and c`.
    List(Vec<SentenceTemplate>),
}

/// A sentence that is put into words when it is said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentenceTemplate {
    sentence: SentenceName,
    /// By the names of the placeholders.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    fields: BTreeMap<String, SentenceField>,
}

impl From<SentenceName> for SentenceTemplate {
    fn from(sentence: SentenceName) -> Self {
        Self { sentence, fields: BTreeMap::new() }
    }
}

impl From<SentenceName> for SentenceField {
    fn from(sentence: SentenceName) -> Self {
        Self::Part(sentence.into())
    }
}

impl SentenceTemplate {
    /// Which sentence it is.
    pub fn name(&self) -> SentenceName {
        self.sentence
    }

    /// The same with this in a placeholder.
    #[must_use]
    pub fn with(mut self, placeholder: &str, field: impl Into<SentenceField>) -> Self {
        self.fields.insert(placeholder.to_owned(), field.into());
        self
    }

    /// The sentence, as it is said at `now`.
    pub fn sentence(&self, language: &Language, now: &Zoned) -> String {
        capital(&self.part(language, now))
    }

    /// The same within another sentence.
    pub fn part(&self, language: &Language, now: &Zoned) -> String {
        let filled: Vec<(&str, String)> = self
            .fields
            .iter()
            .map(|(placeholder, field)| (placeholder.as_str(), field.in_words(language, now)))
            .collect();
        let values: Vec<(&str, &str)> =
            filled.iter().map(|(placeholder, told)| (*placeholder, told.as_str())).collect();
        fill(self.sentence.text(language.sentences()), &values)
    }
}

impl SentenceField {
    fn in_words(&self, language: &Language, now: &Zoned) -> String {
        let words = &language.sentences().time;
        match self {
            Self::Words(words) => words.clone(),
            Self::Length(seconds) => times::length_in(*seconds, UnitForm::Counted, words),
            Self::BareLength(seconds) => times::length_in(*seconds, UnitForm::Bare, words),
            Self::TimeOfDay(time) => times::time_of_day(*time, language),
            Self::Moment(at) => times::moment(*at, now, language),
            Self::Part(part) => part.part(language, now),
            Self::List(all) => {
                let told: Vec<String> = all.iter().map(|one| one.part(language, now)).collect();
                words.listed(&told)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    pub(crate) use super::super::tests::{english, german};
    use super::*;

    /// A Wednesday.
    fn now() -> Zoned {
        "2026-03-04T12:00[UTC]".parse().unwrap()
    }

    fn missed() -> SentenceTemplate {
        let pasta = SentenceTemplate::from(SentenceName::Named)
            .with("name", SentenceField::Words("{pasta}".into()))
            .with("kind", SentenceName::Timer);
        let short = SentenceTemplate::from(SentenceName::ByLength)
            .with("length", SentenceField::Length(300))
            .with("bare", SentenceField::BareLength(300))
            .with("kind", SentenceName::Timer);
        let due = |called: SentenceTemplate| {
            SentenceTemplate::from(SentenceName::WasDue)
                .with("the", SentenceName::TheTimer)
                .with("called", SentenceField::Part(called))
                .with("at", SentenceField::Moment("2026-03-03T19:00".parse().unwrap()))
        };
        let list = vec![due(pasta), due(short)];
        SentenceTemplate::from(SentenceName::Missed).with("list", SentenceField::List(list))
    }

    #[test]
    fn a_template_is_worded_in_the_language_that_is_spoken_and_seen_from_when_it_is_said() {
        let (missed, now) = (missed(), now());
        assert_eq!(
            missed.sentence(english(), &now),
            "You missed something: the {pasta} timer was due yesterday at 7 PM and the 5 minute timer was due \
             yesterday at 7 PM."
        );
        assert_eq!(
            missed.sentence(german(), &now),
            "Du hast etwas verpasst: der {pasta}-Timer war gestern um 19 Uhr fällig und der Timer über 5 Minuten \
             war gestern um 19 Uhr fällig."
        );
        let later = "2026-03-20T12:00[UTC]".parse().unwrap();
        assert!(missed.sentence(english(), &later).contains("was due on March 3 at 7 PM"));
        assert_eq!(SentenceTemplate::from(SentenceName::Reminder).sentence(english(), &now), "Reminder");
    }

    #[test]
    fn a_template_is_stored_under_names_that_stay() {
        let stored = serde_json::to_string(&SentenceTemplate::from(SentenceName::WrongClock)).unwrap();
        assert_eq!(stored, r#"{"sentence":"wrong_clock"}"#);
        let stored = serde_json::to_string(&missed()).unwrap();
        assert!(stored.contains(r#""at":{"moment":"2026-03-03T19:00:00"}"#), "{stored}");
        assert_eq!(serde_json::from_str::<SentenceTemplate>(&stored).unwrap(), missed());
    }
}
