//! Counts words and syllables of a text, in any script.
//!
//! Syllables are estimated, rather too few than too many: in alphabets a run of vowels is one, elsewhere a
//! character is. Figures are counted by their shortest reading.
//! Pure: no I/O, no clock.

/// Returns the words of `text` in lower case, without punctuation. A word joined by a hyphen or an apostrophe is one.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || "'’-".contains(c)))
        .map(|word| word.trim_matches(['\'', '’', '-']).to_lowercase().replace('’', "'"))
        .filter(|word| !word.is_empty())
        .collect()
}

/// Returns an estimate of the syllables of `text`.
pub(super) fn syllables(text: &str) -> u32 {
    words(text).iter().map(|word| of_word(word)).sum()
}

/// Returns how many words `text` has; where a script has no spaces, two characters count as one.
pub(super) fn word_count(text: &str) -> usize {
    words(text).iter().map(|word| word.chars().filter(|c| is_dense(*c)).count().div_ceil(2).max(1)).sum()
}

fn of_word(word: &str) -> u32 {
    let digits = word.chars().filter(char::is_ascii_digit).count() as u32;
    // "2000" has two syllables, "1999" five.
    let figures = digits.min(2);
    let dense = word.chars().filter(|c| is_dense(*c) && !is_small_kana(*c)).count() as u32;
    let mut runs = 0;
    let mut in_run = false;
    for c in word.chars() {
        let vowel = is_vowel(c);
        runs += u32::from(vowel && !in_run);
        in_run = vowel;
    }
    // "time", "name": the last e is silent; in "the" it is the only vowel.
    let is_silent = word.is_ascii() && word.ends_with('e') && runs > 1;
    let letters = runs - u32::from(is_silent);
    (letters + dense + figures).max(1)
}

/// Scripts in which a character is about a syllable: kana, Han, Hangul.
fn is_dense(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}')
}

/// Returns whether a character belongs to a script that is written without spaces.
pub(super) fn has_no_spaces(c: char) -> bool {
    is_dense(c) && !matches!(c, '\u{ac00}'..='\u{d7af}')
}

fn is_small_kana(c: char) -> bool {
    "ぁぃぅぇぉっゃゅょァィゥェォッャュョー".contains(c)
}

fn is_vowel(c: char) -> bool {
    "aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýąęœаеёиоуыэюяіїєαεηιουωάέήίόύώ".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syllables_are_estimated_rather_too_few() {
        let said = |text| syllables(text);
        assert_eq!(
            ["the", "time", "kitchen", "thank you", "don't", "hm", ""].map(said),
            [1, 1, 2, 2, 1, 1, 0]
        );
        assert_eq!(["Vielen Dank", "спасибо", "ありがとう", "谢谢", "감사합니다"].map(said), [3, 3, 5, 2, 5]);
        assert_eq!(["7", "9:05", "1999"].map(said), [1, 3, 2]);
    }

    #[test]
    fn words_are_what_stands_between_spaces_and_signs() {
        assert_eq!(words("It's non-stop, isn’t it? -- 'No'!"), ["it's", "non-stop", "isn't", "it", "no"]);
        assert_eq!(["", "...", "turn it off", "ご視聴ありがとう"].map(word_count), [0, 0, 3, 4]);
    }
}
