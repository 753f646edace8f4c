//! Brings an utterance into the form the templates are written in.
//!
//! Lower case, no punctuation, contractions written out, "%" as a word of the language, words of degree ("a bit")
//! dropped, an utterance that was said several times kept once. Every word knows where it stood, so that what is to
//! be repeated can be repeated as it was said. Pure: no I/O, no clock.

use std::collections::HashMap;
use std::ops::Range;

use super::Manners;
use super::numbers::Read;

/// No quick command is longer; chit-chat often is.
pub(crate) const MOST_WORDS: usize = 30;

/// Most words of a number with a value of its own: "quatre vingt dix sept".
const LONGEST_NUMBER: usize = 4;

/// The sign in front of figures below zero: a word of every language.
pub(crate) const MINUS: &str = "-";

/// One word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As the templates write it.
    pub text: String,
    /// Where it stands, in bytes.
    pub at: Range<usize>,
}

/// The words of `text`, or nothing when there are none or too many for a command.
pub fn normalise(text: &str, manners: &Manners) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    let mut start = None;
    let end_of_text = std::iter::once((text.len(), ' '));
    for (at, c) in text.char_indices().chain(end_of_text) {
        let joins = c.is_alphanumeric() || is_apostrophe(c) || is_inside_number(text, at, c);
        match (start, joins) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                add(&text[from..at], from, manners, &mut words);
                start = None;
            }
            (None, false) | (Some(_), true) => {}
        }
        if is_sign(text, at, c) {
            words.push(Word { text: MINUS.to_owned(), at: at..at + c.len_utf8() });
        }
        if c == '%' {
            words.push(Word { text: manners.percent.clone(), at: at..at + 1 });
        }
        if words.len() > MOST_WORDS {
            return None;
        }
    }
    join_pairs(&mut words, manners);
    drop_degrees(&mut words, manners);
    keep_one_of_repeats(&mut words);
    (!words.is_empty()).then_some(words)
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | '`')
}

/// "-5", but neither "22-23" nor a dash between words.
fn is_sign(text: &str, at: usize, c: char) -> bool {
    matches!(c, '-' | '−')
        && !text[..at].ends_with(char::is_alphanumeric)
        && text[at + c.len_utf8()..].starts_with(|c: char| c.is_ascii_digit())
}

/// "6:30", "9.5" and "9,5" are one word each.
fn is_inside_number(text: &str, at: usize, c: char) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    matches!(c, ':' | '.' | ',')
        && is_digit(text[..at].chars().next_back())
        && is_digit(text[at + c.len_utf8()..].chars().next())
}

/// Adds one word: in lower case, a number apart from its unit, a contraction written out.
fn add(raw: &str, from: usize, manners: &Manners, words: &mut Vec<Word>) {
    let lower: String =
        raw.chars().map(|c| if is_apostrophe(c) { '\'' } else { c }).flat_map(char::to_lowercase).collect();
    let word = lower.trim_matches('\'');
    if word.is_empty() {
        return;
    }
    let at = from..from + raw.len();
    let digits = word.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.' | ',' | '½')));
    if let Some(split) = digits.filter(|split| *split > 0 && word[*split..].chars().all(char::is_alphabetic))
        && manners.splits_off(&word[split..])
    {
        words.push(Word { text: word[..split].to_owned(), at: at.clone() });
        words.push(Word { text: word[split..].to_owned(), at });
        return;
    }
    // Letters whose lower case is as long, so that a part stands where it stands in what was said.
    let is_apart = word.len() == raw.len() && manners.written_out(word).is_none();
    if let Some(split) = manners.compound(word).filter(|_| is_apart)
        && raw.is_char_boundary(split)
    {
        let (stem, last) = word.split_at(split);
        words.push(Word { text: stem.to_owned(), at: from..from + split });
        words.push(Word { text: last.to_owned(), at: from + split..at.end });
        return;
    }
    let mut push = |text: &str| words.push(Word { text: text.to_owned(), at: at.clone() });
    if let Some(written) = manners.written_out(word) {
        written.split(' ').for_each(push);
    } else if let Some((stem, ending)) = manners.ending(word) {
        push(stem);
        push(ending);
    } else {
        push(&word.replace('\'', ""));
    }
}

