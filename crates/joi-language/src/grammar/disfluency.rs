//! Takes disfluencies out of an utterance: filled pauses ("um"), repetitions ("set a, set a timer") and repairs ("at five,
//! no wait, at six").
//!
//! In: the words of an utterance. Out: the words that were meant, each at the place where it stands in the text. A repair is
//! resolved only where what it replaces is clear: what follows begins with a word that was said before, or is a value
//! of the same kind as the one in front. Terms: E. Shriberg, "Preliminaries to a Theory of Speech Disfluencies", 1994.
//! Pure: no I/O, no clock.

use std::borrow::Cow;
use std::ops::Range;

use super::Grammar;
use super::lifted;
use super::machine::GrammarUtterance;
use super::program::Slot;
use super::slots;
use super::words::{Word, normalise, words_at_start};

/// Most words that are said twice before a speaker goes on.
const LONGEST_REPETITION: usize = 6;
/// Fewer words are no command that has anything else in it: "just enough".
const FEWEST_WORDS: usize = 2;
/// Fewest words of an utterance whose first words are said twice by a slip: "good, good idea" is meant.
const FEWEST_OF_UTTERANCE: usize = 4;
/// Most words of a beginning that is given up.
const LONGEST_BEGINNING: usize = 4;
/// Most words of a value that a repair replaces.
const LONGEST_VALUE: usize = 5;
/// The kinds of values that a repair may replace by one of the same kind.
const REPAIRED: [Slot; 8] =
    [Slot::Duration, Slot::Clock, Slot::Percent, Slot::Day, Slot::Days, Slot::Part, Slot::Kind, Slot::Place];

/// Returns `words` without filled pauses; all of them where nothing else was said.
pub fn without_pauses(words: Vec<Word>, grammar: &Grammar) -> Vec<Word> {
    let mut kept = words.clone();
    drop_phrases(&mut kept, &grammar.manners.pauses);
    if kept.is_empty() { words } else { kept }
}

/// Returns `text` without filled pauses, false starts ("turn the, the light") and repairs that are clear; as it is where
/// too little would be left. What is said twice on purpose stays: "New York, New York" has no word that leads on.
pub fn fluent_text<'t>(text: &'t str, grammar: &Grammar) -> Cow<'t, str> {
    let Some(words) = normalise(text, &grammar.manners) else { return text.into() };
    let mut kept = without_pauses(words.clone(), grammar);
    while repair(&mut kept, grammar) || begin_anew(&mut kept, text, grammar) {}
    drop_repetitions(&mut kept, grammar, |words, at, count| is_slip(words, at..at + count, text, grammar));
    let is_kept = |word: &Word| kept.contains(word);
    // A contraction is two words at one place.
    let is_torn = |word: &Word| {
        !is_kept(word)
            && kept.iter().any(|other| other.at.start < word.at.end && word.at.start < other.at.end)
    };
    if kept.len() == words.len() || kept.len() < FEWEST_WORDS || words.iter().any(is_torn) {
        return text.into();
    }
    let mut fluent = String::with_capacity(text.len());
    let mut from = 0;
    for (at, word) in words.iter().enumerate().filter(|(_, word)| !is_kept(word)) {
        fluent.push_str(text.get(from..word.at.start).unwrap_or_default());
        // The comma in front belonged to the pause: "my pin is, um, 4711".
        let leads_on = at.checked_sub(1).is_some_and(|before| is_false_start(&words[before], grammar));
        if leads_on && fluent.ends_with(", ") {
            fluent.truncate(fluent.len() - 2);
            fluent.push(' ');
        }
        from = words.get(at + 1).map_or(text.len(), |next| next.at.start);
    }
    fluent.push_str(&text[from..]);
    fluent.trim_end_matches([' ', ',']).to_owned().into()
}

/// Returns whether the stretch at `at` is said again because its speaker faltered: it ends in the middle of a phrase, or
/// it is the beginning of a longer utterance, or a comma stands between both. "Bread, bread rolls" are two things.
fn is_slip(words: &[Word], at: Range<usize>, text: &str, grammar: &Grammar) -> bool {
    let counts = |word: &Word| grammar.numbers.counts(&word.text);
    let is_apart = has_comma(text, words, at.end) && at.end + at.len() < words.len();
    let is_number = words[at.clone()].iter().all(counts);
    let is_head = at.start == 0 && words.len() - at.len() >= FEWEST_OF_UTTERANCE;
    let is_answer =
        grammar.manners.repairs.iter().any(|phrase| words_at_start(&words[at.clone()], phrase).is_some());
    is_false_start(&words[at.end - 1], grammar) && !is_number
        || is_head && !is_number && !is_answer
        || is_apart && (is_number || at.len() > 1)
}

