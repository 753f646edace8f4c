//! Text that goes round in circles by its letters: "abcabcabc…".
//!
//! A model that has lost its way, whisper as well as a language model, writes such words without end. In: a text.
//! Out: whether a word of it is one. Words that are said again are another matter: they may be meant. Pure: no I/O,
//! no clock.

/// Longest group of characters that is looked for.
const LONGEST_GROUP: usize = 20;
/// A group returns at least so often; "hahahaha" is laughter.
const FEWEST: usize = 6;
/// And the whole is at least so long, in characters.
const SHORTEST: usize = 60;

/// Whether a word of `text` is a group of letters over and over.
pub fn loops_by_letters(text: &str) -> bool {
    text.split_whitespace().filter(|word| word.len() >= SHORTEST).any(circles)
}

/// Whether `text`, which has grown by its last `new` bytes and had no such word before, has one now. Looks at no more
/// than the new bytes and the longest circle before them, so that a text that grows without end costs linear time.
pub fn loops_at_the_end(text: &str, new: usize) -> bool {
    let longest = SHORTEST.max(FEWEST * LONGEST_GROUP) + LONGEST_GROUP;
    let seen = text.len().saturating_sub(new);
    let seen = (0..=seen).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let from = text[..seen].char_indices().rev().take(longest).last().map_or(0, |(at, _)| at);
    loops_by_letters(&text[from..])
}

fn circles(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    (1..=LONGEST_GROUP).any(|group| {
        let long = SHORTEST.max(FEWEST * group);
        let mut same = group;
        (group..letters.len()).any(|at| {
            same = if letters[at] == letters[at - group] { same + 1 } else { group };
            // A line of dashes, or a number with many zeros, has no letters.
            same >= long && letters[at + 1 - group..=at].iter().any(|c| c.is_alphabetic())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_text_is_judged_by_its_end_as_it_is_as_a_whole() {
        for text in [
            "abc".repeat(60),
            "哈".repeat(90),
            "Well, a hahaha".repeat(3) + &"-".repeat(80) + &"na".repeat(40),
        ] {
            let whole = |end: usize| loops_by_letters(&text[..end]);
            let ends: Vec<usize> =
                text.char_indices().map(|(at, _)| at).skip(1).chain([text.len()]).collect();
            let (mut before, mut seen) = (0, false);
            for end in ends {
                seen |= loops_at_the_end(&text[..end], end - before);
                before = end;
                assert_eq!(seen, whole(end), "{}", &text[..end]);
            }
            assert!(seen, "{text}");
        }
        // The new bytes may begin in the middle of what the caller counts as one letter.
        assert!(!loops_at_the_end("äöü", 1));
        let long = "\u{200b}".repeat(100_000);
        assert!(!loops_at_the_end(&long, 3));
    }

    #[test]
    fn letters_in_circles_differ_from_long_words() {
        for text in [
            "abc".repeat(200),
            format!("Well, {} and so on", "na".repeat(40)),
            "a".repeat(90),
            format!("x{}", "哈".repeat(80)),
            "abcdefghijklmnopqrst".repeat(6),
        ] {
            assert!(loops_by_letters(&text), "{text}");
        }
        for text in [
            String::new(),
            "hahahahahahahahaha".to_owned(),
            "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz".to_owned(),
            "no no no no no no no no no no no no no no no no no no no no no no no no".to_owned(),
            format!("1{}", "0".repeat(100)),
            "-".repeat(100),
            "https://a.example/one/two/three/four/five/six/seven/eight/nine/ten/eleven".to_owned(),
            "abcdefghijklmnopqrst".repeat(4),
        ] {
            assert!(!loops_by_letters(&text), "{text}");
        }
    }
}
