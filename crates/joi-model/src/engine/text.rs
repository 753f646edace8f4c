//! Token bytes to text that may be shown. PURE.
//!
//! A character may be spread over several tokens, and so may a stop string: both are held back
//! until they are whole, or proven to be something else. Bytes that are no UTF-8 become U+FFFD.

/// Turns pieces of bytes into text, up to the first stop string.
#[derive(Debug)]
pub(crate) struct TextStream {
    stops: Vec<String>,
    bytes: Vec<u8>,
    held: String,
    state: TextState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextState {
    Open,
    Stopped,
}

impl TextStream {
    /// Ends at the first of `stops`, which is not part of the text. Empty ones are ignored.
    pub(crate) fn new(stops: &[String]) -> Self {
        let stops = stops.iter().filter(|s| !s.is_empty()).cloned().collect();
        Self { stops, bytes: Vec::new(), held: String::new(), state: TextState::Open }
    }

    /// Whether a stop string was seen. Nothing comes out any more.
    pub(crate) fn is_stopped(&self) -> bool {
        self.state == TextState::Stopped
    }

    /// Takes the bytes of a token and returns the text that is certain now; it may be empty.
    pub(crate) fn push(&mut self, piece: &[u8]) -> String {
        if self.is_stopped() {
            return String::new();
        }
        self.bytes.extend_from_slice(piece);
        self.decode();
        if let Some(at) = self.stops.iter().filter_map(|stop| self.held.find(stop.as_str())).min() {
            self.state = TextState::Stopped;
            self.held.truncate(at);
            return std::mem::take(&mut self.held);
        }
        let keep = self.stops.iter().map(|stop| overlap(&self.held, stop)).max().unwrap_or(0);
        let rest = self.held.split_off(self.held.len() - keep);
        std::mem::replace(&mut self.held, rest)
    }

    /// Returns the text still held back at the end of the reply.
    pub(crate) fn finish(mut self) -> String {
        if self.is_stopped() {
            return String::new();
        }
        self.held.push_str(&String::from_utf8_lossy(&self.bytes));
        self.held
    }

    /// Moves whole characters from `bytes` to `held`.
    fn decode(&mut self) {
        let mut used = 0;
        for chunk in self.bytes.utf8_chunks() {
            self.held.push_str(chunk.valid());
            used += chunk.valid().len();
            let invalid = chunk.invalid();
            if invalid.is_empty() {
                continue;
            }
            let is_last = used + invalid.len() == self.bytes.len();
            if is_last && may_become_a_character(invalid) {
                break;
            }
            self.held.push(char::REPLACEMENT_CHARACTER);
            used += invalid.len();
        }
        self.bytes.drain(..used);
    }
}

/// Whether more bytes can still make a character of these.
fn may_become_a_character(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|e| e.error_len().is_none())
}

/// Length of the longest suffix of `text` that is a proper prefix of `stop`.
fn overlap(text: &str, stop: &str) -> usize {
    let begins = |n: &usize| text.ends_with(&stop[..*n]);
    stop.char_indices().map(|(i, _)| i).rev().filter(|n| *n <= text.len()).find(begins).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run(pieces: &[&[u8]], stops: &[&str]) -> (Vec<String>, String) {
        let stops: Vec<String> = stops.iter().map(|s| (*s).to_owned()).collect();
        let mut stream = TextStream::new(&stops);
        let shown = pieces.iter().map(|p| stream.push(p)).collect();
        (shown, stream.finish())
    }

    #[test]
    fn a_character_split_over_tokens_is_held_back() {
        let (shown, rest) = run(&[b"caf\xc3", b"\xa9 \xf0\x9f", b"\x99", b"\x82!"], &[]);
        assert_eq!(
            (shown, rest.as_str()),
            (vec!["caf".into(), "é ".into(), String::new(), "🙂!".into()], "")
        );
    }

    #[test]
    fn a_stop_string_may_span_tokens_and_is_not_shown() {
        let (shown, rest) = run(&[b"one\n", b"\ntwo", b" three"], &["\n\n"]);
        assert_eq!((shown, rest.as_str()), (vec!["one".into(), String::new(), String::new()], ""));
    }

    #[test]
    fn the_beginning_of_a_stop_string_that_goes_on_otherwise_is_shown() {
        let (shown, rest) = run(&[b"a\n", b"b", b"\n"], &["\n\n"]);
        assert_eq!((shown, rest.as_str()), (vec!["a".into(), "\nb".into(), String::new()], "\n"));
    }

    #[test]
    fn the_earliest_of_several_stop_strings_wins() {
        let (shown, _) = run(&[b"x User: y END"], &["END", "User:"]);
        assert_eq!(shown, vec!["x ".to_owned()]);
    }

    #[test]
    fn bytes_that_are_no_text_become_replacement_characters() {
        let (shown, rest) = run(&[b"a\xff", b"b\xc3"], &[]);
        assert_eq!((shown, rest.as_str()), (vec!["a\u{fffd}".into(), "b".into()], "\u{fffd}"));
    }

    proptest! {
        /// However the bytes are cut, the text is the whole text up to the first stop string.
        #[test]
        fn any_cutting_gives_the_same_text(text in "[ab\néü🙂]{0,40}", cuts in prop::collection::vec(1_usize..5, 0..60)) {
            let mut stream = TextStream::new(&["ab\n".to_owned(), "üa".to_owned()]);
            let (mut shown, mut rest) = (String::new(), text.as_bytes());
            for cut in cuts.into_iter().chain(std::iter::repeat(3)) {
                if rest.is_empty() { break; }
                let (piece, tail) = rest.split_at(cut.min(rest.len()));
                shown.push_str(&stream.push(piece));
                rest = tail;
            }
            shown.push_str(&stream.finish());
            let end = ["ab\n", "üa"].iter().filter_map(|s| text.find(s)).min().unwrap_or(text.len());
            prop_assert_eq!(shown, &text[..end]);
        }
    }
}
