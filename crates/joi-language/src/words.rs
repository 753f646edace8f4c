//! Words, as tokenised by the full-text index.
//!
//! No language-specific rules but the endings for erasing: other forms of a word are found by a common prefix. Pure:
//! no I/O, no clock.

use std::borrow::Cow;

use serde_json::Value;

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

/// Whether two words are equal except for an ending of two letters.
pub fn is_same(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    long.strip_prefix(short).is_some_and(|ending| {
        let letters = ending.chars().count();
        letters == 0 || (letters <= 2 && short.chars().count() >= 4)
    })
}

/// Endings of a plural or a genitive. Any other ending may make another word or another name of it.
const INFLECTIONS: [&str; 4] = ["s", "es", "n", "en"];

/// Behind these letters only "es" is such an ending: "Hansen" is another name than "Hans".
const HISSES: [char; 4] = ['s', 'ß', 'x', 'z'];

/// Whether a text with these words mentions a topic: it holds all of its words, some of them perhaps in the plural or
/// the genitive. The strict comparison, for erasing: "ann" is neither in "anna" nor in "planning".
pub fn mention(there: &[String], topic: &[String]) -> bool {
    !topic.is_empty() && topic.iter().all(|asked| there.iter().any(|found| is_inflected(found, asked)))
}

fn is_inflected(found: &str, asked: &str) -> bool {
    let (short, long) = if found.len() <= asked.len() { (found, asked) } else { (asked, found) };
    let Some(ending) = long.strip_prefix(short) else { return false };
    let may_follow = ending == "es" || (INFLECTIONS.contains(&ending) && !short.ends_with(HISSES));
    // Of a short word no ending can be taken off, and only the one of a genitive be there: "Toms Boot".
    let is_long = match short.chars().count() {
        0..=2 => false,
        3 => ending == "s" && short == asked,
        _ => true,
    };
    ending.is_empty() || (may_follow && is_long)
}

/// The words of a JSON text: those of its keys and strings as they read without JSON's escapes, also where a string
/// holds JSON once more. A text that is no JSON is read as it stands, its escapes resolved.
pub fn json_words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    match serde_json::from_str(text) {
        Ok(value) => collect(&value, &mut found),
        Err(_) => spoken(&unescaped(text), &mut found),
    }
    found
}

/// The words of a value, as [`json_words`].
pub fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => spoken(text, found),
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            found.extend(words(key));
            collect(value, found);
        }),
        Value::Number(number) => found.extend(words(&number.to_string())),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Words of a text in which JSON may be written, which may hold JSON again.
fn spoken(text: &str, found: &mut Vec<String>) {
    let mut text = Cow::Borrowed(text);
    found.extend(words(&text));
    for _ in 0..MOST_LEVELS {
        if !text.contains('\\') {
            return;
        }
        text = Cow::Owned(unescaped(&text));
        found.extend(words(&text));
    }
}

/// How often JSON stands within JSON: arguments of a call within a record of a turn within a result.
const MOST_LEVELS: usize = 4;

/// `text` with JSON's escapes resolved; what is no escape stays. One pass.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('\\') {
        plain.push_str(before);
        let mut letters = behind.chars();
        let escape = letters.next();
        rest = letters.as_str();
        match escape {
            Some('n' | 'r' | 't' | 'b' | 'f') => plain.push(' '),
            Some('u') => match code_unit(rest) {
                Some(unit) => {
                    rest = &rest[4..];
                    let second = rest.strip_prefix("\\u").and_then(code_unit);
                    let pair = second.and_then(|low| char::decode_utf16([unit, low]).next()?.ok());
                    if pair.is_some_and(|letter| letter.len_utf16() == 2) {
                        rest = &rest[6..];
                    }
                    let single = || char::decode_utf16([unit]).next().and_then(Result::ok);
                    let pair = pair.filter(|letter| letter.len_utf16() == 2);
                    plain.push(pair.or_else(single).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                None => plain.push('u'),
            },
            Some(letter) => plain.push(letter),
            None => {}
        }
    }
    plain.push_str(rest);
    plain
}

fn code_unit(text: &str) -> Option<u16> {
    let digits = text.get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
        let mentions = |text: &str, topic: &str| mention(&words(text), &words(topic));
        for (text, topic) in [
            ("Philomena's garden", "philomena"),
            ("the dentists", "dentist"),
            ("Ann is here", "ann"),
            ("Annas Haus", "Anna"),
            ("Tom's boat", "tom"),
            ("Toms Boot", "Tom"),
            ("Hans' Boot und zwei Häuser", "Hans"),
            ("the glasses of Hans", "glass hans"),
        ] {
            assert!(mentions(text, topic), "{text}: {topic}");
        }
        for (text, topic) in [
            ("anna was planning it", "ann"),
            ("hannah", "hanna"),
            ("paula", "paul"),
            ("romeo is romantic", "rome"),
            ("aunt", "aunt philomena"),
            ("Hansen is here", "hans"),
            ("Hans is here", "hansen"),
            ("Franzen", "franz"),
            ("tomato soup for the atom", "tom"),
            ("Ben", "bens"),
            ("anything", "?!"),
        ] {
            assert!(!mentions(text, topic), "{text}: {topic}");
        }
    }

    #[test]
    fn words_are_found_across_the_escapes_of_json() {
        for written in [
            r#"{"text":"J\u00e4nner\nann"}"#,
            r#"{"text":"{\"inner\":\"J\\u00e4nner\\nann\"}"}"#,
            r#"{"text":"[BEGIN]\n{\"a\":\"\\\"J\\u00e4nner\\\"ann\"}"#,
        ] {
            let found = json_words(written);
            assert!(mention(&found, &words("Jänner ann")), "{written}: {found:?}");
        }
        let found = json_words(r#"{"text":"see\nanna \ud83d\ude00 \ud83dx"}"#);
        assert!(!mention(&found, &words("ann")) && !mention(&found, &words("nanna")), "{found:?}");
    }

    proptest! {
        #[test]
        fn foreign_bytes_break_no_reader_and_json_hides_no_word(text in "\\PC{0,60}", broken in "[\\\\u0-9a-f\"{}n]{0,40}") {
            let written = serde_json::to_string(&serde_json::json!({ "deep": [text.clone()] })).unwrap();
            let found = json_words(&written);
            prop_assert!(words(&text).iter().all(|word| found.contains(word)));
            json_words(&broken);
            unescaped(&broken);
        }
    }
}
