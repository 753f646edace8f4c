//! Requests of two parts: "what's the weather in Rome and how much is ten percent of ninety".
//!
//! PURE. In: the request and its language. Out: its parts; one when it can't be told. Only the first
//! conjunction counts, and only between clauses long enough to be one.

/// Shortest clause, in characters.
const SHORTEST: usize = 9;

/// What joins two clauses in a language. None means English; in one that is not known nothing does.
fn conjunctions(language: Option<&str>) -> &'static [&'static str] {
    match language.unwrap_or("en") {
        "en" => &[" and "],
        "de" => &[" und "],
        "es" => &[" y ", " e "],
        "fr" => &[" et "],
        "pt" => &[" e "],
        "it" => &[" e ", " ed "],
        "nl" => &[" en "],
        "tr" => &[" ve "],
        _ => &[],
    }
}

fn is_clause(part: &str) -> bool {
    part.chars().count() >= SHORTEST
}

/// What stands between two halves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    /// A word such as "and": both halves are meant alike.
    Conjunction,
    /// A comma: one half may be no more than a way to begin ("I'm making pasta, set a timer").
    Comma,
}

/// Every way to take `asked` apart at a conjunction or a comma, the first one first.
pub(crate) fn halves<'a>(asked: &'a str, language: Option<&str>) -> Vec<([&'a str; 2], Joint)> {
    let words = conjunctions(language).iter().map(|word| (*word, Joint::Conjunction));
    let mut places: Vec<(usize, usize, Joint)> = words
        .chain([(", ", Joint::Comma)])
        .flat_map(|(word, joint)| asked.match_indices(word).map(move |(at, word)| (at, word.len(), joint)))
        .collect();
    places.sort_unstable_by_key(|(at, ..)| *at);
    let bare = |half: &'a str| half.trim_matches(|c: char| c.is_whitespace() || ",;.?!".contains(c));
    let halves = places
        .into_iter()
        .map(|(at, length, joint)| ([&asked[..at], &asked[at + length..]].map(bare), joint));
    halves.filter(|(both, _)| both.iter().all(|half| is_clause(half))).collect()
}

/// The parts of `asked`. No language means English; one that is not known means no split.
pub(crate) fn parts<'a>(asked: &'a str, language: Option<&str>) -> Vec<&'a str> {
    let conjunctions = conjunctions(language);
    let first = conjunctions.iter().filter_map(|word| Some((asked.find(word)?, word.len()))).min();
    let Some((at, length)) = first else { return vec![asked] };
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
        assert_eq!(halves("mach das Licht an und sag mir die Zeit", Some("de")).len(), 1);
        assert_eq!(halves("one two three and four five six", Some("xx")), []);
    }

    #[test]
    fn two_clauses_are_told_from_two_words_in_every_language() {
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
