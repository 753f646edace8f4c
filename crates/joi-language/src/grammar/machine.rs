//! Runs a template's program over the words of an utterance.
//!
//! Words are compared as numbers, and only templates that may begin with the first word are run, so that hundreds of
//! them cost microseconds. Backtracking is bounded: an utterance that takes more than [`MOST_STEPS`] is no command.
//! It also notices when the words end in the middle of a template: then more may come. Pure: no I/O, no clock.

use std::ops::Range;

use super::program::{Instruction, Program};
use super::slots::{self, Taken};
use super::words::Word;
use super::{Grammar, TemplateGroup};
use crate::steps;

pub use super::program::Slot;

/// Steps of one template on one utterance; hundreds are usual.
const MOST_STEPS: u32 = 20_000;

/// An utterance in the eyes of a grammar.
pub struct GrammarUtterance<'a> {
    pub(crate) words: &'a [Word],
    pub(crate) grammar: &'a Grammar,
    numbers: Vec<Option<u32>>,
}

/// What a slot took: its value, and from where to where in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// Which slot.
    pub slot: Slot,
    /// The value that was taken.
    pub taken: Taken,
    /// From where to where, in words of the utterance.
    pub at: Range<usize>,
}

/// A template that fits.
#[derive(Debug, Clone)]
pub struct Fit {
    /// Which template.
    pub template: usize,
    /// The filled slots, in the order of the template.
    pub captures: Vec<Capture>,
    /// Words that only open slots took.
    pub open: usize,
}

/// What came of running templates.
#[derive(Debug, Default)]
pub struct TemplateSearch {
    /// The best template that fits, if any.
    pub fit: Option<Fit>,
    /// The words ended inside a template of which a word had been said.
    pub may_go_on: bool,
}

impl<'a> GrammarUtterance<'a> {
    /// Looks up the numbers of `words` in `grammar`.
    pub fn new(words: &'a [Word], grammar: &'a Grammar) -> Self {
        let numbers = words.iter().map(|word| grammar.numbers_of.number(&word.text)).collect();
        Self { words, grammar, numbers }
    }

    /// The template of a group that fits all words from `from` to `to`, with the fewest in open slots.
    pub fn find(&self, group: TemplateGroup, from: usize, to: usize) -> TemplateSearch {
        let mut found = TemplateSearch::default();
        let index = &self.grammar.index;
        let first = self.numbers.get(from).copied().flatten();
        let by_word = first.and_then(|word| index.by_word.get(&word)).map_or(&[][..], Vec::as_slice);
        for &template in by_word.iter().chain(&index.open) {
            if self.grammar.templates[template].group != group {
                continue;
            }
            let program = &self.grammar.templates[template].program;
            let mut run =
                MachineRun { utterance: self, program, to, steps: 0, captures: Vec::new(), ends: Vec::new() };
            let mut may_go_on = false;
            run.step(0, from, 0, &mut may_go_on);
            steps::add(run.steps as usize);
            found.may_go_on |= may_go_on;
            for (end, captures) in run.ends {
                let open = captures.iter().map(Capture::open_words).sum();
                let is_better = found.fit.as_ref().is_none_or(|fit| open < fit.open);
                if end == to && is_better {
                    found.fit = Some(Fit { template, captures, open });
                }
            }
        }
        found
    }

    /// All ways in which `program` fits the words from `from` on, up to `to`.
    pub(crate) fn ends(&self, program: &Program, from: usize, to: usize) -> Vec<(usize, Vec<Capture>)> {
        let mut run =
            MachineRun { utterance: self, program, to, steps: 0, captures: Vec::new(), ends: Vec::new() };
        run.step(0, from, 0, &mut false);
        steps::add(run.steps as usize);
        run.ends
    }
}

impl Capture {
    /// Words of it that could be any words.
    pub fn open_words(&self) -> usize {
        match &self.taken {
            Taken::Words(range) if self.slot.is_open() => range.len(),
            _ => 0,
        }
    }
}

struct MachineRun<'a, 'u> {
    utterance: &'a GrammarUtterance<'u>,
    program: &'a Program,
    to: usize,
    steps: u32,
    captures: Vec<Capture>,
    ends: Vec<(usize, Vec<Capture>)>,
}

impl MachineRun<'_, '_> {
    /// Goes on at `pc` with the word at `at`; `said` words of the template were said so far.
    fn step(&mut self, pc: usize, at: usize, said: usize, may_go_on: &mut bool) {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return;
        }
        match self.program.code[pc] {
            Instruction::Fork(one, other) => {
                self.step(one, at, said, may_go_on);
                self.step(other, at, said, may_go_on);
            }
            Instruction::Jump(to) => self.step(to, at, said, may_go_on),
            Instruction::End => self.ends.push((at, self.captures.clone())),
            Instruction::Word(_) | Instruction::Slot(_) if at == self.to => *may_go_on |= said > 0,
            Instruction::Word(word) => {
                if self.utterance.numbers[at] == Some(word) {
                    self.step(pc + 1, at + 1, said + 1, may_go_on);
                }
            }
            Instruction::Slot(slot) => {
                let taking = slots::take(slot, self.utterance, at, self.to);
                *may_go_on |= said > 0 && taking.may_go_on;
                for (end, taken) in taking.ways {
                    self.captures.push(Capture { slot, taken, at: at..end });
                    self.step(pc + 1, end, said, may_go_on);
                    self.captures.pop();
                }
            }
        }
    }
}
