//! Cuts an answer, while it is being written, into segments that can be spoken one after the other.
//!
//! In: markdown in pieces of any size. Out: segments whose concatenation is the input to the byte,
//! independent of how it was split. The first segment may be a clause, so that speaking begins early, or
//! less where it is asked for ([`Segmenter::opening`]); the others are sentences, list items or blocks. It
//! never cuts inside a link, inline code, a code block, a table, a number, or behind an abbreviation, and it
//! refuses nothing: [`Segmenter::finish`] returns the rest.
//! Pure: no I/O, no clock.

mod block;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use block::{LineKind, line_kind};
use joi_language::EndingWords;
use joi_language::Language;
use joi_language::{SentenceEnding, ending_of, is_clause_end, joint_behind_opening};

/// The first segment may end with a clause once it has this many characters …
const EARLY_CHARS: usize = 24;
/// … and this many words: shorter, and the voice would pause before the next one is ready.
const EARLY_WORDS: usize = 4;
/// Longer than this, any segment may end with a clause.
const LONG: usize = 160;
/// Longer than this, it ends at the next space.
const TOO_LONG: usize = 320;
/// A bracket or backtick that is still open after this many characters was never meant to be closed.
const OPEN: usize = 600;

/// Cuts one answer. Make a new one for the next.
#[derive(Debug, Clone)]
pub struct Segmenter {
    /// The text since the last cut.
    text: String,
    /// Whether `text` begins where a line begins.
    at_line_start: bool,
    /// Whether the line before `text`, or the one it begins in, is an item of a numbered list.
    follows_item: bool,
    is_first: bool,
    /// The code blocks of `text`.
    fences: block::Fences,
    endings: Arc<EndingWords>,
}

impl Segmenter {
    /// At the beginning of an answer in `language`.
    pub fn new(language: &Language) -> Self {
        Self {
            text: String::new(),
            at_line_start: true,
            follows_item: false,
            is_first: true,
            fences: block::Fences::default(),
            endings: language.endings(),
        }
    }

    /// Takes the next piece; returns the segments that are complete now.
    pub fn push(&mut self, delta: &str) -> Vec<String> {
        let mut segments = Vec::new();
        for c in delta.chars() {
            self.text.push(c);
            if c == '\n' {
                self.fences.look(&self.text, self.at_line_start);
            }
            if let Some(end) = self.cut(c) {
                segments.push(self.take(end));
            }
        }
        segments
    }

    /// Returns the opening of the answer, where what has arrived ends with the first word of the phrase behind it: it
    /// can be said before its sentence is whole. It gets a comma, which keeps the voice up.
    pub fn opening(&mut self) -> Option<String> {
        let joint = joint_behind_opening(&self.text, &self.endings).filter(|_| self.is_first)?;
        if joint.end < self.text.len() {
            return None;
        }
        let opening = self.take(joint.start);
        Some(format!("{}, ", opening.trim_end()))
    }

    /// The answer is complete: the rest, unless it is blank.
    pub fn finish(mut self) -> Option<String> {
        let end = self.text.len();
        let rest = self.take(end);
        (!rest.trim().is_empty()).then_some(rest)
    }

    /// Takes the first `end` bytes and remembers what the rest needs to know about them.
    fn take(&mut self, end: usize) -> String {
        let rest = self.text.split_off(end);
        let segment = std::mem::replace(&mut self.text, rest);
        if let Some(line) = self.lines(&segment).filter(|line| !line.trim().is_empty()).last() {
            self.follows_item = match line_kind(line.strip_suffix('\n').unwrap_or(line)) {
                LineKind::Item => true,
                _ if !self.at_line_start && !segment.trim_end().contains('\n') => self.follows_item,
                _ => false,
            };
        }
        self.at_line_start = segment.ends_with('\n');
        self.is_first = false;
        self.fences = block::Fences::default();
        self.fences.look(&self.text, self.at_line_start);
        segment
    }

