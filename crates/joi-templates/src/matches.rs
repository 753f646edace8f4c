//! Matches, and the order of several. Comes in: readings. Goes out: values for the caller. Pure: no
//! I/O, no clock.

use std::ops::Range;

use serde_json::Value;

use crate::context::MatchContext;

/// A template that matches a sentence, with its slots.
#[derive(Debug, Clone, PartialEq)]
pub struct IntentMatch {
    /// Name of the intent.
    pub intent: String,
    /// Slots in order of the sentence, then those that the templates or the context fill.
    pub slots: Vec<FilledSlot>,
    /// Values for the response only.
    pub captures: Vec<FilledSlot>,
    /// Name of the response.
    pub response: String,
    /// The caller's context with that of the values.
    pub context: MatchContext,
    /// Metadata of the block of templates.
    pub metadata: Option<Value>,
    /// The template.
    pub template: String,
    /// Characters of the sentence, without spaces, that the template's own words matched.
    pub literal_chars: usize,
}

/// A slot with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct FilledSlot {
    /// Name of the slot.
    pub name: String,
    /// The value: of the list, a number, or the words of a wildcard.
    pub value: Value,
    /// The words that were said, empty where none were.
    pub text: String,
    /// Bytes of the sentence that the words took.
    pub span: Option<Range<usize>>,
    /// Metadata of the value.
    pub metadata: Option<Value>,
    /// Where the value is from.
    pub origin: SlotOrigin,
}

/// Where the value of a slot is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotOrigin {
    /// A list of values.
    List,
    /// A range of numbers.
    Number,
    /// Any words.
    Wildcard,
    /// The block of templates has it for all its sentences.
    Template,
    /// The context.
    Context,
}

impl IntentMatch {
    /// Returns a slot by its name; of several the last, as the intents project reads them.
    #[must_use]
    pub fn slot(&self, name: &str) -> Option<&FilledSlot> {
        self.slots.iter().rev().find(|slot| slot.name == name)
    }

    fn wildcards(&self) -> impl Iterator<Item = &FilledSlot> {
        self.slots.iter().filter(|slot| slot.origin == SlotOrigin::Wildcard)
    }

    /// The order of matches, the best first, as Home Assistant's own agent chooses: those with a slot `name` that is no
    /// wildcard, the longest words first; fewer wildcards; more words of the template; fewer characters in wildcards; the
    /// name of the intent.
    pub(crate) fn rank(&self) -> (bool, usize, usize, usize, usize, &str) {
        let name = self.slot("name").filter(|slot| slot.origin != SlotOrigin::Wildcard);
        let length = name.map_or(0, |slot| slot.text.chars().count());
        let in_wildcards = self.wildcards().map(|slot| slot.text.chars().count()).sum();
        (
            name.is_none(),
            usize::MAX - length,
            self.wildcards().count(),
            usize::MAX - self.literal_chars,
            in_wildcards,
            &self.intent,
        )
    }
}
