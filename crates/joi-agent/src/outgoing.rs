//! Decides what of the home a model may read.
//!
//! Input: the model's server, names of tools. Output: the tools that may be offered. What is withheld is left out of prompts
//! and tools; quick commands use it all the same, since no model reads them. Pure: no I/O, no clock.

use crate::model::ChatModel;
use joi_llm::HomeData;
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
