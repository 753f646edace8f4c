//! JSON in what a model wrote, words and fences around it aside.
//!
//! In: text of a model. Out: where an object ends, or the object.
//! Pure: no I/O, no clock.

use serde::de::DeserializeOwned;

/// Returns the length of the object or list at the head of `text`, or nothing when it doesn't end there.
pub fn balanced_length(text: &str) -> Option<usize> {
    let (mut depth, mut is_quoted, mut is_escaped) = (0usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b'{' | b'[' if !is_quoted => depth += 1,
            b'}' | b']' if !is_quoted => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the JSON object in what a model wrote, fences and words around it aside.
pub fn object<T: DeserializeOwned>(written: &str) -> Option<T> {
    let begun = &written[written.find('{')?..];
    serde_json::from_str(&begun[..balanced_length(begun)?]).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn an_object_is_found_among_words_and_half_of_one_is_none() {
        for written in ["{\"a\": 1}", "```json\n{\"a\": 1}\n```", "Here it is: {\"a\": 1} {\"a\": 2}"] {
            assert_eq!(object::<Value>(written), Some(json!({ "a": 1 })), "{written}");
        }
        for written in ["", "{\"a\": 1", "[1]", "none", "{'a': 1}"] {
            assert_eq!(object::<Value>(written), None, "{written}");
        }
    }
}
