//! Words that a template cannot match without: most templates are left out before anything is matched. Comes in: the graph
//! of templates; later a sentence. Goes out: which templates may match it. It never leaves out one that does. Pure: no
//! I/O, no clock.

use std::collections::HashMap;
use std::rc::Rc;

use crate::grammar::{GrammarNode, NodeId, TemplateGrammar};
use crate::prefixes::PrefixTable;
use crate::text::is_punctuation;

/// An alternative of more fragments excludes next to nothing.
const MOST_FRAGMENTS: usize = 64;

/// Fragments, and the clauses made of them. A sentence fulfils a clause when it holds one of its fragments.
#[derive(Debug, Default)]
pub(crate) struct Prefilter {
    fragments: PrefixTable,
    fragment_count: usize,
    /// Fragments of all clauses, and where each ends.
    members: Vec<u32>,
    ends: Vec<u32>,
}

impl Prefilter {
    /// Returns by clause whether the sentence fulfils it.
    pub(crate) fn fulfilled(&self, letters: &[char]) -> Vec<bool> {
        let mut held = vec![false; self.fragment_count];
        for at in 0..letters.len() {
            self.fragments.find(&letters[at..], &mut |_, number| held[number as usize] = true);
        }
        let mut first = 0;
        let ends = self.ends.iter();
        ends.map(|&end| {
            let members = &self.members[first..end as usize];
            first = end as usize;
            members.iter().any(|&fragment| held[fragment as usize])
        })
        .collect()
    }

    /// Bytes on the heap, about.
    pub(crate) fn bytes(&self) -> usize {
        (self.members.capacity() + self.ends.capacity()) * 4 + self.fragment_count * 40
    }
}

/// Collects clauses while templates are compiled.
#[derive(Debug, Default)]
pub(crate) struct ClauseCollector {
    fragments: HashMap<Box<[char]>, u32>,
    clauses: HashMap<Box<[u32]>, u32>,
    in_order: Vec<Box<[u32]>>,
    by_node: HashMap<NodeId, Rc<[u32]>>,
}

impl ClauseCollector {
    pub(crate) fn finish(self) -> Prefilter {
        let mut filter = Prefilter { fragment_count: self.fragments.len(), ..Prefilter::default() };
        for clause in self.in_order {
            filter.members.extend_from_slice(&clause);
            filter.ends.push(u32::try_from(filter.members.len()).unwrap_or(u32::MAX));
        }
        filter.fragments = PrefixTable::new(self.fragments.into_iter().map(|(text, id)| (text.into(), id)));
        filter
    }

    /// Returns the clauses of a node, in order of their numbers.
    pub(crate) fn clauses(&mut self, grammar: &TemplateGrammar, id: NodeId) -> Rc<[u32]> {
        if let Some(known) = self.by_node.get(&id) {
            return known.clone();
        }
        let clauses: Rc<[u32]> = match grammar.node(id) {
            GrammarNode::Nothing | GrammarNode::List(_) => Rc::new([]),
            GrammarNode::Word(word) => self.word(grammar.letters(grammar.word(word))).into(),
            GrammarNode::Rule(body) => self.clauses(grammar, body),
            GrammarNode::Sequence(items) | GrammarNode::AnyOrder(items) => {
                let items = grammar.children(items).iter();
                let mut all: Vec<u32> =
                    items.flat_map(|&item| self.clauses(grammar, item).to_vec()).collect();
                all.sort_unstable();
                all.dedup();
                all.into()
            }
            GrammarNode::Alternatives(items) => {
                self.either(grammar, grammar.children(items)).into_iter().collect()
            }
        };
        self.by_node.insert(id, clauses.clone());
        clauses
    }

    fn word(&mut self, letters: &[char]) -> Vec<u32> {
        let pieces = letters.split(|&c| c == ' ').filter(|piece| !piece.is_empty());
        let pieces: Vec<_> = pieces.filter(|piece| !piece.iter().any(|&c| is_punctuation(c))).collect();
        pieces
            .into_iter()
            .map(|piece| {
                let next = u32::try_from(self.fragments.len()).unwrap_or(u32::MAX);
                let fragment = *self.fragments.entry(piece.into()).or_insert(next);
                self.clause(vec![fragment])
            })
            .collect()
    }

    /// One of the parts matches, so one fragment of one clause of each part is there.
    fn either(&mut self, grammar: &TemplateGrammar, parts: &[NodeId]) -> Option<u32> {
        let mut merged = Vec::new();
        for &part in parts {
            let clauses = self.clauses(grammar, part);
            let smallest = clauses.iter().min_by_key(|&&clause| self.in_order[clause as usize].len())?;
            merged.extend_from_slice(&self.in_order[*smallest as usize]);
        }
        merged.sort_unstable();
        merged.dedup();
        (!merged.is_empty() && merged.len() <= MOST_FRAGMENTS).then(|| self.clause(merged))
    }

    fn clause(&mut self, fragments: Vec<u32>) -> u32 {
        let next = u32::try_from(self.in_order.len()).unwrap_or(u32::MAX);
        let fragments: Box<[u32]> = fragments.into();
        *self.clauses.entry(fragments).or_insert_with_key(|fragments| {
            self.in_order.push(fragments.clone());
            next
        })
    }
}
