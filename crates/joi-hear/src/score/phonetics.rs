//! Computes the pronunciation of words, and the distance between two pronunciations.
//!
//! In: words, as letters; or their sounds, one ASCII letter for each as in `assets/wake/lexicon.txt`. Out:
//! sounds, and distances between them. The pronunciation of an unknown word is guessed by rules; a wrong
//! vowel matters less than a wrong consonant.
//! Pure: no I/O, no clock.

const VOWELS: &[u8] = b"AXUOWIERYHJPQVZ";
/// Vowels that an unstressed syllable makes of any other.
const DULL: &[u8] = b"UHRV";
/// Consonants that are made in nearly the same place.
const PLACES: [&[u8]; 8] = [b"pb", b"td", b"kg", b"fvoq", b"szaio", b"jcaiydt", b"mnx", b"lrwy"];

/// What letters sound like, the longest first; in front of all of it come the rules that look further.
const RULES: [(&str, &str); 61] = [
    ("tch", "c"),
    ("igh", "I"),
    ("eau", "P"),
    ("sch", "a"),
    ("oi", "Q"),
    ("oy", "Q"),
    ("ow", "P"),
    ("ou", "W"),
    ("ee", "J"),
    ("ea", "J"),
    ("oo", "Z"),
    ("ai", "Y"),
    ("ay", "Y"),
    ("ey", "J"),
    ("ei", "Y"),
    ("ie", "J"),
    ("au", "O"),
    ("aw", "O"),
    ("ew", "Z"),
    ("ue", "Z"),
    ("ar", "Ar"),
    ("er", "R"),
    ("ir", "R"),
    ("ur", "R"),
    ("or", "Or"),
    ("ch", "c"),
    ("sh", "a"),
    ("th", "o"),
    ("ph", "f"),
    ("ck", "k"),
    ("qu", "kw"),
    ("gh", "g"),
    ("kn", "n"),
    ("wr", "r"),
    ("ng", "x"),
    ("a", "X"),
    ("b", "b"),
    ("c", "k"),
    ("d", "d"),
    ("e", "E"),
    ("f", "f"),
    ("g", "g"),
    ("h", "h"),
    ("i", "H"),
    ("j", "j"),
    ("k", "k"),
    ("l", "l"),
    ("m", "m"),
    ("n", "n"),
    ("o", "A"),
    ("p", "p"),
    ("q", "k"),
    ("r", "r"),
    ("s", "s"),
    ("t", "t"),
    ("u", "U"),
    ("v", "v"),
    ("w", "w"),
    ("x", "ks"),
    ("y", "J"),
    ("z", "z"),
];
/// A vowel that ends a word.
const LAST: [(&str, &str); 6] = [("a", "U"), ("e", ""), ("i", "J"), ("o", "P"), ("u", "Z"), ("y", "J")];

/// Returns the likeliest pronunciation of a word; letters of other alphabets have none.
pub(super) fn guess(word: &str) -> String {
    let letters: String = word.to_lowercase().chars().map(plain).filter(char::is_ascii_lowercase).collect();
    let mut sounds = String::new();
    let mut rest = letters.as_str();
    while !rest.is_empty() {
        let (length, sound) = first_sound(rest, rest.len() == letters.len(), sounds.is_empty());
        // A doubled consonant is pronounced once.
        if !(sound.len() == 1 && sounds.ends_with(sound) && !VOWELS.contains(&sound.as_bytes()[0])) {
            sounds.push_str(sound);
        }
        rest = &rest[length..];
    }
    sounds
}

/// Returns the first sound of `rest`, and how many letters it takes.
fn first_sound(rest: &str, is_first: bool, is_alone: bool) -> (usize, &'static str) {
    let followed_by = |letters: &str| rest[1..].starts_with(|c| letters.contains(c));
    if rest.starts_with('c') && followed_by("eiy") {
        return (1, "s");
    }
    if rest.starts_with('y') && is_first {
        return (1, "y");
    }
    if let Some((_, sound)) = LAST.iter().find(|(letter, _)| *letter == rest && !is_alone) {
        return (1, sound);
    }
    let rule = RULES.iter().find(|(letters, _)| rest.starts_with(letters));
    rule.map_or((1, ""), |(letters, sound)| (letters.len(), sound))
}

