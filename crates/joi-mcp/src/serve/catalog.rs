//! The tools that joi serves: names, descriptions and arguments as another program reads them, and what each one does.
//!
//! A further tool is a row here. Those of timers, lists, the memory and the house are calls of the shipped tools, with one
//! action each, since a program gets along better with many plain tools than with one of many actions. Pure: no I/O, no
//! clock.

use joi_tools::{Arguments, schema};
use serde_json::{Value, json};

/// Longest text that is said aloud, in characters: half a minute of speech.
pub(crate) const LONGEST_SAID: usize = 400;
/// Longest question, in characters.
pub(crate) const LONGEST_ASKED: usize = 1_000;

/// The work of a served tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServedWork {
    /// Says a text aloud.
    Say,
    /// Answers a question.
    Ask,
    /// Reports how joi is.
    Status,
    /// Calls a shipped tool, with this action where it has several.
    Shipped { tool: &'static str, action: &'static str },
}

/// A served tool.
pub(crate) struct ServedRow {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    /// Whether it is on without being named: it only reads, or only speaks.
    pub(crate) is_open: bool,
    /// Whether nothing is changed by it.
    pub(crate) is_reading: bool,
    pub(crate) work: ServedWork,
    /// Its arguments: name, description, longest text or the values there are, whether it must be there.
    arguments: &'static [ServedArgument],
}

struct ServedArgument {
    name: &'static str,
    description: &'static str,
    kind: ArgumentKind,
    is_required: bool,
}

enum ArgumentKind {
    Text(usize),
    OneOf(&'static [&'static str]),
}

const fn text(name: &'static str, longest: usize, description: &'static str) -> ServedArgument {
    ServedArgument { name, description, kind: ArgumentKind::Text(longest), is_required: true }
}

const fn optional(argument: ServedArgument) -> ServedArgument {
    ServedArgument { is_required: false, ..argument }
}

const KIND: ServedArgument = ServedArgument {
    name: "kind",
    description: "what is meant; without it a length is a timer and a time an alarm",
    kind: ArgumentKind::OneOf(&["timer", "alarm", "reminder"]),
    is_required: false,
};
const LIST: ServedArgument = text("list", 40, "name of the list, for example shopping, to-do or notes");

const READS: ServedRow = ServedRow {
    name: "",
    title: "",
    description: "",
    is_open: true,
    is_reading: true,
    work: ServedWork::Status,
    arguments: &[],
};
const CHANGES: ServedRow = ServedRow { is_open: false, is_reading: false, ..READS };

const fn shipped(tool: &'static str, action: &'static str) -> ServedWork {
    ServedWork::Shipped { tool, action }
}

