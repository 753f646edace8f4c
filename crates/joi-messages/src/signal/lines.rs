//! Lines out of bytes, in whatever pieces they arrive.
//!
//! A line over [`LONGEST`] is dropped as it passes, so that memory does not grow. Bytes that are no text become
//! replacement characters.
//! Pure: no I/O, no clock.

/// Bytes of the longest line that is kept.
pub(super) const LONGEST: usize = 8 << 20;

/// Takes bytes, gives lines.
#[derive(Debug, Default)]
pub(super) struct LineFeed {
    line: Vec<u8>,
    is_too_long: bool,
}

impl LineFeed {
    /// Returns the lines that are complete with these bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.keep(&rest[..end]);
            rest = &rest[end + 1..];
            let line = std::mem::take(&mut self.line);
            if std::mem::take(&mut self.is_too_long) {
                tracing::warn!("a line of the daemon is too long and is left out");
            } else {
                lines.push(String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned());
            }
        }
        self.keep(rest);
        lines
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.is_too_long || self.line.len() + bytes.len() > LONGEST {
            self.is_too_long = true;
            self.line = Vec::new();
        } else {
            self.line.extend_from_slice(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_in_whatever_pieces_they_arrive() {
        let bytes = "{\"a\":\"grüß 🙂\"}\r\n\nlast\nrest".as_bytes();
        for size in [1, 2, 3, 7, 100] {
            let mut feed = LineFeed::default();
            let lines: Vec<String> = bytes.chunks(size).flat_map(|piece| feed.feed(piece)).collect();
            assert_eq!(lines, ["{\"a\":\"grüß 🙂\"}", "", "last"], "{size}");
        }
    }

    #[test]
    fn a_line_without_an_end_costs_no_memory_and_the_next_one_is_read() {
        let mut feed = LineFeed::default();
        let piece = vec![b'x'; 1 << 20];
        for _ in 0..9 {
            assert!(feed.feed(&piece).is_empty());
        }
        assert!(feed.line.is_empty());
        assert_eq!(feed.feed(b"x\nnext\n"), ["next"]);
    }
}
