//! Runs a template's program over the words of an utterance.
//!
//! PURE. Words are compared as numbers, and only templates that may begin with the first word are run, so that
//! hundreds of them cost microseconds. Backtracking is bounded: an utterance that takes more than [`MOST_STEPS`]
//! is no command. It also notices when the words end in the middle of a template: then more may come.

use std::collections::HashMap;
use std::ops::Range;

use super::slots::{self, Taken};
use super::words::Word;
use super::{Grammar, TemplateGroup};

/// Steps of one template on one utterance; hundreds are usual.
const MOST_STEPS: u32 = 20_000;

/// One step of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Instruction {
    /// This word.
    Word(u32),
    /// Something of this kind.
    Slot(Slot),
    /// Go on at either place.
    Fork(usize, usize),
    /// Go on there.
    Jump(usize),
    /// The template ends here.
    End,
}

/// What a slot takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Slot {
    /// 0 to 100.
    Percent,
    /// A length of time.
    Duration,
    /// A length of time by which a timer is named.
    Length,
    /// A time of day.
    Clock,
    /// Of a time of day.
    Hour,
    /// Of a time of day.
    Minute,
    /// Of a month.
    Ordinal,
    /// A phrase of a lexicon.
    Part,
    /// A phrase of a lexicon.
    Today,
    /// A phrase of a lexicon.
    Day,
    /// A phrase of a lexicon.
    Days,
    /// A phrase of a lexicon.
    Month,
    /// A phrase of a lexicon.
    Several,
    /// A phrase of a lexicon.
    Nth,
    /// A phrase of a lexicon.
    Kind,
    /// A phrase of a lexicon.
    Kinds,
    /// A phrase of a lexicon.
    Device,
    /// A phrase of a lexicon.
    Place,
    /// 0 to 100, with a fraction.
    Level,
    /// One to three words.
    Name,
    /// Any words.
    Text,
}

impl Slot {
    const ALL: [(&'static str, Self); 21] = [
        ("percent", Self::Percent),
        ("duration", Self::Duration),
        ("length", Self::Length),
        ("clock", Self::Clock),
        ("hour", Self::Hour),
        ("minute", Self::Minute),
        ("ordinal", Self::Ordinal),
        ("part", Self::Part),
        ("today", Self::Today),
        ("day", Self::Day),
        ("days", Self::Days),
        ("month", Self::Month),
        ("several", Self::Several),
        ("nth", Self::Nth),
        ("kind", Self::Kind),
        ("kinds", Self::Kinds),
        ("device", Self::Device),
        ("place", Self::Place),
        ("level", Self::Level),
        ("name", Self::Name),
        ("text", Self::Text),
    ];

    pub(crate) fn called(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, slot)| *slot)
    }

    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, slot)| *slot == self).map_or("", |(name, _)| name)
    }

    /// Whether what was taken may only be the beginning of it: nine minutes "and thirty seconds", half past six "on
    /// weekdays", on Mondays "and Fridays".
    pub fn can_go_on(self) -> bool {
        match self {
            Self::Duration
            | Self::Clock
            | Self::Day
            | Self::Days
            | Self::Several
            | Self::Name
            | Self::Text => true,
            Self::Percent
            | Self::Length
            | Self::Hour
            | Self::Minute
            | Self::Ordinal
            | Self::Part
            | Self::Today
            | Self::Month
            | Self::Nth
            | Self::Kind
            | Self::Kinds
            | Self::Device
            | Self::Place
            | Self::Level => false,
        }
    }

    /// Whether any word may stand in it.
    fn is_open(self) -> bool {
        matches!(self, Self::Name | Self::Text)
    }
}

/// A template's program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) code: Vec<Instruction>,
}

/// Words as numbers.
#[derive(Debug, Default)]
pub(crate) struct WordNumbers(HashMap<String, u32>);

impl WordNumbers {
    pub(crate) fn learn(&mut self, word: &str) -> u32 {
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        *self.0.entry(word.to_owned()).or_insert(next)
    }

    fn number(&self, word: &str) -> Option<u32> {
        self.0.get(word).copied()
    }

    /// All of them, in any order.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// Which templates may begin with a word.
#[derive(Debug)]
pub(crate) struct Index {
    by_word: HashMap<u32, Vec<usize>>,
    /// Those that begin with a slot.
    open: Vec<usize>,
}

impl Index {
    pub(crate) fn of<'a>(programs: impl Iterator<Item = &'a Program>) -> Self {
        let mut index = Self { by_word: HashMap::new(), open: Vec::new() };
        for (number, program) in programs.enumerate() {
            for first in program.firsts() {
                let list = match first {
                    Instruction::Word(word) => index.by_word.entry(word).or_default(),
                    _ => &mut index.open,
                };
                if list.last() != Some(&number) {
                    list.push(number);
                }
            }
        }
        index
    }
}

impl Program {
    /// The instructions that may take the first word.
    fn firsts(&self) -> Vec<Instruction> {
        let (mut open, mut seen, mut firsts) = (vec![0], vec![false; self.code.len()], Vec::new());
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            match self.code[at] {
                Instruction::Fork(one, other) => open.extend([one, other]),
                Instruction::Jump(to) => open.push(to),
                Instruction::End => {}
                taking => firsts.push(taking),
            }
        }
        firsts
    }
}

/// An utterance in the eyes of a grammar.
pub struct GrammarUtterance<'a> {
    pub(crate) words: &'a [Word],
    pub(crate) grammar: &'a Grammar,
    numbers: Vec<Option<u32>>,
}

/// What a slot took: its value, and from where to where in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    pub slot: Slot,
    pub taken: Taken,
    pub at: Range<usize>,
}

/// A template that fits.
#[derive(Debug, Clone)]
pub struct Fit {
    /// Which template.
    pub template: usize,
    pub captures: Vec<Capture>,
    /// Words that only open slots took.
    open: usize,
}

/// What came of running templates.
#[derive(Debug, Default)]
pub struct TemplateSearch {
    pub fit: Option<Fit>,
    /// The words ended inside a template of which a word had been said.
    pub may_go_on: bool,
}

impl<'a> GrammarUtterance<'a> {
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
