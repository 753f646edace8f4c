//! What a model thinks before it answers: taken out of the text of a reply. PURE.
//!
//! A thought stands between `<think>` and `</think>`; one that the prompt has begun lacks its first mark. What may
//! become a mark is held back. A mark is never part of the answer, nor is the white space behind a thought.

/// How a thought begins.
pub(crate) const OPEN: &str = "<think>";
/// How it ends.
const CLOSE: &str = "</think>";

/// A piece of a reply, never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SpokenPiece {
    /// Part of the answer.
    Answer(String),
    /// Part of a thought.
    Thought(String),
}

/// One reply.
#[derive(Debug)]
pub(super) struct ThoughtStream {
    held: String,
    part: ReplyPart,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplyPart {
    /// White space comes before anything else.
    Margin,
    Answer,
    Thought,
}

impl ThoughtStream {
    /// For the reply to `prompt`.
    pub(super) fn behind(prompt: &str) -> Self {
        let thinks = prompt.trim_end().ends_with(OPEN);
        Self { held: String::new(), part: if thinks { ReplyPart::Thought } else { ReplyPart::Answer } }
    }

    /// Takes the next text and gives what is certain now.
    pub(super) fn push(&mut self, text: &str) -> Vec<SpokenPiece> {
        self.held.push_str(text);
        let mut pieces = Vec::new();
        while let Some((at, mark)) = self.mark() {
            let rest = self.held.split_off(at + mark.len());
            self.held.truncate(at);
            self.release(&mut pieces);
            self.held = rest;
            self.part = if mark == OPEN { ReplyPart::Thought } else { ReplyPart::Margin };
        }
        let is_start = |n: &usize| {
            [OPEN, CLOSE].iter().any(|mark| mark.get(..*n).is_some_and(|start| self.held.ends_with(start)))
        };
        let keep = (1..CLOSE.len()).rev().find(is_start).unwrap_or(0);
        let rest = self.held.split_off(self.held.len() - keep);
        self.release(&mut pieces);
        self.held = rest;
        pieces
    }

    /// Returns the piece still held back at the end.
    pub(super) fn finish(mut self) -> Option<SpokenPiece> {
        let mut pieces = Vec::new();
        self.release(&mut pieces);
        pieces.pop()
    }

    /// The first mark that is held.
    fn mark(&self) -> Option<(usize, &'static str)> {
        [OPEN, CLOSE].into_iter().filter_map(|mark| self.held.find(mark).map(|at| (at, mark))).min()
    }

    fn release(&mut self, pieces: &mut Vec<SpokenPiece>) {
        let mut text = std::mem::take(&mut self.held);
        if self.part == ReplyPart::Margin {
            text = text.trim_start().to_owned();
        }
        if text.is_empty() {
            return;
        }
        pieces.push(match self.part {
            ReplyPart::Thought => SpokenPiece::Thought(text),
            ReplyPart::Margin | ReplyPart::Answer => {
                self.part = ReplyPart::Answer;
                SpokenPiece::Answer(text)
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Answer and thought, whatever the size of the pieces.
    fn read(prompt: &str, reply: &str, size: usize) -> (String, String) {
        let (mut stream, letters) = (ThoughtStream::behind(prompt), reply.chars().collect::<Vec<_>>());
        let mut pieces = Vec::new();
        for chunk in letters.chunks(size) {
            pieces.extend(stream.push(&chunk.iter().collect::<String>()));
        }
        pieces.extend(stream.finish());
        let (mut answer, mut thought) = (String::new(), String::new());
        for piece in pieces {
            match piece {
                SpokenPiece::Answer(text) => answer += &text,
                SpokenPiece::Thought(text) => thought += &text,
            }
        }
        (answer, thought)
    }

    proptest! {
        #[test]
        fn thoughts_are_found_however_they_are_cut(size in 1_usize..40) {
            let both = |answer: &str, thought: &str| (answer.to_owned(), thought.to_owned());
            prop_assert_eq!(read("", "<think>\nhm, 1 < 2\n</think>\n\nIt is 2 < 3.", size), both("It is 2 < 3.", "\nhm, 1 < 2\n"));
            prop_assert_eq!(read("assistant\n<think>\n", "so so</think>\n\nYes.", size), both("Yes.", "so so"));
            prop_assert_eq!(read("", "Yes.</think> No.", size), both("Yes.No.", ""));
            prop_assert_eq!(read("", "A<think>b</think>c<think>d", size), both("Ac", "bd"));
        }

        #[test]
        fn foreign_bytes_without_marks_are_passed_on(text in "[a-z<>/ \\n]{0,60}", size in 1_usize..9) {
            prop_assume!(!text.contains(OPEN) && !text.contains(CLOSE));
            prop_assert_eq!(read("<think>\n\n</think>\n\n", &text, size), (text, String::new()));
        }
    }

    #[test]
    fn nothing_is_held_back_without_need() {
        let mut stream = ThoughtStream::behind("");
        assert_eq!(stream.push("Yes, <b"), [SpokenPiece::Answer("Yes, <b".into())]);
        assert_eq!(stream.push("old <"), [SpokenPiece::Answer("old ".into())]);
        assert_eq!(stream.push("i>"), [SpokenPiece::Answer("<i>".into())]);
    }
}