/// All of them, in the order in which they are listed.
pub(crate) const ROWS: &[ServedRow] = &[
    ServedRow {
        name: "say",
        title: "Say aloud",
        description: "Says a text aloud in the house, when nobody is speaking. Refused during quiet hours. Returns once it \
                      was heard, or with the reason why it was not.",
        is_reading: false,
        work: ServedWork::Say,
        arguments: &[text("text", LONGEST_SAID, "plain sentences, without markup")],
        ..READS
    },
    ServedRow {
        name: "ask",
        title: "Ask joi",
        description: "Asks joi a question in plain words, as one would say it, and returns the answer as text; nothing is \
                      said aloud. It only informs: what changes something has a tool of its own.",
        work: ServedWork::Ask,
        arguments: &[text("text", LONGEST_ASKED, "the question, English or German")],
        ..READS
    },
    ServedRow {
        name: "list_timers",
        title: "List timers",
        description: "Lists timers, alarms and reminders.",
        work: shipped("timers", "list"),
        arguments: &[KIND],
        ..READS
    },
    ServedRow {
        name: "set_timer",
        title: "Set a timer",
        description: "Sets a timer, an alarm or a reminder.",
        work: shipped("timers", "set"),
        arguments: &[
            text("when", 60, "in words: \"10 minutes\", \"6:30 am on weekdays\", \"tomorrow at noon\""),
            KIND,
            optional(text("name", 100, "what it is called; of a reminder what to remind of")),
        ],
        ..CHANGES
    },
    ServedRow {
        name: "cancel_timer",
        title: "Cancel a timer",
        description: "Cancels one timer, alarm or reminder; the only one, or the one of that name.",
        work: shipped("timers", "cancel"),
        arguments: &[KIND, optional(text("name", 100, "which one, where there are several"))],
        ..CHANGES
    },
    ServedRow {
        name: "read_list",
        title: "Read a list",
        description: "Reads a list: shopping, to-do, notes or another one; \"all\" names the lists there are.",
        work: shipped("lists", "read"),
        arguments: &[LIST],
        ..READS
    },
    ServedRow {
        name: "add_to_list",
        title: "Add to a list",
        description: "Adds an entry to a list.",
        work: shipped("lists", "add"),
        arguments: &[LIST, text("text", 300, "the entry, or several with commas")],
        ..CHANGES
    },
    ServedRow {
        name: "remove_from_list",
        title: "Remove from a list",
        description: "Removes one entry from a list.",
        work: shipped("lists", "remove"),
        arguments: &[LIST, text("text", 300, "the entry")],
        ..CHANGES
    },
    ServedRow {
        name: "remember",
        title: "Remember",
        description: "Stores a fact or a wish of the user in joi's memory, marked as the words of another program.",
        work: shipped("memory", "remember"),
        arguments: &[text("text", 300, "one sentence")],
        ..CHANGES
    },
    ServedRow {
        name: "recall",
        title: "Recall",
        description: "Searches joi's memory of the user by words.",
        work: shipped("memory", "search"),
        arguments: &[text("text", 300, "words to look for")],
        ..READS
    },
    ServedRow {
        name: "house_state",
        title: "State of the house",
        description: "Finds things of the house by words and returns their states.",
        work: shipped("homeFind", ""),
        arguments: &[text("words", 80, "for example kitchen, light or heating")],
        ..READS
    },
    ServedRow {
        name: "house_command",
        title: "Command the house",
        description: "Commands one thing of the house and returns the state read back. Doors, locks and alarms are never \
                      commanded from here.",
        work: shipped("homeCommand", ""),
        arguments: &[
            text("item", 80, "the thing, as house_state names it"),
            text("command", 60, "on, off, up, down, stop, 40 %, 21.5"),
        ],
        ..CHANGES
    },
    ServedRow {
        name: "status",
        title: "Status of joi",
        description: "Reports how joi is: state, microphone switch, model, what does not work.",
        ..READS
    },
];

/// Returns the row of a tool.
pub(crate) fn row(name: &str) -> Option<&'static ServedRow> {
    ROWS.iter().find(|row| row.name == name)
}

impl ServedRow {
    /// Returns the JSON schema of the arguments.
    pub(crate) fn schema(&self) -> Value {
        let property = |argument: &ServedArgument| {
            let mut property = json!({ "type": "string", "description": argument.description });
            match argument.kind {
                ArgumentKind::Text(longest) => property["maxLength"] = json!(longest),
                ArgumentKind::OneOf(values) => property["enum"] = json!(values),
            }
            (argument.name.to_owned(), property)
        };
        let required: Vec<&str> =
            self.arguments.iter().filter(|argument| argument.is_required).map(|it| it.name).collect();
        schema::object(Value::Object(self.arguments.iter().map(property).collect()), &required)
    }

    /// Returns the arguments of the shipped tool for those of a call.
    pub(crate) fn completed(&self, mut arguments: Arguments) -> Arguments {
        if let ServedWork::Shipped { action, .. } = self.work
            && !action.is_empty()
        {
            arguments.insert("action".to_owned(), json!(action));
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_calls_a_shipped_tool_with_arguments_that_it_takes() {
        let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        let mut once = names.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), names.len());
        for row in ROWS {
            if let ServedWork::Shipped { tool, .. } = row.work {
                assert!(joi_tools::SHIPPED.contains(&tool), "{}", row.name);
            }
            assert!(row.description.ends_with('.') && !row.title.is_empty(), "{}", row.name);
            assert!(schema::is_name(row.name));
        }
    }

    #[test]
    fn the_schema_names_what_must_be_there() {
        let schema = row("set_timer").unwrap().schema();
        assert_eq!(schema["required"], json!(["when"]));
        assert_eq!(schema["properties"]["kind"]["enum"], json!(["timer", "alarm", "reminder"]));
        assert_eq!(schema["additionalProperties"], json!(false));
        let said = json!({ "when": "10 minutes" });
        let completed = row("set_timer").unwrap().completed(said.as_object().unwrap().clone());
        assert_eq!(Value::Object(completed), json!({ "when": "10 minutes", "action": "set" }));
    }
}
