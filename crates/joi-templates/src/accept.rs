//! Where expressions can end in a sentence: sets of places in, sets of places out. Rules and lists are worked out once for
//! each place of a sentence, so the work is bounded by the size of the graph times the length of the sentence, and a
//! count of steps ends it before that. Pure: no I/O, no clock.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

use crate::error::RecogniseError;
use crate::grammar::{Children, GrammarNode, NodeId, TemplateWord};
use crate::lists::{GivenList, ListKind, TemplateValue};
use crate::model::CompiledTemplates;
use crate::positions::{MOST_LETTERS, PlaceSet, TextPlace};
use crate::text::joins;

/// Most steps that are taken for a sentence: comparisons of a word or a letter, and visits of an expression at a place.
pub const MOST_STEPS: u64 = 4_000_000;

/// Lists given by the caller, by the number of the list.
pub(crate) type GivenLists<'a> = [Option<&'a GivenList>];

/// A value of a list at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FoundValue {
    pub(crate) value: ValueId,
    /// First character of the words, and the one behind the last.
    pub(crate) words: (u16, u16),
    /// Where matching goes on.
    pub(crate) end: TextPlace,
}

/// Which value of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ValueId {
    /// Of the caller's list or the file's.
    Index(u32),
    /// The bits of a number.
    Number(u64),
    /// Any words.
    Words,
}

/// Results for one sentence.
pub(crate) struct SentenceScan<'a> {
    pub(crate) compiled: &'a CompiledTemplates,
    pub(crate) given: &'a GivenLists<'a>,
    /// Folded characters and a space.
    letters: Vec<char>,
    /// Steps so far, with those of other scans of the sentence.
    pub(crate) steps: u64,
    rules: FastMap<u64, PlaceSet>,
    lists: FastMap<u64, Rc<[FoundValue]>>,
}

impl<'a> SentenceScan<'a> {
    /// Begins with a sentence; `steps` were taken for it before.
    ///
    /// # Errors
    /// When the sentence is too long.
    pub(crate) fn new(
        compiled: &'a CompiledTemplates,
        given: &'a GivenLists<'a>,
        mut letters: Vec<char>,
        steps: u64,
    ) -> Result<Self, RecogniseError> {
        if letters.len() >= MOST_LETTERS {
            return Err(RecogniseError::TooLong(letters.len()));
        }
        letters.push(' ');
        Ok(Self { compiled, given, letters, steps, rules: FastMap::default(), lists: FastMap::default() })
    }

