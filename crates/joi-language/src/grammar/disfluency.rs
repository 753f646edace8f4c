//! Takes disfluencies out of an utterance: filled pauses ("um"), repetitions ("set a, set a timer") and repairs ("at five,
//! no wait, at six").
//!
//! In: the words of an utterance. Out: the words that were meant, each at the place where it stands in the text. A repair is
//! resolved only where what it replaces is clear: what follows begins with a word that was said before, or is a value
//! of the same kind as the one in front. Terms: E. Shriberg, "Preliminaries to a Theory of Speech Disfluencies", 1994.
//! Pure: no I/O, no clock.

use super::Grammar;
use super::machine::GrammarUtterance;
use super::program::Slot;
use super::slots;
use super::words::{Word, words_at_start};

/// Most words that are said twice before a speaker goes on.
const LONGEST_REPETITION: usize = 6;
/// Fewer words are no command that has anything else in it: "just enough".
const FEWEST_WORDS: usize = 2;
/// Most words of a value that a repair replaces.
const LONGEST_VALUE: usize = 5;
/// The kinds of values that a repair may replace by one of the same kind.
const REPAIRED: [Slot; 8] = [
    Slot::Duration,
    Slot::Clock,
    Slot::Percent,
    Slot::Day,
    Slot::Days,
    Slot::Part,
    Slot::Kind,
    Slot::Place,
];

/// Returns `words` without filled pauses; all of them where nothing else was said.
pub fn without_pauses(words: Vec<Word>, grammar: &Grammar) -> Vec<Word> {
    let mut kept = words.clone();
    drop_phrases(&mut kept, &grammar.manners.pauses);
    if kept.is_empty() { words } else { kept }
}

/// Returns `words` without repetitions and repairs, and then also without particles, as far as there are any.
pub fn fluent(words: &[Word], grammar: &Grammar) -> Vec<Vec<Word>> {
    let mut kept = words.to_vec();
    while repair(&mut kept, grammar) {}
    drop_repetitions(&mut kept, grammar);
    let mut plain = kept.clone();
    drop_phrases(&mut plain, &grammar.manners.particles);
    let is_shorter = |fewer: &Vec<Word>, than: usize| fewer.len() >= FEWEST_WORDS && fewer.len() < than;
    let has_particles = is_shorter(&plain, kept.len());
    let has_disfluencies = is_shorter(&kept, words.len());
    [has_disfluencies.then_some(kept), has_particles.then_some(plain)].into_iter().flatten().collect()
}

/// Returns `words` without the reason at their end: "because I have to leave early". A reason that turns the sense round is
/// none.
pub fn without_reason<'a>(words: &'a [Word], grammar: &Grammar) -> Option<&'a [Word]> {
    let begins = |at: &usize| {
        grammar.manners.reasons.iter().any(|phrase| words_at_start(&words[*at..], phrase).is_some())
    };
    let at = (FEWEST_WORDS..words.len()).find(begins)?;
    (!words[at..].iter().any(|word| grammar.mood.negates(&word.text))).then_some(&words[..at])
}

/// Drops `phrases` wherever they stand.
fn drop_phrases(words: &mut Vec<Word>, phrases: &[Vec<String>]) {
    let mut at = 0;
    while at < words.len() {
        match phrases.iter().filter_map(|phrase| words_at_start(&words[at..], phrase)).max() {
            Some(count) => drop(words.drain(at..at + count)),
            None => at += 1,
        }
    }
}

/// Drops the first of two equal stretches that follow each other. A no that is said twice is one that was meant.
fn drop_repetitions(words: &mut Vec<Word>, grammar: &Grammar) {
    let is_repeated = |words: &[Word], at: usize, count: usize| {
        let texts = |from: usize| words[from..from + count].iter().map(|word| &word.text);
        at + 2 * count <= words.len() && texts(at).eq(texts(at + count))
    };
    let mut at = 0;
    while at < words.len() {
        let count = (1..=LONGEST_REPETITION).rev().find(|count| is_repeated(words, at, *count));
        // "Five five" may be a time.
        let is_number = |word: &Word| grammar.numbers.counts(&word.text);
        let negates = |word: &Word| grammar.mood.negates(&word.text);
        let is_repetition = |count: &usize| {
            let said = &words[at..at + count];
            !said.iter().all(is_number) && !said.iter().any(negates)
        };
        match count.filter(is_repetition) {
            Some(count) => drop(words.drain(at..at + count)),
            None => at += 1,
        }
    }
}

/// Carries out the first repair that is clear: what was replaced goes, and the words that announce it.
fn repair(words: &mut Vec<Word>, grammar: &Grammar) -> bool {
    for at in 1..words.len() {
        let counts = grammar.manners.repairs.iter().filter_map(|phrase| words_at_start(&words[at..], phrase));
        let Some(after) = counts.max().map(|count| at + count).filter(|after| *after < words.len()) else {
            continue;
        };
        let from = restarted(words, at, after).or_else(|| replaced(words, at, after, grammar));
        if let Some(from) = from {
            words.drain(from..after);
            return true;
        }
    }
    false
}

/// Returns where the speaker began anew: at the last word in front of `at` that is the one at `after`. What is said anew
/// is as long as what it replaces, so that nothing gets lost: "at seven tomorrow, no, at eight" is not clear.
fn restarted(words: &[Word], at: usize, after: usize) -> Option<usize> {
    let from = (0..at).rev().find(|from| words[*from].text == words[after].text)?;
    (at - from <= words.len() - after).then_some(from)
}

/// Returns where the value begins that ends at `at` and is of the same kind as the one at `after`.
fn replaced(words: &[Word], at: usize, after: usize, grammar: &Grammar) -> Option<usize> {
    let utterance = GrammarUtterance::new(words, grammar);
    REPAIRED.into_iter().find_map(|slot| {
        let is_repaired = !slots::take(slot, &utterance, after, words.len()).ways.is_empty();
        let ends_there = |from: &usize| {
            slots::take(slot, &utterance, *from, at).ways.iter().any(|(end, _)| *end == at)
        };
        (at.saturating_sub(LONGEST_VALUE)..at).find(|from| is_repaired && ends_there(from))
    })
}
