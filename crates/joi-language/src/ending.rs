//! Decides whether a sentence or clause ends with the last word of a text.
//!
//! In: text up to a space, and what dots and words mean in its language. Out: what that space means, and where a
//! voice may take a breath. Pure: no I/O, no clock.

use std::ops::Range;

use super::readings::EndingWords;

/// What a space behind the text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentenceEnding {
    /// The sentence goes on.
    None,
    /// The sentence ends.
    Sentence,
    /// It ends if what follows is neither a small letter nor a digit.
    BeforeCapital,
}

/// Behind the punctuation that ends a sentence, these may follow before the space.
const CLOSERS: &[char] = &['"', '\'', '”', '’', ')', ']', '*', '_', '»', '~', '`'];
/// Figures with more digits, and a dot behind them, are a year at the end of a sentence.
const LONGEST_ORDINAL: usize = 3;
/// Before the first letter of a word, these may stand.
const OPENERS: &[char] = &['"', '\'', '“', '‘', '(', '[', '*', '_', '«', '~', '`'];

/// Whether the sentence ends with `text`, which ends in a word; `words` say what a dot behind one means.
pub fn ending_of(text: &str, words: &EndingWords) -> SentenceEnding {
    let word = last_word(text).trim_end_matches(CLOSERS);
    if word.ends_with(['!', '?', '。', '！', '？']) {
        return SentenceEnding::Sentence;
    }
    if word.ends_with("..") || word.ends_with('…') {
        return SentenceEnding::BeforeCapital;
    }
    let Some(stem) = word.strip_suffix('.') else { return SentenceEnding::None };
    ending_of_stem(stem.trim_start_matches(OPENERS), words)
}

/// The same for the word in front of a single full stop.
fn ending_of_stem(stem: &str, words: &EndingWords) -> SentenceEnding {
    let mut chars = stem.chars();
    match (chars.next(), chars.next()) {
        (None, _) => return SentenceEnding::None,
        (Some(_), None) if stem == words.letter => return SentenceEnding::Sentence,
        (Some(initial), None) if initial.is_uppercase() => return SentenceEnding::None,
        _ => {}
    }
    let is_ordinal =
        words.ordinals && stem.len() <= LONGEST_ORDINAL && stem.bytes().all(|b| b.is_ascii_digit());
    if is_ordinal
        || words.titles.iter().any(|title| title == stem)
        || words.bound.iter().any(|known| known.eq_ignore_ascii_case(stem))
    {
        SentenceEnding::None
    } else if words.perhaps.iter().any(|known| known == stem) || is_dotted(stem) {
        SentenceEnding::BeforeCapital
    } else {
        SentenceEnding::Sentence
    }
}

/// Letters with dots between them: `U.S`, `a.m`.
fn is_dotted(stem: &str) -> bool {
    stem.contains('.')
        && stem.split('.').all(|part| part.chars().count() == 1 && !part.starts_with(char::is_numeric))
}

/// Whether a clause ends with `text`. A comma behind a digit may stand in a date.
pub fn is_clause_end(text: &str) -> bool {
    let word = last_word(text).trim_end_matches(['"', '”', '’', ')']);
    match word.strip_suffix([',', ';', ':']) {
        Some(stem) => !stem.ends_with(|c: char| c.is_ascii_digit()) && !stem.is_empty(),
        None => matches!(word, "—" | "–") || word.len() > 3 && word.ends_with('—'),
    }
}

/// So many words are an opening.
const OPENING_WORDS: usize = 6;
/// What may be held open, or be read in another way with what follows: figures, quotations, marks of Markdown.
const NOT_IN_AN_OPENING: &[char] =
    &['"', '“', '”', '„', '«', '»', '`', '*', '_', '[', ']', '(', ')', '{', '}', '<', '>', '|', '#', '\n'];

/// The word that begins a phrase behind the opening of `text`, its white space included: what stands before it may be said
/// before the sentence is whole. Nothing before that word is there.
pub fn joint_behind_opening(text: &str, words: &EndingWords) -> Option<Range<usize>> {
    let (mut begins, mut count) = (0, 0);
    for word in text.split_inclusive(char::is_whitespace) {
        let (from, bare) = (begins, word.trim_end());
        begins += word.len();
        let is_joint = || words.joints.iter().any(|joint| *joint == bare);
        if count >= OPENING_WORDS && bare.len() < word.len() && is_joint() {
            let is_plain = !text[..from].contains(|c: char| c.is_numeric() || NOT_IN_AN_OPENING.contains(&c));
            return is_plain.then_some(from..begins);
        }
        count += usize::from(!bare.is_empty());
    }
    None
}

fn last_word(text: &str) -> &str {
    text.rsplit(char::is_whitespace).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{english, german};

    fn opened(text: &str) -> Option<&str> {
        joint_behind_opening(text, &english().endings()).map(|joint| &text[..joint.start])
    }

    #[test]
    fn an_opening_has_six_words_and_ends_in_front_of_one_that_begins_a_phrase() {
        assert_eq!(
            opened("A fridge moves the heat inside and brings"),
            Some("A fridge moves the heat inside ")
        );
        assert_eq!(opened("A fridge moves heat and brings it out of"), None);
        assert_eq!(opened("Cats and dogs in the house live with"), None, "it may become \"without\"");
        assert_eq!(opened("Cats and dogs in the house live with "), Some("Cats and dogs in the house live "));
        let german = german().endings();
        let text = "Der Himmel ist am Tag so blau weil ";
        assert_eq!(joint_behind_opening(text, &german).map(|joint| &text[joint]), Some("weil "));
    }

    #[test]
    fn what_may_be_read_in_another_way_with_what_follows_is_no_opening() {
        for text in [
            "The key of this place is 4111 and ",
            "The song \"all you need is love and ",
            "The *most famous of all the cats and ",
            "See [the manual of this new machine and ",
        ] {
            assert_eq!(opened(text), None, "{text}");
        }
    }
}
