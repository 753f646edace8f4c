//! What a call does, in the terms of the words that ask for it.
//!
//! Plain data. A tool names its deed and the values in its arguments; whether the user asked for that deed with those
//! values is decided by `understand::wish` before the call runs.

use serde_json::{Map, Value};

/// Arguments of a call, by name.
pub type Arguments = Map<String, Value>;

/// The effect of a call on anything outside the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Only reads the owner's own data.
    Looks,
    /// Brings in words of strangers.
    Fetches,
    /// Writes into the memory.
    Remembers,
    /// Changes something in the world.
    Changes,
    /// Changes something that always needs a yes, and is forbidden after words of strangers: opens a door.
    Risks,
    /// Ends the conversation, and does nothing else.
    Ends,
}

/// How a value is looked for in what was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// Its words.
    Words,
    /// Its content in other words: most of its words, and all its numbers.
    Gist,
    /// Its numbers.
    Numbers,
    /// A length or a time.
    When,
    /// The name of a list, which need not be said where there is only one that can be meant.
    List,
    /// A number of percent.
    Percent,
    /// One of a few that the language has words for, by the name of the argument.
    Choice(&'static str),
}

/// A value in the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallValue {
    /// How it is looked for.
    pub kind: ValueKind,
    /// As the model wrote it.
    pub text: String,
}

/// The values of `arguments` by name; what was left out, or is empty, is none.
pub fn values_of(arguments: &Arguments, kinds: &[(&str, ValueKind)]) -> Vec<CallValue> {
    let value = |(name, kind): &(&str, ValueKind)| {
        let text = match arguments.get(*name)? {
            Value::String(text) => text.trim().to_owned(),
            Value::Null => return None,
            other => other.to_string(),
        };
        (!text.is_empty()).then_some(CallValue { kind: *kind, text })
    };
    kinds.iter().filter_map(value).collect()
}

/// All texts and numbers of `arguments`, for a tool that does not say more of them.
pub fn all_values(arguments: &Arguments) -> Vec<CallValue> {
    let kind = |value: &Value| match value {
        Value::Number(_) => Some(ValueKind::Numbers),
        Value::String(_) | Value::Array(_) | Value::Object(_) => Some(ValueKind::Words),
        Value::Bool(_) | Value::Null => None,
    };
    let values = arguments.iter().filter_map(|(name, value)| Some((name.as_str(), kind(value)?)));
    values_of(arguments, &values.collect::<Vec<_>>())
}

/// A deed by the name of the tool and the value of the argument that says which.
pub fn named(tool: &str, arguments: &Arguments, which: &str) -> String {
    let action = arguments.get(which).and_then(Value::as_str).unwrap_or_default();
    format!("{tool} {action}").trim_end().to_owned()
}

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// About the user, in the user's own words.
    User,
    /// A standing wish about the assistant's behaviour.
    Wish,
    /// Any other fact.
    World,
    /// A summary of a conversation.
    Diary,
    /// A part of a document of the user.
    Document,
}

impl MemoryKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::User, Self::Wish, Self::World, Self::Diary, Self::Document];

    /// Its name in the database, in tables and in exports.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Wish => "wish",
            Self::World => "world",
            Self::Diary => "diary",
            Self::Document => "document",
        }
    }

    /// The kind with that name.
    pub fn called(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it is part of every prompt.
    pub fn is_warm(self) -> bool {
        matches!(self, Self::User | Self::Wish | Self::Diary)
    }

    /// Whether a newer entry that says the same replaces an older one.
    pub fn is_merged(self) -> bool {
        matches!(self, Self::User | Self::Wish | Self::World)
    }
}

/// What the user's words say of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// They ask for it.
    Act,
    /// They may, and the owner has to be asked; the reason is for the trace.
    Ask(&'static str),
    /// They don't; the reason is for the trace and the model.
    Talk(&'static str),
}
