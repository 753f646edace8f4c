//! Splits long tool results for a digest by the model, and words an answer that ran out of turns.
//!
//! Input: a result; the loop asks the model. Output: the pieces to ask about, and the usable part of a note. A note
//! that invents a number is refused; the raw result is kept then.
//! Pure: no I/O, no clock.

use joi_tools::fence;

/// A shorter result stays as it is, in characters.
const SHORT: usize = 400;
/// The longest piece that is digested at once, in characters.
const PIECE: usize = 2_500;
/// The longest note about one piece, in characters.
const NOTE: usize = 600;
/// Maximum length of the report of an unfinished answer, in characters.
const UNFINISHED: usize = 800;
/// Length of the turn's activity that is read for it, in characters.
const ACTIVITY: usize = 2_000;

/// The instruction for one piece.
pub const PROMPT: &str = include_str!("../../../assets/prompts/digest.md");
/// The instruction when the turns have run out.
pub const UNFINISHED_PROMPT: &str = include_str!("../../../assets/prompts/unfinished.md");

/// The outcome of a digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// Use this.
    Use(String),
    /// The model found nothing of use; the raw result is kept.
    Nothing,
    /// The note says what the result does not; the raw result is kept.
    Invented,
}

/// The pieces of `text` to ask about; none when it is short enough as it is.
pub fn pieces(text: &str) -> Vec<String> {
    if text.chars().count() < SHORT {
        return Vec::new();
    }
    let is_fenced = fence::is_fenced(text);
    let inside = text.replace(fence::BEGIN, "").replace(fence::END, "");
    let mut pieces: Vec<String> = Vec::new();
    for block in inside.split("\n\n").flat_map(|block| chunks(block, PIECE - 100)) {
        match pieces.last_mut() {
            Some(last) if last.chars().count() + block.chars().count() + 2 <= PIECE - 100 => {
                last.push_str("\n\n");
                last.push_str(&block);
            }
            _ => pieces.push(block),
        }
    }
    pieces.retain(|piece| !piece.trim().is_empty());
    if is_fenced {
        pieces = pieces.iter().map(|piece| fence::wrap(piece, PIECE - 100)).collect();
    }
    pieces
}

fn chunks(block: &str, most: usize) -> Vec<String> {
    let letters: Vec<char> = block.chars().collect();
    letters.chunks(most).map(|chunk| chunk.iter().collect()).collect()
}

/// Returns the usable part of `note` about `piece`.
pub fn judge(note: &str, piece: &str) -> Note {
    let note = note.trim();
    let bare = note.trim_matches(['(', ')', '[', ']', '.', ' ', '"']).to_ascii_uppercase();
    if note.is_empty() || matches!(bare.as_str(), "NONE" | "N/A" | "NIL") {
        return Note::Nothing;
    }
    let known = numbers(piece);
    if numbers(note).iter().any(|number| !known.contains(number)) {
        return Note::Invented;
    }
    Note::Use(fence::shortened(note, NOTE))
}

/// Numbers as digits alone, so that 1,200 and 1200 are the same.
fn numbers(text: &str) -> Vec<String> {
    let mut numbers = vec![String::new()];
    let mut last = ' ';
    for c in text.chars() {
        match c {
            c if c.is_ascii_digit() => {
                if let Some(number) = numbers.last_mut() {
                    number.push(c);
                }
            }
            ',' | '.' if last.is_ascii_digit() => {}
            _ => numbers.push(String::new()),
        }
        last = c;
    }
    numbers.retain(|number| !number.is_empty());
    numbers
}

/// The notes about all pieces, fenced again when the result was.
pub fn joined(notes: &[String], text: &str) -> String {
    let notes = notes.join("\n");
    if fence::is_fenced(text) { fence::wrap(&notes, notes.chars().count()) } else { notes }
}

/// The newest part of what happened in a turn.
pub fn activity(results: &[String]) -> String {
    let all = results.join("\n\n");
    let skipped = all.chars().count().saturating_sub(ACTIVITY);
    let newest: String = all.chars().skip(skipped).collect();
    if fence::is_fenced(&all) { fence::wrap(&newest, ACTIVITY) } else { newest }
}

/// Returns the report of an unfinished answer.
pub fn unfinished(told: &str) -> String {
    fence::shortened(told.trim(), UNFINISHED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_results_stay_and_long_ones_are_cut_at_blank_lines_with_whole_fences() {
        assert_eq!(pieces(&"x".repeat(399)), [""; 0]);
        assert_eq!(pieces(&"x".repeat(400)).len(), 1);
        let long = fence::wrap(
            &(0..60).map(|n| format!("Paragraph {n} {}", "x".repeat(85))).collect::<Vec<_>>().join("\n\n"),
            6_000,
        );
        let pieces = pieces(&long);
        assert_eq!(pieces.len(), 3);
        for piece in &pieces {
            assert!(piece.chars().count() <= PIECE, "{}", piece.chars().count());
            assert!(piece.starts_with(fence::BEGIN) && piece.ends_with(fence::END));
        }
        let all = pieces.concat();
        assert!((0..60).all(|n| all.contains(&format!("Paragraph {n} "))), "nothing is lost");
    }

    #[test]
    fn a_note_is_used_when_it_says_nothing_new() {
        let piece = "The tower is 1,200.5 metres high, says example.org.";
        for none in ["NONE", "(none)", "[NONE].", "n/a", "", "Nil"] {
            assert_eq!(judge(none, piece), Note::Nothing, "{none}");
        }
        let note = "example.org says it is 1200.5 metres high";
        assert_eq!(judge(note, piece), Note::Use(note.into()));
        assert_eq!(judge("It is 900 metres high", piece), Note::Invented);
        let Note::Use(long) = judge(&"word ".repeat(300), piece) else { panic!("it is used") };
        assert!(long.chars().count() <= 600 && long.ends_with('…'));
    }
}