/// Drops the first clear beginning that its speaker gave up: "bring the, bring down the blinds", "can you, no, put …".
fn begin_anew(words: &mut Vec<Word>, text: &str, grammar: &Grammar) -> bool {
    for at in 1..words.len() {
        if !has_comma(text, words, at) || !is_false_start(&words[at - 1], grammar) {
            continue;
        }
        let from =
            (at.saturating_sub(LONGEST_BEGINNING)..at).rev().find(|from| words[*from].text == words[at].text);
        let counts = grammar.manners.repairs.iter().filter_map(|phrase| words_at_start(&words[at..], phrase));
        let set_off = counts
            .map(|count| at + count)
            .find(|after| *after < words.len() && has_comma(text, words, *after));
        let stretch = from.map(|from| from..at).or(set_off.map(|after| at..after));
        if let Some(stretch) = stretch {
            words.drain(stretch);
            return true;
        }
    }
    false
}

/// Returns whether a comma stands in front of the word at `at`.
fn has_comma(text: &str, words: &[Word], at: usize) -> bool {
    let (Some(before), Some(word)) = (at.checked_sub(1).and_then(|before| words.get(before)), words.get(at))
    else {
        return false;
    };
    text.get(before.at.end..word.at.start).is_some_and(|between| between.contains(','))
}

/// Returns whether nobody ends a phrase with `word`: what follows it once more is what was to be said.
fn is_false_start(word: &Word, grammar: &Grammar) -> bool {
    grammar.manners.is_unfinished(&word.text) || grammar.manners.leads_on(&word.text)
}

/// An utterance without disfluencies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fluent {
    /// The words that are left.
    pub words: Vec<Word>,
    /// The particles that were taken out, by their places in the text.
    pub dropped: Vec<Range<usize>>,
}

impl Fluent {
    /// Returns `words` as they are.
    pub fn of(words: Vec<Word>) -> Self {
        Self { words, dropped: Vec::new() }
    }
}

/// Returns `words` as they are, then without repetitions and repairs, and then also without particles, as far as there are
/// any.
pub fn fluent(words: &[Word], grammar: &Grammar) -> Vec<Fluent> {
    let mut kept = words.to_vec();
    while repair(&mut kept, grammar) {}
    // "Five five" may be a time.
    let is_number = |word: &Word| grammar.numbers.counts(&word.text);
    drop_repetitions(&mut kept, grammar, |words, at, count| !words[at..at + count].iter().all(is_number));
    let mut plain = kept.clone();
    drop_phrases(&mut plain, &grammar.manners.particles);
    let dropped = kept.iter().filter(|word| !plain.contains(word)).map(|word| word.at.clone()).collect();
    let is_shorter = |fewer: &[Word], than: usize| fewer.len() >= FEWEST_WORDS && fewer.len() < than;
    let has_particles = is_shorter(&plain, kept.len());
    let has_disfluencies = is_shorter(&kept, words.len());
    let ways =
        [(true, words.to_vec(), vec![]), (has_disfluencies, kept, vec![]), (has_particles, plain, dropped)];
    let ways = ways.into_iter().filter(|(is_way, ..)| *is_way);
    ways.map(|(_, words, dropped)| Fluent { words, dropped }).collect()
}

