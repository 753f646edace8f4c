//! Cuts a body that arrives in arbitrary pieces into its lines.
//!
//! In: bytes, cut anywhere, also inside a UTF-8 character. Out: whole lines without their end, blank
//! ones left out. It refuses a line longer than [`LINE_MAX`], so that a server that never ends a
//! line cannot fill the memory. Pure: no I/O, no clock. Pure: no I/O, no clock.

/// Longest line that is taken, in bytes: far above any reply of a chat model.
pub(super) const LINE_MAX: usize = 4 << 20;

/// A line grew beyond [`LINE_MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLong;

/// Holds the unfinished line between two pieces.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    pending: Vec<u8>,
}

impl Splitter {
    /// Takes the next piece and hands every line it completes to `each`.
    pub(super) fn push(&mut self, piece: &[u8], mut each: impl FnMut(&[u8])) -> Result<(), TooLong> {
        let mut rest = piece;
        while let Some(end) = rest.iter().position(|&b| b == b'\n') {
            self.take(&rest[..end])?;
            rest = &rest[end + 1..];
            self.finish(&mut each);
        }
        self.take(rest)
    }

    /// Hands out the last line when its end is missing.
    pub(super) fn finish(&mut self, each: impl FnOnce(&[u8])) {
        let line = self.pending.trim_ascii();
        if !line.is_empty() {
            each(line);
        }
        self.pending.clear();
    }

    fn take(&mut self, part: &[u8]) -> Result<(), TooLong> {
        if self.pending.len() + part.len() > LINE_MAX {
            return Err(TooLong);
        }
        self.pending.extend_from_slice(part);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(pieces: &[&[u8]]) -> Vec<String> {
        let (mut splitter, mut lines) = (Splitter::default(), Vec::new());
        let mut keep = |line: &[u8]| lines.push(String::from_utf8(line.to_vec()).unwrap());
        for piece in pieces {
            splitter.push(piece, &mut keep).unwrap();
        }
        splitter.finish(&mut keep);
        lines
    }

    #[test]
    fn blank_lines_and_carriage_returns_are_left_out_and_a_missing_last_end_is_forgiven() {
        assert_eq!(split(&[b"a\r\n\n \nb\n", b"c"]), ["a", "b", "c"]);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut splitter = Splitter::default();
        let half = vec![b'x'; LINE_MAX / 2 + 1];
        assert_eq!(splitter.push(&half, |_| {}), Ok(()));
        assert_eq!(splitter.push(&half, |_| {}), Err(TooLong));
    }

    proptest! {
        /// Where the network cuts the bytes makes no difference.
        #[test]
        fn lines_do_not_depend_on_where_the_pieces_end(
            lines in prop::collection::vec("[a-zäöü€🙂{}\":,]{1,20}", 0..8),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let body = lines.iter().map(|l| format!("{l}\n")).collect::<String>().into_bytes();
            let mut at: Vec<usize> = cuts.iter().map(|c| c.index(body.len() + 1)).chain([0, body.len()]).collect();
            at.sort_unstable();
            let pieces: Vec<&[u8]> = at.windows(2).map(|w| &body[w[0]..w[1]]).collect();
            prop_assert_eq!(split(&pieces), lines);
        }
    }
}
