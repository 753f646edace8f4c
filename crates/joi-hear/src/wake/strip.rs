//! Removes the wake phrase, as whisper may have written it, from the front of a transcript.
//!
//! In: a transcript that began with a wake phrase. Out: the rest of it. It compares the
//! first words only and leaves everything alone that doesn't sound like a phrase.
//! Pure: no I/O, no clock.

use joi_language::english::consonants;

/// How alike (0..1) the letters must be where the whole phrase is found.
const WHOLE: f64 = 0.6;
/// The same for a phrase of few letters: "hey you" is not "hey joi".
const WHOLE_SHORT: f64 = 0.7;
/// The same where only the name is found: the recording may begin in the middle of the phrase.
const NAME: f64 = 0.7;
/// A phrase of at least this many consonants is known by them, all but the first: "Page Arvus" is "hey jarvis".
const CONSONANTS: usize = 5;
/// The same for a short phrase run together into one word, where a request stands behind it: "Enjoy, what day is it?"
const MISHEARD: f64 = 0.6;
/// A phrase of at most this many letters is short.
const SHORT: usize = 6;
/// A name of so many letters is like many words: alone it counts only as it is written, before a comma or
/// stop.
const SHORT_NAME: usize = 3;

/// Returns the text behind a leading wake phrase, or the whole text when there is none. A name misheard is removed
/// too ("Hey Charvis, …", "Jarvis. …"), with punctuation and space behind the phrase.
pub fn strip_phrase<'t, P: AsRef<str>>(text: &'t str, phrases: &[P]) -> &'t str {
    let best = phrases
        .iter()
        .flat_map(|phrase| heads(text, phrase.as_ref()))
        .max_by(|a, b| a.likeness.total_cmp(&b.likeness).then(a.end.cmp(&b.end)));
    match best {
        Some(head) => text[head.end..].trim_start_matches(|c: char| !c.is_alphanumeric()),
        None => text.trim(),
    }
}

/// Like [`strip_phrase`]; a first word that is less like the phrase is taken off, too, where what follows it is a request by
/// itself.
pub fn strip_call<'t, P: AsRef<str>>(
    text: &'t str,
    phrases: &[P],
    is_request: impl FnOnce(&str) -> bool,
) -> &'t str {
    let rest = strip_phrase(text, phrases);
    let Some((first, behind)) = rest.split_once(char::is_whitespace) else { return rest };
    let first = letters(first);
    let is_like = |phrase: &P| {
        let whole: String = phrase.as_ref().split_whitespace().map(letters).collect();
        strsim::normalized_damerau_levenshtein(&first, &whole) >= MISHEARD
    };
    if rest.len() == text.trim().len() && phrases.iter().any(is_like) && is_request(behind) {
        return behind.trim_start();
    }
    rest
}

/// A stretch at the front of the text that sounds like the phrase.
struct PhraseMatch {
    likeness: f64,
    end: usize,
}

/// Returns all stretches of up to one word more than the phrase has that sound like it, or like its name.
fn heads(text: &str, phrase: &str) -> Vec<PhraseMatch> {
    let phrase: Vec<String> = phrase.split_whitespace().map(letters).collect();
    let Some(name) = phrase.last() else { return Vec::new() };
    let whole = phrase.concat();
    let least = if whole.chars().count() <= SHORT { WHOLE_SHORT } else { WHOLE };
    let mut found = Vec::new();
    let mut spoken = String::new();
    for (start, end) in words(text).take(phrase.len() + 1) {
        spoken.push_str(&letters(&text[start..end]));
        let likeness = strsim::normalized_damerau_levenshtein(&spoken, &whole);
        if likeness >= least || has_its_consonants(&spoken, &whole) {
            found.push(PhraseMatch { likeness, end });
        }
        let likeness = strsim::normalized_damerau_levenshtein(&spoken, name);
        let is_name = if name.chars().count() > SHORT_NAME {
            likeness >= NAME
        } else {
            spoken == *name && text[start..end].ends_with([',', '.', '!', '?', '…'])
        };
        if is_name {
            found.push(PhraseMatch { likeness, end });
        }
    }
    found
}

/// Returns whether both have the same consonants, the first of them aside, and enough of them to be sure.
fn has_its_consonants(spoken: &str, phrase: &str) -> bool {
    let (spoken, phrase) = (consonants(spoken), consonants(phrase));
    phrase.chars().count() >= CONSONANTS && spoken.chars().skip(1).eq(phrase.chars().skip(1))
}

