//! Lists of values: those of a template file, and those that the caller gives for a sentence. Comes in: texts with the
//! values they stand for. Goes out: which of them a sentence has at a place. Pure: no I/O, no clock.

use std::collections::HashMap;

use serde_json::Value;

use crate::context::MatchContext;
use crate::grammar::NodeId;
use crate::numbers::NumberRange;
use crate::prefixes::PrefixTable;
use crate::text::Normalised;

/// One text of a list that the caller gives: the name of a thing, an area, a floor.
#[derive(Debug, Clone, PartialEq)]
pub struct ListValue {
    /// As it is said.
    pub text: String,
    /// As it goes into the slot.
    pub value: Value,
    /// Added to the context of a match, as `domain` of a thing.
    pub context: MatchContext,
    /// Handed through to the slot.
    pub metadata: Option<Value>,
}

impl ListValue {
    /// A text that stands for itself.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { value: Value::String(text.clone()), text, context: MatchContext::new(), metadata: None }
    }

    /// Sets the value that goes into the slot.
    #[must_use]
    pub fn value(mut self, value: impl Into<Value>) -> Self {
        self.value = value.into();
        self
    }

    /// Adds to the context.
    #[must_use]
    pub fn context(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.context = self.context.with(key, value);
        self
    }

    /// Sets the metadata.
    #[must_use]
    pub fn metadata(mut self, metadata: impl Into<Value>) -> Self {
        self.metadata = Some(metadata.into());
        self
    }
}

/// Lists that the caller gives by name; they replace those of the file. Build them once, not for each sentence.
#[derive(Debug, Clone, Default)]
pub struct SlotLists {
    lists: HashMap<String, GivenList>,
}

/// A list that the caller gives.
#[derive(Debug, Clone)]
pub(crate) enum GivenList {
    Values { values: Vec<ListValue>, table: PrefixTable },
    Wildcard,
}

impl SlotLists {
    /// No lists.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a list of texts. Texts are plain words, not templates.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, values: impl IntoIterator<Item = ListValue>) -> Self {
        let values: Vec<_> = values.into_iter().collect();
        let table =
            values.iter().zip(0..).map(|(value, number)| (Normalised::new(&value.text).folded(), number));
        let table = PrefixTable::new(table);
        self.lists.insert(name.into(), GivenList::Values { values, table });
        self
    }

    /// Adds a list that takes any words.
    #[must_use]
    pub fn with_wildcard(mut self, name: impl Into<String>) -> Self {
        self.lists.insert(name.into(), GivenList::Wildcard);
        self
    }

    pub(crate) fn get(&self, name: &str) -> Option<&GivenList> {
        self.lists.get(name)
    }
}

/// A list that templates refer to.
#[derive(Debug)]
pub(crate) struct TemplateList {
    pub(crate) name: Box<str>,
    /// Of one block only; the caller does not replace it.
    pub(crate) is_local: bool,
    pub(crate) kind: ListKind,
}

/// Content of a list.
#[derive(Debug)]
pub(crate) enum ListKind {
    /// Not in the file: the caller gives it.
    Absent,
    Values(Box<[TemplateValue]>),
    Range(Box<NumberRange>),
    Wildcard,
}

/// A value of a list of the file.
#[derive(Debug)]
pub(crate) struct TemplateValue {
    pub(crate) node: NodeId,
    /// Characters it can begin with; nothing when it can begin with any.
    pub(crate) first: Option<Box<[char]>>,
    /// Absent: the words that were said.
    pub(crate) out: Option<Value>,
    pub(crate) context: MatchContext,
    pub(crate) metadata: Option<Value>,
}
