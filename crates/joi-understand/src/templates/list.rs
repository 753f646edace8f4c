//! Calls of lists by sentence templates.
//!
//! In: a sentence that fits no pattern. Out: the arguments of the call. Pure but for the first use.

use joi_language::Language;
use joi_templates::{ListValue, MatchContext, SlotLists};

use super::slots;
use super::table::{self, ListDeed};
use crate::requests::list::SHOPPING;
use crate::wish::CallWords;
use joi_language::values::{CallValue, ValueKind};

/// A call of a list: what is done, on which list, with which words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListCall {
    pub(crate) action: &'static str,
    /// Nothing for the shopping list.
    pub(crate) list: Option<String>,
    pub(crate) text: String,
}

/// Returns whether `text` is this very call by the templates of a language that has no words of consent of its own: the deed,
/// and every value of it.
pub(crate) fn asks_for(language: &Language, text: &str, wanted: &CallWords<'_>) -> bool {
    let Some(call) = language.is_by_templates().then(|| call(language, text)).flatten() else { return false };
    let list = call.list.as_deref().unwrap_or(SHOPPING);
    let is_said = |value: &CallValue| match value.kind {
        ValueKind::List => value.text == list,
        _ => value.text.eq_ignore_ascii_case(&call.text),
    };
    wanted.deed == format!("lists {}", call.action) && wanted.values.iter().all(is_said)
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
