//! The templates of a language as they stay in memory. Comes in: the compiler. Goes out: to matching and sampling.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::context::Conditions;
use crate::grammar::{NodeId, TemplateGrammar};
use crate::lists::TemplateList;
use crate::required::Prefilter;

/// The compiled templates of a language.
#[derive(Debug)]
pub(crate) struct CompiledTemplates {
    pub(crate) language: String,
    pub(crate) ignores_spaces: bool,
    pub(crate) grammar: TemplateGrammar,
    pub(crate) lists: Vec<TemplateList>,
    pub(crate) templates: Vec<TemplateRow>,
    pub(crate) blocks: Vec<TemplateBlock>,
    pub(crate) intents: Vec<String>,
    pub(crate) prefilter: Prefilter,
    /// Clauses of all templates.
    pub(crate) clauses: Vec<u32>,
    /// Folded words that may be left out, the longest first.
    pub(crate) skip_words: Vec<Vec<char>>,
}

/// A template.
#[derive(Debug)]
pub(crate) struct TemplateRow {
    pub(crate) node: NodeId,
    pub(crate) block: u32,
    /// First and last of its `clauses`.
    pub(crate) clauses: (u32, u32),
    pub(crate) wildcards: WildcardEnds,
    pub(crate) text: Box<str>,
}

/// Where a template has a wildcard, which keeps the words that others leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WildcardEnds {
    Neither,
    First,
    Last,
    Whole,
}

/// Slots, conditions and response that the templates of a block share.
#[derive(Debug)]
pub(crate) struct TemplateBlock {
    /// Number of the intent.
    pub(crate) intent: u32,
    pub(crate) slots: BTreeMap<String, Value>,
    pub(crate) response: Option<String>,
    pub(crate) conditions: Conditions,
    /// Folded words of which the sentence must have one, if there are any.
    pub(crate) keywords: Vec<Vec<char>>,
    pub(crate) metadata: Option<Value>,
}

impl CompiledTemplates {
    /// Bytes on the heap, without values and metadata of blocks.
    pub(crate) fn bytes(&self) -> usize {
        self.grammar.bytes()
            + self.prefilter.bytes()
            + self.clauses.capacity() * 4
            + self.templates.iter().map(|row| size_of::<TemplateRow>() + row.text.len()).sum::<usize>()
            + self.blocks.capacity() * size_of::<TemplateBlock>()
    }
}
