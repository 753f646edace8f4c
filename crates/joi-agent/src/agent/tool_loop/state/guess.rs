//! A call that the model only guessed, where no word of the request speaks for a tool.
//!
//! Input: the request and the call. Output: whether it may be asked about. It is never made unasked, unless it only looks.
//! Pure: no I/O, no clock.

use super::{Asked, LoopState};
use crate::agent::ask::WrittenCalls;
use joi_tools::form::{self, FormSource};
use joi_tools::gate::Wish;
use joi_tools::{Arguments, Effect, Tool};
use joi_understand::wish;

impl Asked {
    /// The words as a form is filled from them.
    pub(super) fn form_source(&self) -> FormSource<'_> {
        FormSource::of(&self.words, &self.language)
    }

    /// Returns what the words say of a call that was guessed, of which they say `wish` in itself.
    pub(in crate::agent::tool_loop) fn of_guess(
        &self,
        tool: &dyn Tool,
        arguments: &Arguments,
        wish: Wish,
    ) -> Wish {
        match tool.effect(arguments) {
            Effect::Looks | Effect::Fetches | Effect::Ends => wish,
            Effect::Remembers | Effect::Changes | Effect::Risks => {
                wish::of_guess(&self.language, &self.said(), wish, &tool.values(arguments))
            }
        }
    }
}

impl LoopState {
    /// Returns whether the model has copied an example of its form.
    pub(in crate::agent::tool_loop) fn is_shown_example(&self, wanted: &WrittenCalls) -> bool {
        let source = self.asked.form_source();
        let is_shown = |name: &str, arguments: &Arguments| form::is_example(name, arguments, &source);
        !self.prompt.form.is_empty() && wanted.calls.iter().any(|call| is_shown(&call.name, &call.arguments))
    }
}