    /// Returns the whole lines of `text`, without the rest of a line that began in the segment before.
    fn lines<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        text.split_inclusive('\n').skip(usize::from(!self.at_line_start && text.contains('\n')))
    }

    /// Where to cut, now that `last` has arrived. Everything before was decided when it arrived.
    fn cut(&self, last: char) -> Option<usize> {
        let before = &self.text[..self.text.len() - last.len_utf8()];
        if before.trim().is_empty() {
            return None;
        }
        if !last.is_whitespace() {
            return self.cut_before(before, last);
        }
        if let Some(fence) = self.fences.now(&self.text) {
            return self.cut_at_fence(fence, last);
        }
        if last == '\n' && self.ends_block(before) {
            return (!self.is_first_item(before)).then_some(self.text.len());
        }
        if before.ends_with(char::is_whitespace) || self.is_inseparable(before) {
            return None;
        }
        let ends = ending_of(before, &self.endings) == SentenceEnding::Sentence
            && !block::is_list_marker(before, self.at_line_start)
            || self.may_end_clause(before) && is_clause_end(before)
            || before.chars().count() >= TOO_LONG && !before.ends_with(|c: char| c.is_ascii_digit());
        (ends && !self.is_first_item(before)).then_some(self.text.len())
    }

    /// Cuts in front of `next` when what stands before the space was undecided until it came.
    fn cut_before(&self, before: &str, next: char) -> Option<usize> {
        let head = before.trim_end();
        if head.len() == before.len() {
            return None;
        }
        // The end first: it is looked at most often, and the rest looks through the whole text.
        let ends = match ending_of(head, &self.endings) {
            SentenceEnding::BeforeCapital => !next.is_lowercase() && !next.is_ascii_digit(),
            SentenceEnding::Sentence | SentenceEnding::None => false,
        };
        let is_kept_together = || {
            self.fences.now(&self.text).is_some() || self.is_inseparable(before) || self.is_first_item(head)
        };
        (ends && !is_kept_together()).then_some(before.len())
    }

    /// A code block is one segment; the text before it is another.
    fn cut_at_fence(&self, fence: block::Fence, last: char) -> Option<usize> {
        match fence {
            block::Fence::Closed if last == '\n' => Some(self.text.len()),
            block::Fence::Open { begins } if !self.text[..begins].trim().is_empty() => Some(begins),
            block::Fence::Closed | block::Fence::Open { .. } => None,
        }
    }

    /// Returns whether the newline behind `before` ends a block: a blank line, a heading, an item, an introduction.
    fn ends_block(&self, before: &str) -> bool {
        let line = before.rsplit('\n').next().unwrap_or_default();
        let is_whole = self.at_line_start || before.contains('\n');
        match line_kind(line) {
            LineKind::Blank => is_whole,
            LineKind::Heading | LineKind::Bullet | LineKind::Item if is_whole => true,
            LineKind::Table if is_whole => false,
            LineKind::Item if self.follows_item => true,
            _ => line.trim_end().ends_with(':') && !block::is_open(before, OPEN),
        }
    }

    /// Returns whether the last line is the first item of a numbered list: it stays with the second one, because
    /// only two adjacent ones make a list.
    fn is_first_item(&self, before: &str) -> bool {
        let mut lines = self.lines(before).filter(|line| !line.trim().is_empty()).collect::<Vec<_>>();
        if !self.at_line_start && !before.contains('\n') {
            return false;
        }
        let Some(last) = lines.pop() else { return false };
        line_kind(last.trim_end_matches('\n')) == LineKind::Item
            && match lines.last() {
                Some(previous) => line_kind(previous.trim_end_matches('\n')) != LineKind::Item,
                None => !self.follows_item,
            }
    }

    /// Returns whether the text ends inside a link, inline code or a table.
    fn is_inseparable(&self, before: &str) -> bool {
        // The table first: it may be long, and only its last line is looked at.
        block::is_in_table(before, self.at_line_start) || block::is_open(before, OPEN)
    }

    fn may_end_clause(&self, before: &str) -> bool {
        let chars = before.trim().chars().count();
        let is_early =
            self.is_first && chars >= EARLY_CHARS && before.split_whitespace().count() >= EARLY_WORDS;
        (is_early || chars >= LONG) && !block::is_emphasised(before)
    }
}
