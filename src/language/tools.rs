//! The words by which requests are known to want a tool, and by which tools understand their arguments.
//!
//! PURE, read once. In: the text of `tools.toml`. Out: words and patterns, ready to use. A pattern that is none is an
//! error that names its key.

use std::collections::BTreeMap;

use regex::Regex;
use serde::Deserialize;

/// The words of one language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolWords {
    /// By tool.
    pub(crate) cues: BTreeMap<String, Vec<String>>,
    pub(crate) sums: SumWords,
    pub(crate) lists: ListWords,
    pub(crate) places: BTreeMap<String, String>,
}

/// Arithmetic in words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SumWords {
    /// In front of a sum.
    pub(crate) before: Vec<String>,
    /// Behind it.
    pub(crate) behind: Vec<String>,
    pub(crate) article: String,
    /// Words and the signs for them, in order.
    pub(crate) signs: Vec<(String, String)>,
    /// Currencies; a sum in one of them is one in that.
    #[serde(default)]
    pub(crate) money: Vec<CurrencyNames>,
}

/// What a currency is called.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CurrencyNames {
    pub(crate) one: String,
    pub(crate) many: String,
    /// In front of a number or behind it.
    pub(crate) signs: Vec<String>,
}

/// What lists are called.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListWords {
    /// No part of a name.
    pub(crate) unnamed: Vec<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) shopping: Vec<String>,
    /// Between the things of a list.
    pub(crate) and: String,
    pub(crate) ready: ReadyWords,
}

/// Requests that are a call as they stand, as patterns; `{text}` is what it is about, `{list}` a list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadyWords {
    /// In front of a request and behind it.
    before: Vec<String>,
    behind: Vec<String>,
    /// What only the conversation knows.
    pub(crate) vague: Vec<String>,
    /// What a list may be called; its name is the group `list`.
    list: String,
    /// How the list is called that needs no name: the shopping list.
    pub(crate) unnamed: Vec<String>,
    add: Vec<String>,
    remove: Vec<String>,
    read: Vec<String>,
    clear: Vec<String>,
    /// All of them.
    #[serde(skip)]
    pub(crate) ways: Vec<Way>,
}

/// One way to say something.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) action: &'static str,
    pub(crate) says: Regex,
}

impl ToolWords {
    /// Reads a language's file.
    ///
    /// # Errors
    /// What can't be used.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut words: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        words.lists.ready.ways = words.lists.ready.ways()?;
        for (place, zone) in &words.places {
            if jiff::tz::TimeZone::get(zone).is_err() {
                return Err(format!("places.\"{place}\" is \"{zone}\"; allowed: the name of a time zone"));
            }
        }
        Ok(words)
    }
}

impl ReadyWords {
    fn ways(&self) -> Result<Vec<Way>, String> {
        let (before, behind) = (self.before.join("|"), self.behind.join("|"));
        let all =
            [("add", &self.add), ("remove", &self.remove), ("read", &self.read), ("clear", &self.clear)];
        let way = |(action, says): (&'static str, &String)| {
            let pattern = says.replace("{text}", "(?P<text>[^?!;:]+?)").replace("{list}", &self.list);
            let whole = format!("(?i)^(?:(?:{before}),? )*(?:{pattern})(?:,? (?:{behind}))?[.!?]*$");
            let says = Regex::new(&whole).map_err(|error| {
                format!("lists.ready.{action} is \"{says}\"; allowed: a pattern: {error}")
            })?;
            Ok(Way { action, says })
        };
        all.into_iter()
            .flat_map(|(action, says)| says.iter().map(move |says| (action, says)))
            .map(way)
            .collect()
    }
}
