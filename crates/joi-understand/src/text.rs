//! Words and quotations in any text.
//!
//! In: words, or a text. Out: whether two words are forms of one, a text without what it quotes, and whether that is
//! somebody else's.
//! Pure: no I/O, no clock.

use std::borrow::Cow;

use joi_language::words_of;

/// Fewest letters two words must share at their beginning to be forms of one word.
const STEM: usize = 4;
/// Most letters that may follow the shared ones.
const ENDING: usize = 4;
/// Fewest letters of a word without its ending.
const SHORTEST_STEM: usize = 3;

/// Returns whether two words are forms of one.
pub fn alike(one: &str, other: &str) -> bool {
    let (one, other) = (&*spelt_out(one), &*spelt_out(other));
    if one == other || one.trim_end_matches("'s") == other.trim_end_matches("'s") {
        return true;
    }
    let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let rest = |word: &str| word.chars().count() - shared;
    let least = STEM.min(one.chars().count().min(other.chars().count()));
    shared >= least.max(3) && rest(one) <= ENDING && rest(other) <= ENDING
}

/// Returns whether two words are the same but for their `endings`, in a language with these.
pub(crate) fn same(one: &str, other: &str, endings: &[String]) -> bool {
    let (one, other) = (&*spelt_out(one), &*spelt_out(other));
    let stems = |word: &'_ str| -> Vec<String> {
        let bare = endings.iter().filter_map(|ending| word.strip_suffix(ending.as_str()));
        let long = bare.filter(|stem| stem.chars().count() >= SHORTEST_STEM);
        std::iter::once(word).chain(long).map(str::to_owned).collect()
    };
    let one_stems = stems(one.trim_end_matches("'s"));
    stems(other.trim_end_matches("'s")).iter().any(|stem| one_stems.contains(stem))
}

/// With umlauts as keyboards without them write: "büro" and "buero" are one word.
fn spelt_out(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return Cow::Borrowed(word);
    }
    Cow::Owned(word.replace('ä', "ae").replace('ö', "oe").replace('ü', "ue").replace('ß', "ss"))
}

/// A text without what stands in quotation marks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unquoted {
    /// Outside of any.
    pub own: String,
    /// Behind a mark that is never closed: it may be anybody's.
    pub open: String,
}

/// `text` without its quotations.
pub fn without_quotes(text: &str) -> Unquoted {
    let has_pairs = text.matches(['\'', '’']).count() > 1;
    let mut unquoted = Unquoted::default();
    let mut until: Option<char> = None;
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // An apostrophe is no end.
        let is_inside = matches!(c, '\'' | '’') && chars.peek().is_some_and(|next| next.is_alphanumeric());
        match until {
            Some(end) if (c == end || (end == '”' && c == '"')) && !is_inside => {
                until = None;
                unquoted.open.clear();
            }
            Some(_) => unquoted.open.push(c),
            None => match c {
                '"' => until = Some('"'),
                '“' => until = Some('”'),
                '„' => until = Some('“'),
                '«' => until = Some('»'),
                '»' => until = Some('«'),
                '\'' | '‘' if !before.is_alphanumeric() && has_pairs => {
                    until = Some(if c == '‘' { '’' } else { '\'' });
                }
                _ => unquoted.own.push(c),
            },
        }
        before = c;
    }
    unquoted
}

/// Pairs of quotation marks.
const QUOTES: [char; 6] = ['"', '“', '”', '„', '«', '»'];
/// Most words in quotation marks that are a name or a thing, and no text of somebody else.
const LONGEST_VALUE: usize = 6;

/// Returns whether the user quotes somebody at length, or has pasted a text: such words are a stranger's.
pub fn quotes(asked: &str) -> bool {
    let own = without_quotes(asked).own;
    let quoted = words_of(asked).len().saturating_sub(words_of(&own).len());
    // A quotation with marks inside ends at the last of them.
    let between = asked.find(QUOTES).zip(asked.rfind(QUOTES)).map_or("", |(from, to)| &asked[from..to]);
    let quoted = quoted.max(words_of(between).len());
    // Behind a colon, more than a list of things: sentences that somebody wrote.
    let told = asked.split_once(": ").map_or("", |(_, told)| told);
    let is_text = told.contains(['{', '?', '!', '"']) || told.trim_end_matches('.').contains(". ");
    (is_text && words_of(told).len() > LONGEST_VALUE) || quoted > LONGEST_VALUE || has_lines(asked)
}

/// Returns whether a text has more than one line with something on it: then it was pasted.
pub fn has_lines(text: &str) -> bool {
    let ends_line =
        |c: char| matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    text.split(ends_line).filter(|line| !line.trim().is_empty()).count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_left_out_and_what_is_never_closed_is_distinguished() {
        for (text, own, open) in [
            ("you say \"it is set\" then", "you say  then", ""),
            ("das heißt „gestellt“ hier", "das heißt  hier", ""),
            ("“the door's shut” it says", " it says", ""),
            ("he said 'it's off' twice", "he said  twice", ""),
            ("it's mine and it's off", "it's mine and it's off", ""),
            ("so \"I set it", "so ", "I set it"),
        ] {
            let expected = Unquoted { own: own.to_owned(), open: open.to_owned() };
            assert_eq!(without_quotes(text), expected, "{text}");
        }
    }

    #[test]
    fn words_that_differ_in_their_endings_are_alike() {
        for (one, other) in [("light", "lights"), ("milk", "milk's"), ("egg", "eggs"), ("stelle", "stellen")]
        {
            assert!(alike(one, other), "{one} {other}");
        }
        assert!(!alike("bedroom", "bathroom") && !alike("row", "rob"));
    }

    #[test]
    fn words_are_the_same_but_for_an_ending_of_their_language() {
        let endings = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let english = endings(&["s", "es"]);
        for (one, other) in [("egg", "eggs"), ("tomatoes", "tomato"), ("milk's", "milk"), ("anna", "anna")] {
            assert!(same(one, other, &english), "{one} {other}");
        }
        for (one, other) in [
            ("card", "car"),
            ("anna", "ann"),
            ("living", "livid"),
            ("bed", "bedroom"),
            ("market", "mark"),
            ("bus", "bu"),
        ] {
            assert!(!same(one, other, &english), "{one} {other}");
        }
        let german = endings(&["e", "n", "en"]);
        assert!(
            same("büro", "buero", &german)
                && same("lampe", "lampen", &german)
                && same("stell", "stelle", &german)
        );
        assert!(!same("wecker", "wecken", &german) && !same("markt", "marke", &german));
    }
}