/// Words that recognisers write apart: "p m", "per cent".
fn join_pairs(words: &mut Vec<Word>, manners: &Manners) {
    let mut at = 0;
    while at + 1 < words.len() {
        let pair = format!("{} {}", words[at].text, words[at + 1].text);
        if let Some(joined) = manners.joined(&pair) {
            let until = words.remove(at + 1).at.end;
            words[at] = Word { text: joined.to_owned(), at: words[at].at.start..until };
        }
        at += 1;
    }
}

fn drop_degrees(words: &mut Vec<Word>, manners: &Manners) {
    let mut at = 0;
    while at < words.len() {
        match manners.degrees.iter().find_map(|degree| words_at_start(&words[at..], degree)) {
            Some(count) => drop(words.drain(at..at + count)),
            None => at += 1,
        }
    }
}

/// "Stop. Stop. Stop." is one command; recognisers repeat themselves, and so do people.
fn keep_one_of_repeats(words: &mut Vec<Word>) {
    let total = words.len();
    let repeats = |period: &usize| {
        let is_same =
            |chunk: &[Word]| chunk.iter().map(|w| &w.text).eq(words[..*period].iter().map(|w| &w.text));
        total.is_multiple_of(*period) && words.chunks(*period).all(is_same)
    };
    if let Some(period) = (1..total).find(repeats) {
        words.truncate(period);
    }
}

/// `9m30s` as `9m 30s`.
pub fn apart(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii_digit() && out.ends_with(char::is_alphabetic) {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

/// The stretches of `words` that are left when ever more politeness is taken off at both ends, the full
/// utterance first.
pub fn without_politeness(words: &[Word], manners: &Manners) -> Vec<Range<usize>> {
    let starts = reachable(words.len(), |from| {
        let rest = &words[from..];
        let leads = |list: &[Vec<String>], kept: usize| -> Vec<usize> {
            let counts = list.iter().filter_map(|lead| words_at_start(rest, lead));
            counts.filter(|count| rest.len() >= count + kept).map(|count| from + count).collect()
        };
        [leads(&manners.names, 1), leads(&manners.before, 1), leads(&manners.before_longer, 2)].concat()
    });
    let mut cores = Vec::new();
    for from in starts {
        let rest = &words[from..];
        let cuts = reachable(rest.len(), |cut| {
            let kept = &rest[..rest.len() - cut];
            let tails = manners.names.iter().chain(&manners.behind);
            tails.filter_map(|tail| words_at_end(kept, tail)).map(|count| cut + count).collect()
        });
        cores.extend(cuts.into_iter().map(|cut| from..words.len() - cut));
    }
    cores
}

/// All positions below `limit` that `steps` leads to from 0, in increasing order.
fn reachable(limit: usize, steps: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let mut reached = vec![0];
    let mut next = 0;
    while let Some(&at) = reached.get(next) {
        for to in steps(at) {
            if to < limit && !reached.contains(&to) {
                reached.push(to);
            }
        }
        next += 1;
    }
    reached.sort_unstable();
    reached
}

/// How many words `phrase` takes at the head of `words`, when it stands there.
pub(crate) fn words_at_start(words: &[Word], phrase: &[String]) -> Option<usize> {
    let head = words.get(..phrase.len())?;
    head.iter().map(|word| &word.text).eq(phrase).then_some(phrase.len())
}

/// The same for the end of `words`.
fn words_at_end(words: &[Word], phrase: &[String]) -> Option<usize> {
    words_at_start(&words[words.len().checked_sub(phrase.len())?..], phrase)
}

/// The numbers at the start of `words` that have several words and a value of their own, the longest first.
pub(super) fn number_phrases(known: &HashMap<String, u32>, words: &[Word]) -> Vec<Read> {
    let phrase = |count: usize| {
        let texts: Vec<&str> = words.get(..count)?.iter().map(|word| word.text.as_str()).collect();
        Some(Read { words: count, value: *known.get(&texts.join(" "))? })
    };
    (2..=LONGEST_NUMBER).rev().filter_map(phrase).collect()
}
