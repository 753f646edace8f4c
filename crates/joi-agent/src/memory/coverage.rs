//! Decides without a model whether the memory is asked at all.
//!
//! Any thread. Input: the words of a question, the content of the prompt, whether a tool found something in this
//! conversation. Output: whether that covers the question. In doubt it does not.
//! Pure: no I/O, no clock.

use joi_language::words;

/// Coverage of a question by the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// The memory is asked.
    Uncovered,
    /// The conversation holds what is asked: only a plan that wants the memory has it asked.
    Covered,
}

/// Returns whether the window covers a question, so that nothing need be recalled: a tool's result is in it, and at
/// least half of the question's words are.
pub(crate) fn is_covered(asked: &[String], window: &[&str], has_result: bool) -> bool {
    if !has_result || asked.is_empty() {
        return false;
    }
    let there: Vec<String> = window.iter().flat_map(|text| words::words(text)).collect();
    let held = asked.iter().filter(|word| there.contains(word)).count();
    held * 2 >= asked.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_question_is_covered_by_a_result_and_half_of_its_words() {
        let window = ["The weather in Rome: sunny", "and more"];
        assert!(is_covered(&asked(&["weather", "tomorrow"]), &window, true), "exactly half");
        assert!(!is_covered(&asked(&["weather", "tomorrow", "paris"]), &window, true));
        assert!(!is_covered(&asked(&["weather", "rome"]), &window, false), "no result");
        assert!(!is_covered(&[], &window, true), "no words");
        assert!(is_covered(&asked(&["rome"]), &window, true), "of the question, not of the window");
        assert!(is_covered(&asked(&["погода"]), &["Погода: солнце"], true));
    }
}
