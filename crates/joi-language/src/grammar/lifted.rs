//! Lifts times out of an utterance, so that they may stand anywhere in a command: "for tomorrow at seven set an alarm".
//!
//! In: words. Out: every way to take one or two times out of them, with what their slots took, and the words that are left.
//! The forms of a time stand in the section `times` of `commands.toml`: strict ones differ from any other words
//! ("at seven"), loose ones only where nothing else may stand ("seven").
//! Pure: no I/O, no clock.

use std::ops::Range;

use super::Grammar;
use super::machine::{Capture, GrammarUtterance, Slot};
use super::program::Program;
use super::slots::{self, Taken};
use super::words::{Word, words_at_start};

/// Most ways that are tried: an utterance with more times is no command.
const MOST_WAYS: usize = 64;

/// A time in an utterance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeSpan {
    /// From where to where, in words.
    pub at: Range<usize>,
    /// What its slots took.
    pub captures: Vec<Capture>,
    /// It is a time among any words.
    pub is_strict: bool,
}

/// An utterance without some of its times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lifted {
    /// The words that are left.
    pub words: Vec<Word>,
    /// The times, in the order in which they were said.
    pub times: Vec<TimeSpan>,
}

impl Lifted {
    /// Returns the times that stood at a place between two words that are left: none in front of word 0.
    pub fn at_place(&self, place: usize) -> impl Iterator<Item = &TimeSpan> {
        let mut taken = 0;
        self.times.iter().filter(move |time| {
            let before = time.at.start - taken;
            taken += time.at.len();
            before == place
        })
    }
}

/// Two times with nothing between them but what joins them: "at six and at half past six".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimePair {
    /// The first, in words.
    pub first: Range<usize>,
    /// The second, in words.
    pub second: Range<usize>,
    /// They are times of two things: "for ten minutes, and another one for five".
    pub is_of_two: bool,
}

/// Returns every two times that are joined in `words`, the longest first.
pub fn pairs(words: &[Word], grammar: &Grammar) -> Vec<TimePair> {
    let spans = spans(words, grammar);
    let forms = &grammar.times;
    let is_joint = |joints: &[Vec<String>], between: &[Word]| {
        joints.iter().any(|joint| words_at_start(between, joint) == Some(between.len()))
    };
    let pair = |first: &Range<usize>, second: &Range<usize>| {
        let between = words.get(first.end..second.start)?;
        let is_of_two = is_joint(&forms.others, between);
        (is_of_two || is_joint(&forms.joints, between)).then(|| TimePair {
            first: first.clone(),
            second: second.clone(),
            is_of_two,
        })
    };
    let all =
        spans.iter().flat_map(|first| spans.iter().filter_map(move |second| pair(&first.at, &second.at)));
    // "Every Tuesday and Thursday" is one time.
    let is_one = |pair: &TimePair| {
        spans.iter().any(|span| span.at.start <= pair.first.start && pair.second.end <= span.at.end)
    };
    let mut all: Vec<TimePair> = all.filter(|pair| !is_one(pair)).collect();
    all.sort_by_key(|pair| std::cmp::Reverse(pair.first.len() + pair.second.len()));
    all
}

/// Returns `text` with the name of one thing in place of that of two alike: "two timers".
pub fn of_one(text: &str, grammar: &Grammar) -> Option<String> {
    let lower = text.to_lowercase();
    grammar.times.twice.iter().find_map(|(two, one)| {
        let at =
            lower.find(two.as_str()).filter(|at| lower.len() == text.len() && text.is_char_boundary(*at))?;
        Some(format!("{}{one}{}", &text[..at], text.get(at + two.len()..)?))
    })
}

/// Returns the commands that set one more entry of `kind` that `text` may stand for, `said` being its words: "and one for
/// the rice", "another at nine".
pub fn of_another(text: &str, said: &[Word], kind: &str, grammar: &Grammar) -> Vec<String> {
    let Some(sets) = grammar.times.sets.get(kind) else { return Vec::new() };
    let core = |core: Range<usize>| {
        let words = said.get(core)?;
        let phrase = |phrase: &Vec<String>| words_at_start(words, phrase);
        let rest = words.get(grammar.times.again.iter().find_map(phrase)?..)?;
        Some(format!("{sets} {}", text.get(rest.first()?.at.start..)?))
    };
    super::words::without_politeness(said, &grammar.manners).into_iter().filter_map(core).collect()
}

/// Returns every way to lift one time or two out of `words`, the longest times first.
pub fn lifted(words: &[Word], grammar: &Grammar) -> Vec<Lifted> {
    let spans = spans(words, grammar);
    let one = spans.iter().map(|span| vec![span]);
    let two = spans.iter().flat_map(|first| {
        spans.iter().filter(|second| second.at.start > first.at.end).map(move |second| vec![first, second])
    });
    let mut ways: Vec<Vec<&TimeSpan>> = one.chain(two).collect();
    ways.sort_by_key(|times| std::cmp::Reverse(times.iter().map(|time| time.at.len()).sum::<usize>()));
    ways.into_iter().take(MOST_WAYS).map(|times| without(words, &times)).collect()
}

