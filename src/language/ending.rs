//! PURE: whether a sentence or clause ends with the last word of a text.
//!
//! In: text up to a space, and what dots mean in its language. Out: what that space means.

use super::readings::EndingWords;

/// What a space behind the text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SentenceEnding {
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
pub(crate) fn ending_of(text: &str, words: &EndingWords) -> SentenceEnding {
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
pub(crate) fn is_clause_end(text: &str) -> bool {
    let word = last_word(text).trim_end_matches(['"', '”', '’', ')']);
    match word.strip_suffix([',', ';', ':']) {
        Some(stem) => !stem.ends_with(|c: char| c.is_ascii_digit()) && !stem.is_empty(),
        None => matches!(word, "—" | "–") || word.len() > 3 && word.ends_with('—'),
    }
}

fn last_word(text: &str) -> &str {
    text.rsplit(char::is_whitespace).next().unwrap_or_default()
}
