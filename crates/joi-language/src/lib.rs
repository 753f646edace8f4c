//! Languages: what is understood without a model, and what is said without one.
//!
//! PURE but for [`LanguageLibrary`], which reads files at the start or when the language is changed. In: the files of a
//! language, described in `docs/user/languages.md`, and the names of a home. Out: a [`Language`], a value that is checked
//! once and ready to use, and [`Languages`], the handle that turns, timers and tools take the present one from.

use std::sync::Arc;

pub mod care;
mod clock;
pub mod consent;
mod ear;
pub mod ending;
pub mod english;
pub mod figures;
mod fill;
pub mod grammar;
pub mod house;
mod in_figures;
mod library;
mod likeness;
mod looping;
pub mod mood;
mod names;
pub mod pattern;
mod placeholders;
pub mod prompts;
pub mod readings;
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

pub use care::CareUrgency;
pub use clock::{ClockSaid, Exactness};
pub use ear::Ear;
pub use fill::{capital, fill};
pub use library::{ANY_LANGUAGE, LanguageError, LanguageLibrary};
pub use looping::loops_by_letters;
pub use names::{DeviceKind, Names};
pub use sentences::{
    AlertSentences, DeviceSentences, Dial, HomeSentences, KindWords, MemorySentences, MessageSentences,
    RepeatWords, ReplySentences, ScheduleSentences, Sentences, SkyWords, TimeWords, ToolSentences,
    WeatherSentences, WindSentences,
};
pub use spoken::Languages;
pub use template::{SentenceField, SentenceName, SentenceTemplate};
pub use vocabulary::PhraseWords;
pub use vocabulary::Vocabulary;
pub use voice::VoiceNames;

use care::CareWords;
use consent::ConsentWords;
use grammar::Grammar;
use house::HouseWords;
use mood::MoodWords;
use prompts::PromptTexts;
use readings::{EndingWords, ReadingWords};
use secrets::SecretWords;
use tools::{ListWords, SumWords, ToolWords};
use truth::TruthWords;

/// The two-letter code of a language.
pub type LanguageCode = Arc<str>;

/// No place has a longer name, in letters.
const LONGEST_PLACE: usize = 40;

/// A language: quick commands, what a listener looks for, spoken sentences, words of tools.
#[derive(Debug)]
pub struct Language {
    code: LanguageCode,
    grammar: Grammar,
    vocabulary: Vocabulary,
    sentences: Sentences,
    /// Its own first. Those of the others count, too: what is typed may be in any of them.
    tools: Vec<ToolWords>,
    /// Its own first.
    consent: Vec<ConsentWords>,
    /// Of languages that are not built in, its own first.
    secrets: Vec<SecretWords>,
    /// Of the other languages.
    other_moods: Vec<MoodWords>,
    /// Its own first.
    truth: Vec<TruthWords>,
    /// Nothing where figures and signs are left to the voice.
    readings: Option<Arc<ReadingWords>>,
    voice: VoiceNames,
    prompts: PromptTexts,
    /// Its own first.
    care: Vec<CareWords>,
    /// Nothing where it has no words for a house.
    house: Option<Arc<HouseWords>>,
}

impl Language {
    /// The built-in language of a two-letter code.
    ///
    /// # Errors
    /// There is none.
    pub fn load(code: &str) -> Result<Self, LanguageError> {
        LanguageLibrary::built_in().load(code)
    }

    /// The codes of the built-in languages.
    pub fn available() -> Vec<String> {
        LanguageLibrary::built_in().available()
    }

    /// Its two-letter code.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The same, to be kept.
    pub fn to_code(&self) -> LanguageCode {
        Arc::clone(&self.code)
    }

    /// What a listener looks for.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// What is said.
    pub fn sentences(&self) -> &Sentences {
        &self.sentences
    }

    /// By what it is heard and spoken.
    pub fn voice(&self) -> &VoiceNames {
        &self.voice
    }

    /// What is said to a connected house and of it, if the language has words for that.
    pub fn house(&self) -> Option<&Arc<HouseWords>> {
        self.house.as_ref()
    }

    /// What the model is told in it.
    pub fn prompts(&self) -> &PromptTexts {
        &self.prompts
    }

    /// How what is written is read aloud, if the language says so.
    pub fn readings(&self) -> Option<&Arc<ReadingWords>> {
        self.readings.as_ref()
    }

    /// What a dot says of the end of a sentence.
    pub fn endings(&self) -> Arc<EndingWords> {
        self.readings.as_ref().map_or_else(Arc::default, |words| Arc::clone(&words.endings))
    }

    /// By whose sound its words are told apart.
    pub fn ear(&self) -> Ear {
        self.grammar.known.ear()
    }

    pub fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// The words that ask and forbid, in every language there is: nothing is done because a sentence was in another.
    pub fn moods(&self) -> impl Iterator<Item = &MoodWords> {
        std::iter::once(&self.grammar.mood).chain(&self.other_moods)
    }

    /// What asks for deeds, in every language there is, its own first.
    pub fn consent(&self) -> &[ConsentWords] {
        &self.consent
    }

    /// The words that make a request likely to be for the tool `name`.
    pub fn cues(&self, name: &str) -> impl Iterator<Item = &str> {
        let cues = self.tools.iter().filter_map(move |words| words.cues.get(name));
        cues.flatten().map(String::as_str)
    }

    /// The words of secrets beside those of the built-in languages, which always count.
    pub fn secrets(&self) -> &[SecretWords] {
        &self.secrets
    }

    /// The tools that there are such words for.
    #[cfg(any(test, feature = "testing"))]
    pub fn tools_with_cues(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().flat_map(|words| words.cues.keys()).map(String::as_str)
    }

    /// Arithmetic in words, by language.
    pub fn sums(&self) -> impl Iterator<Item = &SumWords> + Clone {
        self.tools.iter().map(|words| &words.sums)
    }

    /// `text`, which is in lower case, with figures for numbers in words.
    pub fn in_figures(&self, text: &str) -> String {
        in_figures::in_figures(text, &self.grammar.numbers)
    }

    /// What lists are called, by language.
    pub fn lists(&self) -> impl Iterator<Item = &ListWords> + Clone {
        self.tools.iter().map(|words| &words.lists)
    }

    /// The place of whose time `asked` asks, and of nothing else.
    pub fn place_of_time<'t>(&self, asked: &'t str) -> Option<&'t str> {
        let patterns = self.tools.iter().flat_map(|words| &words.clock.patterns);
        let mut named = patterns.filter_map(|pattern| pattern.captures(asked)?.name("city"));
        named.find(|city| city.as_str().chars().count() <= LONGEST_PLACE).map(|city| city.as_str())
    }

    /// The zone of a place whose zone bears another name; `place` in lower case.
    pub fn zone(&self, place: &str) -> Option<&str> {
        self.tools.iter().find_map(|words| words.places.get(place)).map(String::as_str)
    }

    /// What claims a deed and what supports it, with what asks for deeds, in every language there is, its own first.
    pub fn truth(&self) -> impl Iterator<Item = (&TruthWords, &ConsentWords)> {
        self.truth.iter().zip(&self.consent)
    }

    /// What must not be answered lightly, in every language there is, its own first.
    pub fn care(&self) -> &[CareWords] {
        &self.care
    }
}
