//! Phrases that are nearly a wake phrase: its first words with another name, its name with another word.
//! Pure: no I/O, no clock.

/// Names and words of daily life.
const NAMES: [&str; 72] = [
    "joyce",
    "joel",
    "joe",
    "toy",
    "boy",
    "joan",
    "john",
    "troy",
    "roy",
    "joey",
    "george",
    "jane",
    "jarrett",
    "travis",
    "jervis",
    "service",
    "harvest",
    "charlie",
    "marvin",
    "jasmine",
    "davis",
    "garden",
    "larry",
    "harry",
    "luna",
    "lena",
    "una",
    "tuna",
    "lula",
    "laura",
    "nora",
    "dora",
    "lisa",
    "anna",
    "mona",
    "emma",
    "martha",
    "maria",
    "alex",
    "alice",
    "alexis",
    "lexi",
    "electra",
    "michael",
    "microsoft",
    "marcus",
    "mike",
    "oscar",
    "friday",
    "freddy",
    "monday",
    "sunday",
    "robin",
    "nobby",
    "naboo",
    "bamboo",
    "taboo",
    "computer",
    "commuter",
    "peter",
    "google",
    "siri",
    "sirius",
    "sorry",
    "lucy",
    "susie",
    "ruby",
    "sophie",
    "chloe",
    "bailey",
    "kelly",
    "molly",
];
/// Words that may stand where the greeting stands.
const GREETINGS: [&str; 8] = ["hi", "may", "say", "they", "hello", "a", "okay", "play"];
/// Words that may sound like the whole of it.
const WHOLES: [&str; 8] = ["enjoy", "annoy", "ahoy", "harvest", "nervous", "airport", "minecraft", "okinawa"];
/// So many names.
const MOST_NAMES: usize = 10;
/// So many greetings.
const MOST_GREETINGS: usize = 3;
/// So many words for the whole of it.
const MOST_WHOLES: usize = 2;

/// The likest first.
pub(super) fn phrases(phrase: &str) -> Vec<String> {
    let Some((first, name)) = phrase.split_once(' ') else {
        return nearest(phrase, &NAMES, MOST_NAMES).into_iter().map(str::to_owned).collect();
    };
    let names = nearest(name, &NAMES, MOST_NAMES).into_iter().map(|rival| format!("{first} {rival}"));
    let firsts =
        nearest(first, &GREETINGS, MOST_GREETINGS).into_iter().map(|rival| format!("{rival} {name}"));
    let wholes = nearest(&phrase.replace(' ', ""), &WHOLES, MOST_WHOLES);
    names.chain(firsts).chain(wholes.into_iter().map(str::to_owned)).collect()
}

fn nearest<'a>(word: &str, rivals: &[&'a str], most: usize) -> Vec<&'a str> {
    let mut others: Vec<&str> = rivals.iter().copied().filter(|rival| *rival != word).collect();
    let likeness = |rival: &str| strsim::normalized_damerau_levenshtein(word, rival);
    others.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
    others.truncate(most);
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_like_the_phrase_and_not_the_phrase() {
        let near = phrases("hey joy");
        assert_eq!(near.len(), MOST_NAMES + MOST_GREETINGS + MOST_WHOLES);
        assert!(near.contains(&"enjoy".into()), "{near:?}");
        assert!(near.contains(&"hey toy".into()) && near.contains(&"hey joyce".into()), "{near:?}");
        assert!(!near.contains(&"hey joy".into()));
        assert_eq!(phrases("alexa")[..2], ["alex", "alexis"]);
    }
}
