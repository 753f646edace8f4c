//! The slots of a template that matches: every way to read the sentence, the best few kept at each place. Comes in: a
//! template and the scan of a sentence. Goes out: readings, the best first. What holds no lists is not walked through; of
//! the rest each pair of place and remaining template is worked out once. Pure: no I/O, no clock.

use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

use crate::accept::{FastMap, SentenceScan, ValueId};
use crate::context::Conditions;
use crate::grammar::{GrammarNode, NodeId};
use crate::lists::{GivenList, ListKind};
use crate::positions::{PlaceSet, TextPlace};

/// Readings kept at each place.
const MOST_READINGS: usize = 12;
/// Parts of templates within each other, so that the stack is enough for any template.
const DEEPEST: usize = 400;

/// A slot as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ReadSlot {
    /// Number of the reference to a list.
    pub(crate) list_use: u32,
    pub(crate) value: ValueId,
    /// First character, and the one behind the last.
    pub(crate) words: (u16, u16),
}

/// Rank of a reading, the least first: by length of the name, wildcards, letters outside slots, letters of
/// wildcards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Worth {
    nameless: bool,
    shorter_name: i32,
    wildcards: u16,
    in_slots: u16,
    in_wildcards: u16,
}

/// Number of a list of slots, from the last word to the first; 0 is the empty one.
type Chain = u32;
/// Number of what is left of a template; 0 is its end.
type RestId = u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum RestPart {
    Node(NodeId),
    /// Parts of a group of any order, by bit.
    AnyOrder(NodeId, u8),
}

/// The work on one template.
pub(crate) struct Derivation<'s, 'a> {
    scan: &'s mut SentenceScan<'a>,
    conditions: &'a Conditions,
    /// Number of the slot whose length decides first.
    name_slot: Option<u32>,
    rests: Interned<(RestPart, RestId)>,
    chains: Interned<(ReadSlot, Chain)>,
    worths: Vec<Worth>,
    readings: FastMap<u64, Rc<[Chain]>>,
    depth: usize,
}

impl<'s, 'a> Derivation<'s, 'a> {
    pub(crate) fn new(
        scan: &'s mut SentenceScan<'a>,
        conditions: &'a Conditions,
        name_slot: Option<u32>,
    ) -> Self {
        Self {
            scan,
            conditions,
            name_slot,
            rests: Interned::default(),
            chains: Interned::default(),
            worths: vec![Worth { nameless: true, ..Worth::default() }],
            readings: FastMap::default(),
            depth: 0,
        }
    }

    /// Returns the slots of each reading in order of the sentence.
    pub(crate) fn readings(&mut self, template: NodeId) -> Vec<Vec<ReadSlot>> {
        let rest = self.rests.number((RestPart::Node(template), 0));
        let start = self.scan.start();
        let chains = self.read(rest, start);
        chains.iter().map(|&chain| self.slots(chain)).collect()
    }

    fn slots(&self, mut chain: Chain) -> Vec<ReadSlot> {
        let mut slots = Vec::new();
        while let Some(&(slot, rest)) = self.chains.get(chain) {
            slots.push(slot);
            chain = rest;
        }
        slots
    }

    /// Returns the readings of the rest of a template from a place on.
    fn read(&mut self, rest: RestId, place: TextPlace) -> Rc<[Chain]> {
        let Some(&(part, next)) = self.rests.get(rest) else {
            return if self.scan.is_end(place) { [0].into() } else { [].into() };
        };
        let key = (u64::from(rest) << 16) | u64::from(place.number());
        if let Some(known) = self.readings.get(&key) {
            return known.clone();
        }
        self.scan.steps += 1;
        if self.depth >= DEEPEST {
            self.scan.steps = u64::MAX / 2;
        }
        if self.scan.is_exhausted() {
            return [].into();
        }
        self.depth += 1;
        let mut found = Vec::new();
        match part {
            RestPart::Node(node) if self.scan.compiled.grammar.fills_slots(node) => {
                self.node(node, next, place, &mut found);
            }
            RestPart::Node(node) => {
                for end in self.scan.accept(node, &PlaceSet::one(place)).iter() {
                    found.extend_from_slice(&self.read(next, end));
                }
            }
            RestPart::AnyOrder(node, left) => self.any_order(node, left, (next, place), &mut found),
        }
        self.depth -= 1;
        let found = self.best(found);
        self.readings.insert(key, found.clone());
        found
    }

