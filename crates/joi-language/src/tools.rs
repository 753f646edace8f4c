//! The words by which requests are known to want a tool, and by which tools understand their arguments.
//!
//! In: the text of `tools.toml`. Out: words and patterns, ready to use. A pattern that is none is an error that names
//! its key. Pure: no I/O, no clock.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;
use serde::Deserialize;

use super::goals::GoalWords;
use super::pattern::WordPattern;
use super::values::deed::Arguments;

mod reach;
mod weather;

pub use reach::ReachTopic;
use reach::ReachWords;
pub use weather::WeatherAsked;
use weather::WeatherWords;

/// Additions without a verb.
const BARE: &str = "add_bare";

/// The way that asks which lists there are.
pub const NAMES: &str = "names";

/// The words of one language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolWords {
    /// The words of each tool, by its name.
    #[serde(default)]
    pub(crate) tool: BTreeMap<String, OneTool>,
    pub(crate) sums: SumWords,
    pub(crate) lists: ListWords,
    /// In which words the time of a place is asked for.
    #[serde(default)]
    pub(crate) clock: PlaceTimeWords,
    /// In which words the weather is asked for.
    #[serde(default)]
    pub(crate) weather: WeatherWords,
    /// What reads as a wish and needs no tool.
    #[serde(default)]
    pub(crate) no_tool: Vec<ToolExample>,
    /// Requests for what can't be known.
    #[serde(default)]
    pub(crate) out_of_reach: ReachWords,
    /// How goals are spoken of.
    #[serde(default)]
    pub(crate) goals: GoalWords,
    pub(crate) places: BTreeMap<String, String>,
}

/// The words of one tool.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct OneTool {
    /// Words and phrases that make a request likely to be for it.
    pub(crate) cues: Vec<String>,
    /// Completes "Shall I …?"; `{name}` is an argument.
    pub(crate) ask: String,
    /// The families of claims of which its results say something.
    pub(crate) claims: BTreeSet<String>,
    /// Wishes for it, each with the arguments of the call.
    pub(crate) examples: Vec<ToolExample>,
}

/// A wish and the call that serves it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolExample {
    /// The wish.
    pub say: String,
    /// The arguments of the call.
    #[serde(default)]
    pub arguments: Arguments,
}

/// How the time of a place is asked for, as patterns; `{city}` is the place.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlaceTimeWords {
    asks: Vec<String>,
    /// All of them.
    #[serde(skip)]
    pub(crate) patterns: Vec<WordPattern>,
}

/// Arithmetic in words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct SumWords {
    /// In front of a sum.
    pub before: Vec<String>,
    /// Behind it.
    pub behind: Vec<String>,
    pub article: String,
    /// Words and the signs for them, in order.
    pub signs: Vec<(String, String)>,
    /// Requests that are a sum in other words, rewritten in this order.
    #[serde(default)]
    pub forms: Vec<SumForm>,
    /// Units the program knows by another name.
    #[serde(default)]
    pub units: Vec<UnitNames>,
    /// Currencies; a sum in one of them is one in that.
    #[serde(default)]
    pub money: Vec<CurrencyNames>,
}

/// A request and what it is as a sum: a pattern, and what takes its place.
#[derive(Debug, Deserialize)]
#[serde(try_from = "(String, String)")]
pub struct SumForm {
    asks: Regex,
    sum: String,
}

impl TryFrom<(String, String)> for SumForm {
    type Error = String;

    fn try_from((asks, sum): (String, String)) -> Result<Self, String> {
        let read = Regex::new(&asks);
        let asks = read.map_err(|why| format!("sums.forms is \"{asks}\"; allowed: a pattern: {why}"))?;
        Ok(Self { asks, sum })
    }
}

impl SumForm {
    /// `text` as a sum, where it is one in other words.
    pub fn applied(&self, text: String) -> String {
        if self.asks.is_match(&text) { self.asks.replace(&text, &self.sum).into_owned() } else { text }
    }
}

/// What a unit is called.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct UnitNames {
    /// By the program.
    pub sign: String,
    pub one: String,
    pub many: String,
    /// In other forms.
    #[serde(default)]
    also: Vec<String>,
}

impl UnitNames {
    /// All of its names.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        [&self.one, &self.many].into_iter().chain(&self.also)
    }
}

/// What a currency is called.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct CurrencyNames {
    pub one: String,
    pub many: String,
    /// In front of a number or behind it.
    pub signs: Vec<String>,
    /// It is the hundredth part of another one: what that is called, or nothing where it may be one of several.
    #[serde(default)]
    pub of: Option<String>,
}

/// What lists are called.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct ListWords {
    /// No part of a name.
    pub unnamed: Vec<String>,
    pub notes: Vec<String>,
    pub shopping: Vec<String>,
    /// Names of the list of what is to be done.
    #[serde(default)]
    pub todo: Vec<String>,
    /// Names that hold the word between two things and are one thing.
    #[serde(default)]
    pub together: Vec<String>,
    /// Between the things of a list.
    pub and: String,
    /// Between a list and what it is for.
    #[serde(default)]
    pub purpose: String,
    /// What means every list.
    #[serde(default)]
    pub all: Vec<String>,
    pub ready: ReadyWords,
}

