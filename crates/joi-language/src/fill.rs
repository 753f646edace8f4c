//! Fills the placeholders of sentences, and gives them a capital.
//!
//! Pure: no I/O, no clock.

/// `sentence` with what its placeholders stand for; what was filled in is left as it is.
pub fn fill(sentence: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(sentence.len() + 16);
    let mut rest = sentence;
    while let Some((before, tail)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, behind)) = tail.split_once('}') else {
            filled.push('{');
            rest = tail;
            continue;
        };
        filled.push_str(values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value));
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

/// `text` with a capital.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_never_taken_for_a_placeholder() {
        assert_eq!(fill("{a} and {b}.", &[("a", "{b}"), ("b", "two")]), "{b} and two.");
        assert_eq!(fill("no end {a", &[("a", "x")]), "no end {a");
        assert_eq!(fill("plain", &[]), "plain");
    }
}
