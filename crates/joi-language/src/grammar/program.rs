//! Programs that templates are compiled to, with the slots in them and the words as numbers.
//!
//! Pure: no I/O, no clock.

use std::collections::HashMap;

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
    /// A time of day by which an entry is named.
    Due,
    /// Of a time of day.
    Hour,
    /// Of a time of day.
    Minute,
    /// Of a month.
    Ordinal,
    /// Of the month that is running or the next one.
    MonthDay,
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
    /// A phrase of a lexicon.
    Rank,
    /// 0 to 100, with a fraction.
    Level,
    /// One to three words.
    Name,
    /// Any words.
    Text,
}

impl Slot {
    const ALL: [(&'static str, Self); 24] = [
        ("percent", Self::Percent),
        ("duration", Self::Duration),
        ("length", Self::Length),
        ("clock", Self::Clock),
        ("due", Self::Due),
        ("hour", Self::Hour),
        ("minute", Self::Minute),
        ("ordinal", Self::Ordinal),
        ("monthday", Self::MonthDay),
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
        ("rank", Self::Rank),
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
            | Self::Due
            | Self::Hour
            | Self::Minute
            | Self::Ordinal
            | Self::MonthDay
            | Self::Part
            | Self::Today
            | Self::Month
            | Self::Nth
            | Self::Kind
            | Self::Kinds
            | Self::Device
            | Self::Place
            | Self::Rank
            | Self::Level => false,
        }
    }

    /// Whether any word may stand in it.
    pub(super) fn is_open(self) -> bool {
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

    pub(super) fn number(&self, word: &str) -> Option<u32> {
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
    pub(super) by_word: HashMap<u32, Vec<usize>>,
    /// Those that begin with a slot.
    pub(super) open: Vec<usize>,
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