/// Returns `words` without the reason at their end: "because I have to leave early", "it's my day off". A reason that turns
/// the sense round is none, and a sentence of its own with a number or a time in it is more than a reason.
pub fn without_reason<'a>(words: &'a [Word], grammar: &Grammar) -> Option<&'a [Word]> {
    let is_figure = |word: &Word| {
        word.text.starts_with(|c: char| c.is_ascii_digit()) || grammar.numbers.counts(&word.text)
    };
    let says_more = |rest: &[Word]| rest.iter().any(is_figure) || lifted::holds_strict(rest, grammar);
    let begins = |at: &usize| {
        let rest = &words[*at..];
        let is_begun =
            |phrases: &[Vec<String>]| phrases.iter().any(|phrase| words_at_start(rest, phrase).is_some());
        is_begun(&grammar.manners.reasons) || is_begun(&grammar.manners.remarks) && !says_more(rest)
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

/// Drops the first of two equal stretches that follow each other where `is_slip` says so of the place and length of the
/// first. A no that is said twice is one that was meant.
fn drop_repetitions(
    words: &mut Vec<Word>,
    grammar: &Grammar,
    is_slip: impl Fn(&[Word], usize, usize) -> bool,
) {
    let is_repeated = |words: &[Word], at: usize, count: usize| {
        let texts = |from: usize| words[from..from + count].iter().map(|word| &word.text);
        at + 2 * count <= words.len() && texts(at).eq(texts(at + count))
    };
    let mut at = 0;
    while at < words.len() {
        let count = (1..=LONGEST_REPETITION).rev().find(|count| is_repeated(words, at, *count));
        let negates = |word: &Word| grammar.mood.negates(&word.text);
        let is_repetition =
            |count: &usize| !words[at..at + count].iter().any(negates) && is_slip(words, at, *count);
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
        let ends_there =
            |from: &usize| slots::take(slot, &utterance, *from, at).ways.iter().any(|(end, _)| *end == at);
        (at.saturating_sub(LONGEST_VALUE)..at).find(|from| is_repaired && ends_there(from))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;
    use crate::grammar::words::normalise;
    use crate::testing::{english, german};

    fn texts(words: &[Word]) -> String {
        words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// Returns what is left of `said` without pauses, repetitions, repairs and particles.
    fn meant(language: &Language, said: &str) -> String {
        let grammar = language.grammar();
        let said = without_pauses(normalise(said, &grammar.manners).unwrap(), grammar);
        let fluent = fluent(&said, grammar);
        texts(&fluent.last().unwrap().words)
    }

    #[test]
    fn pauses_repetitions_and_repairs_are_taken_out() {
        for (said, expected) in [
            ("um set a timer for uh four minutes", "set a timer for four minutes"),
            ("set a, set a timer for ten minutes", "set a timer for ten minutes"),
            ("the the the alarm", "the alarm"),
            ("set a timer for five, no wait, ten minutes", "set a timer for ten minutes"),
            ("wake me on Friday, I mean Saturday at eight", "wake me on saturday at eight"),
            ("wake me at seven, no sorry, at half past seven", "wake me at half past seven"),
            ("set an alarm no make that set a timer for six minutes", "set a timer for six minutes"),
            ("could you just quickly read the list", "could you read the list"),
        ] {
            assert_eq!(meant(english(), said), expected, "{said}");
        }
        for (said, expected) in [
            ("äh stell einen Timer auf ähm vier Minuten", "stell einen timer auf vier minuten"),
            ("stell einen, stell einen Wecker", "stell einen wecker"),
            ("Timer auf fünf, nee warte, sechs Minuten", "timer auf sechs minuten"),
        ] {
            assert_eq!(meant(german(), said), expected, "{said}");
        }
    }

    #[test]
    fn a_text_loses_its_disfluencies_and_nothing_else() {
        for (said, expected) in [
            (
                "Um, could you turn the, the garage light on please?",
                "could you turn the garage light on please?",
            ),
            ("Add bread, butter and uh cheese to the list.", "Add bread, butter and cheese to the list."),
            ("turn on the kitchen, sorry, the terrace light", "turn on the terrace light"),
            ("set the bedroom to 20, sorry, 18 degrees", "set the bedroom to 18 degrees"),
            ("the evening alarm, uh, move it to nine", "the evening alarm, move it to nine"),
            ("what's, what's on my list, um", "what's on my list"),
            ("my locker is, um, 418", "my locker is 418"),
            ("play New York, New York", "play New York, New York"),
            ("no, no, I don't want to", "no, no, I don't want to"),
            ("add milk, no bread", "add milk, no bread"),
            ("good, good idea", "good, good idea"),
            ("um", "um"),
            ("put, put oat milk on the list", "put oat milk on the list"),
            ("bring the, bring down the blinds", "bring down the blinds"),
            ("can you, no, put milk on the list", "can you put milk on the list"),
            ("timer for twenty, twenty minutes", "timer for twenty minutes"),
            ("add bread, bread rolls and milk", "add bread, bread rolls and milk"),
            ("I have no idea", "I have no idea"),
            ("Why is the sky blue?", "Why is the sky blue?"),
        ] {
            assert_eq!(fluent_text(said, english().grammar()), expected, "{said}");
        }
        let said = "Äh, mach das Licht im, im ähm Flur aus";
        assert_eq!(fluent_text(said, german().grammar()), "mach das Licht im Flur aus");
    }

    #[test]
    fn what_is_not_clear_stays_as_it_was_said() {
        for said in [
            // The day would get lost.
            "wake me at seven tomorrow morning no at eight",
            // A no that is said twice.
            "do not do not wake me",
            "never never mind",
            // A number that is said twice.
            "twenty twenty five minutes",
            "add milk no bread to the list",
            "um",
            "enough",
        ] {
            assert_eq!(meant(english(), said), said, "{said}");
        }
        assert_eq!(meant(english(), "just enough"), "just enough", "too short for a particle");
    }

    #[test]
    fn a_reason_behind_a_command_is_taken_off_unless_it_turns_it_round() {
        let grammar = english().grammar();
        let words = |said: &str| normalise(said, &grammar.manners).unwrap();
        let said = words("set an alarm for eight because I have a meeting");
        assert_eq!(without_reason(&said, grammar).map(texts).as_deref(), Some("set an alarm for eight"));
        let said = words("set an alarm for eight because I do not want to sleep");
        assert_eq!(without_reason(&said, grammar), None);
        assert_eq!(without_reason(&words("because I said so"), grammar), None);
        let said = words("no alarm tomorrow, it's my day off");
        assert_eq!(without_reason(&said, grammar).map(texts).as_deref(), Some("no alarm tomorrow"));
        assert_eq!(without_reason(&words("set an alarm for eight, it's 9:30 now"), grammar), None);
    }
}
