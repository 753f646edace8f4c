//! `lists`: notes, and lists such as the shopping list.
//!
//! In: what to do with which list. Out: the list as it stands in the database after that, which is what
//! joi reports; nothing is said to be done that was not read back.

mod forms;
mod spoken;

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::form::FormSource;
use crate::{Arguments, Call, Effect, LastOf, Output, Source, Tool, ToolError, WayBack, schema};
use joi_base::clock::Clock;
use joi_base::message::Origin;
use joi_language::tools::ListWords;
use joi_language::values::deed::{self, CallValue, ValueKind};
use joi_language::{Language, fill};
use joi_store::{NoteRemoval, Store, StoreError};
use joi_understand::requests::list::{self, NOTES, SHOPPING, TODO, bare_name, list_name};
pub use spoken::taken_off;
use spoken::{added, as_spoken, lost, spoken_list, spoken_name, which};

/// The name of the tool.
pub(super) const NAME: &str = "lists";
/// The sign for a blank within one thing.
const JOINED: &str = "\u{a0}";
/// "On there" is the list that was spoken of this long ago at most.
const LIST_LASTS: SignedDuration = SignedDuration::from_mins(2);
/// Fewest letters of a word for a list at the end of a name: "Packliste".
const SHORTEST_END: usize = 4;

/// The tool.
pub(super) struct Lists {
    store: Option<Store>,
    clock: Arc<dyn Clock>,
    /// The list that each conversation spoke of last.
    last: LastOf<String>,
}

impl Lists {
    /// Lists in `store`; without one every call fails honestly.
    pub(super) fn new(store: Option<Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, last: LastOf::new(LIST_LASTS) }
    }

    async fn perform(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let language = call.language;
        let say = &language.sentences().tools;
        let lost = |why: &str| lost(language, why);
        let broken = |error: StoreError| lost(&error.to_string());
        let store = self.store.as_ref().ok_or_else(|| lost("there is no database"))?;
        if call.text("action") == "read" && names_all(call.text("list"), language) {
            return self.names(store, language).await.map_err(broken);
        }
        let (list, text) = self.meant(store, &call).await.map_err(broken)?;
        let text = text.as_str();
        let action = call.text("action");
        let is_known = is_always_there(&list) || store.note_lists().await.map_err(broken)?.contains(&list);
        if action == "begin" && !is_known {
            store.begin_list(&list, self.clock.now().timestamp()).await.map_err(broken)?;
        } else if action != "add" && !is_known {
            return Ok(Output::own(format!("there is no {list} list"))
                .saying(fill(&say.no_list, &[("list", spoken_name(&list, language))])));
        }
        self.last.note(call.conversation, list.clone(), call.now.timestamp());
        let spoken = ("list", spoken_name(&list, language));
        // Of the list as it was, or as it is after this: what was removed is spoken, too.
        let is_foreign =
            call.source == Source::Foreign || store.has_foreign_notes(&list).await.map_err(broken)?;
        let source = if is_foreign { Source::Foreign } else { Source::Own };
        let origin = if call.source == Source::Foreign { Origin::Stranger } else { Origin::Ours };
        match (action, text) {
            ("add" | "remove", "") => {
                Err(ToolError::TellModel("text is missing: what to add or remove".into()))
            }
            ("add", text) => {
                let at = self.clock.now().timestamp();
                let before = store.notes(&list).await.map_err(broken)?;
                let items = once_each(items(&list, text, language), &before);
                let now = store.add_notes_of(&list, items.clone(), at, origin).await.map_err(broken)?;
                let is_there = items.iter().all(|item| now.contains(item));
                if !is_there {
                    return Err(lost("what was written can't be read back"));
                }
                let told = language.sentences().time.listed(&items);
                let sentence = added(&list, &items, language);
                let new: Vec<String> = items.into_iter().filter(|item| !before.contains(item)).collect();
                let text = format!("added {told}; {}", as_spoken(&list, &now));
                let back = (!new.is_empty()).then_some(WayBack::TakeOff { list, entries: new });
                Ok(Output::of(source, text).saying(sentence).undone_by(back))
            }
            ("remove", text) => self.remove(store, &list, text, (source, language)).await,
            ("read", text) if !text.is_empty() => {
                let found = store.notes_of(&list, text).await.map_err(broken)?;
                let told = language.sentences().time.listed(&found);
                let sentence = if found.is_empty() { &say.not_listed } else { &say.listed };
                let fact = if found.is_empty() {
                    format!("no {text} on {list}")
                } else {
                    format!("{told} on {list}")
                };
                Ok(Output::of(source, fact).saying(fill(sentence, &[("items", &told), spoken])))
            }
            ("clear", _) => {
                let gone = store.clear_notes(&list).await.map_err(broken)?;
                Ok(Output::own(format!("removed {gone} entries; the {list} list is empty"))
                    .saying(fill(&say.cleared, &[spoken])))
            }
            _ => {
                let now = store.notes(&list).await.map_err(broken)?;
                Ok(Output::of(source, as_spoken(&list, &now)).saying(spoken_list(&list, &now, language)))
            }
        }
    }
}

