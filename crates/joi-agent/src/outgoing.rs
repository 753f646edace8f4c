//! Decides what of the home a model may read, and redacts requests that leave the home.
//!
//! Input: the model's server, names of tools, requests. Output: the tools that may be offered, and requests without
//! secrets. What is withheld is left out of prompts and tools; quick commands use it all the same, since no model reads
//! them. Pure: no I/O, no clock.

use serde_json::Value;

use crate::model::ChatModel;
use joi_llm::{Ask, HomeData, LlmConfig, Message};
use joi_tools::{self as tools, Toolbox};

/// Data that the model must not read, because its server is outside of the home.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Withheld {
    pub(crate) memory: bool,
    pub(crate) house: bool,
}

impl Withheld {
    /// Returns what is withheld from `model`.
    pub(crate) fn from(model: &impl ChatModel) -> Self {
        Self { memory: model.withholds(HomeData::Memory), house: model.withholds(HomeData::House) }
    }

    /// Returns whether any data are withheld.
    pub(crate) fn is_any(self) -> bool {
        self.memory || self.house
    }

    /// Returns whether the tool `name` would show withheld data to the model.
    pub(crate) fn hides(self, name: &str) -> bool {
        (self.memory && name == tools::MEMORY) || (self.house && tools::HOUSE.contains(&name))
    }

    /// Returns `toolbox` without the tools that would show withheld data.
    pub(crate) fn shown(self, toolbox: Toolbox) -> Toolbox {
        if !self.is_any() {
            return toolbox;
        }
        let names = toolbox.names().into_iter().filter(|name| !self.hides(name));
        let names: Vec<String> = names.map(str::to_owned).collect();
        toolbox.only(&names)
    }
}

/// Returns a request as the configured server may read it: without secrets where it is outside of the home.
pub(crate) fn ask_for(config: &LlmConfig, ask: Ask) -> Ask {
    match config.is_outside() {
        true => Ask { messages: ask.messages.into_iter().map(redacted).collect(), ..ask },
        false => ask,
    }
}

/// Returns texts as the configured server may read them: without secrets where it is outside of the home.
pub(crate) fn texts_for(config: &LlmConfig, texts: Vec<String>) -> Vec<String> {
    match config.is_outside() {
        true => texts.iter().map(|text| joi_redact::redact_structured(text).into_string()).collect(),
        false => texts,
    }
}

/// Returns a message without secrets in its text and in the arguments of its calls, and without its thinking.
pub(crate) fn redacted(mut message: Message) -> Message {
    message.content = joi_redact::redact_structured(&message.content).into_string();
    for call in &mut message.tool_calls {
        if let Value::Object(clean) = joi_redact::redact_json(&Value::Object(call.function.arguments.clone()))
        {
            call.function.arguments = clean;
        }
    }
    message.thinking = None;
    message
}
