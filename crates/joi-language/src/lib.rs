//! Languages: what is understood without a model, and what is said without one.
//!
//! In: the files of a language, described in `docs/user/languages.md`, and the names of a home. Out: a [`Language`],
//! a value that is checked once and ready to use, and [`Languages`], the handle that turns, timers and tools take the
//! present one from. Pure but for [`LanguageLibrary`], which reads files at the start or when the language is
//! changed.

mod built_in;
mod clock;
pub mod ending;
pub mod english;
pub mod figures;
mod fill;
pub mod grammar;
pub mod house;
mod in_figures;
mod language;
mod library;
mod likeness;
mod looping;
pub mod mood;
mod names;
pub mod pattern;
mod phonetic;
mod placeholders;
pub mod prompts;
pub mod readings;
pub mod requests;
pub mod safety;
pub mod secrets;
mod sentences;
mod spoken;
mod template;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
pub mod times;
pub mod tools;
pub mod truth;
pub mod values;
mod vocabulary;
mod voice;
pub mod words;

pub use clock::{ClockSaid, Exactness};
pub use fill::{capital, fill};
pub use language::{Language, LanguageCode};
pub use library::{ANY_LANGUAGE, LanguageError, LanguageLibrary};
pub use looping::loops_by_letters;
pub use names::{DeviceKind, Names};
pub use phonetic::PhoneticMatcher;
pub use safety::MatterUrgency;
pub use sentences::{
    AlertSentences, DeviceSentences, Dial, HomeSentences, HouseSentences, KindWords, MemorySentences,
    MessageSentences, RepeatWords, ReplySentences, ScheduleSentences, SentenceName, Sentences, SkyWords,
    SummaryWords, TimeWords, ToolSentences, WeatherSentences, WindSentences,
};
pub use spoken::Languages;
pub use template::{SentenceField, SentenceTemplate};
pub use vocabulary::PhraseWords;
pub use vocabulary::Vocabulary;
pub use voice::VoiceNames;