fn plain(letter: char) -> char {
    match letter {
        'ä' | 'á' | 'à' | 'â' | 'å' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ö' | 'ó' | 'ò' | 'ô' | 'ø' => 'o',
        'ü' | 'ú' | 'ù' | 'û' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        letter => letter,
    }
}

/// Distance between two pronunciations: about 0.5 for a neighbouring sound, 1 for another one; 0 for the
/// same.
pub(super) fn distance(one: &str, other: &str) -> f32 {
    let other: Vec<u8> = parts(other).collect();
    let mut row = vec![0.0];
    for sound in &other {
        row.push(row[row.len() - 1] + left_out(*sound));
    }
    for a in parts(one) {
        let mut next = vec![row[0] + left_out(a)];
        for (at, b) in other.iter().enumerate() {
            let changed = row[at] + changed(a, *b);
            next.push(changed.min(row[at + 1] + left_out(a)).min(next[at] + left_out(*b)));
        }
        row = next;
    }
    row[row.len() - 1]
}

/// Returns the sounds, a diphthong as its two vowels: "joy" is near "joey".
fn parts(sounds: &str) -> impl Iterator<Item = u8> {
    sounds
        .bytes()
        .flat_map(|sound| {
            let parts: &[u8] = match sound {
                b'Q' => b"OJ",
                b'I' => b"AJ",
                b'Y' => b"EJ",
                b'W' => b"AV",
                b'P' => b"OV",
                _ => return [Some(sound), None],
            };
            [parts.first().copied(), parts.last().copied()]
        })
        .flatten()
}

fn changed(a: u8, b: u8) -> f32 {
    let is_vowel = |sound| VOWELS.contains(&sound);
    let is_dull = |sound| DULL.contains(&sound);
    match (a, b) {
        _ if a == b => 0.0,
        _ if is_vowel(a) && is_vowel(b) => {
            if is_dull(a) && is_dull(b) {
                0.3
            } else {
                0.5
            }
        }
        _ if is_vowel(a) || is_vowel(b) => 1.0,
        (b'h', _) | (_, b'h') => 0.5,
        _ if PLACES.iter().any(|place| place.contains(&a) && place.contains(&b)) => 0.5,
        _ => 0.8,
    }
}

fn left_out(sound: u8) -> f32 {
    match sound {
        _ if DULL.contains(&sound) => 0.4,
        b'h' => 0.5,
        _ => 0.7,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_unknown_word_is_said_by_rule() {
        let guessed =
            ["joi", "jarvis", "nabu", "mycroft", "chloe", "luna", "lenny", "yvette", "schön", "日本"]
                .map(guess);
        assert_eq!(guessed, ["jQ", "jArvHs", "nXbZ", "mJkrAft", "clA", "lUnU", "lEnJ", "yvEt", "aAn", ""]);
    }

    #[test]
    fn neighbours_are_nearer_than_strangers() {
        // joy: joyce, joey, toy, joe, may.
        let from_joy = ["jQ", "jQs", "jPJ", "tQ", "jP", "mY"].map(|other| distance("jQ", other));
        assert_eq!(from_joy, [0.0, 0.7, 0.4, 0.5, 0.5, 1.3]);
        assert!(distance("jArvHs", "sRvHs") < distance("jArvHs", "kUmpyZtR"));
    }

    proptest! {
        #[test]
        fn a_distance_is_the_same_both_ways_and_none_to_itself(
            one in "[AXUOWIERYHJPQVZbcdfghjklmnpqrstvwyzxaoi]{0,8}",
            other in "[AXUOWIERYHJPQVZbcdfghjklmnpqrstvwyzxaoi]{0,8}",
        ) {
            prop_assert!((distance(&one, &other) - distance(&other, &one)).abs() < 1e-4);
            prop_assert!(one != other || distance(&one, &other) == 0.0);
        }

        #[test]
        fn whatever_is_written_has_a_sound(word in "\\PC{0,20}") {
            prop_assert!(guess(&word).is_ascii());
        }
    }
}
