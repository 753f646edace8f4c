//! The parts of a grammar that are matched: templates, phrases of a lexicon, times of day.
//!
//! Pure: no I/O, no clock.

use std::collections::BTreeMap;

use super::program::Program;

/// One way to say something.
#[derive(Debug)]
pub struct Template {
    /// The phrase.
    pub intent: String,
    pub(crate) group: TemplateGroup,
    /// As it stands in the file.
    pub text: String,
    pub(crate) program: Program,
}

/// What a template is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateGroup {
    /// A command, at any time.
    Command,
    /// An answer, when something was asked.
    Answer,
    /// A command without its times, which may stand anywhere in it.
    Frame,
}

/// Phrases with a value each.
#[derive(Debug)]
pub struct Lexicon {
    /// Words and value, longer ones first.
    pub phrases: Vec<(Vec<String>, String)>,
}

/// One way to say a time of day.
#[derive(Debug)]
pub(crate) struct ClockForm {
    pub(crate) program: Program,
    /// Minutes to add to what was said.
    pub(crate) shift: i16,
    /// The minutes that were said are to be taken off.
    pub(crate) is_before: bool,
    /// A time that needs no number, in minutes since midnight.
    pub(crate) at: Option<u16>,
}

impl Lexicon {
    pub(super) fn of(rows: BTreeMap<String, String>) -> Self {
        let words = |phrase: String| phrase.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let mut phrases: Vec<_> = rows.into_iter().map(|(phrase, value)| (words(phrase), value)).collect();
        phrases.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
        Self { phrases }
    }
}
