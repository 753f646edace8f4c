//! PURE: speakable text from written text.
//!
//! In: markdown, whole or in the segments of one answer. Out: English that espeak-ng pronounces as a person
//! would: no markup, no addresses spelled by punctuation, numbers with their units in words. It refuses
//! nothing; text without anything to say becomes the empty string. Displayed text keeps its markdown.

mod lists;
mod markdown;
mod readings;

#[cfg(test)]
mod tests;

/// A whole markdown text, ready to be spoken.
pub fn speakable(markdown: &str) -> String {
    SpeakableReader::default().speakable(markdown)
}

/// Converts the segments of one answer in order; a numbered list may continue from one to the next.
#[derive(Debug, Clone)]
pub struct SpeakableReader {
    at_line_start: bool,
    /// Number of the list item that the last segment ended with.
    item: Option<u32>,
}

impl Default for SpeakableReader {
    fn default() -> Self {
        Self { at_line_start: true, item: None }
    }
}

impl SpeakableReader {
    /// The next segment, ready to be spoken; empty when there is nothing to say.
    pub fn speakable(&mut self, segment: &str) -> String {
        let (prepared, item) = lists::prepare(segment, self.at_line_start, self.item);
        let blocks = markdown::blocks(&prepared, self.at_line_start);
        if !segment.is_empty() {
            self.at_line_start = segment.ends_with('\n');
            self.item = item;
        }
        let spoken: Vec<String> =
            blocks.iter().map(|block| readings::read(block)).filter(|block| !block.is_empty()).collect();
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
