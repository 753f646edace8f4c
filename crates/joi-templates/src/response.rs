//! Responses: the sentences that say what was done. Comes in: the match, and the state of the things it was about. Goes
//! out: a sentence. Refuses: templates that are not Jinja, when the file is read.
//!
//! A response sees `slots` (what was said of each slot, else its value, and [`ResponseState::slots`]), `state` (one
//! thing), `query.matched`, `query.unmatched` (things), `query.total_results` and `metadata` (of the templates). A thing has `entity_id`, `domain`, `name`, `state`,
//! `state_with_unit` and `attributes`. `state_attr(entity_id, name)` reads an attribute of any of these things, or none.
//! Values have Python's methods, `format` with `{}` and `{0:02d}` among them; a date (year, month, day) has `weekday()`.
//! Lists do not change (`append`). A colon before `%}` is allowed, as in Python's Jinja. White space is made single.

mod python;

use std::collections::BTreeMap;

use minijinja::value::Value as JinjaValue;
use minijinja::{Environment, State as Rendering, context};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::{ResponseError, TemplateFault, TemplateFileError};
use crate::file::TemplateFile;
use crate::matches::IntentMatch;

/// Things and slots that a response can use beside the match.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResponseState {
    /// More slots: `time`, `date`, `timers`, `canceled` and what else the intents compute.
    pub slots: Map<String, Value>,
    /// The thing the command was about.
    pub state: Option<EntityState>,
    /// Things that a question asked for.
    pub matched: Vec<EntityState>,
    /// Things of the same kind that are in another state.
    pub unmatched: Vec<EntityState>,
}

/// A thing of the house.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct EntityState {
    /// Its identifier.
    pub entity_id: String,
    /// Its kind.
    pub domain: String,
    /// Its name.
    pub name: String,
    /// Its state.
    pub state: String,
    /// Its state with the unit.
    pub state_with_unit: String,
    /// Its attributes.
    pub attributes: Map<String, Value>,
}

/// Responses of a language.
#[derive(Debug)]
pub(crate) struct ResponseBook {
    intents: BTreeMap<String, BTreeMap<String, String>>,
    errors: BTreeMap<String, String>,
    environment: Environment<'static>,
}

impl ResponseBook {
    /// Reads the responses of a file.
    pub(crate) fn new(file: &TemplateFile) -> Result<Self, TemplateFileError> {
        let environment = environment();
        let check = |place: String, text: &String| {
            let text = without_colons(text);
            environment.template_from_str(&text).map(drop).map_err(|error| TemplateFileError::Template {
                language: file.language.clone(),
                place,
                template: text.clone(),
                fault: TemplateFault::Response(error.to_string()),
            })
        };
        for (intent, responses) in &file.responses.intents {
            for (key, text) in responses {
                check(format!("response {key} of {intent}"), text)?;
            }
        }
        for (key, text) in &file.responses.errors {
            check(format!("error {key}"), text)?;
        }
        let plain = |all: &BTreeMap<String, String>| {
            all.iter().map(|(key, text)| (key.clone(), without_colons(text))).collect()
        };
        let intents = file.responses.intents.iter().map(|(intent, all)| (intent.clone(), plain(all)));
        Ok(Self { intents: intents.collect(), errors: plain(&file.responses.errors), environment })
    }

    /// Writes the response of a match.
    pub(crate) fn respond(
        &self,
        found: &IntentMatch,
        state: &ResponseState,
    ) -> Result<String, ResponseError> {
        let (intent, key) = (&found.intent, &found.response);
        let text = self.intents.get(intent).and_then(|responses| responses.get(key));
        let text = text.ok_or_else(|| ResponseError::Unknown { intent: intent.clone(), key: key.clone() })?;
        let mut slots = Map::new();
        for slot in found.slots.iter().chain(&found.captures) {
            let said = || Value::String(slot.text.clone());
            slots.insert(slot.name.clone(), if slot.text.is_empty() { slot.value.clone() } else { said() });
        }
        slots.extend(state.slots.clone());
        self.render(text, context! {
            slots => slots,
            state => state.state,
            query => context! {
                matched => state.matched,
                unmatched => state.unmatched,
                total_results => state.matched.len() + state.unmatched.len(),
            },
            metadata => found.metadata,
            things => state.state.iter().chain(&state.matched).chain(&state.unmatched).collect::<Vec<_>>(),
        })
        .map_err(|source| ResponseError::Render { intent: intent.clone(), key: key.clone(), source })
    }

    /// Writes the sentence of an error.
    pub(crate) fn error(&self, key: &str, values: &Map<String, Value>) -> Result<String, ResponseError> {
        let intent = || "errors".to_owned();
        let text = self.errors.get(key);
        let text = text.ok_or_else(|| ResponseError::Unknown { intent: intent(), key: key.to_owned() })?;
        let rendered = self.render(text, JinjaValue::from_serialize(values));
        rendered.map_err(|source| ResponseError::Render { intent: intent(), key: key.to_owned(), source })
    }

    fn render(&self, text: &str, values: JinjaValue) -> Result<String, minijinja::Error> {
        let rendered = self.environment.render_str(text, values)?;
        Ok(rendered.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Returns intents with the names of their responses.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (&str, &str)> {
        self.intents
            .iter()
            .flat_map(|(intent, all)| all.keys().map(move |key| (intent.as_str(), key.as_str())))
    }
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    python::add_to(&mut environment);
    environment.add_function("state_attr", state_attr);
    environment
}

/// Reads an attribute of one of the things that the response is about.
fn state_attr(rendering: &Rendering<'_, '_>, entity_id: JinjaValue, name: &str) -> JinjaValue {
    let things = rendering.lookup("things").unwrap_or_default();
    let Ok(mut things) = things.try_iter() else { return JinjaValue::from(()) };
    let thing = things.find(|thing| thing.get_attr("entity_id").is_ok_and(|id| id == entity_id));
    let value = thing.and_then(|thing| thing.get_attr("attributes").ok()?.get_attr(name).ok());
    value.filter(|value| !value.is_undefined()).unwrap_or_else(|| JinjaValue::from(()))
}

/// Removes the colon at the end of a statement, which Python's Jinja allows.
fn without_colons(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("%}") {
        let (before, dash) = before.strip_suffix('-').map_or((before, ""), |before| (before, "-"));
        let statement = before.trim_end();
        written.push_str(statement.strip_suffix(':').unwrap_or(before));
        written.push(' ');
        written.push_str(dash);
        written.push_str("%}");
        rest = after;
    }
    written.push_str(rest);
    written
}
