//! Repetition that no person says, however well the sound fits it: "abc abc abc", "abcabcabc", a handful of words over and
//! over.
//!
//! In: the text of a transcript. Out: whether it is such. "No, no, no" is not: what a person may repeat is left to the
//! evidence of the audio.
//! Pure: no I/O, no clock.

use std::collections::BTreeSet;

use super::syllables;

/// Groups of so many letters that return within a word; shorter ones are laughter and song.
const GROUP: std::ops::RangeInclusive<usize> = 3..=12;
/// A group of three letters returns at least so often, a longer one once less: "chachacha" is a dance.
const GROUP_TIMES: usize = 4;
/// So many letters in the order of the alphabet are spelled, not said.
const SPELLED: usize = 3;
/// Spelled letters and whole sentences return at least so often.
const TIMES: usize = 3;
/// A person repeats no more words than these three times on end.
const LONGEST_PHRASE: usize = 8;
/// A text of so many words has more than a quarter of them but once.
const MANY: usize = 12;
const SHARE: usize = 4;

/// Returns whether no person says `text`.
pub(super) fn no_person_says(text: &str) -> bool {
    let whole = syllables::words(text);
    let words: Vec<&str> =
        whole.iter().flat_map(|word| word.split('-')).filter(|word| !word.is_empty()).collect();
    let distinct: BTreeSet<&&str> = words.iter().collect();
    let is_poor = words.len() >= MANY && distinct.len() * SHARE <= words.len();
    is_poor
        || words.iter().any(|word| circles(word))
        || comes_again(&words, 1..=LONGEST_PHRASE, |phrase| is_alphabet(&phrase.concat()))
        || comes_again(&words, LONGEST_PHRASE + 1..=words.len() / TIMES, |_| true)
}

/// Returns whether a group of letters returns within a word.
fn circles(word: &str) -> bool {
    let letters: Vec<char> = word.chars().filter(|letter| letter.is_alphabetic()).collect();
    GROUP.into_iter().any(|group| {
        let times = if group == *GROUP.start() { GROUP_TIMES } else { GROUP_TIMES - 1 };
        let is_same = |run: &[char]| run.chunks(group).all(|next| *next == run[..group]);
        letters.windows(group * times).any(is_same)
    })
}

/// Returns whether a phrase of `lengths` words that fits comes three times on end.
fn comes_again(
    words: &[&str],
    lengths: std::ops::RangeInclusive<usize>,
    fits: impl Fn(&[&str]) -> bool,
) -> bool {
    lengths.into_iter().any(|length| {
        let is_same = |run: &[&str]| run.chunks(length).all(|next| *next == run[..length]);
        words.windows(length * TIMES).any(|run| is_same(run) && fits(&run[..length]))
    })
}

/// Returns whether letters follow each other as in the alphabet: "abc".
fn is_alphabet(letters: &str) -> bool {
    let bytes = letters.as_bytes();
    bytes.len() >= SPELLED && bytes.windows(2).all(|two| two[0].is_ascii_lowercase() && two[1] == two[0] + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_of_a_decoder_differ_from_what_a_person_repeats() {
        for text in [
            "abc abc abc".to_owned(),
            "ABC, ABC, ABC, turn it on".to_owned(),
            "A B C A B C A B C".to_owned(),
            "abc-abc-abc".to_owned(),
            "xyz ".repeat(9),
            "abcabcabcabc".to_owned(),
            "turnturnturn".to_owned(),
            "la ti do la ti do la ti la ti do la".to_owned(),
            "turn it on turn it on turn it on turn it on".to_owned(),
            "and then I went to the shop to buy some bread ".repeat(3),
            "Dann dann geht geht dann dann geht geht dann dann geht geht".to_owned(),
        ] {
            assert!(no_person_says(&text), "{text}");
        }
        for text in [
            "",
            "no no no",
            "Stop, stop, stop!",
            "sing the ABC",
            "abc abc",
            "is it spelled with an a, b or c",
            "fairy lights on daddy fairy lights on on on",
            "very very very good",
            "chachacha",
            "cha-cha-cha",
            "hahahahaha",
            "turn on the light, and turn on the fan, and turn on the heater, and turn on the radio",
            "Nein, nein, nein, das Licht im Flur",
            "the cat and the dog and the bird and the fish and the mouse",
        ] {
            assert!(!no_person_says(text), "{text}");
        }
    }
}