/// Returns whether `words` are a time among any words: "at seven", but not "seven".
pub fn is_strict(words: &[Word], grammar: &Grammar) -> bool {
    spans(words, grammar).iter().any(|span| span.is_strict && span.at == (0..words.len()))
}

/// Returns the only day that is named in `words`, by its place in them; nothing where an hour is.
pub fn day_in(words: &[Word], grammar: &Grammar) -> Option<Range<usize>> {
    let is_one =
        |slots: &[Slot], span: &TimeSpan| span.captures.iter().any(|capture| slots.contains(&capture.slot));
    let spans = spans(words, grammar);
    if spans
        .iter()
        .any(|span| span.is_strict && is_one(&[Slot::Clock, Slot::Duration, Slot::Days, Slot::Several], span))
    {
        return None;
    }
    let mut days = spans
        .into_iter()
        .filter(|span| span.is_strict && is_one(&[Slot::Day, Slot::Month, Slot::MonthDay], span));
    let first = days.next()?;
    // The same day again within it.
    days.all(|other| other.at.start < first.at.end).then_some(first.at)
}

/// Returns whether `words` begin with a time of day that has a name: "noon".
pub fn begins_with_named_time(words: &[Word], grammar: &Grammar) -> bool {
    let utterance = GrammarUtterance::new(words, grammar);
    let is_number = |word: &Word| {
        grammar.numbers.counts(&word.text) || word.text.starts_with(|c: char| c.is_ascii_digit())
    };
    let ends = |(end, _): &(usize, Taken)| *end == 1;
    words.first().is_some_and(|first| !is_number(first))
        && slots::take(Slot::Clock, &utterance, 0, words.len()).ways.iter().any(ends)
}

/// Returns whether such a time stands in `words`.
pub fn holds_strict(words: &[Word], grammar: &Grammar) -> bool {
    spans(words, grammar).iter().any(|span| span.is_strict)
}

/// Returns `words` without `times`.
fn without(words: &[Word], times: &[&TimeSpan]) -> Lifted {
    let is_left = |at: &usize| !times.iter().any(|time| time.at.contains(at));
    Lifted {
        words: (0..words.len()).filter(is_left).map(|at| words[at].clone()).collect(),
        times: times.iter().map(|time| (*time).clone()).collect(),
    }
}

/// Returns the longest time at each place.
fn spans(words: &[Word], grammar: &Grammar) -> Vec<TimeSpan> {
    let utterance = GrammarUtterance::new(words, grammar);
    let longest = |programs: &[Program], from: usize, is_strict: bool| {
        let ends = programs.iter().flat_map(|program| utterance.ends(program, from, words.len()));
        // Of several, the first.
        let ends: Vec<_> = ends.filter(|(end, _)| *end > from).collect();
        let longest = ends.into_iter().rev().max_by_key(|(end, _)| *end)?;
        Some(TimeSpan { at: from..longest.0, captures: longest.1, is_strict })
    };
    let forms = &grammar.times;
    (0..words.len())
        .flat_map(|from| [longest(&forms.strict, from, true), longest(&forms.loose, from, false)])
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::words::normalise;
    use crate::testing::english;

    fn ways(said: &str) -> Vec<(String, Vec<Range<usize>>)> {
        let grammar = english().grammar();
        let words = normalise(said, &grammar.manners).unwrap();
        let text = |words: &[Word]| words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        lifted(&words, grammar)
            .iter()
            .map(|way| (text(&way.words), way.times.iter().map(|time| time.at.clone()).collect()))
            .collect()
    }

    #[test]
    fn a_time_is_lifted_from_anywhere_the_longest_first() {
        for (said, left, times) in [
            ("for tomorrow at seven set an alarm", "set an alarm", &[(0, 4)][..]),
            ("tomorrow remind me at five to call mum", "remind me to call mum", &[(0, 1), (3, 5)]),
            ("set a timer for ten minutes for the rice", "set a timer for the rice", &[(3, 6)]),
        ] {
            let (ways, times) = (ways(said), times.iter().map(|(from, to)| *from..*to).collect());
            assert!(ways.contains(&(left.to_owned(), times)), "{said}: {ways:?}");
        }
        assert_eq!(ways("for tomorrow at seven set an alarm")[0].0, "set an alarm");
        assert_eq!(ways("why is the sky blue"), []);
    }

    #[test]
    fn times_are_known_by_the_place_they_stood_at() {
        let grammar = english().grammar();
        let words = normalise("tomorrow remind me at five to call mum", &grammar.manners).unwrap();
        let ways = lifted(&words, grammar);
        let way = ways.iter().find(|way| way.times.len() == 2 && way.words.len() == 5).unwrap();
        let places: Vec<usize> = (0..=5).filter(|place| way.at_place(*place).count() > 0).collect();
        assert_eq!(places, [0, 2]);
    }

    #[test]
    fn more_times_than_anybody_says_are_not_all_tried() {
        let said = ["at five"; 8].join(" and ");
        assert_eq!(ways(&said).len(), MOST_WAYS);
    }
}
