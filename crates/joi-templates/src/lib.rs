//! Reads the sentence templates of Home Assistant's intents project, in the format of its library hassil, and recognises
//! sentences by them: which intent, which slots, which words each slot took. Usable without Joi.
//!
//! Comes in: the JSON file of a language (package `home-assistant-intents` on PyPI), the names of things, areas and floors,
//! and what is known of the speaker. Goes out: matches, the best first. Refuses: files that break the format, sentences of
//! more than 254 characters or that take too many steps. No I/O, no clock, no threads.
//!
//! ```
//! use joi_templates::{ListValue, MatchContext, SentenceTemplates, SlotLists};
//!
//! let file = r#"{
//!     "language": "en",
//!     "intents": {"HassTurnOn": {"data": [{
//!         "sentences": ["(turn|switch) on [<the>] {name}"],
//!         "requires_context": {"domain": ["light"]}
//!     }]}},
//!     "expansion_rules": {"the": "(the|my)"}
//! }"#;
//! let templates = SentenceTemplates::parse(file)?;
//! let lamp = ListValue::new("reading lamp").value("light.reading").context("domain", "light");
//! let lists = SlotLists::new().with("name", [lamp]);
//! let found = templates.recognise("Switch on my reading lamp!", &lists, &MatchContext::new())?;
//! assert_eq!(found[0].intent, "HassTurnOn");
//! assert_eq!(found[0].slots[0].value, "light.reading");
//! assert_eq!(found[0].slots[0].span, Some(13..25));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod accept;
mod compile;
mod context;
mod derive;
mod error;
mod file;
mod grammar;
mod lists;
mod matches;
mod model;
mod numbers;
mod positions;
mod prefixes;
mod recognise;
mod required;
mod response;
mod sample;
mod skip;
mod syntax;
#[cfg(test)]
mod tests;
mod text;

use serde_json::{Map, Value};

pub use accept::MOST_STEPS;
pub use context::MatchContext;
pub use error::{RecogniseError, ResponseError, TemplateFault, TemplateFileError};
pub use lists::{ListValue, SlotLists};
pub use matches::{FilledSlot, IntentMatch, SlotOrigin};
pub use numbers::{DigitsOnly, SpellNumber};
pub use recognise::LONGEST_SENTENCE;
pub use response::{EntityState, ResponseState};
pub use sample::{SampleSentence, SentenceSampler};

use model::CompiledTemplates;
use response::ResponseBook;

/// The templates and responses of a language, compiled. Immutable; may be shared by threads.
#[derive(Debug)]
pub struct SentenceTemplates {
    compiled: CompiledTemplates,
    responses: ResponseBook,
}

impl SentenceTemplates {
    /// Compiles the file of a language; numbers are recognised in digits.
    ///
    /// # Errors
    /// When the file is not JSON, or a template, rule, list or response breaks the format.
    pub fn parse(json: &str) -> Result<Self, TemplateFileError> {
        Self::parse_with(json, &DigitsOnly)
    }

    /// Compiles the file of a language; numbers are also recognised as `speller` spells them. Ranges of more than 2,000
    /// numbers are recognised in digits only.
    ///
    /// # Errors
    /// As for [`parse`](Self::parse).
    pub fn parse_with(json: &str, speller: &dyn SpellNumber) -> Result<Self, TemplateFileError> {
        let file: file::TemplateFile = serde_json::from_str(json)?;
        Ok(Self { compiled: compile::compile(&file, speller)?, responses: ResponseBook::new(&file)? })
    }

    /// Returns all matches of a sentence, the best first, chosen as Home Assistant's own agent chooses: matches whose slot
    /// `name` is not a wildcard, by the length of the name; fewer wildcards; more words of the template; fewer characters
    /// in wildcards; the name of the intent.
    ///
    /// Sentences are tried as they were said and without the skip words of the language. Of one template at most 12
    /// readings are returned. Lists that are neither in the file nor in `lists` match nothing.
    ///
    /// # Errors
    /// When the sentence is longer than [`LONGEST_SENTENCE`] or takes more than [`MOST_STEPS`].
    pub fn recognise(
        &self,
        sentence: &str,
        lists: &SlotLists,
        context: &MatchContext,
    ) -> Result<Vec<IntentMatch>, RecogniseError> {
        recognise::recognise(&self.compiled, sentence, lists, context)
    }

    /// Writes the response of a match.
    ///
    /// # Errors
    /// When there is no such response, or the state lacks what it needs.
    pub fn respond(&self, found: &IntentMatch, state: &ResponseState) -> Result<String, ResponseError> {
        self.responses.respond(found, state)
    }

    /// Writes the sentence of an error: `no_area` with `area`, `no_entity` with `entity`, and others of the file.
    ///
    /// # Errors
    /// When there is no such sentence, or `values` lacks what it needs.
    pub fn respond_error(&self, key: &str, values: &Map<String, Value>) -> Result<String, ResponseError> {
        self.responses.error(key, values)
    }

    /// Makes sentences from the templates; the same `seed` makes the same.
    #[must_use]
    pub fn sampler<'a>(
        &'a self,
        lists: &'a SlotLists,
        context: &'a MatchContext,
        seed: u64,
    ) -> SentenceSampler<'a> {
        SentenceSampler::new(&self.compiled, lists, context, seed)
    }

    /// Returns the language of the file.
    #[must_use]
    pub fn language(&self) -> &str {
        &self.compiled.language
    }

    /// Returns the names of the intents that have templates.
    pub fn intents(&self) -> impl Iterator<Item = &str> {
        self.compiled.intents.iter().map(String::as_str)
    }

    /// Returns the names of lists that templates use and the file lacks: the caller gives them.
    pub fn absent_lists(&self) -> impl Iterator<Item = &str> {
        let lists = self.compiled.lists.iter();
        lists.filter(|list| matches!(list.kind, lists::ListKind::Absent)).map(|list| list.name.as_ref())
    }

    /// Returns intents with the names of their responses.
    pub fn responses(&self) -> impl Iterator<Item = (&str, &str)> {
        self.responses.keys()
    }

    /// Returns the number of templates.
    #[must_use]
    pub fn len(&self) -> usize {
        self.compiled.templates.len()
    }

    /// Returns whether there are no templates.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.compiled.templates.is_empty()
    }

    /// Returns about how many bytes the compiled templates take, without responses.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.compiled.bytes()
    }
}
