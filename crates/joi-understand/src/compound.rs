//! Requests of two parts: "what's the weather in Rome and how much is ten percent of ninety".
//!
//! In: the request and its language. Out: its parts; one when it is unclear. Only the first
//! conjunction counts, in capitals or not, and only between clauses long enough to be one.
//! Pure: no I/O, no clock.

use crate::tongue;

/// Most joints that are looked at: who says more gives no commands.
const MOST_JOINTS: usize = 12;

/// Shortest clause, in characters.
const SHORTEST: usize = 9;

/// Returns the places of what joins two clauses in a language. None means English; in one that is not known there are
/// none.
fn conjunctions(asked: &str, language: Option<&str>) -> Vec<(usize, usize)> {
    places_of(asked, tongue::conjunctions(language.unwrap_or("en")))
}

/// Returns where one of `words` stands between others, and its length with the blanks.
fn places_of(asked: &str, words: impl Iterator<Item = &'static str>) -> Vec<(usize, usize)> {
    // Bytes stay where they are: no conjunction has other letters.
    let lower = asked.to_ascii_lowercase();
    let places = words.flat_map(|word| {
        let word = format!(" {word} ");
        lower.match_indices(&word).map(|(at, word)| (at, word.len())).collect::<Vec<_>>()
    });
    places.collect()
}

fn is_clause(part: &str) -> bool {
    part.chars().count() >= SHORTEST
}

/// The joint between two halves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joint {
    /// A word such as "and": both halves are meant alike.
    Conjunction,
    /// A comma, or a word for a consequence: one half may be no more than a way to begin ("I'm making pasta, set a
    /// timer", "I've a call so be quiet").
    Comma,
}