impl Lists {
    /// Returns the list a call is about, and its text. "The list for the drug store" is the drug store's where there is
    /// one; else it is the shopping list, and what is added says what it is for.
    async fn meant(&self, store: &Store, call: &Call<'_>) -> Result<(String, String), StoreError> {
        let (said, text) = (call.text("list"), call.text("text"));
        if call.text("action") == "remove" && names_all(said, call.language) {
            let list = self.holding(store, text).await?;
            return Ok((list.unwrap_or_else(|| SHOPPING.to_owned()), text.to_owned()));
        }
        let Some((purpose, name)) = purpose(said, call.language) else {
            let name = list_name(said, call.language);
            // One list under its spellings: the one that is there.
            let there =
                store.note_lists().await?.into_iter().find(|list| is_same(list, &name, call.language));
            return Ok((there.unwrap_or(name), text.to_owned()));
        };
        let is_there = !store.notes(&name).await?.is_empty();
        Ok(match (is_there, call.text("action")) {
            (true, _) => (name, text.to_owned()),
            (false, "add") if !text.is_empty() => (SHOPPING.to_owned(), format!("{text} {purpose}")),
            (false, _) => (SHOPPING.to_owned(), text.to_owned()),
        })
    }

    /// Takes what `text` names off a list: one entry, or several that are named one behind the other.
    async fn remove(
        &self,
        store: &Store,
        list: &str,
        text: &str,
        (source, language): (Source, &Language),
    ) -> Result<Output, ToolError> {
        let broken = |error: StoreError| lost(language, &error.to_string());
        let (mut gone, mut missing) = (Vec::new(), Vec::new());
        let is_one = !store.notes_of(list, text).await.map_err(broken)?.is_empty();
        let all = if is_one { vec![text.to_owned()] } else { items(list, text, language) };
        for item in all {
            match store.remove_note(list, &item).await.map_err(broken)? {
                NoteRemoval::Removed(entry) => gone.push(entry),
                NoteRemoval::Several(entries) => return Err(which(&entries, source, language)),
                NoteRemoval::Missing => match ending(&store.notes(list).await.map_err(broken)?, &item) {
                    entries if entries.is_empty() => missing.push(item),
                    entries => return Err(which(&entries, source, language)),
                },
            }
        }
        let say = &language.sentences().tools;
        let told = |items: &[String]| language.sentences().time.listed(items);
        let not_there =
            || fill(&say.not_listed, &[("items", &told(&missing)), ("list", spoken_name(list, language))]);
        if gone.is_empty() {
            let fact = format!("{} is not on the {list} list", told(&missing));
            return Ok(Output::of(source, fact).saying(not_there()));
        }
        let now = store.notes(list).await.map_err(broken)?;
        let mut sentence = taken_off(list, &gone, language);
        if !missing.is_empty() {
            sentence = format!("{sentence} {}", not_there());
        }
        Ok(Output::of(source, format!("removed {}; {}", told(&gone), as_spoken(list, &now))).saying(sentence))
    }

