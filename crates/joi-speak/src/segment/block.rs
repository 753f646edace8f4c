//! Finds the markdown structure at the end of unfinished text.
//!
//! Pure: no I/O, no clock.

/// What a line is, by its first characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Blank,
    Heading,
    Bullet,
    /// Of a numbered list: at most two digits, as nobody numbers by the hundred in an answer.
    Item,
    Table,
    Text,
}

/// A code block in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fence {
    /// It began at this byte and has not ended.
    Open { begins: usize },
    /// The last line ended it.
    Closed,
}

/// What `line` (without its newline) is.
pub(super) fn line_kind(line: &str) -> LineKind {
    let text = line.trim_start();
    let mut chars = text.chars();
    match chars.next() {
        None => LineKind::Blank,
        Some('#') if text.trim_start_matches('#').starts_with(' ') => LineKind::Heading,
        Some('-' | '*' | '+' | '•') if chars.as_str().starts_with(' ') => LineKind::Bullet,
        Some('|') => LineKind::Table,
        Some(c) if c.is_ascii_digit() && item_number(text).is_some() => LineKind::Item,
        Some(_) => LineKind::Text,
    }
}

/// Returns the number of an item's marker, `12. ` or `12) `, up to 99.
fn item_number(text: &str) -> Option<u32> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = text[digits..].strip_prefix(['.', ')'])?;
    if !(1..=2).contains(&digits) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    text[..digits].parse().ok()
}

/// Returns whether the last word of `text` is a list marker: a number with a dot that begins its line.
pub(super) fn is_list_marker(text: &str, at_line_start: bool) -> bool {
    let line = text.rsplit('\n').next().unwrap_or_default();
    let is_whole = at_line_start || line.len() < text.len();
    let number = line.trim().strip_suffix('.').unwrap_or_default();
    is_whole && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// Which code block a growing text ends in or with. Each line is looked at once, however long the text grows.
#[derive(Debug, Clone, Default)]
pub(super) struct Fences {
    /// Bytes of whole lines that were looked at.
    seen: usize,
    /// The mark of the block that is open, and where it begins.
    open: Option<(String, usize)>,
    /// The last whole line ended a block.
    closed_last: bool,
}

impl Fences {
    /// Looks at the lines of `text` that are complete now. It must have grown since the last time, and not changed.
    pub(super) fn look(&mut self, text: &str, at_line_start: bool) {
        while let Some(length) = text[self.seen..].find('\n') {
            let line = &text[self.seen..=self.seen + length];
            let mark = if self.seen == 0 && !at_line_start { "" } else { fence_mark(line) };
            self.closed_last = false;
            match &self.open {
                Some((opening, _))
                    if line.trim() == mark && !mark.is_empty() && mark.starts_with(opening.as_str()) =>
                {
                    self.open = None;
                    self.closed_last = true;
                }
                Some(_) => {}
                // Until its line is complete, three backticks may still be inline code.
                None if !mark.is_empty() => self.open = Some((mark.to_owned(), self.seen)),
                None => {}
            }
            self.seen += line.len();
        }
    }

    /// Returns the code block that `text`, which was looked at, ends in or with.
    pub(super) fn now(&self, text: &str) -> Option<Fence> {
        match self.open {
            Some((_, begins)) => Some(Fence::Open { begins }),
            None => (self.closed_last && self.seen == text.len()).then_some(Fence::Closed),
        }
    }
}

/// Returns the run of three or more backticks or tildes that a line begins with.
fn fence_mark(line: &str) -> &str {
    let text = line.trim_start_matches(' ');
    for mark in ['`', '~'] {
        let rest = text.trim_start_matches(mark);
        let length = text.len() - rest.len();
        if length >= 3 && line.len() - text.len() <= 3 && !(mark == '`' && rest.contains('`')) {
            return &text[..length];
        }
    }
    ""
}

/// Returns whether the last line of `text` is a row of a table.
pub(super) fn is_in_table(text: &str, at_line_start: bool) -> bool {
    let line = text.rsplit('\n').next().unwrap_or_default();
    (at_line_start || line.len() < text.len()) && line_kind(line) == LineKind::Table
}

/// Returns whether inline code or a link is open at the end of `text`. After `limit` bytes nothing counts as open.
pub(super) fn is_open(text: &str, limit: usize) -> bool {
    let paragraph = text.rfind("\n\n").map_or(text, |at| &text[at + 2..]);
    let (mut ticks, mut depth, mut opened_at) = (0_usize, 0_usize, 0_usize);
    let mut parentheses = 0_usize;
    let mut rest = paragraph.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        if c == '`' {
            let mut run = 1;
            while rest.next_if(|(_, c)| *c == '`').is_some() {
                run += 1;
            }
            (ticks, opened_at) = match ticks {
                0 => (run, at),
                open if open == run => (0, opened_at),
                open => (open, opened_at),
            };
        } else if ticks > 0 {
            // Nothing but backticks means anything inside code.
        } else if c == '\\' {
            rest.next();
        } else if parentheses > 0 {
            match c {
                '(' => parentheses += 1,
                ')' => parentheses -= 1,
                _ => {}
            }
        } else if c == '[' {
            opened_at = if depth == 0 { at } else { opened_at };
            depth += 1;
        } else if c == ']' && depth > 0 {
            depth -= 1;
            parentheses = usize::from(depth == 0 && rest.next_if(|(_, c)| *c == '(').is_some());
        }
    }
    (ticks > 0 || depth > 0 || parentheses > 0) && paragraph.len() - opened_at <= limit
}

/// Returns whether bold text is open at the end of `text`.
pub(super) fn is_emphasised(text: &str) -> bool {
    text.matches("**").count() % 2 == 1 || text.matches("__").count() % 2 == 1
}