/// Returns every way to take `asked` apart at a conjunction or a comma, the first one first.
pub fn halves<'a>(asked: &'a str, language: Option<&str>) -> Vec<([&'a str; 2], Joint)> {
    let words = conjunctions(asked, language).into_iter().map(|(at, len)| (at, len, Joint::Conjunction));
    let commas = asked.match_indices(", ").map(|(at, comma)| (at, comma.len(), Joint::Comma));
    let so = places_of(asked, tongue::consequences(language.unwrap_or("en")));
    let so = so.into_iter().map(|(at, len)| (at, len, Joint::Comma));
    let mut places: Vec<(usize, usize, Joint)> = words.chain(commas).chain(so).collect();
    places.sort_unstable_by_key(|(at, ..)| *at);
    let halves = places.into_iter().map(|(at, length, joint)| (cut(asked, at, length), joint));
    halves.filter(|(both, _)| both.iter().all(|half| is_clause(half))).take(MOST_JOINTS).collect()
}

/// Returns whether `asked` has more joints than a chain of commands has: it is taken whole.
pub fn is_endless(asked: &str, language: Option<&str>) -> bool {
    halves(asked, language).len() >= MOST_JOINTS || behind_sentences(asked).count() >= MOST_JOINTS
}

/// Returns every way to take `asked` apart behind a sentence, the first one first.
pub fn behind_sentences(asked: &str) -> impl Iterator<Item = [&str; 2]> {
    let ends = asked.match_indices([' ']).filter(move |(at, _)| asked[..*at].ends_with(['.', '!', '?', ';']));
    ends.map(move |(at, space)| cut(asked, at, space.len()))
        .filter(|both| both.iter().all(|half| is_clause(half)))
        .take(MOST_JOINTS)
}

/// Returns what stands before and behind `at`, without the signs around it.
fn cut(asked: &str, at: usize, length: usize) -> [&str; 2] {
    let signs = |c: char| c.is_whitespace() || ",;.?!".contains(c);
    [&asked[..at], &asked[at + length..]].map(|half| half.trim_matches(signs))
}

/// Returns the parts of `asked`. No language means English; one that is not known means no split.
pub fn parts<'a>(asked: &'a str, language: Option<&str>) -> Vec<&'a str> {
    let Some((at, length)) = conjunctions(asked, language).into_iter().min() else { return vec![asked] };
    let (before, after) = (asked[..at].trim(), asked[at + length..].trim());
    if is_clause(before) && is_clause(after) { vec![before, after] } else { vec![asked] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_can_be_taken_apart_at_every_conjunction_and_comma() {
        let asked = "Put soap on the list, say how much is 5 times 9, and convert 10 miles.";
        assert_eq!(
            halves(asked, Some("en")),
            [
                (["Put soap on the list", "say how much is 5 times 9, and convert 10 miles"], Joint::Comma),
                (["Put soap on the list, say how much is 5 times 9", "and convert 10 miles"], Joint::Comma),
                (["Put soap on the list, say how much is 5 times 9", "convert 10 miles"], Joint::Conjunction),
            ]
        );
        assert_eq!(halves("add eggs and cheese", None), [], "no clauses");
        let loud = halves("Set a timer for ten minutes AND TELL ME A JOKE", None);
        assert_eq!(loud, [(["Set a timer for ten minutes", "TELL ME A JOKE"], Joint::Conjunction)]);
        assert_eq!(parts("WIE WARM IST ES IN ÖLS UND WAS IST ZEHN", Some("de")).len(), 2);
        assert_eq!(halves("mach das Licht an und sag mir die Zeit", Some("de")).len(), 1);
        assert_eq!(halves("one two three and four five six", Some("xx")), []);
    }

    #[test]
    fn a_word_for_a_consequence_is_a_joint_and_a_long_text_has_few() {
        let so = halves("I've got a call now so please keep quiet", Some("en"));
        assert_eq!(so, [(["I've got a call now", "please keep quiet"], Joint::Comma)]);
        let long = ["put the milk away"; 200].join(" and ");
        assert_eq!(halves(&long, Some("en")).len(), MOST_JOINTS);
        assert!(is_endless(&long, Some("en")));
        assert!(!is_endless(&["put the milk away"; MOST_JOINTS].join(" and "), Some("en")));
        let long = ["It is late."; 200].join(" ");
        assert_eq!(behind_sentences(&long).count(), MOST_JOINTS);
        assert!(is_endless(&long, None));
    }

    #[test]
    fn words_are_taken_apart_behind_every_sentence() {
        let apart: Vec<_> =
            behind_sentences("I burned my hand! It hurts. Set a timer for 1.5 hours").collect();
        assert_eq!(
            apart,
            [
                ["I burned my hand", "It hurts. Set a timer for 1.5 hours"],
                ["I burned my hand! It hurts", "Set a timer for 1.5 hours"]
            ]
        );
        assert_eq!(behind_sentences("Oh no! Stop.").count(), 0, "no clauses");
    }

    #[test]
    fn two_clauses_differ_from_two_words_in_every_language() {
        let split = [
            ("en", "how warm is it in Rome and what is ten times nine"),
            ("de", "wie warm ist es in Rom und was ist zehn mal neun"),
            ("es", "qué tiempo hace en Roma y cuánto es diez por nueve"),
            ("es", "cómo se llama la madre e hijos de la reina"),
            ("fr", "quel temps fait-il à Rome et combien font dix fois neuf"),
            ("pt", "como está o tempo em Roma e quanto é dez vezes nove"),
            ("it", "che tempo fa a Roma e quanto fa dieci per nove"),
            ("it", "che tempo fa a Roma ed esistono altre città"),
            ("nl", "hoe warm is het in Rome en hoeveel is tien keer negen"),
            ("tr", "Roma'da hava nasıl ve on kere dokuz kaç eder"),
        ];
        for (language, asked) in split {
            assert_eq!(parts(asked, Some(language)).len(), 2, "{asked}");
        }
        let whole = [
            ("en", "salt and a cup of pepper"),
            ("de", "Salz und Brot auf die Liste bitte"),
            ("es", "sal y pan en la lista por favor"),
            ("fr", "du sel et du pain sur la liste"),
            ("pt", "sal e um pão na lista por favor"),
            ("it", "sale e pane sulla lista"),
            ("nl", "zout en brood op de lijst"),
            ("tr", "tuz ve ekmek listeye lütfen"),
            ("xx", "how warm is it in Rome and what is ten times nine"),
        ];
        for (language, asked) in whole {
            assert_eq!(parts(asked, Some(language)), [asked], "{asked}");
        }
        assert_eq!(parts("how warm is it in Rome and what is ten times nine", None).len(), 2);
        assert_eq!(parts("a and b", None), ["a and b"]);
        assert_eq!(parts("how warm is it in Rome and what is it in Oslo and what in Bonn", None).len(), 2);
    }
}
