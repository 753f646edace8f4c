//! Whose words a call hands to another program.
//!
//! Input: the request, the prompt, and the arguments of a call. Output: a fact for the gate. A word that the user did
//! not say counts as private where the prompt holds it outside of the marks of strangers' text: there stand the memory,
//! the house and the conversation. Pure: no I/O, no clock.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::LoopState;
use super::prompt::is_result;
use joi_answer::own_words;
use joi_language::values::CallValue;
use joi_language::words_of;
use joi_llm::{Message, ModelSize, Role};
use joi_tools::gate::{Handed, Taint, Wish};
use joi_tools::{Arguments, Effect, Tool, fence, route};
use joi_understand::wish;

/// Shortest word that can give something away, in letters.
const SHORTEST: usize = 3;

impl LoopState {
    /// Returns the arguments of a call that only looks, and that the request has words for, without what a small model has
    /// added to them: in the user's own words such a call needs nobody's consent.
    pub(crate) fn in_own_words(&self, tool: &Arc<dyn Tool>, arguments: &Arguments) -> Option<Arguments> {
        let (asked, language) = (&self.asked, &self.asked.language);
        let only_looks = matches!(tool.effect(arguments), Effect::Looks | Effect::Fetches);
        let is_pointed_at = || !route::by_words(&asked.words, &[tool], language).names.is_empty();
        let is_bound = self.taint == Taint::Tainted || tool.hands_out();
        if !only_looks || self.prompt.size() != ModelSize::Small || is_bound || !is_pointed_at() {
            return None;
        }
        let found: Vec<&str> = self.progress.done.iter().map(|call| call.answer.as_str()).collect();
        let known = format!("{} {}", asked.remembered, found.join(" "));
        let is_mentioned =
            |values: &[CallValue]| wish::mentioned(language, &asked.said(), &known, values) == Wish::Act;
        Some(own_words::without_invented(&**tool, arguments, is_mentioned))
    }

    /// Returns whose words a call hands to another program.
    pub(crate) fn handed(&self, tool: &dyn Tool, arguments: &Arguments) -> Handed {
        if !tool.hands_out() {
            return Handed::Nothing;
        }
        let (language, asked) = (&self.asked.language, &self.asked.words);
        let values = tool.values(arguments);
        if values.is_empty() {
            return if self.is_pointed_at(tool) { Handed::Said } else { Handed::Mentioned };
        }
        if !self.asked.is_quoting && values.iter().all(|value| wish::holds(language, asked, &value.text)) {
            return Handed::Said;
        }
        let text: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
        if !self.private_words(&text.join(" ")).is_empty() {
            return Handed::Private;
        }
        match wish::mentioned(language, &self.asked.said(), "", &values) {
            Wish::Act if !self.asked.is_quoting => Handed::Mentioned,
            _ => Handed::Made,
        }
    }

    /// Returns whether the user's words hold one that points at the tool: a call without values says nothing else of whose
    /// idea it is.
    fn is_pointed_at(&self, tool: &dyn Tool) -> bool {
        let said = words_of(&self.asked.words);
        let is_said = |cue: &String| words_of(cue).iter().all(|word| said.contains(word));
        !self.asked.is_quoting && tool.owned_cues().iter().any(is_said)
    }

    /// Returns the words of `text` that the user did not say in this turn, and that the prompt holds. The first message
    /// describes the assistant and its tools alone; what the model wrote since the question is the call itself.
    fn private_words(&self, text: &str) -> BTreeSet<String> {
        let said: BTreeSet<String> = words_of(&self.asked.words).into_iter().collect();
        let all = &self.prompt.messages;
        let asked = all.iter().rposition(|message| message.role == Role::User && !is_result(message));
        let is_read = |(at, message): &(usize, &Message)| match message.role {
            Role::System => false,
            Role::Assistant => asked.is_some_and(|asked| *at < asked),
            Role::User | Role::Tool => true,
        };
        let read = all.iter().enumerate().filter(is_read);
        let known: BTreeSet<String> =
            read.flat_map(|(_, message)| words_of(&without_fenced(&message.content))).collect();
        let is_private =
            |word: &String| word.chars().count() >= SHORTEST && !said.contains(word) && known.contains(word);
        words_of(text).into_iter().filter(is_private).collect()
    }
}

/// Returns `text` without what stands between the marks of strangers' words.
fn without_fenced(text: &str) -> String {
    let mut left = String::new();
    let mut rest = text;
    while let Some((before, fenced)) = rest.split_once(fence::BEGIN) {
        left.push_str(before);
        left.push(' ');
        rest = fenced.split_once(fence::END).map_or("", |(_, after)| after);
    }
    left + rest
}
