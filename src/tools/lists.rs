//! `lists`: notes, and lists such as the shopping list.
//!
//! In: what to do with which list. Out: the list as it stands in the database after that, which is what
//! she tells; nothing is said to be done that was not read back.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::language::ListWords;
use super::{Arguments, Call, Effect, Output, Tool, ToolError, language, schema};
use crate::clock::Clock;
use crate::store::{Store, StoreError};

mod asked;

/// The list of what is no list: notes.
const NOTES: &str = "notes";
/// The list that has other names.
const SHOPPING: &str = "shopping";
/// Most entries told at once.
const MOST_TOLD: usize = 30;

/// The tool.
pub(super) struct Lists {
    store: Option<Store>,
    clock: Arc<dyn Clock>,
}

impl Lists {
    /// Lists in `store`; without one every call fails honestly.
    pub(super) fn new(store: Option<Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    async fn perform(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let store = self.store.as_ref().ok_or_else(|| lost("there is no database"))?;
        let (list, text) = (list_name(call.text("list")), call.text("text"));
        match (call.text("action"), text) {
            ("add" | "remove", "") => {
                Err(ToolError::TellModel("text is missing: what to add or remove".into()))
            }
            ("add", text) => {
                let items = items(&list, text);
                let at = self.clock.now().timestamp();
                let now = store.add_notes(&list, items.clone(), at).await.map_err(broken)?;
                let is_there = items.iter().all(|item| now.contains(item));
                if !is_there {
                    return Err(lost("what was written can't be read back"));
                }
                let told = joined(&items);
                let verb = if items.len() == 1 { "is" } else { "are" };
                let sentence = if list == NOTES {
                    "I've noted that.".to_owned()
                } else {
                    format!("{} {verb} on the {list} list.", capitalised(&told))
                };
                Ok(Output::own(format!("added {told}; {}", as_told(&list, &now))).saying(sentence))
            }
            ("remove", text) => match store.remove_note(&list, text).await.map_err(broken)? {
                Some(gone) => {
                    let now = store.notes(&list).await.map_err(broken)?;
                    let sentence = format!("{} is off the {list} list.", capitalised(&gone));
                    Ok(Output::own(format!("removed {gone}; {}", as_told(&list, &now))).saying(sentence))
                }
                None => Err(ToolError::TellModel(format!("{text} is not on the {list} list"))),
            },
            ("clear", _) => {
                let gone = store.clear_notes(&list).await.map_err(broken)?;
                Ok(Output::own(format!("removed {gone} entries; the {list} list is empty"))
                    .saying(format!("The {list} list is empty now.")))
            }
            _ => {
                let now = store.notes(&list).await.map_err(broken)?;
                let told = as_told(&list, &now);
                Ok(Output::own(told.clone()).saying(format!("{}.", capitalised(&told))))
            }
        }
    }
}

impl Tool for Lists {
    fn name(&self) -> &str {
        "lists"
    }

    fn description(&self) -> &str {
        "notes and lists: add, read, remove or clear; list is shopping, notes, ..."
    }

    fn schema(&self) -> Value {
        let properties = json!({
            "action": { "type": "string", "enum": ["add", "read", "remove", "clear"] },
            "list": { "type": "string", "maxLength": 40 },
            "text": { "type": "string", "maxLength": 300 },
        });
        schema::object(properties, &["action", "list"])
    }

    fn effect(&self, arguments: &Arguments) -> Effect {
        match arguments.get("action").and_then(Value::as_str) {
            Some("read") => Effect::Looks,
            _ => Effect::Remembers,
        }
    }

    fn cues(&self) -> &[&str] {
        language::cues(self.name())
    }

    fn ready(&self, asked: &str) -> Option<Arguments> {
        asked::arguments(asked)
    }

    fn in_words(&self, arguments: &Arguments) -> String {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().trim();
        let list = list_name(text("list"));
        match text("action") {
            "add" if list == NOTES => format!("note \"{}\"", text("text")),
            "add" => format!("add {} to the {list} list", text("text")),
            "remove" => format!("take {} off the {list} list", text("text")),
            "clear" => format!("clear the {list} list"),
            _ => format!("read the {list} list"),
        }
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        self.perform(call).boxed()
    }
}

/// "the Shopping List" → "shopping".
fn list_name(said: &str) -> String {
    let lower = said.to_lowercase();
    let is = |list: fn(&ListWords) -> &Vec<String>, word: &str| {
        language::lists().any(|words| list(words).iter().any(|known| known == word))
    };
    let named = |word: &&str| !is(|words| &words.unnamed, word);
    match lower.split_whitespace().filter(named).collect::<Vec<_>>().join(" ").as_str() {
        name if name.is_empty() || is(|words| &words.notes, name) => NOTES.to_owned(),
        name if is(|words| &words.shopping, name) => SHOPPING.to_owned(),
        name => name.to_owned(),
    }
}

/// "milk, eggs and bread" are three things on a list and one note.
fn items(list: &str, text: &str) -> Vec<String> {
    if list == NOTES {
        return vec![text.to_owned()];
    }
    let comma = |text: String, words: &ListWords| text.replace(&format!(" {} ", words.and), ",");
    let text = language::lists().fold(text.to_owned(), comma);
    let items = text.split([',', ';', '\n']).map(|item| item.trim().trim_end_matches('.').to_owned());
    let items: Vec<String> = items.filter(|item| !item.is_empty()).collect();
    if items.is_empty() { vec![text] } else { items }
}

fn joined(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn as_told(list: &str, now: &[String]) -> String {
    let more = now.len().saturating_sub(MOST_TOLD);
    let shown = joined(&now[more..]);
    let what = if list == NOTES { "your notes".to_owned() } else { format!("the {list} list") };
    match (now.len(), more) {
        (0, _) => format!("{what} {} empty", if list == NOTES { "are" } else { "is" }),
        (count, 0) => format!("{what} has {count} {}: {shown}", if count == 1 { "entry" } else { "entries" }),
        (count, more) => format!("{what} has {count} entries; without the oldest {more}: {shown}"),
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn lost(why: &str) -> ToolError {
    tracing::warn!(%why, "the lists can't be used");
    ToolError::EndTurn("I can't get at my notes just now, so nothing was changed.".into())
}

fn broken(error: StoreError) -> ToolError {
    lost(&error.to_string())
}
