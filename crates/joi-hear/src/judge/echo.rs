//! Measures how much of an utterance is echo of the assistant's own speech.
//!
//! In: the normalised words of an utterance and those played at the time. Out: a likeness of 0 to 100, and
//! where the echo ends if the user went on. Words are aligned with tolerance: whisper transcribes fragments
//! from the middle of a sentence, mishears, joins and splits words.
//! Pure: no I/O, no clock.

use strsim::normalized_damerau_levenshtein;

/// A played word that is missing in the utterance costs less than one that was heard and not played.
const MISSING: f64 = 0.6;
/// Words less alike than this are unrelated.
const LEAST_ALIKE: f64 = 0.5;
/// What a heard word must be alike on average to belong to the head of an utterance.
const HEAD_ALIKE: f64 = 0.55;
/// At most this many played words are compared; older ones are inaudible.
const MOST_SAID: usize = 240;

/// What an utterance has in common with playback.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Likeness {
    /// Of all that was heard, 0 to 100.
    pub(super) whole: f64,
    /// How many of the words at the head are echo, as far as it makes sense to cut.
    pub(super) head: usize,
    /// Likeness of that head, 0 to 100.
    pub(super) head_likeness: f64,
}

/// Compares what was `heard` with what was `said`.
pub(super) fn compare(heard: &[&str], said: &[String]) -> Likeness {
    let said = &said[said.len().saturating_sub(MOST_SAID)..];
    if heard.is_empty() || said.is_empty() {
        return Likeness { whole: 0.0, head: 0, head_likeness: 0.0 };
    }
    let costs = costs(heard, said);
    let mut weights = vec![0.0; heard.len() + 1];
    for (i, word) in heard.iter().enumerate() {
        weights[i + 1] = weights[i] + weight(word);
    }
    let alike = |i: usize| (100.0 * (1.0 - costs[i] / weights[i])).clamp(0.0, 100.0);
    let gain = |i: usize| (1.0 - HEAD_ALIKE) * weights[i] - costs[i];
    let mut head = 0;
    for i in 1..=heard.len() {
        if gain(i) > gain(head) {
            head = i;
        }
    }
    let head_likeness = if head == 0 { 0.0 } else { alike(head) };
    Likeness { whole: alike(heard.len()), head, head_likeness }
}

/// Returns the cost of the best alignment of each head of `heard` with any stretch of `said`.
fn costs(heard: &[&str], said: &[String]) -> Vec<f64> {
    // Row i: the first i heard words, ending at each place of what was said; a stretch begins at no cost.
    let mut rows: Vec<Vec<f64>> = vec![vec![0.0; said.len() + 1]];
    for i in 1..=heard.len() {
        let mut row = vec![rows[i - 1][0] + weight(heard[i - 1])];
        for j in 1..=said.len() {
            let mut least = (rows[i - 1][j - 1] + swap(heard[i - 1], &said[j - 1]))
                .min(rows[i - 1][j] + weight(heard[i - 1]))
                .min(row[j - 1] + MISSING * weight(&said[j - 1]));
            if i > 1 {
                let joined = format!("{}{}", heard[i - 2], heard[i - 1]);
                least = least.min(rows[i - 2][j - 1] + swap(&joined, &said[j - 1]));
            }
            if j > 1 {
                let joined = format!("{}{}", said[j - 2], said[j - 1]);
                least = least.min(rows[i - 1][j - 2] + swap(heard[i - 1], &joined));
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows.iter().map(|row| row.iter().copied().fold(f64::INFINITY, f64::min)).collect()
}

/// Returns the cost of having heard `heard` for `said`.
fn swap(heard: &str, said: &str) -> f64 {
    let alike = normalized_damerau_levenshtein(heard, said);
    if alike < LEAST_ALIKE {
        weight(heard).max(weight(said))
    } else {
        (1.0 - alike) * weight(heard).max(weight(said))
    }
}

/// Long words say more than short ones.
fn weight(word: &str) -> f64 {
    word.chars().count().max(2) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::plain_words::plain;
    use super::*;
    use joi_language::testing::english;

    const SAID: &str = "The living room is at 22.5 °C, and the kitchen window has been open since 9:05.";

    fn likeness(heard: &str, said: &str) -> (u32, usize) {
        let figures = &english().vocabulary().figures;
        let (heard, said) = (plain(heard, figures), plain(said, figures));
        let heard: Vec<&str> = heard.iter().map(|token| token.text.as_str()).collect();
        let said: Vec<String> = said.into_iter().map(|token| token.text).collect();
        let Likeness { whole, head, .. } = compare(&heard, &said);
        (whole.round() as u32, head)
    }

    #[test]
    fn fragments_are_alike_however_they_are_written_or_misheard() {
        assert_eq!(likeness("and the kitchen window has been open", SAID), (100, 7));
        assert_eq!(likeness("room is at twenty two and a half degrees Celsius and", SAID).0, 100);
        assert!(likeness("the chicken window has been opened since nine oh five", SAID).0 >= 80);
        assert!(likeness("the livingroom is at 22.5 degrees", SAID).0 >= 90, "joined words");
    }

    #[test]
    fn other_words_are_not() {
        for heard in [
            "turn off the light please",
            "what is the weather like tomorrow",
            "and how warm is it upstairs",
            "yes",
        ] {
            assert!(likeness(heard, SAID).0 < 60, "{heard}: {:?}", likeness(heard, SAID));
        }
        assert_eq!(compare(&[], &["a".into()]), Likeness { whole: 0.0, head: 0, head_likeness: 0.0 });
        assert_eq!(compare(&["a"], &[]), Likeness { whole: 0.0, head: 0, head_likeness: 0.0 });
    }

    #[test]
    fn the_head_ends_where_the_person_goes_on() {
        assert_eq!(likeness("the kitchen window has been open please tell me a joke", SAID).1, 6);
        assert_eq!(likeness("please tell me a joke", SAID).1, 0);
    }

    proptest! {
        #[test]
        fn any_stretch_of_what_was_said_is_entirely_alike(words in proptest::collection::vec("[a-z]{1,8}", 1..20), from in 0_usize..20, len in 1_usize..20) {
            let from = from.min(words.len() - 1);
            let to = (from + len).min(words.len());
            let heard: Vec<&str> = words[from..to].iter().map(String::as_str).collect();
            let likeness = compare(&heard, &words);
            prop_assert_eq!(likeness, Likeness { whole: 100.0, head: to - from, head_likeness: 100.0 });
        }
    }
}