/// Where the words of `text` begin and end.
fn words(text: &str) -> impl Iterator<Item = (usize, usize)> {
    text.split_whitespace().map(move |word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        (start, start + word.len())
    })
}

fn letters(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leading_phrase_is_taken_off_however_whisper_wrote_it() {
        for (text, rest) in [
            ("Hey Jarvis, what time is it?", "what time is it?"),
            ("Hey, Jarvis. What time is it?", "What time is it?"),
            ("hey jarvis what time is it", "what time is it"),
            ("Hey Charvis, what time is it?", "what time is it?"),
            ("Jarvis, what time is it?", "what time is it?"),
            ("Jervis what's the date?", "what's the date?"),
            ("Hey Jar vis, stop!", "stop!"),
            ("Page Arvus, why is the sky blue?", "why is the sky blue?"),
            ("Page Arvis is the garage door open.", "is the garage door open."),
            ("Pajarvice, what is 15% of $80?", "what is 15% of $80?"),
            ("Fajarvus, my name is Anna.", "my name is Anna."),
            ("Hey Jarvis.", ""),
            (" Hey Jarvis… stop.", "stop."),
        ] {
            assert_eq!(strip_phrase(text, &["hey jarvis"]), rest, "{text}");
        }
    }

    #[test]
    fn a_short_name_is_taken_off_as_it_sounds_and_nothing_like_it() {
        let phrases = ["hey joi", "hey joy"];
        for (text, rest) in [
            ("Hey Joy, what time is it?", "what time is it?"),
            ("Hey Joey, what time is it?", "what time is it?"),
            ("Hey, Joi. Stop.", "Stop."),
            ("Hay Joy, stop.", "stop."),
            ("Joy, what time is it?", "what time is it?"),
            ("Joy to the world", "Joy to the world"),
            ("Hey you, stop that.", "Hey you, stop that."),
            ("Enjoy the music", "Enjoy the music"),
            ("Toy, what is a toy?", "Toy, what is a toy?"),
        ] {
            assert_eq!(strip_phrase(text, &phrases), rest, "{text}");
        }
    }

    #[test]
    fn a_word_like_the_phrase_is_taken_off_in_front_of_a_request() {
        let phrases = ["hey joi", "hey joy"];
        let is_request = |rest: &str| rest.starts_with("what day");
        for (text, rest) in [
            ("Enjoy, what day is it?", "what day is it?"),
            ("Enjoy what day is it?", "what day is it?"),
            (" Hey Joy, what day is it?", "what day is it?"),
            ("Enjoy the music", "Enjoy the music"),
            ("Hey Joy, enjoy what day is it", "enjoy what day is it"),
            ("Say what day it is", "Say what day it is"),
            ("Boy, what day is it?", "Boy, what day is it?"),
            ("Enjoy", "Enjoy"),
            ("", ""),
        ] {
            assert_eq!(strip_call(text, &phrases, is_request), rest, "{text}");
        }
        assert_eq!(
            strip_call("Enjoy, what day is it?", &[] as &[&str], is_request),
            "Enjoy, what day is it?"
        );
    }

    #[test]
    fn text_without_a_phrase_stays_whole() {
        for text in [
            "What time is it?",
            "Hey, how are you?",
            "Hey there, stop.",
            "Service was bad today.",
            "Stop.",
            "Java is an island.",
            "Page Arthur, please.",
            "Largest of the planets?",
            "Charge the car.",
            "Change of service.",
            "",
            "?!",
        ] {
            assert_eq!(strip_phrase(text, &["hey jarvis"]), text, "{text}");
        }
        assert_eq!(strip_phrase("Alexander the Great", &["alexa"]), "Alexander the Great");
        assert_eq!(strip_phrase("Hey Jarvis", &[] as &[&str]), "Hey Jarvis");
    }

    #[test]
    fn each_of_several_phrases_is_known() {
        let phrases = ["hey jarvis", "alexa", "okay nabu"];
        assert_eq!(strip_phrase("Alexa, set the volume to five.", &phrases), "set the volume to five.");
        assert_eq!(strip_phrase("OK Nabu what's the weather", &phrases), "what's the weather");
        assert_eq!(strip_phrase("Okay, Naboo, thanks.", &phrases), "thanks.");
    }
}