/// Requests that are a call as they stand, as patterns; `{text}` is what it is about, `{list}` a list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadyWords {
    /// In front of a request and behind it.
    before: Vec<String>,
    behind: Vec<String>,
    /// What only the conversation knows.
    pub vague: Vec<String>,
    /// Words for anything: whoever asks whether it is on a list wants to hear all.
    #[serde(default)]
    pub any: Vec<String>,
    /// What a list may be called; its name is the group `list`.
    list: String,
    /// How the list is called that needs no name: the shopping list.
    pub unnamed: Vec<String>,
    /// What a verb at the beginning of a request may be heard as, and the verb.
    #[serde(default)]
    pub misheard: Vec<(String, String)>,
    /// Words of which none may be in such a one.
    #[serde(default)]
    pub tells: Vec<String>,
    /// Words of which none may be in what is added without a verb.
    #[serde(default)]
    pub not_bare: Vec<String>,
    /// Words in what is to be added or removed that turn the request round.
    #[serde(default)]
    pub negations: Vec<String>,
    add: Vec<String>,
    /// Additions without a verb: no word of a statement may be in what is added.
    #[serde(default)]
    add_bare: Vec<String>,
    remove: Vec<String>,
    read: Vec<String>,
    /// Whether something is on a list.
    #[serde(default)]
    has: Vec<String>,
    /// That there is to be a list.
    #[serde(default)]
    begin: Vec<String>,
    clear: Vec<String>,
    /// Requests about the list that was spoken of before, and the same with {list} for it.
    #[serde(default)]
    pub there: Vec<NamedList>,
    /// What that list is called then.
    #[serde(default)]
    pub called: Vec<String>,
    /// Which lists there are.
    #[serde(default)]
    names: Vec<String>,
    /// All of them.
    #[serde(skip)]
    pub ways: Vec<Way>,
}

/// A request without the name of a list, as a pattern, and the same with one.
#[derive(Debug, Deserialize)]
#[serde(try_from = "(String, String)")]
pub struct NamedList {
    says: Regex,
    named: String,
}

impl TryFrom<(String, String)> for NamedList {
    type Error = String;

    fn try_from((says, named): (String, String)) -> Result<Self, String> {
        let says = Regex::new(&format!("(?i)^(?:{says})$"))
            .map_err(|why| format!("lists.ready.there is \"{says}\"; allowed: a pattern: {why}"))?;
        Ok(Self { says, named })
    }
}

impl NamedList {
    /// `text` with the name of `list`; nothing where it is another request.
    pub fn named(&self, text: &str, list: &str) -> Option<String> {
        let named = || self.says.replace(text, &self.named).replace("{list}", list);
        self.says.is_match(text).then(named)
    }
}

/// One way to say something.
#[derive(Debug)]
pub struct Way {
    /// The name of the action.
    pub action: &'static str,
    /// It has no verb.
    pub is_bare: bool,
    /// The pattern that asks for it.
    pub says: WordPattern,
}

impl ToolWords {
    /// Reads a language's file.
    ///
    /// # Errors
    /// What can't be used.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut words: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        words.lists.ready.ways = words.lists.ready.ways()?;
        words.goals.read_ways()?;
        words.out_of_reach.read_patterns()?;
        let asks = words.clock.asks.iter().map(|says| {
            let pattern = says.replace("{city}", "(?P<city>[\\p{L}' .-]{2,}?)");
            WordPattern::new(&format!("(?i)^(?:{pattern})[.!?]*$"))
                .map_err(|error| format!("clock.asks is \"{says}\"; allowed: a pattern: {error}"))
        });
        words.clock.patterns = asks.collect::<Result<_, _>>()?;
        for (place, zone) in &words.places {
            if jiff::tz::TimeZone::get(zone).is_err() {
                return Err(format!("places.\"{place}\" is \"{zone}\"; allowed: the name of a time zone"));
            }
        }
        Ok(words)
    }
}

impl ReadyWords {
    /// Returns whether only the conversation knows what `text` is, or it turns the request round.
    pub fn is_vague(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let mut all = text.split_whitespace();
        let is_turned = all.any(|word| self.negations.iter().any(|known| known == word));
        self.vague.contains(&text) || text.is_empty() || is_turned
    }

    fn ways(&self) -> Result<Vec<Way>, String> {
        let (before, behind) = (self.before.join("|"), self.behind.join("|"));
        let all = [
            ("add", &self.add),
            (BARE, &self.add_bare),
            ("remove", &self.remove),
            ("read", &self.read),
            ("read", &self.has),
            ("begin", &self.begin),
            ("clear", &self.clear),
            (NAMES, &self.names),
        ];
        let way = |(action, says): (&'static str, &String)| {
            let pattern = says.replace("{text}", "(?P<text>[^?!;:]+?)").replace("{list}", &self.list);
            let whole = format!("(?i)^(?:(?:{before}),? )*(?:{pattern})(?:,? (?:{behind}))?[.!?]*$");
            let says = WordPattern::new(&whole).map_err(|error| {
                format!("lists.ready.{action} is \"{says}\"; allowed: a pattern: {error}")
            })?;
            let is_bare = action == BARE;
            Ok(Way { action: if is_bare { "add" } else { action }, is_bare, says })
        };
        all.into_iter()
            .flat_map(|(action, says)| says.iter().map(move |says| (action, says)))
            .map(way)
            .collect()
    }
}
