//! `homeFind`, `homeRead`, `homeCommand`: the connected house, for what no quick command says.
//!
//! In: words for things of the house, and a command as it would be typed. Out: names with states, or what became of the
//! command. Permission, range and caution are those of [`House::order`]; what is asked back is a call of its own effect,
//! so that the gate holds it back. A command is sent once; a lost answer ends the turn, so that nobody sends it again.
//! Labels are the owner's words; a state that is any text is a stranger's.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use crate::form::FormSource;
use crate::{Arguments, Call, Effect, Output, Tool, ToolError, schema};
use joi_home::house::{FoundItem, House, Item, ItemKind, Permission, StateValue};
use joi_home::{Home, HomeLink, HomeView};
use joi_language::values::deed::{self, CallValue, ValueKind};
use joi_language::{Language, capital, fill};
use joi_understand::house::unreached;

mod command;
#[cfg(test)]
pub(crate) mod tests;

pub(super) use command::HomeCommandTool;
pub(crate) use command::NAME as COMMAND;
pub use command::house_deed;

/// The name of the tool that finds things.
pub(crate) const FIND: &str = "homeFind";
/// The name of the tool that reads states.
pub(crate) const READ: &str = "homeRead";
/// Most items in one list.
const MOST: usize = 24;
/// Most words of a thing that stands in a request.
const THING_WORDS: usize = 4;
/// Most names of which one is to be picked.
const MOST_NAMED: usize = 8;

/// Finds items.
pub(super) struct HomeFind(Arc<dyn Home>);

/// Reads one item, or all of a room.
pub(super) struct HomeRead(Arc<dyn Home>);

impl HomeFind {
    /// Finds things of `home`.
    pub(super) fn new(home: Arc<dyn Home>) -> Self {
        Self(home)
    }

    fn look(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let view = seen(&*self.0, call.language)?;
        let words = call.text("words");
        let found = view.house.matching(words);
        let told = found.iter().filter(|item| has_shown_state(item)).copied();
        let lines: Vec<String> = told.clone().take(MOST).map(|item| line(item, &view.house)).collect();
        if lines.is_empty() {
            return Err(ToolError::TellModel(format!("nothing in the house is called \"{words}\"")));
        }
        let more = told.count().saturating_sub(MOST);
        let more = if more == 0 { String::new() } else { format!("\nand {more} more: ask with more words") };
        Ok(Output::own(lines.join("\n") + &more))
    }
}

impl Tool for HomeFind {
    fn name(&self) -> &str {
        FIND
    }

    fn description(&self) -> &str {
        "find things of the house and their states; words is e.g. kitchen or light"
    }

    fn schema(&self) -> Value {
        schema::object(json!({ "words": { "type": "string", "maxLength": 80 } }), &["words"])
    }

    fn forms(&self, said: &FormSource<'_>) -> Vec<Value> {
        let house = &view(&*self.0).house;
        let texts = said.texts(THING_WORDS).into_iter();
        let known: Vec<String> = texts.filter(|text| !house.matching(text).is_empty()).collect();
        if known.is_empty() {
            return Vec::new();
        }
        vec![schema::object(json!({ "words": { "enum": known } }), &["words"])]
    }

    fn effect(&self, _: &Arguments) -> Effect {
        Effect::Looks
    }

    fn values(&self, arguments: &Arguments) -> Vec<CallValue> {
        deed::values_of(arguments, &[("words", ValueKind::Words)])
    }

    fn in_words(&self, arguments: &Arguments, language: &Language) -> String {
        fill(&language.sentences().tools.ask_home_find, &[("text", written(arguments, "words"))])
    }

    fn is_brief(&self) -> bool {
        false
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        async move { self.look(call) }.boxed()
    }
}

impl HomeRead {
    /// Reads states of `home`.
    pub(super) fn new(home: Arc<dyn Home>) -> Self {
        Self(home)
    }

    fn look(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let view = seen(&*self.0, call.language)?;
        let item = match view.house.meant(call.text("item")) {
            FoundItem::One(item) => item,
            FoundItem::Several(several) => return Err(which(&several, &view.house)),
            FoundItem::Nothing => return Err(no_such(call.text("item"))),
        };
        let told = line(item, &view.house);
        if is_foreign(item) {
            return Ok(Output::foreign(format!("{}: {}", item.title(), item.state.text)));
        }
        let Some(words) = call.language.house() else { return Ok(Output::own(told)) };
        let say = &words.say;
        let thing = ("thing", item.title());
        let sentence = match spoken(item, call.language) {
            Some(value) => fill(&say.value, &[thing, ("value", &value)]),
            None => fill(&say.unknown, &[thing]),
        };
        Ok(Output::own(told).saying(capital(&sentence)))
    }
}

impl Tool for HomeRead {
    fn name(&self) -> &str {
        READ
    }

    fn description(&self) -> &str {
        "the state of one thing of the house, by its name"
    }

    fn schema(&self) -> Value {
        schema::object(json!({ "item": { "type": "string", "maxLength": 80 } }), &["item"])
    }

