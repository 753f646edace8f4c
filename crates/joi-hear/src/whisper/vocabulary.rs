//! Classes of the tokens in a model's vocabulary, computed once per model.

use whisper_rs::WhisperContext;

/// Characters of words, beside letters and digits.
const MARKS: &str = " .,?!'’-%$€£&°:";

/// By token: whether its text begins with a letter rather than with a space.
pub(super) fn tokens_that_go_on(context: &WhisperContext) -> Vec<bool> {
    let letter = |id| {
        let bytes = context.token_to_bytes(id).unwrap_or_default();
        bytes.first().is_some_and(u8::is_ascii_alphabetic)
    };
    (0..context.n_vocab()).map(|id| id < context.token_eot() && letter(id)).collect()
}

/// By token: whether it may be part of speech.
pub(super) fn tokens_of_words(context: &WhisperContext) -> Vec<bool> {
    let is_word = |id| {
        let bytes = context.token_to_bytes(id).unwrap_or_default();
        let text = String::from_utf8_lossy(bytes);
        let is_spoken =
            |c: char| c.is_alphanumeric() || MARKS.contains(c) || c == char::REPLACEMENT_CHARACTER;
        !text.is_empty() && text.chars().all(is_spoken)
    };
    (0..context.token_eot()).map(is_word).collect()
}
