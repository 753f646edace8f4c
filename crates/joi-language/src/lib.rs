//! Languages: what is understood without a model, and what is said without one.
//!
//! In: the files of a language, described in `docs/user/languages.md`, and the names of a home. Out: a [`Language`],
//! a value that is checked once and ready to use, and [`Languages`], the handle that turns, timers and tools take the
//! present one from. Pure but for [`LanguageLibrary`], which reads files at the start or when the language is
//! changed.
//!
//! ```
//! use joi_language::{Language, times};
//!
//! let english = Language::load("en")?;
//! assert_eq!(times::length(570, &english), "9 minutes 30 seconds");
//! assert_eq!(english.sentences().reply.welcome, "You're welcome.");
//! # Ok::<(), joi_language::LanguageError>(())
//! ```

pub mod agents;
mod built_in;
mod clock;
mod ending;
pub mod english;
mod figures;
mod fill;
pub mod goals;
pub mod grammar;
pub mod house;
mod in_figures;
mod language;
mod library;
mod likeness;
mod looping;
mod mood;
mod names;
pub mod page;
mod pattern;
mod phonetic;
mod placeholders;
mod prompts;
mod readings;
mod requests;
mod safety;
pub mod secrets;
mod sentence_templates;
mod sentences;
mod spoken;
mod steps;
mod template;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
pub mod times;
pub mod tools;
mod truth;
pub mod values;
mod vocabulary;
mod voice;
pub mod watch;
pub mod words;

pub use clock::{ClockSaid, Exactness};
pub use ending::{SentenceEnding, ending_of, is_clause_end, joint_behind_opening};
pub use figures::FigureWords;
pub use fill::{capital, fill};
pub use language::{Language, LanguageCode};
pub use library::{ANY_LANGUAGE, LanguageError, LanguageLibrary};
pub use looping::{loops_at_the_end, loops_by_letters};
pub use mood::{MoodWords, SentenceForm};
pub use names::{DeviceKind, Names};
pub use pattern::{PatternGroups, PatternMatch, WordPattern};
pub use phonetic::PhoneticMatcher;
pub use prompts::{PromptName, PromptTexts};
pub use readings::{
    Abbreviations, AddressWords, ClockWords, Counted, Currency, DateWords, DegreeWords, EndingWords,
    FigureSigns, FirstInDate, FractionWords, Inflection, MoneyWords, ReadingWords, SignWords, SumSigns,
    UnitWords,
};
pub use requests::{
    DeedWords, FormWords, Patterns, Phrases, RequestWords, TalkWords, ToldWords, UnaskedWords, WantedWords,
    words_of,
};
pub use safety::{
    FactWords, IntroducedWords, LookUpSentences, LookUpWords, MatterUrgency, RuleCounts, SafetyRule,
    SafetyWords, SiteWords,
};
pub use sentence_templates::LanguageTemplates;
pub use sentences::{
    AlertSentences, DeviceSentences, Dial, HomeSentences, HouseSentences, KindWords, MemorySentences,
    MessageSentences, RepeatWords, ReplySentences, ScheduleSentences, SentenceName, Sentences, SkyWords,
    SummaryWords, TimeWords, ToolSentences, WeatherSentences, WindSentences,
};
pub use spoken::Languages;
pub use template::{SentenceField, SentenceTemplate};
pub use truth::{
    ClaimForm, ClaimPattern, ClaimedDeed, ExemptWords, ObjectFamily, PartWords, SupportWords, TruthWords,
    TurnWords, VerbForms, VerbTense,
};
pub use vocabulary::{PhraseWords, Vocabulary};
pub use voice::VoiceNames;
