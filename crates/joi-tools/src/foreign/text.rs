//! A text of another program, ready for a model: of bounded length, without control signs.
//!
//! Pure: no I/O, no clock.

/// Longest text, in characters.
const LONGEST: usize = 4_000;
/// The end of a text that was cut.
const CUT: &str = " (shortened)";

/// Returns `text` without control signs and signs that nobody sees, at most as long as a model gets it.
pub fn tidy(text: &str) -> String {
    let is_hidden = |c: &char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    let shown = text.chars().map(|c| if c == '\t' || c == '\r' { ' ' } else { c });
    let mut kept = shown.filter(|c| *c == '\n' || !c.is_control()).filter(|c| !is_hidden(c));
    let tidy: String = kept.by_ref().take(LONGEST).collect();
    match kept.next() {
        None => tidy.trim().to_owned(),
        Some(_) => {
            let short: String = tidy.chars().take(LONGEST - CUT.len()).collect();
            short.trim().to_owned() + CUT
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_signs_go_and_a_long_text_says_that_it_was_cut() {
        assert_eq!(tidy(" Sunny\u{7}\u{1b}[31m\u{202e}\ttoday\n"), "Sunny[31m today");
        let text = tidy(&"ü".repeat(20_000));
        assert_eq!((text.chars().count(), text.ends_with("ü (shortened)")), (4_000, true));
    }
}
