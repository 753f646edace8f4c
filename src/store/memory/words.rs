//! Words, as tokenised by the full-text index.
//!
//! PURE, any thread. No language-specific rules: other forms of a word are found by a common prefix.

/// The words of `text`: runs of letters and digits in lower case. A script without spaces gives one word a
/// run.
pub fn words(text: &str) -> Vec<String> {
    let runs = text.split(|c: char| !c.is_alphanumeric());
    runs.filter(|run| !run.is_empty()).map(str::to_lowercase).collect()
}

/// The prefix of other forms of `word`: "visiting" → "visit". Short words stand for themselves.
pub fn stem(word: &str) -> &str {
    let letters = word.chars().count();
    let kept = match letters {
        0..=3 => return word,
        4 if word.ends_with('s') => 3,
        4 => return word,
        longer => (longer * 2 / 3).max(4),
    };
    word.char_indices().nth(kept).map_or(word, |(end, _)| &word[..end])
}

/// Whether `found` may be a form of the word that was asked for.
pub fn is_form_of(found: &str, asked: &str) -> bool {
    found == asked || found.starts_with(stem(asked))
}

/// Whether two words are equal except for an ending of two letters: the strict comparison, for erasing.
pub fn is_same(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    long.strip_prefix(short).is_some_and(|ending| {
        let letters = ending.chars().count();
        letters == 0 || (letters <= 2 && short.chars().count() >= 4)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_of_any_script() {
        assert_eq!(words("Don't, Ann-Marie: 7 Äpfel!"), ["don", "t", "ann", "marie", "7", "äpfel"]);
        assert_eq!(words("Привет, мир"), ["привет", "мир"]);
        assert_eq!(words("东京 塔"), ["东京", "塔"]);
    }

    #[test]
    fn forms_of_a_word_are_found_in_any_language() {
        for (found, asked) in [
            ("visited", "visiting"),
            ("dentists", "dentist"),
            ("egg", "eggs"),
            ("zahnarzttermin", "zahnarzt"),
            ("книгу", "книга"),
        ] {
            assert!(is_form_of(found, asked), "{found} {asked}");
        }
        for (found, asked) in [("car", "cat"), ("den", "dentist"), ("egg", "leg")] {
            assert!(!is_form_of(found, asked), "{found} {asked}");
        }
    }

    #[test]
    fn what_is_erased_is_compared_strictly() {
        assert!(is_same("philomena", "philomenas") && is_same("hanna", "hannah") && is_same("ann", "ann"));
        assert!(!is_same("ann", "anna") && !is_same("hannah", "hanno") && !is_same("rome", "romantic"));
    }
}
