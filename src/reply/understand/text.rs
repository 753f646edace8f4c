//! Words and quotations in any text.
//!
//! PURE. In: words, or a text. Out: whether two words are forms of one, and a text without what it quotes.

use std::borrow::Cow;

/// Fewest letters two words must share at their beginning to be forms of one word.
const STEM: usize = 4;
/// Most letters that may follow the shared ones.
const ENDING: usize = 4;

/// Whether two words are forms of one.
pub(crate) fn alike(one: &str, other: &str) -> bool {
    let (one, other) = (&*spelt_out(one), &*spelt_out(other));
    if one == other || one.trim_end_matches("'s") == other.trim_end_matches("'s") {
        return true;
    }
    let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let rest = |word: &str| word.chars().count() - shared;
    let least = STEM.min(one.chars().count().min(other.chars().count()));
    shared >= least.max(3) && rest(one) <= ENDING && rest(other) <= ENDING
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
pub(crate) struct Unquoted {
    /// Outside of any.
    pub(crate) own: String,
    /// Behind a mark that is never closed: it may be anybody's.
    pub(crate) open: String,
}

/// `text` without its quotations.
pub(crate) fn without_quotes(text: &str) -> Unquoted {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_left_out_and_what_is_never_closed_is_told_apart() {
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
}