    fn node(&mut self, node: NodeId, next: RestId, place: TextPlace, found: &mut Vec<Chain>) {
        let grammar = &self.scan.compiled.grammar;
        match grammar.node(node) {
            GrammarNode::Sequence(items) => {
                let items = grammar.children(items).iter().rev();
                let rest = items.fold(next, |rest, &item| self.rests.number((RestPart::Node(item), rest)));
                found.extend_from_slice(&self.read(rest, place));
            }
            GrammarNode::Alternatives(items) => {
                for &item in grammar.children(items) {
                    let rest = self.rests.number((RestPart::Node(item), next));
                    found.extend_from_slice(&self.read(rest, place));
                }
            }
            GrammarNode::AnyOrder(items) => {
                let left = (1_u16 << grammar.children(items).len()) - 1;
                let rest = self.rests.number((RestPart::AnyOrder(node, left as u8), next));
                found.extend_from_slice(&self.read(rest, place));
            }
            GrammarNode::Rule(body) => {
                let rest = self.rests.number((RestPart::Node(body), next));
                found.extend_from_slice(&self.read(rest, place));
            }
            GrammarNode::List(number) => self.list(number, next, place, found),
            GrammarNode::Nothing | GrammarNode::Word(_) => {}
        }
    }

    fn any_order(
        &mut self,
        node: NodeId,
        left: u8,
        (next, place): (RestId, TextPlace),
        found: &mut Vec<Chain>,
    ) {
        let GrammarNode::AnyOrder(items) = self.scan.compiled.grammar.node(node) else { return };
        if left == 0 {
            found.extend_from_slice(&self.read(next, place));
            return;
        }
        let parts = self.scan.compiled.grammar.children(items).iter().enumerate();
        for (bit, &item) in parts.filter(|(bit, _)| left & (1 << bit) != 0) {
            let others = self.rests.number((RestPart::AnyOrder(node, left & !(1 << bit)), next));
            let rest = self.rests.number((RestPart::Node(item), others));
            found.extend_from_slice(&self.read(rest, place));
        }
    }

    fn list(&mut self, number: u32, next: RestId, place: TextPlace, found: &mut Vec<Chain>) {
        let list_use = self.scan.compiled.grammar.list_use(number);
        if self.scan.is_wildcard(list_use.list) {
            let first = usize::from(self.scan.wildcard_words(place, place).0);
            for end in self.scan.wildcard_ends(first, list_use.ends_word) {
                let words = self.scan.wildcard_words(place, end);
                let slot = ReadSlot { list_use: number, value: ValueId::Words, words };
                self.extend(slot, next, end, found);
            }
            return;
        }
        for value in self.scan.values(list_use.list, place).iter() {
            if self.is_allowed(list_use.list, value.value) {
                let slot = ReadSlot { list_use: number, value: value.value, words: value.words };
                self.extend(slot, next, value.end, found);
            }
        }
    }

    /// Returns whether the context of the value breaks no condition of the block.
    fn is_allowed(&self, list: u32, value: ValueId) -> bool {
        let ValueId::Index(index) = value else { return true };
        let context = match self.scan.given[list as usize] {
            Some(GivenList::Values { values, .. }) => values.get(index as usize).map(|value| &value.context),
            Some(GivenList::Wildcard) => None,
            None => match &self.scan.compiled.lists[list as usize].kind {
                ListKind::Values(values) => values.get(index as usize).map(|value| &value.context),
                _ => None,
            },
        };
        context.is_none_or(|context| context.is_empty() || self.conditions.may_hold(context))
    }

    /// Puts a slot before each reading of what follows it.
    fn extend(&mut self, slot: ReadSlot, next: RestId, end: TextPlace, found: &mut Vec<Chain>) {
        for &chain in self.read(next, end).iter() {
            let longer = self.chains.number((slot, chain));
            if longer as usize == self.worths.len() {
                let worth = self.worth(slot, self.worths[chain as usize]);
                self.worths.push(worth);
            }
            found.push(longer);
        }
    }

    fn worth(&self, slot: ReadSlot, mut worth: Worth) -> Worth {
        let list_use = self.scan.compiled.grammar.list_use(slot.list_use);
        let length = slot.words.1 - slot.words.0;
        worth.in_slots += length;
        if slot.value == ValueId::Words {
            worth.wildcards += 1;
            worth.in_wildcards += length;
        } else if Some(list_use.slot) == self.name_slot {
            worth.nameless = false;
            worth.shorter_name = -i32::from(length);
        }
        worth
    }

    /// Returns the best of the readings, each once; of equal ones those found first.
    fn best(&self, mut found: Vec<Chain>) -> Rc<[Chain]> {
        let mut seen = std::collections::HashSet::new();
        if found.len() > 1 {
            found.retain(|&chain| seen.insert(chain));
            found.sort_by_key(|&chain| self.worths[chain as usize]);
            found.truncate(MOST_READINGS);
        }
        found.into()
    }
}

/// Values that have numbers from 1 on.
#[derive(Debug)]
struct Interned<T> {
    values: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Self { values: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Copy + Eq + Hash> Interned<T> {
    fn number(&mut self, value: T) -> u32 {
        *self.numbers.entry(value).or_insert_with(|| {
            self.values.push(value);
            u32::try_from(self.values.len()).unwrap_or(u32::MAX)
        })
    }

    fn get(&self, number: u32) -> Option<&T> {
        self.values.get((number as usize).checked_sub(1)?)
    }
}