    /// Returns the only list on which `text` stands.
    async fn holding(&self, store: &Store, text: &str) -> Result<Option<String>, StoreError> {
        let mut found = Vec::new();
        for list in store.note_lists().await? {
            if !store.notes_of(&list, text).await?.is_empty() {
                found.push(list);
            }
        }
        Ok(if found.len() == 1 { found.pop() } else { None })
    }

    /// Returns what lists there are.
    async fn names(&self, store: &Store, language: &Language) -> Result<Output, StoreError> {
        let lists = store.note_lists().await?;
        let mut source = Source::Own;
        for list in &lists {
            if store.has_foreign_notes(list).await? {
                source = Source::Foreign;
            }
        }
        let names: Vec<String> = lists.iter().map(|list| spoken_name(list, language).to_owned()).collect();
        let [none, one, several] = &language.sentences().tools.lists;
        let sentence = match names.len() {
            0 => none,
            1 => one,
            _ => several,
        };
        let told = fill(sentence, &[("items", &language.sentences().time.listed(&names))]);
        Ok(Output::of(source, format!("lists: {}", lists.join(", "))).saying(told))
    }
}

impl Tool for Lists {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "notes and lists: add, read, remove or clear; list is shopping, notes, ..."
    }

    fn schema(&self) -> Value {
        let properties = json!({
            "action": { "type": "string", "enum": ["add", "read", "remove", "clear", "begin"] },
            "list": { "type": "string", "maxLength": 40 },
            "text": { "type": "string", "maxLength": 300 },
        });
        schema::object(properties, &["action", "list"])
    }

    fn forms(&self, said: &FormSource<'_>) -> Vec<Value> {
        forms::of(said)
    }

    fn effect(&self, arguments: &Arguments) -> Effect {
        match arguments.get("action").and_then(Value::as_str) {
            Some("read") => Effect::Looks,
            _ => Effect::Remembers,
        }
    }

    fn ready(&self, asked: &str, language: &Language, _conversation: &str) -> Option<Arguments> {
        list::arguments(asked, language)
    }

    fn in_full(&self, asked: &str, language: &Language, conversation: &str) -> Option<String> {
        let last = self.last.get(conversation, self.clock.now().timestamp())?;
        list::in_full(asked, &last, language)
    }

    fn deed(&self, arguments: &Arguments) -> String {
        deed::named(self.name(), arguments, "action")
    }

    fn values(&self, arguments: &Arguments) -> Vec<CallValue> {
        deed::values_of(arguments, &[("text", ValueKind::Words), ("list", ValueKind::List)])
    }

    fn in_words(&self, arguments: &Arguments, language: &Language) -> String {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().trim();
        let say = &language.sentences().tools;
        let list = list_name(text("list"), language);
        let sentence = match text("action") {
            "add" if list == NOTES => &say.ask_note,
            "add" => &say.ask_add,
            "remove" => &say.ask_remove,
            "clear" => &say.ask_clear,
            _ => &say.ask_read,
        };
        fill(sentence, &[("text", text("text")), ("list", spoken_name(&list, language))])
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        self.perform(call).boxed()
    }
}

/// Returns whether `said` means every list there is.
fn names_all(said: &str, language: &Language) -> bool {
    let said = said.trim().to_lowercase();
    language.lists().any(|words| words.all.contains(&said))
}

/// Returns what the list `said` is for, in the words that say so, and what that is called: "list for the drug store".
fn purpose(said: &str, language: &Language) -> Option<(String, String)> {
    language.lists().filter(|words| !words.purpose.is_empty()).find_map(|words| {
        let (list, goal) = said.split_once(&format!(" {} ", words.purpose))?;
        let is_bare = bare_name(list, language).is_empty();
        let name = bare_name(goal, language);
        (is_bare && !name.is_empty()).then(|| (format!("{} {}", words.purpose, goal.trim()), name))
    })
}

/// Returns what a request with these arguments is answered with, where that does not depend on what is on the list.
pub(crate) fn foreseen(arguments: &Arguments, language: &Language) -> Option<String> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().trim();
    let list = list_name(text("list"), language);
    let is_known = purpose(text("list"), language).is_none();
    (is_known && text("action") == "add")
        .then(|| added(&list, &once_each(items(&list, text("text"), language), &[]), language))
}

