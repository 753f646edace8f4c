//! Spells a phrase, and checks that it is long enough to be distinguished from other speech.
//!
//! In: the phrase as it was written ("hey joi"). Out: the spellings to score. Pure: no I/O, no clock.

/// The most words of a phrase.
const MOST_WORDS: usize = 5;
/// The most letters of a phrase.
const MOST_LETTERS: usize = 40;

/// Lower case, one space between words; nothing when it is no phrase: one to five words of letters,
/// apostrophes and hyphens, 3 to 40 characters.
pub fn normal(written: &str) -> Option<String> {
    let words: Vec<String> = written.split_whitespace().map(str::to_lowercase).collect();
    let normal = words.join(" ");
    let fits = (3..=MOST_LETTERS).contains(&normal.chars().count()) && words.len() <= MOST_WORDS;
    (fits && words.iter().all(|word| is_word(word))).then_some(normal)
}

fn is_word(word: &str) -> bool {
    word.chars().all(|c| c.is_alphabetic() || c == '\'' || c == '-') && word.contains(char::is_alphabetic)
}

/// The same for a short word or two: 1 to 20 characters.
pub fn short(written: &str) -> Option<String> {
    let words: Vec<String> = written.split_whitespace().map(str::to_lowercase).collect();
    let normal = words.join(" ");
    let is_short = (1..=20).contains(&normal.chars().count());
    (is_short && words.iter().all(|word| is_word(word))).then_some(normal)
}

/// Returns how it may be written, the way it was written first; `alike` are further ways, for example "hey joy".
/// Each begins with a space, as a word in a transcript does. Behind the first of several words a comma
/// may stand.
pub fn spellings(phrase: &str, alike: &[String]) -> Vec<String> {
    let mut forms: Vec<Vec<String>> = Vec::new();
    let mut add = |form: &str| {
        let form: Vec<String> = form.split_whitespace().map(capital).collect();
        if !form.is_empty() && !forms.contains(&form) {
            forms.push(form);
        }
    };
    add(phrase);
    let usual: Vec<String> = phrase.split_whitespace().map(as_usual).collect();
    add(&usual.join(" "));
    alike.iter().for_each(|form| add(form));
    let plain = forms.iter().map(|form| format!(" {}", form.join(" ")));
    let several = |form: &&Vec<String>| form.len() > 1;
    let comma = forms.iter().filter(several).map(|form| format!(" {}, {}", form[0], form[1..].join(" ")));
    plain.chain(comma).collect()
}

/// Spellings of a rival, plain and with a comma behind the first word: names with capitals and without.
pub(super) fn usual_forms(words: &str) -> [Vec<String>; 2] {
    let words: Vec<&str> = words.split_whitespace().collect();
    let Some((first, rest)) = words.split_first() else { return [Vec::new(), Vec::new()] };
    let rests = [rest.iter().map(capital).collect::<Vec<_>>().join(" "), rest.join(" ")];
    let [mut plain, mut comma] = [Vec::new(), Vec::new()];
    for rest in rests {
        plain.push(format!(" {} {rest}", capital(first)).trim_end().to_owned());
        if !rest.is_empty() {
            comma.push(format!(" {}, {rest}", capital(first)));
        }
    }
    if rest.is_empty() {
        plain.push(format!(" {first}"));
    }
    plain.dedup();
    [plain, comma]
}

/// Returns a sentence that contains the phrase, as the model's prompt.
pub fn sentence(phrase: &str) -> String {
    let words: Vec<String> = phrase.split_whitespace().map(capital).collect();
    format!("{}, turn on the light.", words.join(" "))
}

/// Returns the approximate number of syllables: groups of vowels, without a silent e.
pub fn syllables(phrase: &str) -> usize {
    phrase.split(|c: char| !c.is_alphabetic()).map(of_word).sum()
}

fn of_word(word: &str) -> usize {
    let letters: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
    let is_vowel = |c: &char| "aeiouyäöüáéíóúàè".contains(*c);
    let begins = |at: usize| is_vowel(&letters[at]) && (at == 0 || !is_vowel(&letters[at - 1]));
    let groups = (0..letters.len()).filter(|at| begins(*at)).count();
    let silent = letters.len() > 2
        && letters.ends_with(&['e'])
        && !letters.ends_with(&['l', 'e'])
        && !is_vowel(&letters[letters.len() - 2]);
    let groups = if silent && groups > 1 { groups - 1 } else { groups };
    groups.max(usize::from(!letters.is_empty()))
}

/// An invented name the way English would write it: no English word ends in "oi".
fn as_usual(word: &str) -> String {
    match word.strip_suffix("oi") {
        Some(stem) => format!("{stem}oy"),
        None => word.to_owned(),
    }
}

fn capital(word: impl AsRef<str>) -> String {
    let mut letters = word.as_ref().chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_phrase_is_words_of_letters() {
        assert_eq!(normal("  Hey   JOI "), Some("hey joi".into()));
        assert_eq!(normal("o'brien"), Some("o'brien".into()));
        for not in ["", "a", "hey joi!", "r2d2", "one two three four five six", "- -", &"ab ".repeat(20)] {
            assert_eq!(normal(not), None, "{not:?}");
        }
    }

    #[test]
    fn it_is_spelled_with_and_without_a_comma_and_as_english_would() {
        assert_eq!(spellings("hey jarvis", &[]), [" Hey Jarvis", " Hey, Jarvis"]);
        assert_eq!(spellings("clementine", &[]), [" Clementine"]);
        assert_eq!(
            spellings("hey joi", &["hey joey".into()]),
            [" Hey Joi", " Hey Joy", " Hey Joey", " Hey, Joi", " Hey, Joy", " Hey, Joey"]
        );
        assert_eq!(sentence("hey joi"), "Hey Joi, turn on the light.");
    }

    #[test]
    fn other_words_may_be_names_or_not() {
        let forms = |words| usual_forms(words).map(|forms| forms.join("|"));
        assert_eq!(forms("hey boy"), [" Hey Boy| Hey boy", " Hey, Boy| Hey, boy"]);
        assert_eq!(forms("enjoy"), [" Enjoy| enjoy", ""]);
        assert_eq!(forms(""), ["", ""]);
    }

    #[test]
    fn syllables_are_counted() {
        let counted = ["hey joi", "hey jarvis", "okay nabu", "alexa", "hello computer", "hey jane", "table"]
            .map(syllables);
        assert_eq!(counted, [2, 3, 4, 3, 5, 2, 2]);
    }

    proptest! {
        #[test]
        fn any_text_is_spelled_without_a_panic(written in "\\PC{0,50}") {
            if let Some(phrase) = normal(&written) {
                prop_assert_eq!(normal(&phrase), Some(phrase.clone()));
                prop_assert!(!spellings(&phrase, &[]).is_empty());
                prop_assert!(syllables(&phrase) >= 1);
            }
        }
    }
}
