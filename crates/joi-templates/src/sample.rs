//! Sentences made from templates, for tests and to learn intent readers from. Comes in: templates, lists, words for
//! wildcards, a seed. Goes out: sentences with their intent and slots; the same seed makes the same sentences. Pure: no
//! I/O, no clock.

use serde_json::Value;

use crate::context::MatchContext;
use crate::grammar::{GrammarNode, NodeId};
use crate::lists::{GivenList, ListKind, SlotLists};
use crate::model::CompiledTemplates;
use crate::recognise::number;
use crate::text::tidy;

/// Tries until templates of an intent are given up, since values of lists break their conditions.
const MOST_TRIES: usize = 60;
const WILDCARDS: [&str; 4] = ["blue monday", "zanzibar", "seven oaks", "kalimera"];

/// A sentence made from a template.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleSentence {
    /// The sentence.
    pub sentence: String,
    /// Its intent.
    pub intent: String,
    /// Slots that the sentence fills, in order of the sentence.
    pub slots: Vec<(String, Value)>,
    /// The template.
    pub template: String,
}

/// Makes sentences.
#[derive(Debug)]
pub struct SentenceSampler<'a> {
    compiled: &'a CompiledTemplates,
    lists: &'a SlotLists,
    context: &'a MatchContext,
    wildcards: Vec<String>,
    state: u64,
}

/// A sentence in the making.
#[derive(Default)]
struct Draft {
    text: String,
    slots: Vec<(String, Value)>,
    context: MatchContext,
}

impl<'a> SentenceSampler<'a> {
    pub(crate) fn new(
        compiled: &'a CompiledTemplates,
        lists: &'a SlotLists,
        context: &'a MatchContext,
        seed: u64,
    ) -> Self {
        let wildcards = WILDCARDS.map(str::to_owned).to_vec();
        Self { compiled, lists, context, wildcards, state: seed }
    }

    /// Sets what is said in place of wildcards; an empty list changes nothing.
    #[must_use]
    pub fn wildcards(mut self, words: Vec<String>) -> Self {
        if !words.is_empty() {
            self.wildcards = words;
        }
        self
    }

    /// Makes a sentence of an intent. Nothing when the intent is unknown, or lists and context fit none of its templates.
    pub fn sentence(&mut self, intent: &str) -> Option<SampleSentence> {
        let compiled = self.compiled;
        let number = compiled.intents.iter().position(|known| known == intent)?;
        let is_of = |block: u32| compiled.blocks[block as usize].intent as usize == number;
        let rows: Vec<_> = compiled.templates.iter().filter(|row| is_of(row.block)).collect();
        for _ in 0..MOST_TRIES {
            let row = *rows.get(self.below(rows.len()))?;
            let block = &compiled.blocks[row.block as usize];
            let mut draft = Draft { context: self.context.clone(), ..Draft::default() };
            if self.write(row.node, row.block, &mut draft).is_none() {
                continue;
            }
            let sentence = tidy(&draft.text).trim().to_owned();
            if !sentence.is_empty() && block.conditions.check(&draft.context).is_some() {
                let Draft { slots, .. } = draft;
                return Some(SampleSentence {
                    sentence,
                    intent: intent.to_owned(),
                    slots,
                    template: row.text.to_string(),
                });
            }
        }
        None
    }

    fn write(&mut self, node: NodeId, block: u32, draft: &mut Draft) -> Option<()> {
        let grammar = &self.compiled.grammar;
        match grammar.node(node) {
            GrammarNode::Nothing => {}
            GrammarNode::Word(word) => draft.text.push_str(grammar.shown(grammar.word(word))),
            GrammarNode::Sequence(items) => {
                for &item in grammar.children(items) {
                    self.write(item, block, draft)?;
                }
            }
            GrammarNode::Alternatives(items) => {
                let items = grammar.children(items);
                let picked = self.below(items.len());
                self.write(items[picked], block, draft)?;
            }
            GrammarNode::AnyOrder(items) => {
                let mut items = grammar.children(items).to_vec();
                while !items.is_empty() {
                    let item = items.remove(self.below(items.len()));
                    self.write(item, block, draft)?;
                }
            }
            GrammarNode::Rule(body) => self.write(body, block, draft)?,
            GrammarNode::List(number) => self.write_list(number, block, draft)?,
        }
        Some(())
    }

    fn write_list(&mut self, list_use: u32, block: u32, draft: &mut Draft) -> Option<()> {
        let compiled = self.compiled;
        let list_use = compiled.grammar.list_use(list_use);
        let list = &compiled.lists[list_use.list as usize];
        let conditions = &compiled.blocks[block as usize].conditions;
        let given = self.lists.get(&list.name).filter(|_| !list.is_local);
        let value = match (given, &list.kind) {
            (Some(GivenList::Values { values, .. }), _) => {
                let fits = |value: &&crate::lists::ListValue| conditions.may_hold(&value.context);
                let values: Vec<_> = values.iter().filter(fits).collect();
                let value = *values.get(self.below(values.len()))?;
                draft.context.extend(&value.context);
                draft.text.push_str(&value.text);
                value.value.clone()
            }
            (Some(GivenList::Wildcard), _) | (None, ListKind::Wildcard) => {
                let picked = self.below(self.wildcards.len());
                let words = self.wildcards[picked].clone();
                draft.text.push_str(&words);
                words.into()
            }
            (None, ListKind::Range(range)) => {
                let (said, value) = range.pick(self.next());
                draft.text.push_str(&said.to_string());
                number(value)
            }
            (None, ListKind::Values(values)) => {
                let value = values.get(self.below(values.len()))?;
                if !conditions.may_hold(&value.context) {
                    return None;
                }
                draft.context.extend(&value.context);
                let before = draft.text.len();
                let slots = draft.slots.len();
                self.write(value.node, block, draft)?;
                draft.slots.truncate(slots);
                let said = tidy(&draft.text[before..]).trim().to_owned();
                value.out.clone().unwrap_or_else(|| said.into())
            }
            (None, ListKind::Absent) => return None,
        };
        if !list_use.is_capture {
            draft.slots.push((compiled.grammar.name(list_use.slot).to_owned(), value));
        }
        Some(())
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    /// The next number of SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