    fn forms(&self, said: &FormSource<'_>) -> Vec<Value> {
        let things = things_said(said, &view(&*self.0).house);
        if things.is_empty() {
            return Vec::new();
        }
        vec![schema::object(json!({ "item": { "enum": things } }), &["item"])]
    }

    fn effect(&self, _: &Arguments) -> Effect {
        Effect::Looks
    }

    fn values(&self, arguments: &Arguments) -> Vec<CallValue> {
        named_value(arguments, &view(&*self.0).house).into_iter().collect()
    }

    fn in_words(&self, arguments: &Arguments, language: &Language) -> String {
        let thing = titled(arguments, &view(&*self.0).house);
        fill(&language.sentences().tools.ask_home_read, &[("thing", &thing)])
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        async move { self.look(call) }.boxed()
    }
}

/// Returns the titles of the things that stretches of the user's words mean, each once.
fn things_said(said: &FormSource<'_>, house: &House) -> Vec<String> {
    let mut titles: Vec<String> = Vec::new();
    for text in said.texts(THING_WORDS) {
        let FoundItem::One(item) = house.meant(&text) else { continue };
        if !titles.iter().any(|title| title == item.title()) {
            titles.push(item.title().to_owned());
        }
    }
    titles.truncate(MOST_NAMED);
    titles
}

fn view(home: &dyn Home) -> HomeView {
    home.watch().borrow().clone()
}

/// Returns the house, where its states are true.
fn seen(home: &dyn Home, language: &Language) -> Result<HomeView, ToolError> {
    let view = view(home);
    if view.link.is_up() { Ok(view) } else { Err(not_reached(&view.link, language)) }
}

fn not_reached(link: &HomeLink, language: &Language) -> ToolError {
    match language.house() {
        Some(words) => ToolError::EndTurn(unreached::sentence(link, &words.say).to_owned()),
        None => ToolError::TellModel("the house can't be reached at the moment".to_owned()),
    }
}

/// Returns whether a state is any text, which a stranger may have written; a name of the owner's list of options is the
/// owner's.
fn is_foreign(item: &Item) -> bool {
    let is_option = item.options.iter().any(|option| option.value == item.state.text);
    matches!(item.state.value, StateValue::Text(_)) && !is_option
}

/// Returns whether an item has a state to speak of: a group without one and an image have none.
fn has_shown_state(item: &Item) -> bool {
    !matches!(item.kind, ItemKind::Group { of: None, .. } | ItemKind::Image)
}

/// `Kitchen_Light "Kitchen light" (Kitchen): ON`
fn line(item: &Item, house: &House) -> String {
    let room = house.locations_of(item).next().map(|room| format!(" ({})", room.title())).unwrap_or_default();
    let state = match item.state.has_value() {
        _ if is_foreign(item) => "a text; homeRead reads it".to_owned(),
        true => item.shown_state(),
        false => "no value".to_owned(),
    };
    let is_fixed =
        item.permission < Permission::ReadWrite || item.is_read_only || !item.kind.takes_commands();
    let fixed = if is_fixed { ", read only" } else { "" };
    format!("{} \"{}\"{room}: {state}{fixed}", item.name, item.title())
}

/// Returns a state as it is spoken; nothing where there is none.
fn spoken(item: &Item, language: &Language) -> Option<String> {
    let say = &language.house()?.say;
    if !item.state.has_value() {
        return None;
    }
    Some(match item.state.value {
        StateValue::OnOff(true) => say.is_on.clone(),
        StateValue::OnOff(false) => say.is_off.clone(),
        StateValue::OpenClosed(true) => say.is_open.clone(),
        StateValue::OpenClosed(false) => say.is_closed.clone(),
        StateValue::Percent(level) => fill(&say.percent, &[("n", &format!("{level:.0}"))]),
        _ => item.shown_state(),
    })
}

fn which(several: &[&Item], house: &House) -> ToolError {
    let names: Vec<String> = several.iter().take(MOST_NAMED).map(|item| line(item, house)).collect();
    ToolError::TellModel(format!("several fit; call again with one of these names:\n{}", names.join("\n")))
}

fn no_such(name: &str) -> ToolError {
    ToolError::TellModel(format!("nothing in the house is called \"{name}\"; look with homeFind"))
}

fn written<'a>(arguments: &'a Arguments, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default().trim()
}

/// Returns what the thing of a call is called: by its owner, where it is known.
fn titled(arguments: &Arguments, house: &House) -> String {
    let name = written(arguments, "item");
    match house.meant(name) {
        FoundItem::One(item) => item.title().to_owned(),
        FoundItem::Several(_) | FoundItem::Nothing => name.to_owned(),
    }
}

/// Returns the name as it must have been said.
fn named_value(arguments: &Arguments, house: &House) -> Option<CallValue> {
    let text = titled(arguments, house);
    (!text.is_empty()).then_some(CallValue { kind: ValueKind::Words, text })
}
