//! The form by which a model names one call for words that nothing else understood, or none.
//!
//! In: the user's words, and the tools of the turn. Out: a JSON schema whose texts and times can only be the user's own
//! words, without calls that the words have nothing for: no timer without a time, no sum without a number. A form allows
//! nothing: its call is judged as any other.
//! Pure: no I/O, no clock.

use std::collections::BTreeSet;
use std::ops::Range;

use joi_language::{Language, words_of};
use joi_schedule::When;
use joi_understand::intents;
use serde_json::{Value, json};

use super::{Arguments, Tool, schema};

#[cfg(test)]
mod tests;

/// Most tools of a form: with more a small model picks at random.
pub const MOST: usize = 12;
/// Most of joi's own tools in a form, where it is known how near they are in meaning to the request: of 60 wishes 57 mean
/// one of the nearest three.
pub const MOST_NEAR: usize = 3;
/// Most words of a time: "on the first Monday in June at seven".
const LONGEST_TIME: usize = 8;
/// Most texts that an argument is chosen from; with more it is any text.
const MOST_TEXTS: usize = 160;
/// Longest text of an argument that is not chosen, in characters.
const LONGEST_TEXT: u32 = 110;

/// The user's words, as a form is filled from them.
#[derive(Debug, Clone)]
pub struct FormSource<'a> {
    /// The language in which they are understood.
    pub language: &'a Language,
    /// The words as they were said.
    pub asked: &'a str,
    /// Stretches of words between marks, without the time.
    stretches: Vec<Vec<&'a str>>,
    time: Option<(String, When)>,
    has_number: bool,
}

impl<'a> FormSource<'a> {
    /// Reads the words of a request.
    pub fn of(asked: &'a str, language: &'a Language) -> Self {
        let mut stretches = stretches(asked);
        let time = take_time(&mut stretches, language);
        let has_number = language.in_figures(&asked.to_lowercase()).chars().any(|c| c.is_ascii_digit());
        Self { language, asked, stretches, time, has_number }
    }

    /// Returns the one time that was said, in the user's words, and the moment or length that it means.
    pub fn time(&self) -> Option<(&str, &When)> {
        self.time.as_ref().map(|(said, when)| (said.as_str(), when))
    }

    /// Returns whether there is a number in the words.
    pub fn has_number(&self) -> bool {
        self.has_number
    }

    /// Returns stretches of at most `most` of the user's words that may name something, in the order they were said.
    pub fn texts(&self, most: usize) -> Vec<String> {
        let small = self.language.requests().first().map(|words| &words.form.function_words);
        let is_small = |word: &str| small.is_some_and(|small| small.at_start(&words_of(word)).is_some());
        let mut texts: Vec<String> = Vec::new();
        for words in &self.stretches {
            for from in (0..words.len()).filter(|from| !is_small(words[*from])) {
                for to in (from + 1..=words.len().min(from + most)).filter(|to| !is_small(words[to - 1])) {
                    let text = words[from..to].join(" ");
                    if !texts.contains(&text) {
                        texts.push(text);
                    }
                }
            }
        }
        texts
    }

    /// Returns the schema of a text that is a stretch of at most `most` of the user's words; nothing where there is none.
    pub fn text(&self, most: usize) -> Option<Value> {
        let texts = self.texts(most);
        match texts.len() {
            0 => None,
            1..=MOST_TEXTS => Some(json!({ "enum": texts })),
            _ => Some(json!({ "type": "string", "maxLength": LONGEST_TEXT })),
        }
    }
}

/// The words between marks; what stands within a word is a part of it.
fn stretches(asked: &str) -> Vec<Vec<&str>> {
    let mut stretches = vec![Vec::new()];
    for word in asked.split_whitespace() {
        let bare =
            word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '%' | '°' | '€' | '$' | '£'));
        let ends = word.ends_with([',', '.', ';', ':', '!', '?']);
        if let Some(last) = stretches.last_mut().filter(|_| !bare.is_empty()) {
            last.push(bare);
        }
        if ends {
            stretches.push(Vec::new());
        }
    }
    stretches.retain(|words| !words.is_empty());
    stretches
}

/// Takes the longest time out of the words; nothing where there are several apart.
fn take_time(stretches: &mut Vec<Vec<&str>>, language: &Language) -> Option<(String, When)> {
    let mut found: Vec<(usize, Range<usize>, When)> = Vec::new();
    for (place, words) in stretches.iter().enumerate() {
        let mut from = 0;
        while from < words.len() {
            match time_at(words, from, language) {
                Some((to, when)) => {
                    found.push((place, from..to, when));
                    from = to;
                }
                None => from += 1,
            }
        }
    }
    let [(place, range, when)] = <[_; 1]>::try_from(found).ok()?;
    let words = stretches.remove(place);
    // "In half an hour": what leads to a time is no part of it.
    let whole = words[range.clone()].join(" ");
    let rest = words[range.start + 1..range.end].join(" ");
    let said = if intents::when(language, &rest).as_ref() == Some(&when) { rest } else { whole };
    let rest = [words[..range.start].to_vec(), words[range.end..].to_vec()];
    stretches.splice(place..place, rest.into_iter().filter(|words| !words.is_empty()));
    Some((said, when))
}

