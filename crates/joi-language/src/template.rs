//! Sentences that are put into words later, in the language that is spoken then.
//!
//! PURE, any thread. In: the name of a sentence and what stands in it; later the present language and moment. Out: the
//! sentence. A template is stored (JSON), so names of sentences and fields are never renamed.

use std::collections::BTreeMap;

use jiff::Zoned;
use jiff::civil::{DateTime, Time};
use serde::{Deserialize, Serialize};

use super::times::{self, UnitForm};
use super::{Language, capital, fill};

/// The sentences, and parts of sentences, that templates are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SentenceName {
    /// She hears nothing.
    MicrophoneLost,
    /// She is ready after a start.
    Awake,
    /// The clock shows less than it did before.
    WrongClock,
    /// The timers can't be read.
    TimersUnreadable,
    /// Something was due and nobody noticed: `list`.
    Missed,
    /// One of that list: `the`, `called`, `at`.
    WasDue,
    /// What an entry is called: `name`, `kind`.
    Named,
    /// The same where a stranger named it: `name`, `kind`.
    ForeignNamed,
    /// The same: `text`.
    ToRemind,
    /// The same: `length`, `bare`, `kind`.
    ByLength,
    /// The same: `time`, `kind`.
    ByTime,
    /// The word.
    Timer,
    /// The word.
    Alarm,
    /// The word.
    Reminder,
    /// The article of the word.
    TheTimer,
    /// The article of the word.
    TheAlarm,
    /// The article of the word.
    TheReminder,
    /// The word.
    House,
    /// What is to be done in the house: `text`.
    ToDo,
    /// The same, and when: `text`, `at`.
    ToDoAt,
    /// Commands to the house that were not sent in time: `list`.
    HouseMissed,
    /// Commands to the house that came to nothing: `list`.
    HouseFailed,
    /// Commands to the house of which nobody knows: `list`.
    HouseUnknown,
    /// A door or window is open: `name`, `length`.
    LeftOpen,
    /// A room is too warm: `name`, `degrees`.
    TooWarm,
    /// A room is too cold: `name`, `degrees`.
    TooCold,
    /// A temperature has changed fast: `name`, `degrees`.
    WarmthChanged,
    /// Somebody has come home: `length`.
    Arrived,
    /// Somebody has left at an unusual hour.
    LeftLate,
    /// The weather service warns: `text`.
    WeatherAlert,
    /// The house says something: `text`.
    HouseNotice,
    /// A danger: `name`.
    SmokeAlarm,
    /// A danger: `name`.
    FireAlarm,
    /// A danger: `name`.
    GasLeak,
    /// A danger: `name`.
    WaterLeak,
    /// A danger: `name`.
    IntrusionDetected,
    /// A danger: `name`.
    SecurityAlert,
    /// A danger: `name`.
    StormWarning,
    /// A danger: `name`.
    FloodWarning,
    /// An alert of high priority: `text`.
    HighAlert,
    /// This is only a test.
    TestAlarm,
    /// The house is not connected: `length`.
    HouseLost,
    /// The house is connected again.
    HouseBack,
}

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
            .map(|(placeholder, field)| (placeholder.as_str(), field.told(language, now)))
            .collect();
        let values: Vec<(&str, &str)> =
            filled.iter().map(|(placeholder, told)| (*placeholder, told.as_str())).collect();
        fill(self.sentence.text(language), &values)
    }
}

impl SentenceField {
    fn told(&self, language: &Language, now: &Zoned) -> String {
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

impl SentenceName {
    /// As it stands in the file of the language, with its placeholders.
    fn text(self, language: &Language) -> &str {
        let sentences = language.sentences();
        let (schedule, device) = (&sentences.schedule, &sentences.device);
        match self {
            Self::MicrophoneLost => &device.microphone_lost,
            Self::Awake => &device.awake,
            Self::WrongClock => &schedule.wrong_clock,
            Self::TimersUnreadable => &schedule.unreadable,
            Self::Missed => &schedule.missed,
            Self::WasDue => &schedule.was_due,
            Self::Named => &schedule.named,
            Self::ForeignNamed => &schedule.foreign_named,
            Self::ToRemind => &schedule.to_remind,
            Self::ByLength => &schedule.by_length,
            Self::ByTime => &schedule.by_time,
            Self::Timer => &schedule.timer.one,
            Self::Alarm => &schedule.alarm.one,
            Self::Reminder => &schedule.reminder.one,
            Self::TheTimer => &schedule.timer.the,
            Self::TheAlarm => &schedule.alarm.the,
            Self::TheReminder => &schedule.reminder.the,
            Self::House => &schedule.house.one,
            Self::ToDo => &schedule.to_do,
            Self::ToDoAt => &schedule.to_do_at,
            Self::HouseMissed => &schedule.house_missed,
            Self::HouseFailed => &schedule.house_failed,
            Self::HouseUnknown => &schedule.house_unknown,
            _ => self.of_the_house(language),
        }
    }
}

impl SentenceName {
    /// The same for what the house has to tell.
    fn of_the_house(self, language: &Language) -> &str {
        let (wind, alert) = (&language.sentences().wind, &language.sentences().alert);
        match self {
            Self::LeftOpen => &wind.left_open,
            Self::TooWarm => &wind.too_warm,
            Self::TooCold => &wind.too_cold,
            Self::WarmthChanged => &wind.warmth_changed,
            Self::Arrived => &wind.arrived,
            Self::LeftLate => &wind.left_late,
            Self::WeatherAlert => &wind.weather_alert,
            Self::HouseNotice => &wind.notice,
            Self::SmokeAlarm => &alert.smoke_alarm,
            Self::FireAlarm => &alert.fire_alarm,
            Self::GasLeak => &alert.gas_leak,
            Self::WaterLeak => &alert.water_leak,
            Self::IntrusionDetected => &alert.intrusion_detected,
            Self::SecurityAlert => &alert.security_alert,
            Self::StormWarning => &alert.storm_warning,
            Self::FloodWarning => &alert.flood_warning,
            Self::HighAlert => &alert.high,
            Self::TestAlarm => &alert.test,
            Self::HouseLost => &alert.house_lost,
            Self::HouseBack => &alert.house_back,
            _ => "",
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
    fn a_template_is_told_in_the_language_that_is_spoken_and_seen_from_when_it_is_said() {
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
