//! Speakable text. PURE.

/// Reads successive segments of one answer.
#[derive(Debug, Clone, Default)]
pub struct Reader {}

impl Reader {
    /// The next segment as speakable text.
    pub fn speakable(&mut self, segment: &str) -> String {
        segment.trim().to_owned()
    }
}

/// A whole markdown text as speakable text.
pub fn speakable(markdown: &str) -> String {
    Reader::default().speakable(markdown)
}
