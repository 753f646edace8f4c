//! A language: the value that its files are read into, and what turns, timers and tools take from it.
//!
//! Any thread; never changes. Pure: no I/O, no clock.

use std::sync::Arc;

use super::agents::AgentWords;
use super::goals::GoalWords;
use super::grammar::Grammar;
use super::house::HouseWords;
use super::mood::MoodWords;
use super::prompts::PromptTexts;
use super::readings::{EndingWords, ReadingWords};
use super::requests::RequestWords;
use super::safety::SafetyWords;
use super::secrets::SecretWords;
use super::tools::{ListWords, ReachTopic, SumWords, ToolExample, ToolWords, WeatherAsked};
use super::truth::TruthWords;
use super::values::deed::Arguments;
use super::watch::WatchWords;
use super::{LanguageTemplates, PhoneticMatcher, Sentences, Vocabulary, VoiceNames, fill, in_figures};
use joi_templates::SentenceTemplates;
use serde_json::Value;

/// The two-letter code of a language.
pub type LanguageCode = Arc<str>;

/// No place has a longer name, in letters.
const LONGEST_PLACE: usize = 40;

/// A language: quick commands, what a listener looks for, spoken sentences, words of tools.
#[derive(Debug)]
pub struct Language {
    pub(super) code: LanguageCode,
    pub(super) grammar: Grammar,
    pub(super) vocabulary: Vocabulary,
    pub(super) sentences: Sentences,
    /// Its own first. Those of the others count, too: what is typed may be in any of them.
    pub(super) tools: Vec<ToolWords>,
    /// Its own first.
    pub(super) requests: Vec<RequestWords>,
    /// Of languages that are not built in, its own first.
    pub(super) secrets: Vec<SecretWords>,
    /// Of the other languages.
    pub(super) other_moods: Vec<MoodWords>,
    /// Its own first.
    pub(super) truth: Vec<TruthWords>,
    /// Nothing where figures and signs are left to the voice.
    pub(super) readings: Option<Arc<ReadingWords>>,
    pub(super) voice: VoiceNames,
    pub(super) prompts: PromptTexts,
    /// Its own first.
    pub(super) safety: Vec<SafetyWords>,
    /// Nothing where it has no words for a house.
    pub(super) house: Option<Arc<HouseWords>>,
    /// Nothing where the library knows no folder of them.
    pub(super) templates: Option<LanguageTemplates>,
    pub(super) is_by_templates: bool,
    /// Nothing where it has no words for agents.
    pub(super) agents: Option<Arc<AgentWords>>,
    /// Nothing where it has no words for watches.
    pub(super) watch: Option<Arc<WatchWords>>,
}

impl Language {
    /// Returns the two-letter code.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Returns the two-letter code, shared.
    pub fn to_code(&self) -> LanguageCode {
        Arc::clone(&self.code)
    }

    /// Returns the words that a listener looks for.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Returns the sentences.
    pub fn sentences(&self) -> &Sentences {
        &self.sentences
    }

    /// Returns the names of its recogniser's language and of its voice.
    pub fn voice(&self) -> &VoiceNames {
        &self.voice
    }

    /// Returns the words and sentences about a connected house, if the language has some.
    pub fn house(&self) -> Option<&Arc<HouseWords>> {
        self.house.as_ref()
    }

    /// Returns the community's sentence templates; `None` where there are none. The first call compiles them, which takes
    /// some milliseconds.
    pub fn templates(&self) -> Option<&SentenceTemplates> {
        self.templates.as_ref()?.get()
    }

    /// Returns whether the house and lists have no patterns of its own: sentence templates alone understand them.
    pub fn is_by_templates(&self) -> bool {
        self.is_by_templates
    }

    /// Returns the words with which agents are spoken of, if the language has some.
    pub fn agents(&self) -> Option<&Arc<AgentWords>> {
        self.agents.as_ref()
    }

    /// Returns the words with which the house is watched, if the language has some.
    pub fn watch(&self) -> Option<&Arc<WatchWords>> {
        self.watch.as_ref()
    }

    /// Returns the texts of prompts.
    pub fn prompts(&self) -> &PromptTexts {
        &self.prompts
    }

    /// Returns the rules for reading figures and signs aloud, if the language has some.
    pub fn readings(&self) -> Option<&Arc<ReadingWords>> {
        self.readings.as_ref()
    }

    /// Returns the words by which a dot is, or is not, the end of a sentence.
    pub fn endings(&self) -> Arc<EndingWords> {
        self.readings.as_ref().map_or_else(Arc::default, |words| Arc::clone(&words.endings))
    }

    /// Returns the matcher of sounds of its words.
    pub fn phonetic(&self) -> PhoneticMatcher {
        self.grammar.known.phonetic()
    }

