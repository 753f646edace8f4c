//! Calls of lists by sentence templates.
//!
//! In: a sentence that fits no pattern. Out: the arguments of the call. Pure but for the first use.

use joi_language::Language;
use joi_templates::{ListValue, MatchContext, SlotLists};

use super::slots;
use super::table::{self, ListDeed};

/// A call of a list: what is done, on which list, with which words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListCall {
    pub(crate) action: &'static str,
    /// Nothing for the shopping list.
    pub(crate) list: Option<String>,
    pub(crate) text: String,
}

/// Returns the call that `text` is by the templates of its language.
pub(crate) fn call(language: &Language, text: &str) -> Option<ListCall> {
    let named = language.lists().flat_map(|words| words.shopping.iter().chain(&words.todo));
    let names = named.map(|name| ListValue::new(name.as_str()).context("domain", "todo"));
    let lists = SlotLists::new().with("name", names);
    let all = language.templates()?.recognise(text, &lists, &MatchContext::new()).ok()?;
    let found = all.first()?;
    let action = match table::of(&found.intent)?.list? {
        ListDeed::Add => "add",
        ListDeed::Remove => "remove",
    };
    let list = slots::text(found, "name").map(str::to_owned);
    Some(ListCall { action, list, text: slots::text(found, "item")?.to_owned() })
}
