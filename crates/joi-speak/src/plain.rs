//! Converts written text to speakable text.
//!
//! In: markdown, whole or in the segments of one answer, and a language. Out: text that espeak-ng pronounces as a
//! person would: no markup, no addresses spelled by punctuation, numbers with their units in words. It refuses
//! nothing; text without anything to say becomes the empty string. Displayed text keeps its markdown.
//! Pure: no I/O, no clock.

mod lists;
mod markdown;
mod readings;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use joi_language::Language;
use readings::Readings;

/// Converts a whole markdown text to speakable text in `language`.
pub fn speakable(markdown: &str, language: &Language) -> String {
    SpeakableReader::new(language).speakable(markdown)
}

/// Converts the segments of one answer in order; a numbered list may continue from one to the next.
#[derive(Debug, Clone)]
pub struct SpeakableReader {
    readings: Arc<Readings>,
    at_line_start: bool,
    /// Number of the list item that the last segment ended with.
    item: Option<u32>,
}

impl SpeakableReader {
    /// Creates a reader of `language`, at the beginning of an answer. Its patterns take some milliseconds to make: keep
    /// it for the next answer.
    pub fn new(language: &Language) -> Self {
        Self { readings: Arc::new(Readings::new(language.readings())), at_line_start: true, item: None }
    }

    /// Begins another answer.
    pub fn restart(&mut self) {
        (self.at_line_start, self.item) = (true, None);
    }

    /// Converts the next segment; empty when there is nothing to say.
    pub fn speakable(&mut self, segment: &str) -> String {
        let (prepared, item) = lists::prepare(segment, self.at_line_start, self.item);
        let blocks = markdown::blocks(&prepared, self.at_line_start);
        if !segment.is_empty() {
            self.at_line_start = segment.ends_with('\n');
            self.item = item;
        }
        let spoken: Vec<String> =
            blocks.iter().map(|block| self.readings.read(block)).filter(|block| !block.is_empty()).collect();
        join(&spoken)
    }
}

/// One line, with a full stop between blocks that have no ending of their own.
fn join(blocks: &[String]) -> String {
    let mut text = String::new();
    for block in blocks {
        if !text.is_empty() {
            if !text.ends_with(['.', '!', '?', ':', ';', ',']) {
                text.push('.');
            }
            text.push(' ');
        }
        text.push_str(block);
    }
    text
}
