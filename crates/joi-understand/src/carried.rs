//! A question asked once more, of another place, time or thing: "what time is it in Lisbon?", "and in Tokyo?".
//!
//! In: the question before and what is said now. Out: the question as if all of it had been said. Pure: no I/O, no clock.

use joi_language::Language;
use joi_language::grammar::CarriedWords;

/// Most words of the part that is new.
const MOST_WORDS: usize = 8;

/// Returns the question `before` with what `asked` puts in the place of a part of it, or behind it; nothing where `asked` is
/// anything else.
pub fn carried_on(before: &str, asked: &str, language: &Language) -> Option<String> {
    let words = &language.grammar().carried;
    let said = tokens(asked);
    let from = words.before.iter().filter_map(|phrase| begins(&said, phrase)).max()?;
    let new = said.get(from..).filter(|new| !new.is_empty() && new.len() <= MOST_WORDS)?;
    let is_time = |at: &[&str]| longest(at, &words.times).is_some_and(|length| length == at.len());
    let is_joint = |word: &str| words.joints.iter().any(|joint| joint.eq_ignore_ascii_case(word));
    let whole = tokens(before);
    let replaced = if is_time(new) {
        (1..whole.len()).find_map(|at| Some((at, at + longest(&whole[at..], &words.times)?)))
    } else if is_joint(new[0]) && new.len() > 1 {
        let at = (1..whole.len()).rev().find(|at| whole[*at].eq_ignore_ascii_case(new[0]));
        at.map(|at| (at, end_of_part(&whole, at, words)))
    } else {
        return None;
    };
    let (start, end) = replaced.unwrap_or((whole.len(), whole.len()));
    Some([&whole[..start], new, &whole[end..]].concat().join(" "))
}

/// Returns where the part ends that begins at `at`: before the next one, or before a time.
fn end_of_part(whole: &[&str], at: usize, words: &CarriedWords) -> usize {
    let begins_another = |next: &usize| {
        let is_joint = words.joints.iter().any(|joint| joint.eq_ignore_ascii_case(whole[*next]));
        is_joint || longest(&whole[*next..], &words.times).is_some()
    };
    (at + 2..whole.len()).find(begins_another).unwrap_or(whole.len())
}

fn tokens(text: &str) -> Vec<&str> {
    let is_mark = |c: char| matches!(c, '?' | '!' | ',' | ';');
    let bare = text.split_whitespace().map(|word| word.trim_matches(is_mark));
    let mut all: Vec<&str> = bare.filter(|word| !word.is_empty()).collect();
    if let Some(last) = all.last_mut() {
        *last = last.trim_end_matches('.');
    }
    all
}

/// Returns how many words `phrase` has, where `said` begins with it.
fn begins(said: &[&str], phrase: &str) -> Option<usize> {
    let count = phrase.split(' ').count();
    let fits = phrase.split(' ').zip(said).all(|(word, said)| word.to_lowercase() == said.to_lowercase());
    (count <= said.len() && fits).then_some(count)
}

fn longest(said: &[&str], phrases: &[String]) -> Option<usize> {
    phrases.iter().filter_map(|phrase| begins(said, phrase)).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_language::testing::{english, german};
    use proptest::prelude::*;

    #[test]
    fn a_part_takes_the_place_of_its_like_or_stands_behind() {
        for (before, asked, expected) in [
            ("What time is it in Lisbon?", "and in Tokyo?", "What time is it in Tokyo"),
            ("what time is it", "and in Tokyo", "what time is it in Tokyo"),
            (
                "what's eighteen percent of two hundred and forty",
                "and of three hundred",
                "what's eighteen percent of three hundred",
            ),
            ("will it rain in Ulm on Thursday", "what about on Friday", "will it rain in Ulm on Friday"),
            ("will it rain in Ulm tomorrow", "and in Rome", "will it rain in Rome tomorrow"),
            ("what's the weather like today", "and tomorrow?", "what's the weather like tomorrow"),
            ("what's the weather like", "how about this weekend?", "what's the weather like this weekend"),
        ] {
            assert_eq!(carried_on(before, asked, english()).as_deref(), Some(expected), "{asked}");
        }
        for (before, asked, expected) in [
            ("Wie spät ist es in Lissabon?", "und in Tokio?", "Wie spät ist es in Tokio"),
            ("Wie wird das Wetter heute", "und morgen", "Wie wird das Wetter morgen"),
        ] {
            assert_eq!(carried_on(before, asked, german()).as_deref(), Some(expected), "{asked}");
        }
    }

    #[test]
    fn anything_else_is_no_part_of_the_question_before() {
        for asked in [
            "in Tokyo",
            "and",
            "and in",
            "and you",
            "and turn off the light",
            "and then we went to Tokyo by train for a whole week in March",
            "what about it",
            "",
        ] {
            assert_eq!(carried_on("what time is it in Lisbon", asked, english()), None, "{asked}");
        }
    }

    proptest! {
        #[test]
        fn any_words_are_read_without_panic(before in "\\PC{0,60}", asked in "(and )?\\PC{0,40}") {
            let _ = carried_on(&before, &asked, english());
        }
    }
}