/// Returns the end of the longest time that begins at `from`. A bare number is none, unless what stands before it leads to
/// a time: "by seven".
fn time_at(words: &[&str], from: usize, language: &Language) -> Option<(usize, When)> {
    let leads = |at: usize| {
        let before = at.checked_sub(1).map(|before| words_of(words[before])).unwrap_or_default();
        language.requests().first().is_some_and(|words| words.form.adverbs.at_start(&before).is_some())
    };
    let is_bare =
        |range: &Range<usize>| range.len() == 1 && !words[range.start].contains(':') && !leads(range.start);
    // A day alone is no time to ring at.
    let is_told = |when: &When| match when {
        When::In(_) => true,
        When::At(said) => said.clock.is_some(),
    };
    let last = words.len().min(from + LONGEST_TIME);
    (from + 1..=last).rev().find_map(|to| {
        let when = intents::when(language, &words[from..to].join(" ")).filter(is_told)?;
        (!is_bare(&(from..to))).then_some((to, when))
    })
}

/// The calls that a form offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormScope {
    /// Whatever the tools do.
    Everything,
    /// What leaves nothing behind.
    Looks,
}

/// Returns the schema of a reply that is one call of one of `tools`, or the word that none fits.
pub fn of_words(tools: &[&dyn Tool], scope: FormScope, source: &FormSource<'_>) -> Value {
    let calls = tools.iter().flat_map(|tool| {
        tool.forms(source).into_iter().map(|arguments| (*tool, arguments)).collect::<Vec<_>>()
    });
    of_calls(calls, scope)
}

/// Returns the same with arguments in any words.
pub fn of_tools(tools: &[&dyn Tool], scope: FormScope) -> Value {
    of_calls(tools.iter().map(|tool| (*tool, tool.schema())), scope)
}

fn of_calls<'a>(calls: impl Iterator<Item = (&'a dyn Tool, Value)>, scope: FormScope) -> Value {
    let call = |(tool, arguments): (&dyn Tool, Value)| {
        let arguments = match scope {
            FormScope::Everything => arguments,
            FormScope::Looks => looks(tool, arguments)?,
        };
        let properties = json!({ "name": { "const": tool.name() }, "arguments": arguments });
        Some(schema::object(properties, &["name", "arguments"]))
    };
    let mut options: Vec<Value> = calls.filter_map(call).collect();
    options.push(schema::object(json!({ "name": { "const": NONE } }), &["name"]));
    json!({ "anyOf": options })
}

/// Returns the schema of those calls of `tool` that leave nothing behind; nothing where each of them does.
fn looks(tool: &dyn Tool, mut arguments: Value) -> Option<Value> {
    use super::Effect::{Changes, Remembers, Risks};
    let leaves = |arguments: &Arguments| matches!(tool.effect(arguments), Remembers | Changes | Risks);
    let with = |action: &Value| Arguments::from_iter([("action".to_owned(), action.clone())]);
    if let Some(action) = arguments.pointer("/properties/action/const") {
        return (!leaves(&with(action))).then_some(arguments);
    }
    let Some(actions) = arguments.pointer_mut("/properties/action/enum").and_then(Value::as_array_mut) else {
        return (!leaves(&Arguments::new())).then_some(arguments);
    };
    actions.retain(|action| !leaves(&with(action)));
    let is_none = actions.is_empty();
    (!is_none).then_some(arguments)
}

/// The reply to a form of a model that wants no tool.
pub const NONE: &str = "none";

/// Returns whether a call is one of the examples of its tool, of which `asked` holds not every word.
pub fn is_example(name: &str, arguments: &Arguments, source: &FormSource<'_>) -> bool {
    let said: BTreeSet<String> = words_of(source.asked).into_iter().collect();
    let is_said = |value: &Value| match value {
        Value::String(text) => words_of(text).iter().all(|word| said.contains(word)),
        _ => true,
    };
    let is_free = |key: &str| !matches!(key, "action" | "kind" | "list" | "change");
    let mut free = arguments.iter().filter(|(key, _)| is_free(key)).peekable();
    free.peek().is_some()
        && source.language.tool_examples(name).iter().any(|example| example.arguments == *arguments)
        && !free.all(|(_, value)| is_said(value))
}