/// Returns what `asked` will most likely be answered with, where it reads a list on which nothing of a stranger's stands.
pub async fn ready_reading(asked: &str, store: &Store, language: &Language) -> Option<String> {
    let arguments = list::arguments(asked.trim().trim_end_matches(['.', '!', '?']), language)?;
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().trim();
    let list = list_name(text("list"), language);
    if text("action") != "read" || store.has_foreign_notes(&list).await.ok()? {
        return None;
    }
    Some(spoken_list(&list, &store.notes(&list).await.ok()?, language))
}

/// Whether a list is there, whatever stands on it.
fn is_always_there(list: &str) -> bool {
    [NOTES, SHOPPING, TODO].contains(&list)
}

/// Whether two names are spellings of one: "packing", "packing list", "Packliste", "pack-liste".
fn is_same(stored: &str, said: &str, language: &Language) -> bool {
    let named = |name: &str| {
        let name = list_name(name, language);
        let ends = language
            .lists()
            .flat_map(|words| &words.unnamed)
            .filter(|end| end.chars().count() >= SHORTEST_END);
        let bare = ends
            .filter_map(|end| name.strip_suffix(end.as_str()))
            .map(|name| name.trim_end_matches(['-', ' ']));
        bare.filter(|name| !name.is_empty())
            .min_by_key(|name| name.len())
            .map_or_else(|| name.clone(), str::to_owned)
    };
    let (stored, said) = (named(stored), named(said));
    // "Packliste" is that of "packen".
    let is_stem = said.chars().count() >= SHORTEST_END
        && stored.strip_prefix(said.as_str()).is_some_and(|ending| ["n", "en", "s"].contains(&ending));
    is_stem || list::is_alike(&stored, &said)
}

/// `items` as they stand on the list already, each once: "Milk" is "milk".
fn once_each(items: Vec<String>, before: &[String]) -> Vec<String> {
    let mut each: Vec<String> = Vec::new();
    for item in items {
        let lower = item.to_lowercase();
        let is_it = |other: &&String| other.to_lowercase() == lower;
        if !each.iter().any(|other| is_it(&other)) {
            each.push(before.iter().find(is_it).cloned().unwrap_or(item));
        }
    }
    each
}

/// Returns the entries with a compound that ends with `item`: "Schwarzbrot".
fn ending(entries: &[String], item: &str) -> Vec<String> {
    let item = item.to_lowercase();
    let is_end = |entry: &&String| {
        item.chars().count() >= SHORTEST_END && !entry.contains(' ') && entry.to_lowercase().ends_with(&item)
    };
    entries.iter().filter(is_end).cloned().collect()
}

/// "milk, eggs and bread" are three things on a list and one note.
fn items(list: &str, text: &str, language: &Language) -> Vec<String> {
    if list == NOTES {
        return vec![text.to_owned()];
    }
    let comma = |text: String, words: &ListWords| text.replace(&format!(" {} ", words.and), ",");
    let text = language.lists().fold(kept_together(text, language), comma);
    let text = text.replace(JOINED, " ");
    let items = text.split([',', ';', '\n']).map(|item| item.trim().trim_end_matches('.').to_owned());
    let items: Vec<String> = items.filter(|item| !item.is_empty()).collect();
    if items.is_empty() { vec![text] } else { items }
}

/// `text` with a sign for the blanks within what is one thing: "mac and cheese".
fn kept_together(text: &str, language: &Language) -> String {
    let one_thing = language.lists().flat_map(|words| &words.together);
    one_thing.fold(text.to_owned(), |text, thing| {
        let at =
            text.to_lowercase().find(thing.as_str()).filter(|at| text.is_char_boundary(at + thing.len()));
        match at.and_then(|at| Some((at, text.get(at..at + thing.len())?))) {
            Some((at, said)) => {
                let joined = said.replace(' ', JOINED);
                format!("{}{joined}{}", &text[..at], &text[at + thing.len()..])
            }
            None => text,
        }
    })
}
