//! The last thing an answer passes before it is shown or spoken, while it is still coming in.
//!
//! In: the model's text in pieces of any size. Out: whole clauses that are clean and checked. A
//! secret or a malformed part ends the answer before a word of it is out; so does its length. What
//! is not yet a whole clause waits, because half a card number does not look like one.
//! Pure: no I/O, no clock.

use crate::check::{self, ReplyRefusal};
use crate::malformed::Malformed;
use crate::marks;
use crate::sanitize::Sanitizer;
use crate::vacant::Vacancy;
use joi_language::loops_at_the_end;

#[cfg(test)]
mod tests;

/// Bytes after which a clause without an end is let out at the last space all the same.
const LONGEST_WAIT: usize = 240;

/// Most bytes of an estimated token: four characters.
const BYTES_OF_A_TOKEN: usize = 16;
/// Tokens of a clause without an end from which on the answer is given up.
const MOST_TOKENS_WAITING: usize = check::MAX_TOKENS;

/// Lets clauses of one answer through. One per attempt.
#[derive(Debug, Default)]
pub struct OutputGate {
    sanitizer: Sanitizer,
    waiting: String,
    passed: String,
}

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerEnding {
    /// The model was done.
    Whole,
    /// Its length limit cut it off.
    Cut,
}

/// Whether an answer begins with what the model was given about here and now.
#[derive(PartialEq, Eq)]
enum Echo {
    /// It may; more is needed to decide.
    Undecided,
    /// It does not, or no longer.
    None,
}

impl OutputGate {
    /// Takes the next piece; gives what may go out now, often nothing.
    pub fn push(&mut self, delta: &str) -> Result<String, ReplyRefusal> {
        self.waiting.push_str(&self.sanitizer.push(delta)?);
        if self.passed.is_empty() && self.drop_echo()? == Echo::Undecided {
            return Ok(String::new());
        }
        let ready = clauses_end(&self.waiting);
        if self.waiting[..ready].trim().is_empty() {
            if self.waiting.len() > LONGEST_WAIT && loops_at_the_end(&self.waiting, delta.len()) {
                return Err(Malformed::Loops.into());
            }
            // However it ends, it is longer than an answer may be.
            let most = MOST_TOKENS_WAITING * BYTES_OF_A_TOKEN;
            let tokens = self.waiting.len() / BYTES_OF_A_TOKEN;
            return if self.waiting.len() > most {
                Err(ReplyRefusal::TooLong { tokens })
            } else {
                Ok(String::new())
            };
        }
        let rest = self.waiting.split_off(ready);
        let clause = std::mem::replace(&mut self.waiting, rest);
        self.let_out(clause)
    }

    /// Gives the first words of an answer of which nothing went out, up to where they end by `opening`.
    pub fn open(&mut self, opening: impl Fn(&str) -> Option<usize>) -> Result<String, ReplyRefusal> {
        if !self.passed.is_empty() {
            return Ok(String::new());
        }
        let Some(end) = opening(&self.waiting) else { return Ok(String::new()) };
        let rest = self.waiting.split_off(end);
        let opening = std::mem::replace(&mut self.waiting, rest);
        self.let_out(opening)
    }

    /// Ends the answer and gives the rest of it.
    pub fn finish(mut self, ending: AnswerEnding) -> Result<String, ReplyRefusal> {
        let rest = std::mem::take(&mut self.sanitizer).finish()?;
        self.waiting.push_str(&rest);
        // "Done" alone is an answer, a mark without its end is none.
        if self.passed.is_empty()
            && self.drop_echo()? == Echo::Undecided
            && self.waiting.trim_start().starts_with('[')
        {
            self.waiting.clear();
        }
        let mut last = std::mem::take(&mut self.waiting);
        if ending == AnswerEnding::Cut && !self.passed.is_empty() {
            // A sentence without its end is worse than none, once something was said.
            last.truncate(sentences_end(&last));
        }
        let last = self.let_out(last)?;
        if !self.passed.chars().any(char::is_alphanumeric) {
            return Err(ReplyRefusal::Empty);
        }
        Ok(last)
    }

    /// Takes a context line or an age mark from the head of an answer: small models repeat what they were reported.
    /// An answer that reports a deed without its bracket has no visible end: it counts as none.
    fn drop_echo(&mut self) -> Result<Echo, ReplyRefusal> {
        let head = self.waiting.trim_start();
        let (begun, bare) = (head.to_lowercase(), marks::DONE.to_lowercase());
        let bare = bare.trim_start_matches('[');
        if begun.starts_with(bare) {
            return Err(Vacancy::Recited.into());
        }
        if !begun.is_empty() && bare.starts_with(&begun) {
            return Ok(Echo::Undecided);
        }
        let Some(close) = head.find(']') else {
            let begins = marks::ALL.iter().any(|mark| head.starts_with(mark) || mark.starts_with(head));
            return Ok(if begins && !head.is_empty() { Echo::Undecided } else { Echo::None });
        };
        let (mark, rest) = head.split_at(close + 1);
        if marks::ALL.iter().any(|told| mark.starts_with(told))
            || (mark.starts_with('[') && mark.ends_with(" ago]"))
        {
            self.waiting = rest.to_owned();
        }
        Ok(Echo::None)
    }

    fn let_out(&mut self, clause: String) -> Result<String, ReplyRefusal> {
        let clause = if self.passed.is_empty() { clause.trim_start().to_owned() } else { clause };
        if clause.trim().is_empty() {
            return Ok(String::new());
        }
        // The whole of it is looked at: a secret may begin in one clause and end in the next.
        let whole = format!("{}{clause}", self.passed);
        match check::check(whole.trim(), check::estimated_tokens(&whole)) {
            // Signs alone are no answer, but may begin one.
            Ok(()) | Err(ReplyRefusal::Empty) => {
                self.passed = whole;
                Ok(clause)
            }
            Err(refusal) => Err(refusal),
        }
    }
}

/// Returns where the last whole clause of `text` ends, its white space included.
fn clauses_end(text: &str) -> usize {
    let ends = |c: char| matches!(c, '.' | '!' | '?' | ';' | ':' | ',' | '…' | '。' | '！' | '？' | '，');
    match last_end(text, ends) {
        0 if text.len() > LONGEST_WAIT => text.rfind(char::is_whitespace).map_or(0, |at| at + 1),
        end => end,
    }
}

/// Returns where the last whole sentence of `text` ends.
pub fn sentences_end(text: &str) -> usize {
    let closed = text.trim_end();
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？');
    if closed.ends_with(ends) { closed.len() } else { last_end(text, ends) }
}

/// Just behind the last sign that `ends` accepts and the white space after it; a line break counts
/// as such a sign.
fn last_end(text: &str, ends: impl Fn(char) -> bool) -> usize {
    let mut before = None;
    let mut end = 0;
    for (at, c) in text.char_indices() {
        if c == '\n' || (c.is_whitespace() && before.is_some_and(&ends)) {
            end = at + c.len_utf8();
        }
        before = Some(c);
    }
    end
}
