//! Lists the tools on offer in one conversation and matches the words of a request to them.
//!
//! Input: the words of a request. Output: the tools they point at, and calls that need no model.
//! Pure: no I/O, no clock.

use std::collections::VecDeque;
use std::sync::Arc;

use joi_answer::protocol::WrittenCall;
use joi_language::Language;
use joi_tools::{Arguments, Effect, Tool, Toolbox, route};
use joi_understand::wish;

/// The tools of a conversation.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolList {
    /// All there are.
    pub(crate) toolbox: Toolbox,
    /// Those that were found on the way, in the order they were.
    pub(crate) grown: Vec<String>,
    /// The name of the conversation.
    pub(crate) conversation: String,
}

impl ToolList {
    /// Those on offer from the start, then those that were found.
    pub(crate) fn offered(&self) -> Vec<&Arc<dyn Tool>> {
        self.toolbox.offered(&self.grown)
    }

    /// Those that the words of `asked` point at, the likeliest first. For words that only inform nothing is
    /// fetched.
    pub(crate) fn by_words(&self, asked: &str, language: &Language) -> Vec<String> {
        let offered = self.offered();
        let is_ready = |tool: &&&Arc<dyn Tool>| tool.ready(asked, language, &self.conversation).is_some();
        let mut names = route::by_words(asked, &offered, language).names;
        // A request that is a call as it stands need not hold a word that points at its tool.
        if let Some(ready) = offered.iter().find(is_ready).map(|tool| tool.name().to_owned())
            && !names.contains(&ready)
        {
            names.insert(0, ready);
        }
        if !names.is_empty() && wish::only_reports(language, asked) {
            let fetches = |tool: &Arc<dyn Tool>| tool.effect(&Arguments::new()) == Effect::Fetches;
            names.retain(|name| !self.toolbox.get(name).is_some_and(fetches));
        }
        names
    }

    /// Returns the tools of other programs that the words of `asked` point at and that are not on offer yet, the likeliest
    /// first. Hidden tools of this program are found by the model alone.
    pub(crate) fn outside_by_words(&self, asked: &str, language: &Language) -> Vec<String> {
        let is_new = |tool: &&Arc<dyn Tool>| !self.grown.iter().any(|name| name == tool.name());
        let outside = self.toolbox.hidden().iter().filter(|tool| tool.hands_out());
        route::by_words(asked, &outside.filter(is_new).collect::<Vec<_>>(), language).names
    }

    /// Returns how many of the parts hold words that want a tool.
    pub(crate) fn wanting(&self, parts: &[&str], language: &Language) -> usize {
        parts.iter().filter(|part| !self.by_words(part, language).is_empty()).count()
    }

    /// Returns the request with the name of what the conversation spoke of last, where a tool knows it.
    pub(crate) fn in_full(&self, asked: &str, language: &Language) -> Option<String> {
        self.offered().into_iter().find_map(|tool| tool.in_full(asked, language, &self.conversation))
    }

    /// The calls that the parts are as they stand; nothing when one of them is none.
    pub(crate) fn ready_calls(&self, parts: &[&str], language: &Language) -> Option<VecDeque<WrittenCall>> {
        let call = |part: &&str| {
            self.offered().into_iter().find_map(|tool| {
                let arguments = tool.ready(part, language, &self.conversation)?;
                Some(WrittenCall { id: None, name: tool.name().to_owned(), arguments })
            })
        };
        parts.iter().map(call).collect()
    }
}