    /// Returns whether too many steps were taken; results since then are incomplete.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.steps > MOST_STEPS
    }

    /// The place before the sentence.
    pub(crate) fn start(&self) -> TextPlace {
        TextPlace::at_word(self.skip(0))
    }

    /// Returns whether nothing is left at the place.
    pub(crate) fn is_end(&self, place: TextPlace) -> bool {
        self.skip(place.position()) == self.letters.len()
    }

    fn skip(&self, mut at: usize) -> usize {
        while self.letters.get(at) == Some(&' ') {
            at += 1;
        }
        at
    }

    /// Returns where the node can end when it begins at one of `from`.
    pub(crate) fn accept(&mut self, node: NodeId, from: &PlaceSet) -> PlaceSet {
        self.steps += 1;
        if from.is_empty() || self.is_exhausted() {
            return PlaceSet::default();
        }
        let compiled = self.compiled;
        match compiled.grammar.node(node) {
            GrammarNode::Nothing => *from,
            GrammarNode::Word(word) => self.word(compiled.grammar.word(word), from),
            GrammarNode::Sequence(items) => {
                let items = compiled.grammar.children(items).iter();
                items.fold(
                    *from,
                    |places, &item| {
                        if places.is_empty() { places } else { self.accept(item, &places) }
                    },
                )
            }
            GrammarNode::Alternatives(items) => {
                let mut ends = PlaceSet::default();
                for &item in compiled.grammar.children(items) {
                    ends.unite(&self.accept(item, from));
                }
                ends
            }
            GrammarNode::AnyOrder(items) => self.any_order(items, from),
            GrammarNode::List(number) => self.list(number, from),
            GrammarNode::Rule(body) => {
                let mut ends = PlaceSet::default();
                for place in from.iter() {
                    ends.unite(&self.rule(body, place));
                }
                ends
            }
        }
    }

    fn rule(&mut self, body: NodeId, from: TextPlace) -> PlaceSet {
        let key = key(body, from);
        if let Some(known) = self.rules.get(&key) {
            return *known;
        }
        let ends = self.accept(body, &PlaceSet::one(from));
        self.rules.insert(key, ends);
        ends
    }

    fn word(&mut self, word: &TemplateWord, from: &PlaceSet) -> PlaceSet {
        let compiled = self.compiled;
        let letters = compiled.grammar.letters(word);
        let spaceless = letters.strip_prefix(&[' ']).unwrap_or(letters);
        let mut ends = PlaceSet::default();
        for place in from.iter() {
            self.steps += 1;
            let begins_word = place.begins_word() || compiled.ignores_spaces;
            let (at, part) = if begins_word {
                (self.skip(place.position()), spaceless)
            } else {
                (place.position(), letters)
            };
            if self.has(part, at) {
                let end = at + part.len();
                let is_at_word = word.ends_word || compiled.ignores_spaces;
                ends.insert(if is_at_word {
                    TextPlace::at_word(self.skip(end))
                } else {
                    TextPlace::inside(end)
                });
            } else if word.is_blank && self.is_end(place) {
                ends.insert(place);
            }
        }
        ends
    }

    /// Returns whether the sentence has these characters at a place; its hyphens also stand for spaces.
    fn has(&self, letters: &[char], at: usize) -> bool {
        let Some(said) = self.letters.get(at..at + letters.len()) else { return false };
        said.iter()
            .zip(letters)
            .all(|(said, meant)| said == meant || (*meant == ' ' && matches!(said, '-' | '_')))
    }

    /// Tries the parts in all orders: which of them are over decides how it goes on, not in which order they were.
    fn any_order(&mut self, items: Children, from: &PlaceSet) -> PlaceSet {
        let parts = self.compiled.grammar.children(items);
        let all = (1_usize << parts.len()) - 1;
        let mut reached = vec![PlaceSet::default(); all + 1];
        reached[0] = *from;
        for over in 0..all {
            let places = reached[over];
            if places.is_empty() {
                continue;
            }
            for (bit, &part) in parts.iter().enumerate().filter(|(bit, _)| over & (1 << bit) == 0) {
                let ends = self.accept(part, &places);
                reached[over | (1 << bit)].unite(&ends);
            }
        }
        reached[all]
    }

    fn list(&mut self, number: u32, from: &PlaceSet) -> PlaceSet {
        let list_use = self.compiled.grammar.list_use(number);
        let mut ends = PlaceSet::default();
        if self.is_wildcard(list_use.list) {
            let first = from.iter().map(|place| self.skip(place.position())).min();
            let places = first.map(|first| self.wildcard_ends(first, list_use.ends_word));
            places.into_iter().flatten().for_each(|end| ends.insert(end));
            return ends;
        }
        for place in from.iter() {
            self.values(list_use.list, place).iter().for_each(|found| ends.insert(found.end));
        }
        ends
    }

    /// Returns whether the list takes any words.
    pub(crate) fn is_wildcard(&self, list: u32) -> bool {
        match self.given[list as usize] {
            Some(given) => matches!(given, GivenList::Wildcard),
            None => matches!(self.compiled.lists[list as usize].kind, ListKind::Wildcard),
        }
    }

    /// Returns where a wildcard that begins with the character `first` can end.
    pub(crate) fn wildcard_ends(&mut self, first: usize, ends_word: bool) -> Vec<TextPlace> {
        self.steps += (self.letters.len() - first) as u64;
        let count = self.letters.len();
        let is_end = |at: &usize| {
            let Some(next) = self.letters.get(*at) else { return true };
            let joins = || joins(self.letters[at - 1], *next);
            *next != ' ' && (!ends_word || self.compiled.ignores_spaces || !joins())
        };
        (first + 1..=count).filter(is_end).map(TextPlace::at_word).collect()
    }

    /// Returns the words of a wildcard between two places: the first character and the one behind the last.
    pub(crate) fn wildcard_words(&self, from: TextPlace, end: TextPlace) -> (u16, u16) {
        let first = self.skip(from.position());
        let mut last = end.position();
        while last > first && self.letters[last - 1] == ' ' {
            last -= 1;
        }
        (first as u16, last as u16)
    }

    /// Returns the values of a list that the sentence has at a place.
    pub(crate) fn values(&mut self, list: u32, from: TextPlace) -> Rc<[FoundValue]> {
        let key = key(list, from);
        if let Some(known) = self.lists.get(&key) {
            return known.clone();
        }
        let found: Rc<[FoundValue]> = self.find_values(list, from).into();
        self.lists.insert(key, found.clone());
        found
    }

    fn find_values(&mut self, list: u32, from: TextPlace) -> Vec<FoundValue> {
        let compiled = self.compiled;
        let skipped = self.skip(from.position());
        let at = if from.begins_word() || compiled.ignores_spaces { skipped } else { from.position() };
        let mut found = Vec::new();
        if skipped == self.letters.len() {
            return found;
        }
        if let Some(GivenList::Values { table, .. }) = self.given[list as usize] {
            let steps = table.find(&self.letters[at..], &mut |length, number| {
                found.push(self.found(ValueId::Index(number), from, (at, at + length)));
            });
            self.steps += steps;
            return found;
        }
        match &compiled.lists[list as usize].kind {
            ListKind::Range(range) => range.find(&self.letters, skipped, &mut |number| {
                let value = ValueId::Number(number.value.to_bits());
                found.push(self.found(value, from, (skipped, number.end)));
            }),
            ListKind::Values(values) => self.file_values(values, (from, at), &mut found),
            ListKind::Wildcard | ListKind::Absent => {}
        }
        self.steps += 1;
        found
    }

    /// Finds the values of a list of the file from a place on, whose first character is at `at`.
    fn file_values(
        &mut self,
        values: &[TemplateValue],
        (from, at): (TextPlace, usize),
        found: &mut Vec<FoundValue>,
    ) {
        let next = self.letters[at];
        for (value, number) in values.iter().zip(0..) {
            self.steps += 1;
            if value.first.as_ref().is_some_and(|first| next != ' ' && !first.contains(&next)) {
                continue;
            }
            for last in self.accept(value.node, &PlaceSet::one(from)).iter() {
                let (first, end) = self.wildcard_words(from, last);
                if first < end {
                    let value = self.found(ValueId::Index(number), from, (first.into(), end.into()));
                    let behind =
                        if from.begins_word() { self.skip(last.position()) } else { last.position() };
                    found.push(FoundValue { end: from.moved(behind), ..value });
                }
            }
        }
    }

    /// A value whose words are between two characters; behind it white space is skipped where it was before it.
    fn found(&self, value: ValueId, from: TextPlace, (first, last): (usize, usize)) -> FoundValue {
        let end = if from.begins_word() { self.skip(last) } else { last };
        FoundValue { value, words: (first as u16, last as u16), end: from.moved(end) }
    }
}

fn key(number: u32, place: TextPlace) -> u64 {
    (u64::from(number) << 16) | u64::from(place.number())
}

/// A table with keys that are numbers of ours.
pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<NumberHasher>>;

/// Spreads numbers over a table. Keys are made here, not by whoever speaks.
#[derive(Debug, Default)]
pub(crate) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x517c_c1b7_2722_0a95);
        self.0 ^= self.0 >> 29;
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u16(&mut self, number: u16) {
        self.write_u64(number.into());
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}
