//! Lists the tools on offer in one conversation and matches the words of a request to them.
//!
//! Input: the words of a request. Output: the tools they point at, and calls that need no model.
//! Pure: no I/O, no clock.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::protocol::WrittenCall;
use joi_language::Language;
use joi_tools::{Arguments, Effect, STOP, TOOL_SEARCH, Tool, Toolbox, form, route};
use joi_understand::wish;

/// The tools of a conversation.
#[derive(Debug, Clone, Default)]
pub struct ToolList {
    /// All there are.
    pub toolbox: Toolbox,
    /// Those that were found on the way, in the order they were.
    pub grown: Vec<String>,
    /// The name of the conversation.
    pub conversation: String,
}

impl ToolList {
    /// Those on offer from the start, then those that were found.
    pub fn offered(&self) -> Vec<&Arc<dyn Tool>> {
        self.toolbox.offered(&self.grown)
    }

    /// Those that the words of `asked` point at, the likeliest first. For words that only inform nothing is
    /// fetched.
    pub fn by_words(&self, asked: &str, language: &Language) -> Vec<String> {
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
    pub fn outside_by_words(&self, asked: &str, language: &Language) -> Vec<String> {
        let is_new = |tool: &&Arc<dyn Tool>| !self.grown.iter().any(|name| name == tool.name());
        let outside = self.toolbox.hidden().iter().filter(|tool| tool.hands_out());
        route::by_words(asked, &outside.filter(is_new).collect::<Vec<_>>(), language).names
    }

    /// Returns those that a model may guess at: what it is offered but the few that are always there, and the tools of other
    /// programs that it would have to find.
    pub fn guessable(&self) -> Vec<&Arc<dyn Tool>> {
        let is_new = |tool: &&Arc<dyn Tool>| !self.grown.iter().any(|name| name == tool.name());
        let outside = self.toolbox.hidden().iter().filter(|tool| tool.hands_out()).filter(is_new);
        let is_meant = |tool: &&Arc<dyn Tool>| ![STOP, TOOL_SEARCH].contains(&tool.name());
        self.offered().into_iter().chain(outside).filter(is_meant).collect()
    }

    /// Returns the texts by which the meaning of each of those is compared with a request, with its place among them: name
    /// and purpose, and examples of wishes for it.
    pub fn purposes(&self, language: &Language) -> Vec<(usize, String)> {
        let of = |(place, tool): (usize, &Arc<dyn Tool>)| {
            let name = tool.name().replace("__", " ").replace(['_', '-'], " ");
            let purpose = format!("{name}: {}", tool.description());
            let examples = language.tool_examples(tool.name()).iter().map(|example| example.say.clone());
            [purpose].into_iter().chain(examples).map(|text| (place, text)).collect::<Vec<_>>()
        };
        self.guessable().into_iter().enumerate().flat_map(of).collect()
    }

    /// Returns those of them that `asked` most likely means, no more than a form holds, in the order in which they stand
    /// otherwise: those that its words point at, then those whose meaning is nearest; of joi's own tools few, where that
    /// is known. `nearness` is that of each text of [`purposes`](Self::purposes).
    pub fn likeliest(&self, asked: &str, language: &Language, nearness: Option<&[f32]>) -> Vec<String> {
        let all = self.guessable();
        let by_words = route::by_words(asked, &all, language).names;
        let is_said = |place: usize| by_words.iter().any(|name| name == all[place].name());
        let mut near = vec![f32::MIN; all.len()];
        for ((place, _), value) in self.purposes(language).iter().zip(nearness.unwrap_or_default()) {
            near[*place] = near[*place].max(*value);
        }
        let mut places: Vec<usize> = (0..all.len()).collect();
        places.sort_by(|one, other| {
            is_said(*other).cmp(&is_said(*one)).then(near[*other].total_cmp(&near[*one])).then(one.cmp(other))
        });
        if nearness.is_some() {
            let mut own = 0;
            places.retain(|place| {
                own += usize::from(!all[*place].hands_out());
                all[*place].hands_out() || is_said(*place) || own <= form::MOST_NEAR
            });
        }
        places.truncate(form::MOST);
        places.sort_unstable();
        places.into_iter().map(|place| all[place].name().to_owned()).collect()
    }

    /// Returns how many of the parts hold words that want a tool.
    pub fn wanting(&self, parts: &[&str], language: &Language) -> usize {
        parts.iter().filter(|part| !self.by_words(part, language).is_empty()).count()
    }

    /// Returns the request with the name of what the conversation spoke of last, where a tool knows it.
    pub fn in_full(&self, asked: &str, language: &Language) -> Option<String> {
        self.offered().into_iter().find_map(|tool| tool.in_full(asked, language, &self.conversation))
    }

    /// The calls that the parts are as they stand; nothing when one of them is none.
    pub fn ready_calls(&self, parts: &[&str], language: &Language) -> Option<VecDeque<WrittenCall>> {
        let call = |part: &&str| {
            self.offered().into_iter().find_map(|tool| {
                let arguments = tool.ready(part, language, &self.conversation)?;
                Some(WrittenCall { id: None, name: tool.name().to_owned(), arguments })
            })
        };
        parts.iter().map(call).collect()
    }
}

#[cfg(test)]
mod tests {
    use joi_language::testing::english;
    use joi_tools::testing::shipped;

    use super::*;

    #[test]
    fn of_many_tools_those_are_guessed_at_that_the_words_point_at_or_that_are_nearest() {
        let tools = ToolList { toolbox: shipped(None), ..ToolList::default() };
        let all: Vec<String> = tools.guessable().iter().map(|tool| tool.name().to_owned()).collect();
        assert!(!all.iter().any(|name| name == STOP), "{all:?}");
        let purposes = tools.purposes(english());
        assert!(purposes[0].1.starts_with(&format!("{}: ", all[0])));
        let picked = tools.likeliest("is it going to rain", english(), None);
        assert_eq!(picked.len(), form::MOST.min(all.len()));
        assert!(picked.iter().any(|name| name == "weather"), "{picked:?}");
        let last = all.len() - 1;
        let near: Vec<f32> =
            purposes.iter().map(|(place, _)| if *place == last { 0.9 } else { 0.1 }).collect();
        let picked = tools.likeliest("hm", english(), Some(&near));
        assert!(picked.len() <= form::MOST_NEAR && picked.contains(&all[last]), "{picked:?}");
    }
}