    /// Returns the grammar of its quick commands.
    pub fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// Returns the words that ask and forbid, of every language: nothing is done because a sentence was in another.
    pub fn moods(&self) -> impl Iterator<Item = &MoodWords> {
        std::iter::once(&self.grammar.mood).chain(&self.other_moods)
    }

    /// Returns the words that ask for deeds, of every language, its own first.
    pub fn requests(&self) -> &[RequestWords] {
        &self.requests
    }

    /// Returns the words that make a request likely to be for the tool `name`.
    pub fn cues(&self, name: &str) -> impl Iterator<Item = &str> {
        let cues = self.tools.iter().filter_map(move |words| words.tool.get(name));
        cues.flat_map(|tool| &tool.cues).map(String::as_str)
    }

    /// Returns wishes for the tool `name`, each with the arguments of the call.
    pub fn tool_examples(&self, name: &str) -> &[ToolExample] {
        self.tools.first().and_then(|words| words.tool.get(name)).map_or(&[], |tool| &tool.examples)
    }

    /// Returns what reads as a wish and needs no tool.
    pub fn examples_without_tool(&self) -> &[ToolExample] {
        self.tools.first().map_or(&[], |words| &words.no_tool)
    }

    /// Returns what a call of the tool `name` does, to complete "Shall I …?"; nothing where the language has no such words.
    pub fn ask_of_tool(&self, name: &str, arguments: &Arguments) -> Option<String> {
        let ask = self.tools.first()?.tool.get(name).map(|tool| &tool.ask).filter(|ask| !ask.is_empty())?;
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let values: Vec<_> = arguments.iter().map(|(name, value)| (name.as_str(), text(value))).collect();
        let values: Vec<_> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Some(fill(ask, &values))
    }

    /// Returns the words of secrets beside those of the built-in languages, which always count.
    pub fn secrets(&self) -> &[SecretWords] {
        &self.secrets
    }

    /// Returns the names of tools that have cues.
    #[cfg(any(test, feature = "testing"))]
    pub fn tools_with_cues(&self) -> impl Iterator<Item = &str> {
        let tools = self.tools.iter().flat_map(|words| &words.tool);
        tools.filter(|(_, tool)| !tool.cues.is_empty()).map(|(name, _)| name.as_str())
    }

    /// Returns the words of arithmetic, by language.
    pub fn sums(&self) -> impl Iterator<Item = &SumWords> + Clone {
        self.tools.iter().map(|words| &words.sums)
    }

    /// Returns `text`, which is in lower case, with figures in place of numbers in words.
    pub fn in_figures(&self, text: &str) -> String {
        in_figures::in_figures(text, &self.grammar.numbers)
    }

    /// Returns the names of lists, by language.
    pub fn lists(&self) -> impl Iterator<Item = &ListWords> + Clone {
        self.tools.iter().map(|words| &words.lists)
    }

    /// Returns the words about goals, by language.
    pub fn goals(&self) -> impl Iterator<Item = &GoalWords> + Clone {
        self.tools.iter().map(|words| &words.goals)
    }

    /// Returns the place whose time `asked` asks for, if it asks for nothing else.
    pub fn place_of_time<'t>(&self, asked: &'t str) -> Option<&'t str> {
        let patterns = self.tools.iter().flat_map(|words| &words.clock.patterns);
        let mut named = patterns.filter_map(|pattern| pattern.captures(asked)?.name("city"));
        named.find(|city| city.as_str().chars().count() <= LONGEST_PLACE).map(|city| city.as_str())
    }

    /// Returns whether `asked` asks for the weather at home, and for which day, and for nothing else.
    pub fn weather_asked(&self, asked: &str) -> Option<WeatherAsked> {
        self.tools.iter().find_map(|words| words.weather.asked(asked))
    }

    /// Returns what `asked` asks for that no model knows and no tool of this program reaches.
    pub fn out_of_reach(&self, asked: &str) -> Option<&ReachTopic> {
        self.tools.iter().find_map(|words| words.out_of_reach.topic(asked))
    }

    /// Returns the time zone of a place whose zone bears another name; `place` is in lower case.
    pub fn zone(&self, place: &str) -> Option<&str> {
        self.tools.iter().find_map(|words| words.places.get(place)).map(String::as_str)
    }

    /// Returns the words that claim a deed or support it, with those that ask for deeds, of every language, its own
    /// first.
    pub fn truth(&self) -> impl Iterator<Item = (&TruthWords, &RequestWords)> {
        self.truth.iter().zip(&self.requests)
    }

    /// Returns the words of safety matters and facts, of every language, its own first.
    pub fn safety(&self) -> &[SafetyWords] {
        &self.safety
    }
}
